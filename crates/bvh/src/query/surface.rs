//! The triangles of a tree, and their sum: the winding number by its definition.

use std::{ops::Range, sync::Arc};

use glam::DVec3;
use hitscan_primitives::{WindingSum, solid_angle};

use super::copies::{BLOCKS_OF_TASK, Copies};
use crate::{
    layout::TriangleBlock,
    mesh_bvh::MeshBvh,
    platform::parallel,
    simd::{Kernel, Simd},
    widths::BLOCK_WIDTH,
};

/// The triangles of a tree, each once.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    pub(super) bvh: Arc<MeshBvh>,
    pub(super) copies: Copies,
}

impl Surface {
    pub(super) fn new(bvh: Arc<MeshBvh>) -> Self {
        let copies = Copies::of(&bvh.tree);
        Self { bvh, copies }
    }

    /// The winding number around a point in the tree's scaled space, by its definition.
    pub(super) fn winding_sum(&self, from: DVec3) -> WindingSum {
        let sums = parallel::map_chunks(self.bvh.tree.leaves.len(), BLOCKS_OF_TASK, |blocks| {
            self.sum(blocks, from)
        });
        let mut total = WindingSum::default();
        sums.into_iter().for_each(|sum| total.add_sum(sum));
        total
    }

    /// The sum of squares of the longest edges of the triangles, rounded up. In the tree's scaled space.
    pub(super) fn sum_of_squares(&self) -> f64 {
        let leaves = &self.bvh.tree.leaves;
        let sums = parallel::map_chunks(leaves.len(), BLOCKS_OF_TASK, |blocks| {
            let mut sum = 0.0;
            self.copies.each_triangle(leaves, blocks, |[a, b, c]| {
                let edges = [a - b, b - c, c - a].map(DVec3::length_squared);
                sum += edges[0].max(edges[1]).max(edges[2]);
            });
            sum
        });
        1.000_001 * sums.into_iter().sum::<f64>()
    }

    /// The winding number of the triangles of some blocks.
    pub(super) fn sum(&self, blocks: Range<usize>, from: DVec3) -> WindingSum {
        self.bvh.isa.run(SumOfBlocks { surface: self, blocks, from })
    }
}

/// The computation of [`Surface::sum`].
struct SumOfBlocks<'a> {
    surface: &'a Surface,
    blocks: Range<usize>,
    from: DVec3,
}

impl Kernel for SumOfBlocks<'_> {
    type Output = WindingSum;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> WindingSum {
        let Self { surface: Surface { bvh, copies }, blocks, from } = self;
        let mut sum = WindingSum::default();
        let mut scratch = TriangleBlock::EMPTY;
        for index in blocks {
            let block = bvh.tree.leaves.block(index, &mut scratch);
            let mut angles = [0.0; BLOCK_WIDTH];
            for lane in 0..BLOCK_WIDTH {
                let [a, b, c] = block.corners_of(lane);
                angles[lane] = solid_angle([a.as_dvec3(), b.as_dvec3(), c.as_dvec3()], from);
            }
            let copied = copies.in_block(index);
            for lane in 0..BLOCK_WIDTH {
                // The angle of an empty lane is NaN, and adds nothing.
                if copied >> lane & 1 == 0 {
                    sum.add_solid_angle(angles[lane]);
                }
            }
        }
        sum
    }
}
