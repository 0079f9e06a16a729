//! What leaves are made of, in both layouts.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use hitscan_primitives::TriMesh;

use super::{TriangleBlock, block::corners_of};
use crate::mesh_bvh::scaled_corners;

/// The blocks of a tree's leaves. Positions are in the mesh's scaled space.
#[derive(Clone, Debug)]
pub(crate) enum Leaves {
    /// Corners and normals where they are tested.
    Full(Vec<TriangleBlock>),
    /// Corners by number.
    Compact(IndexedBlocks),
}

impl Leaves {
    /// The number of blocks.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Full(blocks) => blocks.len(),
            Self::Compact(indexed) => indexed.blocks.len(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Full(blocks) => size_of_val(&**blocks),
            Self::Compact(IndexedBlocks { blocks, positions }) => {
                size_of_val(&**blocks) + size_of_val(&**positions)
            }
        }
    }

    /// The numbers of a block's triangles; [`TriangleBlock::NO_TRIANGLE`] in empty lanes.
    pub(crate) fn triangles(&self, block: usize) -> &[u32; 8] {
        match self {
            Self::Full(blocks) => &blocks[block].triangles,
            Self::Compact(indexed) => &indexed.blocks[block].triangles,
        }
    }

    /// The corners of the triangle in a slot of [`Found`](crate::kernel::Found).
    #[inline]
    pub(crate) fn corners(&self, slot: u32) -> [Vec3; 3] {
        let (block, lane) = (slot as usize / 8, slot as usize % 8);
        match self {
            Self::Full(blocks) => blocks[block].corners_of(lane),
            Self::Compact(IndexedBlocks { blocks, positions }) => blocks[block]
                .corners
                .map(|corner| Vec3::from_array(positions[corner[lane] as usize])),
        }
    }

    /// A block in full. A compact one is written out in `room`.
    #[inline]
    pub(crate) fn block<'a>(
        &'a self,
        block: usize,
        room: &'a mut TriangleBlock,
    ) -> &'a TriangleBlock {
        match self {
            Self::Full(blocks) => &blocks[block],
            Self::Compact(indexed) => {
                indexed.write_out(block, room);
                room
            }
        }
    }

    /// All blocks of a leaf in full, one after the other.
    pub(crate) fn each_block(&self, blocks: Range<usize>, mut f: impl FnMut(&TriangleBlock)) {
        let mut room = TriangleBlock::EMPTY;
        for block in blocks {
            f(self.block(block, &mut room));
        }
    }
}

/// Blocks whose triangles name their corners, which neighbours share: 16 bytes a triangle instead of
/// 52, and 6 for its share of the corners of a closed mesh.
#[derive(Clone, Debug)]
pub(crate) struct IndexedBlocks {
    pub(crate) blocks: Vec<IndexedBlock>,
    /// In the order in which the blocks name them first.
    pub(crate) positions: Vec<[f32; 3]>,
}

/// Eight triangles by the numbers of their corners, transposed.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct IndexedBlock {
    /// `corners[corner]`. Empty lanes repeat the first triangle, so that they give no cause for a
    /// closer look that it does not give itself.
    pub(crate) corners: [[u32; 8]; 3],
    /// The triangles' numbers; [`TriangleBlock::NO_TRIANGLE`] in empty lanes.
    pub(crate) triangles: [u32; 8],
}

const _: () = assert!(size_of::<IndexedBlock>() == 128);

impl IndexedBlock {
    /// Of no triangles, to be filled.
    pub(crate) const EMPTY: Self =
        Self { corners: [[0; 8]; 3], triangles: [TriangleBlock::NO_TRIANGLE; 8] };
}

impl IndexedBlocks {
    /// The blocks of these triangles of a mesh.
    pub(crate) fn new(mesh: &TriMesh, scale: f64, triangles: &[[u32; 8]]) -> Self {
        const NOT_YET: u32 = u32::MAX;
        let mut numbers = vec![NOT_YET; mesh.positions().len()];
        let mut positions = Vec::new();
        let blocks = triangles.iter().map(|&triangles| {
            let mut corners = [[0; 8]; 3];
            for (lane, &triangle) in triangles.iter().enumerate() {
                if triangle == TriangleBlock::NO_TRIANGLE {
                    for corner in &mut corners {
                        corner[lane] = corner[0];
                    }
                    continue;
                }
                let vertices = mesh.triangles()[triangle as usize];
                let scaled = scaled_corners(mesh, triangle, scale);
                for corner in 0..3 {
                    let number = &mut numbers[vertices[corner] as usize];
                    if *number == NOT_YET {
                        *number = positions.len() as u32;
                        positions.push(scaled[corner].to_array());
                    }
                    corners[corner][lane] = *number;
                }
            }
            IndexedBlock { corners, triangles }
        });
        let blocks = blocks.collect();
        positions.shrink_to_fit();
        Self { blocks, positions }
    }

    /// A block's corners as in [`TriangleBlock::corners`].
    #[inline(always)]
    pub(crate) fn corners(&self, block: &IndexedBlock) -> [[[f32; 8]; 3]; 3] {
        let mut corners = [[[0.0; 8]; 3]; 3];
        for corner in 0..3 {
            for lane in 0..8 {
                let position = self.positions[block.corners[corner][lane] as usize];
                for axis in 0..3 {
                    corners[corner][axis][lane] = position[axis];
                }
            }
        }
        corners
    }

    fn write_out(&self, block: usize, room: &mut TriangleBlock) {
        let block = &self.blocks[block];
        let corners = self.corners(block);
        *room = TriangleBlock::EMPTY;
        for (lane, &triangle) in block.triangles.iter().enumerate() {
            if triangle != TriangleBlock::NO_TRIANGLE {
                let corners: [Vec3; 3] = corners_of(&corners, lane);
                room.set(lane, triangle, corners);
            }
        }
    }
}
