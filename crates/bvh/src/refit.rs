//! Moves a tree to new positions.

use thiserror::Error;

use crate::{
    box3::Box3,
    layout::{
        BlockBox, FillBlocks, IndexedBlocks, Leaves, Reach, Tree, TriangleBlock, bounds_of, fit,
        triangles_in,
    },
    leaf_position::LeafPosition,
    platform::parallel,
    scaled_mesh::ScaledMesh,
    simd::{Isa, Kernel, Simd},
    split::LeafParts,
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
    let mut blocks = match &mut tree.leaves {
        Leaves::Full(blocks) => refill(blocks, mesh, isa),
        // The triangles of the new mesh may share other corners.
        Leaves::Compact(indexed) => {
            let triangles: Vec<_> = indexed.blocks.iter().map(|block| block.triangles).collect();
            *indexed = IndexedBlocks::new(mesh, &triangles);
            parallel::collect(triangles.len(), |block| {
                let boxes = triangles_in(&triangles[block])
                    .iter()
                    .map(|&triangle| mesh.triangle_box(triangle));
                BlockBox::new(boxes.fold(Box3::EMPTY, Box3::union))
            })
        }
    };
    if let Some(parts) = &tree.parts {
        fit_to_parts(&mut blocks, parts, &tree.leaves, mesh);
    }
    let reach = Reach::of_leaves(mesh, blocks.iter().map(|block| block.bounds));
    tree.set_space(mesh, reach);
    fit(&mut tree.nodes, &blocks, |of_box| reach.widening(of_box));
}

/// Writes the corners and normals of the same triangles at new positions. Returns the boxes of the blocks.
fn refill(blocks: &mut [TriangleBlock], mesh: &ScaledMesh<'_>, isa: Isa) -> Vec<BlockBox> {
    /// The runs that one thread takes at a time.
    const CHUNK: usize = 32;
    let mut bounds = vec![BlockBox::EMPTY; blocks.len()];
    let runs = blocks.chunks_mut(FillBlocks::MAX_BLOCKS);
    let mut runs: Vec<_> = runs.zip(bounds.chunks_mut(FillBlocks::MAX_BLOCKS)).collect();
    parallel::for_each_chunk(&mut runs, CHUNK, |_, runs| {
        for (blocks, bounds) in runs {
            isa.run(Refill { blocks, bounds, mesh });
        }
    });
    bounds
}

/// [`refill`] of at most [`FillBlocks::MAX_BLOCKS`] blocks.
struct Refill<'a> {
    blocks: &'a mut [TriangleBlock],
    bounds: &'a mut [BlockBox],
    mesh: &'a ScaledMesh<'a>,
}

impl Kernel for Refill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { blocks, bounds, mesh } = self;
        let mut triangles = [[0; BLOCK_WIDTH]; FillBlocks::MAX_BLOCKS];
        for (triangles, block) in triangles.iter_mut().zip(&*blocks) {
            *triangles = block.triangles;
        }
        let sources = triangles.each_ref().map(triangles_in);
        let sources = &sources[..blocks.len()];
        FillBlocks { sources, blocks, mesh: *mesh }.run(simd);
        for (bounds, block) in bounds.iter_mut().zip(&*blocks) {
            *bounds = BlockBox::new(bounds_of(&block.corners));
        }
    }
}

/// Fits the boxes of blocks with parts of triangles to these parts.
fn fit_to_parts(
    blocks: &mut [BlockBox],
    parts: &LeafParts,
    leaves: &Leaves,
    mesh: &ScaledMesh<'_>,
) {
    /// The blocks that one thread takes at a time.
    const CHUNK: usize = 1024;
    parallel::for_each_chunk(blocks, CHUNK, |first, blocks| {
        let start = |block| LeafPosition::new(block, 0);
        let mut parts = parts.within(start(first)..start(first + blocks.len())).peekable();
        while let Some(part) = parts.peek() {
            let block = part.position.block();
            let boxes = triangles_in(leaves.triangles(block)).iter().enumerate();
            let boxes = boxes.map(|(lane, &triangle)| {
                match parts.next_if(|part| part.position == LeafPosition::new(block, lane)) {
                    Some(part) => part.bounds(mesh.corners(triangle)),
                    None => mesh.triangle_box(triangle),
                }
            });
            blocks[block - first].bounds = boxes.fold(Box3::EMPTY, Box3::union);
        }
    });
}
