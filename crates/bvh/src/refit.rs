//! New positions for an old tree.

use hitscan_primitives::TriMesh;

use crate::{
    MeshBvh,
    build::Box3,
    mesh_bvh::{scaled_box, scaled_corners},
    parallel,
    wide::{ChildRef, IndexedBlocks, Leaves, TriangleBlock, WideNode},
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

    let inflation = bvh.inflation();
    fit(&mut bvh.nodes, 0, &block_bounds, inflation);
    RefitReport { cost_when_built: bvh.built_cost, cost_now: bvh.sah_cost() }
}

/// Subtrees of at most so many nodes are fitted by one thread.
const SEQUENTIAL: usize = 1 << 12;

/// Fits the nodes of a subtree, whose root is `nodes[0]` and has the number `first`, and returns their
/// box. Nodes stand depth first: the subtrees of a node's children follow it in the order of their
/// places.
fn fit(nodes: &mut [WideNode], first: usize, block_bounds: &[Box3], inflation: f32) -> Box3 {
    if nodes.len() <= SEQUENTIAL {
        return fit_in_order(nodes, first, block_bounds, inflation);
    }
    let (node, mut below) = nodes.split_first_mut().expect("a subtree has a root");
    let roots: Vec<usize> = (0..8)
        .map(|place| node.child(place))
        .filter(|&child| child != ChildRef::NONE && !child.is_leaf())
        .map(ChildRef::node_index)
        .collect();
    let mut subtrees = Vec::with_capacity(roots.len());
    let mut end = first + 1 + below.len();
    for &root in roots.iter().rev() {
        let (before, subtree) = below.split_at_mut(below.len() - (end - root));
        subtrees.push((root, subtree, Box3::EMPTY));
        (below, end) = (before, root);
    }
    parallel::for_each_chunk(&mut subtrees, 1, |_, subtree| {
        for (root, nodes, bounds) in subtree {
            *bounds = fit(nodes, *root, block_bounds, inflation);
        }
    });
    fit_node(node, block_bounds, inflation, |child| {
        let of_child = subtrees.iter().find(|(root, ..)| *root == child);
        of_child.map_or(Box3::EMPTY, |(.., bounds)| *bounds)
    })
}

/// [`fit`] by one thread: children have higher numbers than their parents, so the last comes first.
fn fit_in_order(
    nodes: &mut [WideNode],
    first: usize,
    block_bounds: &[Box3],
    inflation: f32,
) -> Box3 {
    let mut bounds = vec![Box3::EMPTY; nodes.len()];
    for index in (0..nodes.len()).rev() {
        bounds[index] =
            fit_node(&mut nodes[index], block_bounds, inflation, |child| bounds[child - first]);
    }
    bounds[0]
}

/// Fits a node to its children's boxes, of which `of_node` gives those that are nodes, and returns its
/// own.
fn fit_node(
    node: &mut WideNode,
    block_bounds: &[Box3],
    inflation: f32,
    of_node: impl Fn(usize) -> Box3,
) -> Box3 {
    let mut all = Box3::EMPTY;
    for place in 0..8 {
        let child = node.child(place);
        if child == ChildRef::NONE {
            continue;
        }
        let bounds = if child.is_leaf() {
            block_bounds[child.blocks()].iter().copied().fold(Box3::EMPTY, Box3::union)
        } else {
            of_node(child.node_index())
        };
        node.set(place, bounds, inflation, child);
        all = all.union(bounds);
    }
    all
}
