//! The block of a compact leaf: eight triangles by the indices of shared corners.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use super::{
    TriangleBlock,
    triangle_block::{CornerRows, corners_of},
};
use crate::{
    leaf_position::LeafPosition,
    platform::large_pages,
    scaled_mesh::ScaledMesh,
    simd::{LANES, Simd},
    widths::BLOCK_WIDTH,
};

/// Blocks that name corners, which neighbours share. A triangle takes 16 bytes instead of 52, plus 6 for
/// its share of the corners of a closed mesh.
#[derive(Debug)]
pub(crate) struct IndexedBlocks {
    pub(crate) blocks: Vec<IndexedBlock>,
    /// Corners in scaled space, in the order in which the blocks name them first.
    pub(crate) positions: Vec<[f32; 3]>,
}

/// Triangles by the indices of their corners, transposed.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct IndexedBlock {
    /// `corners[corner]`. Empty lanes repeat the first triangle, so they never make candidates of their
    /// own.
    pub(crate) corners: [[u32; BLOCK_WIDTH]; 3],
    /// Indices of triangles; [`TriangleBlock::NO_TRIANGLE`] in empty lanes.
    pub(crate) triangles: [u32; BLOCK_WIDTH],
}

const _: () = assert!(size_of::<IndexedBlock>() == 4 * size_of::<[u32; BLOCK_WIDTH]>());

impl IndexedBlock {
    /// A block without triangles.
    pub(crate) const EMPTY: Self = Self {
        corners: [[0; BLOCK_WIDTH]; 3],
        triangles: [TriangleBlock::NO_TRIANGLE; BLOCK_WIDTH],
    };

    /// Gives empty lanes the corners of the first.
    fn repeat_first(&mut self) {
        for lane in 1..BLOCK_WIDTH {
            if self.triangles[lane] == TriangleBlock::NO_TRIANGLE {
                for row in &mut self.corners {
                    row[lane] = row[0];
                }
            }
        }
    }
}

impl IndexedBlocks {
    /// The blocks of these triangles of a mesh.
    pub(crate) fn new(mesh: &ScaledMesh<'_>, triangles: &[[u32; BLOCK_WIDTH]]) -> Self {
        const NOT_YET: u32 = u32::MAX;
        let mut indices = vec![NOT_YET; mesh.mesh.positions().len()];
        let mut positions = Vec::new();
        let blocks = triangles.iter().map(|&triangles| {
            let mut corners = [[0; BLOCK_WIDTH]; 3];
            for (lane, &triangle) in triangles.iter().enumerate() {
                if triangle == TriangleBlock::NO_TRIANGLE {
                    for corner in &mut corners {
                        corner[lane] = corner[0];
                    }
                    continue;
                }
                let vertices = mesh.mesh.triangles()[triangle as usize];
                let scaled = mesh.corners(triangle);
                for corner in 0..3 {
                    let index = &mut indices[vertices[corner] as usize];
                    if *index == NOT_YET {
                        *index = positions.len() as u32;
                        positions.push(scaled[corner].to_array());
                    }
                    corners[corner][lane] = *index;
                }
            }
            IndexedBlock { corners, triangles }
        });
        let mut in_order = large_pages::with_capacity(triangles.len());
        in_order.extend(blocks);
        Self { blocks: in_order, positions: large_pages::copied(&positions) }
    }

    /// Writes a triangle into a lane. It gets new positions, because other lanes may share the old ones.
    pub(super) fn write(&mut self, at: LeafPosition, triangle: u32, corners: [Vec3; 3]) {
        let block = &mut self.blocks[at.block()];
        block.triangles[at.lane()] = triangle;
        large_pages::make_room(&mut self.positions, corners.len());
        for (row, corner) in block.corners.iter_mut().zip(corners) {
            row[at.lane()] = self.positions.len() as u32;
            self.positions.push(corner.to_array());
        }
        block.repeat_first();
    }

    /// Copies a triangle from one lane to another.
    pub(super) fn copy_lane(&mut self, from: LeafPosition, to: LeafPosition) {
        let source = self.blocks[from.block()];
        let block = &mut self.blocks[to.block()];
        block.triangles[to.lane()] = source.triangles[from.lane()];
        for (row, source) in block.corners.iter_mut().zip(source.corners) {
            row[to.lane()] = source[from.lane()];
        }
        block.repeat_first();
    }

    /// Some of the blocks, with the positions that they name.
    pub(crate) fn with_blocks(&self, which: &[usize]) -> Self {
        const NOT_YET: u32 = u32::MAX;
        let mut indices = vec![NOT_YET; self.positions.len()];
        let mut positions = Vec::new();
        let blocks = which.iter().map(|&block| {
            let mut block = self.blocks[block];
            for corner in block.corners.as_flattened_mut() {
                let index = &mut indices[*corner as usize];
                if *index == NOT_YET {
                    *index = positions.len() as u32;
                    positions.push(self.positions[*corner as usize]);
                }
                *corner = *index;
            }
            block
        });
        Self { blocks: blocks.collect(), positions }
    }

    /// Empties a lane.
    pub(super) fn clear(&mut self, at: LeafPosition) {
        let block = &mut self.blocks[at.block()];
        block.triangles[at.lane()] = TriangleBlock::NO_TRIANGLE;
        block.repeat_first();
    }

    /// A block's corners as in [`TriangleBlock::corners`]. Out of line, because kernels seldom need it.
    #[inline(never)]
    pub(crate) fn corners(&self, block: &IndexedBlock) -> CornerRows {
        let mut corners = [[[0.0; BLOCK_WIDTH]; 3]; 3];
        for corner in 0..3 {
            for lane in 0..BLOCK_WIDTH {
                let position = self.positions[block.corners[corner][lane] as usize];
                for axis in 0..3 {
                    corners[corner][axis][lane] = position[axis];
                }
            }
        }
        corners
    }

    /// [`corners`](Self::corners) in the lanes of a kernel: a load for each corner, then a transpose.
    #[inline(always)]
    pub(crate) fn corners_by<S: Simd>(&self, s: S, block: &IndexedBlock) -> CornerRows {
        let coordinates = self.positions.as_flattened();
        let mut corners = [[[0.0; BLOCK_WIDTH]; 3]; 3];
        for corner in 0..3 {
            let mut rows = [&[0.0; 4]; LANES];
            for lane in 0..BLOCK_WIDTH {
                let at = 3 * block.corners[corner][lane] as usize;
                // The last position has no fourth number behind it.
                let Some(Some(row)) = coordinates.get(at..at + 4).map(<[f32]>::as_array) else {
                    return self.corners(block);
                };
                rows[lane] = row;
            }
            let columns = s.transpose_points(rows);
            for axis in 0..3 {
                corners[corner][axis] = s.store(columns[axis]);
            }
        }
        corners
    }

    /// Writes a block in full into `scratch`.
    pub(super) fn expand(&self, block: usize, scratch: &mut TriangleBlock) {
        let block = &self.blocks[block];
        let corners = self.corners(block);
        *scratch = TriangleBlock::EMPTY;
        for (lane, &triangle) in block.triangles.iter().enumerate() {
            if triangle != TriangleBlock::NO_TRIANGLE {
                scratch.set_lane(lane, triangle, corners_of(&corners, lane));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::generate;

    use super::*;
    use crate::simd::{Isa, Kernel};

    struct CornersBy<'a>(&'a IndexedBlocks, &'a IndexedBlock);

    impl Kernel for CornersBy<'_> {
        type Output = CornerRows;

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> CornerRows {
            self.0.corners_by(s, self.1)
        }
    }

    #[test]
    fn every_instruction_set_gathers_the_same_corners_up_to_the_last() {
        let mesh = generate::sphere(1.0, 100).expect("an ordinary size");
        let n = mesh.triangles().len() as u32;
        let triangles: Vec<[u32; BLOCK_WIDTH]> =
            (0..n / 8).map(|block| [0, 1, 2, 3, 4, 5, 6, 7].map(|lane| 8 * block + lane)).collect();
        let blocks = IndexedBlocks::new(&ScaledMesh::new(&mesh), &triangles);
        let last = blocks.positions.len() as u32 - 1;
        assert!(blocks.blocks.iter().any(|block| block.corners.as_flattened().contains(&last)));
        for block in &blocks.blocks {
            for isa in Isa::available() {
                assert_eq!(isa.run(CornersBy(&blocks, block)), blocks.corners(block));
            }
        }
    }
}
