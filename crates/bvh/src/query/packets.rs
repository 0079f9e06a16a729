//! The rays of a batch that go as packets.

use hitscan_primitives::{Faces, Ray};

use super::{
    alone::is_far_beyond_caches,
    ray_kinds::{Kinds, MIN_PACKET, few_kinds, may_be_of_one_kind},
    rows::Runs,
};
use crate::{
    layout::Tree,
    simd::Isa,
    traverse::{Outcome, PacketAnswer, Packets},
};

/// The minimum mean number of rays of a packet that meet a box, for packets to be faster than single rays.
/// Single rays of an any-hit query wait less for memory than a packet does.
const MIN_SHARED: u32 = 3;
const MIN_SHARED_IN_MEMORY: u32 = 7;

/// The maximum number of runs that go alone after a packet whose rays went different ways.
const MAX_PAUSE: usize = 15;

/// Answers the rays that can go as packets: runs of one kind first, then the rays of mixed runs, sorted into
/// kinds. Returns the others. The rays must be in the tree's scaled space.
pub(super) fn answer_packets<A: PacketAnswer>(
    tree: &Tree,
    isa: Isa,
    rays: &[Ray],
    runs: Runs,
    answers: &mut [A],
    faces: Faces,
) -> Vec<u32> {
    let mut alone = Vec::new();
    let feed = |packet: &mut dyn FnMut(&[u32]) -> Outcome| {
        let (mut kinds, mut pause) = (Kinds::default(), Pause::default());
        runs.for_each(|run| {
            if pause.goes_on() {
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
            let Some(of_rays) = few_kinds(rays, run) else {
                alone.extend(run);
                return;
            };
            for (kind, &index) in of_rays.into_iter().zip(run) {
                if let Some(full) = kinds.push(kind, index)
                    && packet(full) == Outcome::Refused
                {
                    alone.extend(full);
                }
            }
        });
        kinds.drain(|rest| {
            if rest.len() < MIN_PACKET || packet(rest) == Outcome::Refused {
                alone.extend(rest);
            }
        });
    };
    let waits_for_memory = A::ANY && is_far_beyond_caches(tree);
    let min_shared = if waits_for_memory { MIN_SHARED_IN_MEMORY } else { MIN_SHARED };
    isa.run(Packets { tree, rays, faces, answers, min_shared, feed });
    alone
}

/// The runs that go alone, because the rays of the last packets went different ways. On meshes that are finer
/// than the distance between rays, single rays are faster.
#[derive(Default)]
struct Pause {
    /// The runs still to go alone.
    left: usize,
    /// The length of the last pause.
    length: usize,
}

impl Pause {
    /// Whether the next run goes alone.
    fn goes_on(&mut self) -> bool {
        let goes_on = self.left > 0;
        self.left = self.left.saturating_sub(1);
        goes_on
    }

    /// Learns the outcome of a packet. Each pause in a row is about twice as long as the one before.
    fn after(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Scattered => {
                self.length = (2 * self.length + 1).min(MAX_PAUSE);
                self.left = self.length;
            }
            Outcome::Shared => self.length = 0,
            Outcome::Refused => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_a_packet_shares_its_path() {
        let mut pause = Pause::default();
        let mut length_after = |outcome| {
            pause.after(outcome);
            let mut n = 0;
            while pause.goes_on() {
                n += 1;
            }
            n
        };
        let scattered = [(); 6].map(|()| length_after(Outcome::Scattered));
        assert_eq!(scattered, [1, 3, 7, 15, 15, 15]);
        assert_eq!(length_after(Outcome::Refused), 0);
        assert_eq!(length_after(Outcome::Shared), 0);
        assert_eq!(length_after(Outcome::Scattered), 1);
    }
}
