//! Hits in a scene.

use std::cmp::Ordering;

use hitscan_primitives::{Hit, Side};

use crate::InstanceId;

/// A hit of a world ray on a triangle of an instance.
///
/// A hit is small, and identifies the instance and the triangle.
/// [`Scene::describe`](crate::Scene::describe) computes the point, the normal and everything else.
/// Hits are ordered by `(t, instance, triangle)`, with instances in order of first insertion. The closest
/// hit is the minimum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneHit {
    /// The position on the world ray, in units of its direction. Always finite, never -0.0.
    pub t: f64,
    /// The instance that was hit.
    pub instance: InstanceId,
    /// The number of instances inserted before this one; see
    /// [`Scene::insertion_order`](crate::Scene::insertion_order). It decides ties in `t`.
    pub insertion_order: u64,
    /// The hit in the space of the mesh: triangle, barycentric weights and side. Its `t` belongs to the
    /// [`LocalRay`](crate::LocalRay), which may start elsewhere than the world ray.
    pub local: Hit,
}

impl SceneHit {
    /// The index of the triangle in [`TriMesh::triangles`](hitscan_primitives::TriMesh::triangles).
    pub fn triangle(&self) -> u32 {
        self.local.triangle
    }

    /// The side that the ray came from. The winding in the mesh's own space decides which side is the
    /// front, even if the instance is mirrored.
    pub fn side(&self) -> Side {
        self.local.side
    }

    /// Orders hits along a ray: by `t`, then by insertion order, then as
    /// [`Hit::cmp_along_ray`] does.
    #[inline]
    pub fn cmp_along_ray(&self, other: &Self) -> Ordering {
        self.t
            .total_cmp(&other.t)
            .then(self.insertion_order.cmp(&other.insertion_order))
            .then_with(|| self.local.cmp_along_ray(&other.local))
    }
}
