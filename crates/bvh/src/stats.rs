//! Size and quality of a tree.

use hitscan_primitives::Aabb;

use crate::{
    layout::{Tree, WideNode},
    platform::parallel,
    widths::BLOCK_TEST_COST,
};

/// Size and quality of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BvhStats {
    /// Triangles, those of zero area included.
    pub n_triangles: usize,
    /// Split triangles, which stand in several leaves. The build splits needles across the axes where that
    /// pays, as in cities.
    pub n_split: usize,
    /// Triangles in all leaves: a split triangle counts once for each of its leaves.
    pub n_in_leaves: usize,
    /// Inner nodes of up to eight children.
    pub n_nodes: usize,
    /// Leaves.
    pub n_leaves: usize,
    /// Blocks of up to eight triangles. A leaf has one to four.
    pub n_blocks: usize,
    /// Nodes on the longest path from the root, leaves not counted.
    pub depth: usize,
    /// The expected cost of a ray that meets the root's box, in node visits, by the surface area
    /// heuristic (MacDonald and Booth, "Heuristics for ray tracing using space subdivision", 1990).
    pub sah_cost: f32,
    /// Bytes kept for queries.
    pub bytes: usize,
}

impl BvhStats {
    pub(crate) fn of(tree: &Tree, n_triangles: usize) -> Self {
        // Unused nodes of an edited tree have no children.
        let in_use = tree.nodes.iter().filter(|node| node.occupied().next().is_some());
        let (mut n_nodes, mut n_leaves, mut n_blocks) = (0, 0, 0);
        for node in in_use {
            n_nodes += 1;
            for child in
                node.occupied().map(|slot| node.child(slot)).filter(|child| child.is_leaf())
            {
                n_leaves += 1;
                n_blocks += child.blocks().len();
            }
        }
        Self {
            n_triangles,
            n_split: tree.split.len(),
            n_in_leaves: tree.leaves.n_lanes(),
            // The root of an empty mesh has no child.
            n_nodes: n_nodes.max(1),
            n_leaves,
            n_blocks,
            depth: tree.depth,
            sah_cost: sah_cost(&tree.nodes),
            bytes: tree.bytes(),
        }
    }

    /// Bytes per triangle; 0 for an empty mesh.
    pub fn bytes_per_triangle(&self) -> f64 {
        if self.n_triangles == 0 { 0.0 } else { self.bytes as f64 / self.n_triangles as f64 }
    }
}

/// See [`MeshBvh::leaf_depths`](crate::MeshBvh::leaf_depths).
pub(crate) fn leaf_depths(nodes: &[WideNode]) -> Vec<usize> {
    let mut counts = vec![0];
    let mut left = vec![(0, 1)];
    while let Some((index, depth)) = left.pop() {
        let node = &nodes[index];
        for child in node.occupied().map(|slot| node.child(slot)) {
            if child.is_leaf() {
                counts.resize(counts.len().max(depth + 1), 0);
                counts[depth] += 1;
            } else {
                left.push((child.node_index(), depth + 1));
            }
        }
    }
    counts
}

/// See [`BvhStats::sah_cost`].
pub(crate) fn sah_cost(nodes: &[WideNode]) -> f32 {
    /// The nodes that one thread sums at a time.
    const CHUNK: usize = 1 << 12;
    let costs = parallel::map_chunks(nodes.len(), CHUNK, |chunk| {
        let mut cost = 0.0;
        for node in &nodes[chunk] {
            for slot in node.occupied() {
                let child = node.child(slot);
                let weight = if child.is_leaf() {
                    f64::from(BLOCK_TEST_COST) * child.blocks().len() as f64
                } else {
                    1.0
                };
                cost += weight * f64::from(node.child_bounds(slot).half_area());
            }
        }
        cost
    });
    let cost: f64 = costs.into_iter().sum();
    let root = &nodes[0];
    let root_box =
        root.occupied().fold(Aabb::EMPTY, |all, slot| all.union(root.child_bounds(slot)));
    let root_area = f64::from(root_box.half_area());
    (1.0 + if root_area > 0.0 { cost / root_area } else { 0.0 }) as f32
}
