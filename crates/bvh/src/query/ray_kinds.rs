//! The kinds of the rays of a run: those of one kind can go as a packet.
//!
//! The rays of a packet share the octant of their direction and its dominant axis. Of coherent rays, such
//! as those of a camera, some runs lie across the border between two kinds.

use hitscan_primitives::{Ray, WatertightRay};

use crate::kernel::PACKET_WIDTH;

/// The maximum number of kinds in a run that is split into them. Incoherent rays have more.
const FEW: u32 = 4;

/// Whether a few of the rays share their octant. A cheap test before the setup of a packet, which has the
/// last word.
pub(super) fn may_be_of_one_kind(rays: &[Ray], run: &[u32]) -> bool {
    let octant = |i: usize| rays[run[i] as usize].direction.is_negative_bitmask();
    let last = run.len() - 1;
    [last / 4, last / 2, last].iter().all(|&ray| octant(ray) == octant(0))
}

/// Calls `f` with the rays of each kind. Returns whether the kinds were few: else it calls nothing.
pub(super) fn for_each_kind(rays: &[Ray], run: &[u32], mut f: impl FnMut(&[u32])) -> bool {
    let Some(kinds) = few_kinds(rays, run) else { return false };
    let (mut of_kind, mut seen) = ([0; PACKET_WIDTH], 0u32);
    for (first, &kind) in kinds[..run.len()].iter().enumerate() {
        if seen >> kind & 1 == 1 {
            continue;
        }
        seen |= 1 << kind;
        let mut n = 0;
        for (&index, &other) in run[first..].iter().zip(&kinds[first..]) {
            of_kind[n] = index;
            n += usize::from(other == kind);
        }
        f(&of_kind[..n]);
    }
    true
}

/// The kind of each ray, or `None` if there are more than [`FEW`] kinds.
fn few_kinds(rays: &[Ray], run: &[u32]) -> Option<[u8; PACKET_WIDTH]> {
    // Incoherent rays end here.
    const SAMPLE: usize = 2 * FEW as usize;
    let mut kinds = [0; PACKET_WIDTH];
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

/// The octant and dominant axis of a ray's direction, as a number below 24.
#[inline]
fn kind_of(ray: &Ray) -> u8 {
    let axis = WatertightRay::dominant_axes(ray.direction)[2].index();
    (8 * axis) as u8 + ray.direction.is_negative_bitmask() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: [u32; PACKET_WIDTH] = {
        let mut run = [0; PACKET_WIDTH];
        let mut i = 0;
        while i < PACKET_WIDTH {
            run[i] = i as u32;
            i += 1;
        }
        run
    };

    /// Rays that look along `z` in all four quadrants, alternating.
    fn mixed_run() -> [Ray; PACKET_WIDTH] {
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
        assert_eq!(kinds[PACKET_WIDTH - 4..], kinds[..4]);
    }

    #[test]
    fn five_kinds_are_too_many() {
        let mut run = mixed_run();
        run[PACKET_WIDTH - 1] = Ray::new([0.0; 3], [1.0, 0.1, 0.1]);
        assert_eq!(few_kinds(&run, &RUN), None);
    }

    #[test]
    fn every_ray_comes_once_beside_all_rays_of_its_kind() {
        let run = mixed_run();
        let mut seen = vec![];
        assert!(for_each_kind(&run, &RUN, |of_kind| seen.push(of_kind.to_vec())));
        assert_eq!(seen.len(), 4);
        for (kind, of_kind) in seen.iter().enumerate() {
            assert!(of_kind.iter().copied().eq((kind as u32..32).step_by(4)), "{of_kind:?}");
        }
    }
}
