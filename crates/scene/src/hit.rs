//! Hits in a scene.

use std::cmp::Ordering;

use hitscan_primitives::{Hit, Side};

use crate::InstanceId;

/// A hit of a world ray on a triangle of an instance.
///
/// It is small and names what was hit; [`Scene::describe`](crate::Scene::describe) says the rest.
/// Hits are ordered by `(t, instance, triangle)`, instances in the order of first insertion; the
/// closest hit is the least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneHit {
    /// Where on the world ray, in units of its direction. Always finite, never -0.0.
    pub t: f64,
    /// The instance.
    pub instance: InstanceId,
    /// The place of the instance in the order of first insertion.
    pub insertion_order: u64,
    /// The hit in the space of the instance's mesh: triangle, weights and side. Its `t` is that of the
    /// [`LocalRay`](crate::LocalRay), which may start elsewhere than the world ray.
    pub local: Hit,
}

impl SceneHit {
    /// The triangle, by its place in the mesh.
    pub fn triangle(&self) -> u32 {
        self.local.triangle
    }

    /// The side that the ray came from: front is what is front in the mesh's own space, whether the
    /// instance is mirrored or not.
    pub fn side(&self) -> Side {
        self.local.side
    }

    /// Orders hits along a ray: by `t`, then by instance, then as the hits of the mesh.
    #[inline]
    pub fn cmp_along_ray(&self, other: &Self) -> Ordering {
        self.t
            .total_cmp(&other.t)
            .then(self.insertion_order.cmp(&other.insertion_order))
            .then_with(|| self.local.cmp_along_ray(&other.local))
    }
}
