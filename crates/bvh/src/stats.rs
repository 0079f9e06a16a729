//! Size and quality of a tree.

use hitscan_primitives::Aabb;

use crate::MeshBvh;

/// Size and quality of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BvhStats {
    /// Triangles, those of zero area included.
    pub n_triangles: usize,
    /// Inner nodes of up to eight children.
    pub n_nodes: usize,
    /// Leaves.
    pub n_leaves: usize,
    /// Blocks of up to eight triangles, of which a leaf has one to four.
    pub n_blocks: usize,
    /// Nodes on the longest path from the root, leaves not counted.
    pub depth: usize,
    /// The expected cost of a ray that meets the root's box, in node visits: the surface area
    /// heuristic (MacDonald and Booth, "Heuristics for ray tracing using space subdivision", 1990).
    pub sah_cost: f32,
    /// Bytes kept for queries.
    pub bytes: usize,
}

/// What testing a block costs, in node visits.
const BLOCK_COST: f64 = 0.5;

impl BvhStats {
    pub(crate) fn of(bvh: &MeshBvh) -> Self {
        let occupied = bvh.nodes.iter().flat_map(|node| node.occupied().map(|p| node.child(p)));
        Self {
            n_triangles: bvh.n_triangles,
            n_nodes: bvh.nodes.len(),
            n_leaves: occupied.filter(|child| child.is_leaf()).count(),
            n_blocks: bvh.leaves.len(),
            depth: bvh.depth,
            sah_cost: bvh.sah_cost(),
            bytes: size_of_val(&*bvh.nodes) + bvh.leaves.bytes(),
        }
    }

    /// Bytes per triangle; 0 for an empty mesh.
    pub fn bytes_per_triangle(&self) -> f64 {
        if self.n_triangles == 0 { 0.0 } else { self.bytes as f64 / self.n_triangles as f64 }
    }

    /// Triangles per place for one in the blocks: 1 if every block is full.
    pub fn block_fill(&self) -> f64 {
        if self.n_blocks == 0 { 0.0 } else { self.n_triangles as f64 / (8 * self.n_blocks) as f64 }
    }
}

impl MeshBvh {
    /// The number of leaves at each depth: the nth is of those with n nodes above them. It ends with the
    /// deepest; a single 0 for an empty mesh. O(nodes).
    pub fn leaf_depths(&self) -> Vec<usize> {
        let mut counts = vec![0];
        let mut left = vec![(0, 1)];
        while let Some((index, depth)) = left.pop() {
            let node = &self.nodes[index];
            for child in node.occupied().map(|place| node.child(place)) {
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
    pub(crate) fn sah_cost(&self) -> f32 {
        let mut cost = 0.0;
        for node in &self.nodes {
            for place in node.occupied() {
                let child = node.child(place);
                let weight =
                    if child.is_leaf() { BLOCK_COST * child.blocks().len() as f64 } else { 1.0 };
                cost += weight * f64::from(node.child_bounds(place).half_area());
            }
        }
        let root = &self.nodes[0];
        let root_box =
            root.occupied().fold(Aabb::EMPTY, |all, place| all.union(root.child_bounds(place)));
        let root_area = f64::from(root_box.half_area());
        (1.0 + if root_area > 0.0 { cost / root_area } else { 0.0 }) as f32
    }
}
