//! Size and quality of a tree.

/// Size and quality of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BvhStats {
    /// Triangles, degenerate ones included.
    pub n_triangles: usize,
    /// Inner nodes of eight children.
    pub n_nodes: usize,
    /// Leaves.
    pub n_leaves: usize,
    /// Nodes on the longest path from the root, leaves not counted.
    pub depth: usize,
    /// Expected cost of a ray that meets the root's box, in node visits.
    pub sah_cost: f32,
    /// Bytes kept for queries.
    pub bytes: usize,
}

impl BvhStats {
    /// Bytes per triangle; 0 for an empty mesh.
    pub fn bytes_per_triangle(&self) -> f64 {
        if self.n_triangles == 0 { 0.0 } else { self.bytes as f64 / self.n_triangles as f64 }
    }
}
