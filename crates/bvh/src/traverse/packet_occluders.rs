//! The blocks that stopped the last packets of shadow rays of a chunk. The next packet tests them before the
//! tree, which changes no answer.

use super::occluder::HintBackoff;
use crate::{
    kernel::{Packet, RaySet},
    layout::{Tree, TriangleBlock},
    simd::{KernelOn, Simd},
};

/// Blocks that stopped rays of the last packets, the latest first.
///
/// Three, because the packets of two kinds of rays may alternate, and an edge may divide the rays of a packet.
pub(super) struct PacketOccluders {
    blocks: [Option<usize>; 3],
    backoff: HintBackoff,
}

impl PacketOccluders {
    pub(super) fn new() -> Self {
        Self { blocks: [None; 3], backoff: HintBackoff::new() }
    }

    /// Whether the next packet should test the blocks.
    #[inline(always)]
    pub(super) fn may_stop(&self) -> bool {
        self.blocks[0].is_some() && !self.backoff.skips()
    }

    /// Remembers the last block that stopped rays of a packet. After a packet of free rays there is no hint.
    #[inline(always)]
    pub(super) fn remember(&mut self, block: Option<usize>) {
        let [first, second, _] = self.blocks;
        if block.is_none() {
            self.blocks = [None; 3];
        } else if block != first {
            self.blocks = [block, first, second];
        }
    }
}

/// Tests a packet of shadow rays against the last occluders. Retires and returns the rays that they stop, and
/// the last block that stopped any.
///
/// Out of line, because few packets need it.
pub(super) struct OccluderTest<'a, S: Simd> {
    pub(super) tree: &'a Tree,
    pub(super) packet: &'a mut Packet<S>,
    pub(super) valid: RaySet,
    pub(super) occluders: &'a PacketOccluders,
}

impl<S: Simd> KernelOn<S> for OccluderTest<'_, S> {
    type Output = (RaySet, Option<usize>);

    #[inline(always)]
    fn run_on(self, _: S) -> (RaySet, Option<usize>) {
        let Self { tree, packet, valid, occluders: PacketOccluders { blocks, backoff } } = self;
        let (leaves, reach) = (&tree.leaves, &tree.reach);
        let mut scratch = TriangleBlock::EMPTY;
        let (mut stopped, mut last) = (0, None);
        for index in blocks.iter().copied().flatten() {
            let (block, others) = (leaves.block(index, &mut scratch), valid & !stopped);
            let hits = packet.test_block::<true>(leaves, block, index, others, reach);
            if hits != 0 {
                last = Some(index);
                stopped |= hits;
            }
            if stopped == valid {
                break;
            }
        }
        backoff.was_tested(2 * stopped.count_ones() >= valid.count_ones());
        if stopped != 0 {
            packet.retire(stopped);
            packet.update_t_max();
        }
        (stopped, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_occluders_are_tested_until_a_packet_is_free() {
        let mut occluders = PacketOccluders::new();
        assert!(!occluders.may_stop());
        for block in [7, 7, 8, 8, 9, 5] {
            occluders.remember(Some(block));
        }
        assert_eq!(occluders.blocks, [5, 9, 8].map(Some));
        assert!(occluders.may_stop());
        occluders.remember(None);
        assert!(!occluders.may_stop());
    }
}
