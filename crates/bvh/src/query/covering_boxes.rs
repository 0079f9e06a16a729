//! Few boxes that together hold a mesh.

use hitscan_primitives::Aabb;

use crate::{layout::ChildRef, mesh_bvh::MeshBvh};

/// A box of the tree, with what lies below it.
struct Part {
    bounds: Aabb,
    child: ChildRef,
}

impl Part {
    /// The half area of the box, in f64, where no mesh overflows; negative for a leaf, which cannot be opened.
    fn priority(&self) -> f64 {
        let [x, y, z] = (self.bounds.max.as_dvec3() - self.bounds.min.as_dvec3()).to_array();
        if self.child.is_leaf() { -1.0 } else { x * y + y * z + z * x }
    }
}

impl MeshBvh {
    /// At most `n` boxes in the mesh's own space that together hold all triangles; none without triangles.
    ///
    /// When to use: for a tight box around the mesh under a rotation, which is the box around the rotated boxes. See also
    /// [`bounds`](Self::bounds), which is one box, and [`visit`](Self::visit), which sees every box of the tree.
    ///
    /// The largest boxes of the tree are opened first. Each holds its triangles, or its parts of split ones, with a margin of
    /// some millionths of the largest coordinate. O(n²).
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::generate;
    ///
    /// let sphere = generate::sphere(1.0, 5000)?;
    /// let boxes = MeshBvh::build(&sphere, &BuildOptions::default()).covering_boxes(32);
    /// assert!(boxes.len() > 16 && boxes.len() <= 32);
    /// // Each corner lies in one of them, and each of them is smaller than the sphere.
    /// assert!(sphere.positions().iter().all(|&p| boxes.iter().any(|part| part.contains(p))));
    /// assert!(boxes.iter().all(|part| (part.max - part.min).max_element() < 1.9));
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn covering_boxes(&self, n: usize) -> Vec<Aabb> {
        if self.n_triangles() == 0 {
            return Vec::new();
        }
        let mut parts = self.parts_of(0);
        if parts.len() > n {
            return vec![self.bounds(); n.min(1)];
        }
        loop {
            let largest = parts
                .iter()
                .enumerate()
                .max_by(|(_, a), (_, b)| a.priority().total_cmp(&b.priority()));
            let Some((i, part)) = largest.filter(|(_, part)| !part.child.is_leaf()) else { break };
            let inner = self.parts_of(part.child.node_index());
            if parts.len() - 1 + inner.len() > n {
                break;
            }
            parts.swap_remove(i);
            parts.extend(inner);
        }
        parts.into_iter().map(|part| part.bounds).collect()
    }

    fn parts_of(&self, node: usize) -> Vec<Part> {
        let node = &self.tree.nodes[node];
        let part =
            |slot| Part { bounds: self.unscaled_bounds(node, slot), child: node.child(slot) };
        node.occupied().map(part).collect()
    }
}
