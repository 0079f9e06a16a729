//! The blocks of all leaves, in either layout.

use std::ops::Range;

use glam::Vec3;

use super::{IndexedBlock, IndexedBlocks, TriangleBlock};
use crate::{
    leaf_position::LeafPosition,
    platform::{large_pages, large_pages::make_room, parallel},
    split::TriangleSet,
    widths::BLOCK_WIDTH,
};

/// The blocks of a tree's leaves. Positions are in the mesh's scaled space.
#[derive(Debug)]
pub(crate) enum Leaves {
    /// Blocks that hold corners and normals.
    Full(Vec<TriangleBlock>),
    /// Blocks that hold indices of shared corners.
    Compact(IndexedBlocks),
}

impl Clone for Leaves {
    /// In large pages, as a build makes them.
    fn clone(&self) -> Self {
        match self {
            Self::Full(blocks) => Self::Full(large_pages::copied(blocks)),
            Self::Compact(IndexedBlocks { blocks, positions }) => Self::Compact(IndexedBlocks {
                blocks: large_pages::copied(blocks),
                positions: large_pages::copied(positions),
            }),
        }
    }
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

    /// The indices of a block's triangles; [`TriangleBlock::NO_TRIANGLE`] in empty lanes.
    #[inline]
    pub(crate) fn triangles(&self, block: usize) -> &[u32; BLOCK_WIDTH] {
        match self {
            Self::Full(blocks) => &blocks[block].triangles,
            Self::Compact(indexed) => &indexed.blocks[block].triangles,
        }
    }

    /// The triangles in all lanes, in order.
    pub(crate) fn all_triangles(&self) -> impl Iterator<Item = u32> {
        let all = (0..self.len()).flat_map(|block| *self.triangles(block));
        all.filter(|&triangle| triangle != TriangleBlock::NO_TRIANGLE)
    }

    /// The number of lanes that hold a triangle.
    pub(crate) fn n_lanes(&self) -> usize {
        /// The blocks that one thread counts at a time.
        const CHUNK: usize = 1 << 12;
        let counts = parallel::map_chunks(self.len(), CHUNK, |chunk| {
            let is_used = |triangle: &&u32| **triangle != TriangleBlock::NO_TRIANGLE;
            chunk.map(|block| self.triangles(block).iter().filter(is_used).count()).sum::<usize>()
        });
        counts.into_iter().sum()
    }

    /// The triangles that stand in several lanes, of `n_triangles`. Others are ignored. If there are no more lanes
    /// than triangles, none is looked for.
    pub(crate) fn repeated(&self, n_triangles: usize) -> TriangleSet {
        if self.n_lanes() <= n_triangles {
            return TriangleSet::default();
        }
        self.repeated_among(n_triangles, |_| true)
    }

    /// [`repeated`](Self::repeated), where only some triangles may stand in several lanes.
    pub(crate) fn repeated_among(
        &self,
        n_triangles: usize,
        may_repeat: impl Fn(u32) -> bool,
    ) -> TriangleSet {
        let mut seen = TriangleSet::with_room_for(n_triangles);
        let mut repeated = TriangleSet::with_room_for(n_triangles);
        for triangle in self.all_triangles() {
            if may_repeat(triangle) && seen.insert(triangle) == Some(false) {
                repeated.insert(triangle);
            }
        }
        repeated.without_room_if_empty()
    }

    /// The corners of the triangle at a position of the leaves.
    #[inline]
    pub(crate) fn corners(&self, position: LeafPosition) -> [Vec3; 3] {
        let (block, lane) = (position.block(), position.lane());
        match self {
            Self::Full(blocks) => blocks[block].corners_of(lane),
            Self::Compact(IndexedBlocks { blocks, positions }) => blocks[block]
                .corners
                .map(|corner| Vec3::from_array(positions[corner[lane] as usize])),
        }
    }

    /// The index of the triangle at a position of the leaves.
    #[inline]
    pub(crate) fn triangle(&self, position: LeafPosition) -> u32 {
        self.triangles(position.block())[position.lane()]
    }

    /// A block in full. A compact block is expanded into `scratch`.
    #[inline]
    pub(crate) fn block<'a>(
        &'a self,
        block: usize,
        scratch: &'a mut TriangleBlock,
    ) -> &'a TriangleBlock {
        match self {
            Self::Full(blocks) => &blocks[block],
            Self::Compact(indexed) => {
                indexed.expand(block, scratch);
                scratch
            }
        }
    }

    /// Makes room for `n` more blocks: see [`make_room`].
    pub(crate) fn make_room(&mut self, n: usize) {
        match self {
            Self::Full(blocks) => make_room(blocks, n),
            Self::Compact(indexed) => make_room(&mut indexed.blocks, n),
        }
    }

    /// Makes room for the first edits, so that none of them moves all blocks.
    pub(crate) fn make_room_for_edits(&mut self) {
        self.make_room(self.len() / 8);
        if let Self::Compact(IndexedBlocks { positions, .. }) = self {
            make_room(positions, positions.len() / 4);
        }
    }

    /// Makes `n` blocks of it, new ones without triangles.
    pub(crate) fn resize(&mut self, n: usize) {
        match self {
            Self::Full(blocks) => blocks.resize(n, TriangleBlock::EMPTY),
            Self::Compact(indexed) => indexed.blocks.resize(n, IndexedBlock::EMPTY),
        }
    }

    /// Writes a triangle of the mesh into a lane.
    #[inline]
    pub(crate) fn write(&mut self, at: LeafPosition, triangle: u32, corners: [Vec3; 3]) {
        match self {
            Self::Full(blocks) => blocks[at.block()].set_lane(at.lane(), triangle, corners),
            Self::Compact(indexed) => indexed.write(at, triangle, corners),
        }
    }

    /// Names the triangle in a lane anew, and leaves its corners.
    pub(crate) fn rename(&mut self, at: LeafPosition, triangle: u32) {
        match self {
            Self::Full(blocks) => blocks[at.block()].triangles[at.lane()] = triangle,
            Self::Compact(indexed) => indexed.blocks[at.block()].triangles[at.lane()] = triangle,
        }
    }

    /// Empties a lane.
    pub(crate) fn clear(&mut self, at: LeafPosition) {
        match self {
            Self::Full(blocks) => {
                blocks[at.block()].clear_lane(at.lane());
                blocks[at.block()].triangles[at.lane()] = TriangleBlock::NO_TRIANGLE;
            }
            Self::Compact(indexed) => indexed.clear(at),
        }
    }

    /// Copies a triangle from one lane to another.
    pub(crate) fn copy_lane(&mut self, from: LeafPosition, to: LeafPosition) {
        match self {
            Self::Full(blocks) => {
                let (triangle, corners) = (
                    blocks[from.block()].triangles[from.lane()],
                    blocks[from.block()].corners_of(from.lane()),
                );
                blocks[to.block()].set_lane(to.lane(), triangle, corners);
            }
            Self::Compact(indexed) => indexed.copy_lane(from, to),
        }
    }

    /// Calls `f` with each block of a leaf in full, in order.
    pub(crate) fn each_block(&self, blocks: Range<usize>, mut f: impl FnMut(&TriangleBlock)) {
        let mut scratch = TriangleBlock::EMPTY;
        for block in blocks {
            f(self.block(block, &mut scratch));
        }
    }
}
