//! Moves a tree to new positions.

use thiserror::Error;

use crate::{
    box3::Box3,
    layout::{IndexedBlocks, Leaves, Tree, TriangleBlock, fit},
    platform::parallel,
    scaled_mesh::ScaledMesh,
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

/// The blocks that one thread refits at a time.
const CHUNK: usize = 256;

/// Moves a tree to the positions of `mesh`, which has the same number of triangles.
///
/// The first refit of a tree with split triangles notes their parts, and takes longer.
pub(crate) fn refit(tree: &mut Tree, mesh: &ScaledMesh<'_>) {
    if !tree.split.is_empty() && tree.parts.is_none() {
        tree.parts = Some(tree.parts());
    }
    (tree.scale, tree.max_abs) = (mesh.scale, mesh.max_abs);
    match &mut tree.leaves {
        Leaves::Full(blocks) => parallel::for_each_chunk(blocks, CHUNK, |_, blocks| {
            for block in blocks {
                for lane in 0..BLOCK_WIDTH {
                    let triangle = block.triangles[lane];
                    if triangle != TriangleBlock::NO_TRIANGLE {
                        block.set_lane(lane, triangle, mesh.corners(triangle));
                    }
                }
            }
        }),
        // The triangles of the new mesh may share other corners.
        Leaves::Compact(indexed) => {
            let triangles: Vec<_> = indexed.blocks.iter().map(|block| block.triangles).collect();
            *indexed = IndexedBlocks::new(mesh, &triangles);
        }
    }
    let block_bounds = parallel::collect(tree.leaves.len(), |block| {
        let mut bounds = Box3::EMPTY;
        for (lane, &triangle) in tree.leaves.triangles(block).iter().enumerate() {
            if triangle != TriangleBlock::NO_TRIANGLE {
                bounds = bounds.union(match part_box(tree, mesh, block, lane, triangle) {
                    Some(part) => part,
                    None => mesh.triangle_box(triangle),
                });
            }
        }
        bounds
    });
    let inflation = tree.inflation();
    fit(&mut tree.nodes, &block_bounds, inflation);
}

/// The box of the part of a split triangle in one lane; `None` for a whole triangle.
#[inline]
fn part_box(
    tree: &Tree,
    mesh: &ScaledMesh<'_>,
    block: usize,
    lane: usize,
    triangle: u32,
) -> Option<Box3> {
    if !tree.split.contains(triangle) {
        return None;
    }
    let position = (BLOCK_WIDTH * block + lane) as u32;
    tree.parts.as_ref()?.bounds(position, mesh.corners(triangle), mesh.max_abs)
}
