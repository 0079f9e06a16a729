//! Moves a tree to new positions.

use thiserror::Error;

use crate::{
    box3::Box3,
    layout::{
        FillBlocks, IndexedBlocks, Leaves, Tree, TriangleBlock, bounds_of, fit, n_triangles_in,
    },
    platform::parallel,
    scaled_mesh::ScaledMesh,
    simd::Isa,
    widths::BLOCK_WIDTH,
};

/// How a refit changed the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefitReport {
    /// The expected cost of a ray when the tree was built, by
    /// [`BvhStats::sah_cost`](crate::BvhStats::sah_cost).
    pub cost_when_built: f32,
    /// The expected cost now.
    pub cost_now: f32,
}

impl RefitReport {
    /// The expected cost now, relative to just after the build: 1 is no change.
    pub fn degradation(&self) -> f32 {
        if self.cost_when_built > 0.0 { self.cost_now / self.cost_when_built } else { 1.0 }
    }

    /// Whether a rebuild pays for more than a few thousand rays: the cost has grown by half. A rule of
    /// thumb, without a bench behind it.
    pub fn rebuild_pays(&self) -> bool {
        self.degradation() > 1.5
    }
}

/// A refit to another number of triangles or boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("refit to {found} triangles or boxes of a hierarchy over {expected}")]
pub struct RefitError {
    /// The number given.
    pub found: usize,
    /// The number in the hierarchy.
    pub expected: usize,
}

/// Moves a tree to the positions of `mesh`, which has the same number of triangles.
///
/// The first refit of a tree with split triangles notes their parts, and takes longer.
pub(crate) fn refit(tree: &mut Tree, mesh: &ScaledMesh<'_>, isa: Isa) {
    if !tree.split.is_empty() && tree.parts.is_none() {
        tree.parts = Some(tree.parts());
    }
    tree.set_mesh(mesh);
    match &mut tree.leaves {
        Leaves::Full(blocks) => {
            parallel::for_each_chunk(blocks, FillBlocks::MAX_BLOCKS, |_, blocks| {
                refill(blocks, *mesh, isa);
            });
        }
        // The triangles of the new mesh may share other corners.
        Leaves::Compact(indexed) => {
            let triangles: Vec<_> = indexed.blocks.iter().map(|block| block.triangles).collect();
            *indexed = IndexedBlocks::new(mesh, &triangles);
        }
    }
    let block_bounds =
        parallel::collect(tree.leaves.len(), |block| bounds_of_block(tree, mesh, block));
    let inflation = tree.inflation();
    fit(&mut tree.nodes, &block_bounds, inflation);
}

/// Writes the corners and normals of the same triangles at new positions.
fn refill(blocks: &mut [TriangleBlock], mesh: ScaledMesh<'_>, isa: Isa) {
    let mut triangles = [[0; BLOCK_WIDTH]; FillBlocks::MAX_BLOCKS];
    for (triangles, block) in triangles.iter_mut().zip(&*blocks) {
        *triangles = block.triangles;
    }
    let sources = triangles.each_ref().map(|triangles| &triangles[..n_triangles_in(triangles)]);
    isa.run(FillBlocks { sources: &sources[..blocks.len()], blocks, mesh });
}

/// The box of a block's triangles, or of their parts.
#[inline]
fn bounds_of_block(tree: &Tree, mesh: &ScaledMesh<'_>, block: usize) -> Box3 {
    let triangles = tree.leaves.triangles(block);
    let is_split = |&triangle: &u32| tree.split.contains(triangle);
    if let Leaves::Full(blocks) = &tree.leaves
        && !triangles.iter().any(is_split)
    {
        return bounds_of(&blocks[block].corners);
    }
    let mut bounds = Box3::EMPTY;
    for (lane, &triangle) in triangles[..n_triangles_in(triangles)].iter().enumerate() {
        let position = (BLOCK_WIDTH * block + lane) as u32;
        let part = tree.parts.as_ref().filter(|_| is_split(&triangle));
        let part =
            part.and_then(|parts| parts.bounds(position, mesh.corners(triangle), mesh.max_abs));
        bounds = bounds.union(part.unwrap_or_else(|| mesh.triangle_box(triangle)));
    }
    bounds
}
