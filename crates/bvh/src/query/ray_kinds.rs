//! Sorts the rays of mixed runs into kinds, so that rays of one kind can go as a packet.
//!
//! The rays of a packet share the octant of their direction and its dominant axis. Of coherent rays, such
//! as those of a camera, some runs lie across the border between two kinds.

use hitscan_primitives::{Ray, WatertightRay};

use crate::kernel::PACKET;

/// The minimum number of rays that go as a packet: fewer are faster one by one.
pub(super) const MIN_PACKET: usize = 3;

/// The maximum number of kinds in a run whose rays are sorted. Incoherent rays have more.
const FEW: u32 = 4;

/// The number of kinds: octants times dominant axes.
const KINDS: usize = 8 * 3;

/// Whether a few of the rays share their octant. A cheap test before the setup of a packet, which has the
/// last word.
pub(super) fn may_be_of_one_kind(rays: &[Ray], run: &[u32]) -> bool {
    let octant = |i: usize| rays[run[i] as usize].direction.is_negative_bitmask();
    let last = run.len() - 1;
    [last / 4, last / 2, last].iter().all(|&ray| octant(ray) == octant(0))
}

/// The kind of each ray, or `None` if there are more than [`FEW`] kinds.
pub(super) fn few_kinds(rays: &[Ray], run: &[u32]) -> Option<[u8; PACKET]> {
    // Incoherent rays end here.
    const SAMPLE: usize = 2 * FEW as usize;
    let mut kinds = [0; PACKET];
    let mut seen = 0u32;
    for (i, (kind, &index)) in kinds.iter_mut().zip(run).enumerate() {
        *kind = kind_of(&rays[index as usize]);
        seen |= 1 << *kind;
        if i + 1 == SAMPLE && seen.count_ones() > FEW {
            return None;
        }
    }
    (seen.count_ones() <= FEW).then_some(kinds)
}

/// The octant and dominant axis of a ray's direction, as a number below [`KINDS`].
#[inline]
fn kind_of(ray: &Ray) -> u8 {
    let axis = WatertightRay::dominant_axes(ray.direction)[2].index();
    (8 * axis) as u8 + ray.direction.is_negative_bitmask() as u8
}

/// Rays that wait for others of their kind.
pub(super) struct Kinds {
    indices: [[u32; PACKET]; KINDS],
    lens: [u8; KINDS],
}

impl Default for Kinds {
    fn default() -> Self {
        Self { indices: [[0; PACKET]; KINDS], lens: [0; KINDS] }
    }
}

impl Kinds {
    /// Adds the index of a ray, and returns the rays of its kind once they fill a packet.
    #[inline]
    pub(super) fn push(&mut self, kind: u8, index: u32) -> Option<&[u32]> {
        let kind = usize::from(kind) % KINDS;
        let (list, len) = (&mut self.indices[kind], &mut self.lens[kind]);
        list[usize::from(*len) % PACKET] = index;
        *len += 1;
        if usize::from(*len) < PACKET {
            return None;
        }
        *len = 0;
        Some(list)
    }

    /// Passes on the rays of each kind that never filled a packet.
    pub(super) fn drain(&self, mut f: impl FnMut(&[u32])) {
        for (list, &len) in self.indices.iter().zip(&self.lens) {
            if len > 0 {
                f(&list[..usize::from(len)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: [u32; PACKET] = {
        let mut run = [0; PACKET];
        let mut i = 0;
        while i < PACKET {
            run[i] = i as u32;
            i += 1;
        }
        run
    };

    /// Rays that look along `z` in all four quadrants, alternating.
    fn mixed_run() -> [Ray; PACKET] {
        std::array::from_fn(|i| {
            let [x, y] = [i & 1, i >> 1 & 1].map(|side| 0.1 - 0.2 * side as f32);
            Ray::new([0.0; 3], [x, y, 1.0])
        })
    }

    #[test]
    fn a_run_across_the_axis_of_a_camera_has_four_kinds() {
        let run = mixed_run();
        assert!(!may_be_of_one_kind(&run, &RUN));
        let kinds = few_kinds(&run, &RUN).expect("four kinds are few");
        assert_eq!(kinds[..4], [16, 17, 18, 19]);
        assert_eq!(kinds[PACKET - 4..], kinds[..4]);
    }

    #[test]
    fn five_kinds_are_too_many() {
        let mut run = mixed_run();
        run[PACKET - 1] = Ray::new([0.0; 3], [1.0, 0.1, 0.1]);
        assert_eq!(few_kinds(&run, &RUN), None);
    }

    #[test]
    fn every_ray_comes_out_once_beside_rays_of_its_kind() {
        let mut kinds = Kinds::default();
        let mut seen = vec![];
        for index in 0..300u32 {
            if let Some(full) = kinds.push((index % 3) as u8, index) {
                assert_eq!(full.len(), PACKET);
                seen.push(full.to_vec());
            }
        }
        kinds.drain(|rest| seen.push(rest.to_vec()));
        assert!(seen.iter().all(|list| list.iter().all(|index| index % 3 == list[0] % 3)));
        let mut all: Vec<u32> = seen.concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..300));
    }
}
