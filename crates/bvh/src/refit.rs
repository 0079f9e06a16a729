//! New positions for an old tree.

use hitscan_primitives::TriMesh;

use crate::{
    MeshBvh,
    build::Box3,
    mesh_bvh::{scaled_box, scaled_corners},
    parallel,
    wide::{ChildRef, IndexedBlocks, Leaves, TriangleBlock},
};

/// How a refit changed the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefitReport {
    /// The expected cost of a ray when the tree was built, as [`BvhStats::sah_cost`](crate::BvhStats).
    pub cost_when_built: f32,
    /// The expected cost now.
    pub cost_now: f32,
}

impl RefitReport {
    /// How much slower queries are expected to be than just after the build: 1 is no change.
    pub fn degradation(&self) -> f32 {
        if self.cost_when_built > 0.0 { self.cost_now / self.cost_when_built } else { 1.0 }
    }

    /// Whether a rebuild pays for more than a few thousand rays: the cost has grown by half.
    pub fn rebuild_pays(&self) -> bool {
        self.degradation() > 1.5
    }
}

/// Refits `bvh`, whose scale and reach are already those of `mesh`.
pub(crate) fn refit(bvh: &mut MeshBvh, mesh: &TriMesh) -> RefitReport {
    let scale = bvh.scale;
    match &mut bvh.leaves {
        Leaves::Full(blocks) => parallel::for_each_chunk(blocks, 256, |_, blocks| {
            for block in blocks {
                for lane in 0..8 {
                    let triangle = block.triangles[lane];
                    if triangle != TriangleBlock::NO_TRIANGLE {
                        block.set(lane, triangle, scaled_corners(mesh, triangle, scale));
                    }
                }
            }
        }),
        // The new mesh may share its corners otherwise.
        Leaves::Compact(indexed) => {
            let numbers: Vec<_> = indexed.blocks.iter().map(|block| block.triangles).collect();
            *indexed = IndexedBlocks::new(mesh, scale, &numbers);
        }
    }
    let block_bounds = parallel::collect(bvh.leaves.len(), |block| {
        let triangles = bvh.leaves.triangles(block).iter();
        triangles
            .filter(|&&triangle| triangle != TriangleBlock::NO_TRIANGLE)
            .fold(Box3::EMPTY, |bounds, &triangle| bounds.union(scaled_box(mesh, triangle, scale)))
    });

    // Children have higher numbers than their parents, so the last node comes first.
    let inflation = bvh.inflation();
    let mut node_bounds = vec![Box3::EMPTY; bvh.nodes.len()];
    for index in (0..bvh.nodes.len()).rev() {
        let node = &mut bvh.nodes[index];
        for place in 0..8 {
            let child = node.child(place);
            if child == ChildRef::NONE {
                continue;
            }
            let bounds = if child.is_leaf() {
                block_bounds[child.blocks()].iter().copied().fold(Box3::EMPTY, Box3::union)
            } else {
                node_bounds[child.node_index()]
            };
            node.set(place, bounds, inflation, child);
            node_bounds[index] = node_bounds[index].union(bounds);
        }
    }
    RefitReport { cost_when_built: bvh.built_cost, cost_now: bvh.sah_cost() }
}
