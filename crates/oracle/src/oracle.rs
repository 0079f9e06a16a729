//! The oracle: all hits of a ray by one loop over all triangles.
//!
//! [`brute_force`](hitscan_primitives::brute_force) is the public definition. The oracle is a second
//! and simpler reading of it: it tests a triangle once for all queries and all faces. That makes a
//! million rays affordable, and a mistake in either reading shows as a difference.

use hitscan_primitives::brute_force::{scaled, scaled_ray};
use hitscan_primitives::glam::Vec3;
use hitscan_primitives::{Faces, Hit, Ray, TriMesh, WatertightRay};

/// A mesh as a plain list of triangles, scaled by its `query_scale`.
#[derive(Clone, Debug)]
pub struct Oracle {
    corners: Vec<[Vec3; 3]>,
    scale: f64,
}

impl Oracle {
    /// Copies the triangles of `mesh`: 36 bytes each.
    pub fn new(mesh: &TriMesh) -> Self {
        let scale = mesh.query_scale();
        let scaled_corners = |triangle| mesh.corners(triangle).map(|p| scaled(p, scale));
        let corners = (0..mesh.triangles().len() as u32).map(scaled_corners).collect();
        Self { corners, scale }
    }

    /// All hits of a ray on both sides of the triangles. An invalid ray hits nothing. O(triangles).
    pub fn hits(&self, ray: &Ray) -> RayHits {
        let mut found = RayHits::default();
        let Some(ray) = WatertightRay::new(&scaled_ray(ray, self.scale)) else {
            return found;
        };
        for (triangle, &corners) in self.corners.iter().enumerate() {
            if let Some(hit) = ray.intersect(corners) {
                let hit = Hit::new(triangle as u32, hit);
                found.every_triangle.push(hit);
                if ray.owns_crossing(corners) {
                    found.once_per_crossing.push(hit);
                }
            }
        }
        found.every_triangle.sort_by(Hit::cmp_along_ray);
        found.once_per_crossing.sort_by(Hit::cmp_along_ray);
        found
    }
}

/// The hits of a ray, from which every answer follows.
#[derive(Clone, Debug, Default)]
pub struct RayHits {
    /// Every triangle that the ray meets, sorted by `(t, triangle)`.
    pub every_triangle: Vec<Hit>,
    /// The triangles that own their crossing, sorted by `(t, triangle)`.
    pub once_per_crossing: Vec<Hit>,
}

impl RayHits {
    /// The hits on some sides only. The choice of sides filters hits and never moves them.
    pub fn seen_by(&self, faces: Faces) -> Self {
        let seen = |hits: &[Hit]| -> Vec<Hit> {
            hits.iter().copied().filter(|hit| faces.accepts(hit.side)).collect()
        };
        Self {
            every_triangle: seen(&self.every_triangle),
            once_per_crossing: seen(&self.once_per_crossing),
        }
    }
}
