//! The rays of a batch that go as packets.

use std::sync::Mutex;

use hitscan_primitives::{Faces, Ray};

use super::{
    alone::is_far_beyond_caches,
    ray_kinds::{for_each_kind, may_be_of_one_kind},
    rows::Runs,
};
use crate::{
    layout::Tree,
    simd::{Isa, LANES},
    traverse::{Outcome, PacketAnswer, Packets, Sharing},
};

/// When packets of closest hits are faster than rays that go alone.
const SHARING: Sharing = Sharing::MeanRays(3);

/// The same for shadow rays.
///
/// Where the mesh is finer than the distance between them, a packet tests many blocks, each for few rays: 16 on the
/// bunny and 18 on nefertiti, where packets reach 0.95 and 0.94 of the speed of single rays. They test 5 in a city
/// and 2 in the kitchen, where they reach 1.06 and 1.40 (`benches/record/2026-11-27-amd-epyc-shadow-packets`).
const SHARING_ANY: Sharing = Sharing::Blocks(10);

/// The same for trees far beyond the caches, where rays that go alone are interleaved and a packet waits for
/// memory.
const SHARING_IN_MEMORY: Sharing = Sharing::MeanRays(5);
const SHARING_IN_MEMORY_ANY: Sharing = Sharing::MeanRays(10);

/// The maximum number of runs that go alone after packets whose rays went different ways. With 31, and pauses as long
/// after a coherent packet, shadow rays take 4 % more time on the bunny and nefertiti
/// (`benches/record/2026-11-29-intel-xeon-cells`).
const MAX_PAUSE: usize = 127;

/// How many more packets must have been incoherent than coherent, before the next runs go alone. A single packet
/// says little: some of the kitchen's are incoherent as well.
const MIN_INCOHERENT: u32 = 4;

/// The maximum of that number, so that a few coherent packets end the pauses.
const MAX_INCOHERENT: u32 = 8;

/// Why the lock of a pause is never poisoned.
const COPIED: &str = "a copy does not panic";

/// Answers the rays that can go as packets: runs of one kind, and the larger kinds of mixed runs. Returns the
/// others. The rays must be in the tree's scaled space. The chunks of a batch share `pause`.
pub(super) fn answer_packets<A: PacketAnswer>(
    tree: &Tree,
    isa: Isa,
    rays: &[Ray],
    runs: Runs,
    answers: &mut [A],
    faces: Faces,
    pause: &Mutex<Pause>,
) -> Vec<u32> {
    let mut alone = Vec::new();
    let feed = |packet: &mut dyn FnMut(&[u32]) -> Outcome| {
        // A copy for the chunk, so that threads do not wait for each other.
        let mut current = *pause.lock().expect(COPIED);
        alone = feed_packets(rays, runs, &mut current, packet);
        *pause.lock().expect(COPIED) = current;
    };
    let sharing = match (is_far_beyond_caches(tree), A::ANY) {
        (false, false) => SHARING,
        (false, true) => SHARING_ANY,
        (true, false) => SHARING_IN_MEMORY,
        (true, true) => SHARING_IN_MEMORY_ANY,
    };
    isa.run(Packets { tree, rays, faces, answers, sharing, feed });
    alone
}

/// The minimum number of rays of a mixed run that go as a packet: a register full. With 4, 12 and 16 batches take
/// as long within 2 % (camera and shadow rays; kitchen, bunny, nefertiti, city).
const MIN_OF_KIND: usize = LANES;

/// Passes the rays that may go as packets to `packet`. Returns the others.
fn feed_packets(
    rays: &[Ray],
    runs: Runs,
    pause: &mut Pause,
    packet: &mut dyn FnMut(&[u32]) -> Outcome,
) -> Vec<u32> {
    let mut alone = Vec::new();
    runs.for_each(|run| {
        if pause.goes_on() {
            if alone.capacity() == 0 {
                alone.reserve(rays.len());
            }
            alone.extend(run);
            return;
        }
        if may_be_of_one_kind(rays, run) {
            let outcome = packet(run);
            pause.after(outcome);
            if outcome != Outcome::Refused {
                return;
            }
        }
        let has_few_kinds = for_each_kind(rays, run, |of_kind| {
            // A run of one kind was refused above.
            let goes_alone = of_kind.len() < MIN_OF_KIND || of_kind.len() == run.len();
            let outcome = if goes_alone { Outcome::Refused } else { packet(of_kind) };
            pause.after(outcome);
            if outcome == Outcome::Refused {
                alone.extend(of_kind);
            }
        });
        if !has_few_kinds {
            alone.extend(run);
            pause.after(Outcome::Incoherent);
        }
    });
    alone
}

/// The runs that go alone, because the rays of the last packets went different ways. On meshes that are finer
/// than the distance between rays, single rays are faster.
#[derive(Clone, Copy, Default)]
pub(super) struct Pause {
    /// The runs still to go alone.
    left: usize,
    /// The length of the last pause.
    length: usize,
    /// The recent packets that were incoherent, less those that were coherent.
    incoherent: u32,
}

impl Pause {
    /// Whether the next run goes alone.
    fn goes_on(&mut self) -> bool {
        let goes_on = self.left > 0;
        self.left = self.left.saturating_sub(1);
        goes_on
    }

    /// Learns the outcome of a packet. A pause is about twice as long as the one before after an incoherent packet,
    /// and a quarter as long after a coherent one. The kinds of a mixed run add theirs.
    fn after(&mut self, outcome: Outcome) {
        let length = match outcome {
            Outcome::Incoherent => {
                self.incoherent = (self.incoherent + 1).min(MAX_INCOHERENT);
                2 * self.length + 1
            }
            Outcome::Coherent => {
                self.incoherent = self.incoherent.saturating_sub(1);
                self.length / 4
            }
            Outcome::Refused => return,
        };
        self.length = if self.incoherent < MIN_INCOHERENT { 0 } else { length.min(MAX_PAUSE) };
        self.left += self.length;
    }
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::generate;

    use super::*;
    use crate::{BuildOptions, MeshBvh, kernel::PACKET_WIDTH};

    /// The calls of `packet` with the rays of `directions` in turn, if each packet has the same outcome.
    fn packets_of(directions: &[[f32; 3]], n_rays: usize, outcome: Outcome) -> (usize, Pause) {
        let rays: Vec<Ray> =
            directions.iter().cycle().take(n_rays).map(|&d| Ray::new([0.0; 3], d)).collect();
        let (mut n_packets, mut all, mut pause) = (0, vec![], Pause::default());
        let alone = feed_packets(&rays, Runs::new(n_rays, None), &mut pause, &mut |indices| {
            n_packets += 1;
            all.extend(indices);
            outcome
        });
        all.extend(alone);
        all.sort_unstable();
        assert!(all.into_iter().eq(0..n_rays as u32));
        (n_packets, pause)
    }

    #[test]
    fn mixed_runs_pause_as_others_do() {
        let one_kind = [[1.0, 0.1, 0.1]];
        let two_kinds = [[1.0, 0.1, 0.1], [-1.0, 0.1, 0.1]];
        assert_eq!(packets_of(&one_kind, 128 * PACKET_WIDTH, Outcome::Coherent).0, 128);
        assert_eq!(packets_of(&two_kinds, 128 * PACKET_WIDTH, Outcome::Coherent).0, 256);
        for kinds in [&one_kind[..], &two_kinds] {
            let (n_packets, _) = packets_of(kinds, 128 * PACKET_WIDTH, Outcome::Incoherent);
            assert!((1..=16).contains(&n_packets), "{n_packets}");
        }
    }

    #[test]
    fn rays_of_many_kinds_pause_without_a_packet() {
        let axes = [[1.0, 0.1, 0.1], [0.1, 1.0, 0.1], [0.1, 0.1, 1.0]];
        let directions: Vec<_> = axes.into_iter().flat_map(|d| [d, d.map(|x: f32| -x)]).collect();
        let (n_packets, pause) = packets_of(&directions, 12 * PACKET_WIDTH, Outcome::Coherent);
        assert!(n_packets == 0 && pause.length > 0);
    }

    #[test]
    fn few_rays_of_a_kind_go_alone() {
        let kinds = [[1.0, 0.1, 0.1], [-1.0, 0.1, 0.1]];
        let n_packets_of = |lens: [usize; 2]| {
            let directions = [vec![kinds[0]; lens[0]], vec![kinds[1]; lens[1]]].concat();
            packets_of(&directions, directions.len(), Outcome::Coherent).0
        };
        assert_eq!(n_packets_of([16, 16]), 2);
        assert_eq!(n_packets_of([PACKET_WIDTH - MIN_OF_KIND, MIN_OF_KIND]), 2);
        assert_eq!(n_packets_of([PACKET_WIDTH - MIN_OF_KIND + 1, MIN_OF_KIND - 1]), 1);
        assert_eq!(n_packets_of([MIN_OF_KIND - 1; 2]), 0);
        // A small batch may be a packet.
        assert_eq!(n_packets_of([MIN_OF_KIND - 1, 0]), 1);
    }

    #[test]
    fn packets_of_shadow_rays_without_order_are_incoherent() {
        let mesh = generate::sphere(1.0, 20_000).expect("an ordinary size");
        let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
        // Of one kind. The numbers leap around by steps of 37.
        let rays = |width: f32| -> Vec<Ray> {
            let at = |i: usize| width * (i * 37 % 256 / 16) as f32;
            let ray = |i| Ray::segment([0.1, 0.1, 5.0], [0.2 + at(i), 0.2 + at(16 * i), 0.0]);
            (0..256).map(ray).collect()
        };
        let n_incoherent = |rays: &[Ray]| {
            let (pause, runs) = (Mutex::default(), Runs::new(rays.len(), None));
            let mut answers = vec![false; rays.len()];
            answer_packets(&bvh.tree, bvh.isa, rays, runs, &mut answers, Faces::Both, &pause);
            pause.into_inner().expect(COPIED).incoherent
        };
        assert_eq!(n_incoherent(&rays(1e-4)), 0);
        assert!(n_incoherent(&rays(0.04)) >= MIN_INCOHERENT);
    }

    #[test]
    fn pauses_grow_after_incoherent_packets_and_end_after_coherent_ones() {
        let mut pause = Pause::default();
        let mut length_after = |outcome| {
            pause.after(outcome);
            let mut n = 0;
            while pause.goes_on() {
                n += 1;
            }
            n
        };
        let growing = [(); 20].map(|()| length_after(Outcome::Incoherent));
        assert!(growing.is_sorted() && growing[0] == 0 && growing[19] == MAX_PAUSE, "{growing:?}");
        assert_eq!(length_after(Outcome::Refused), 0);
        let ending = [(); 20].map(|()| length_after(Outcome::Coherent));
        assert!(ending[19] == 0, "{ending:?}");
        // Few runs go alone before packets are the rule again.
        assert!(ending.iter().sum::<usize>() < MAX_PAUSE / 2, "{ending:?}");
        // One that is incoherent among others is no reason for a pause.
        let mixed = [Outcome::Incoherent, Outcome::Coherent].into_iter().cycle().take(20);
        assert!(mixed.map(&mut length_after).all(|length| length == 0));
    }
}
