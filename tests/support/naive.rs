//! The twin: every answer by one loop over all triangles.
//!
//! [`brute_force`](hitscan_primitives::brute_force) is the public definition; this is a second and
//! simpler reading of it, which tests a triangle once for all queries and all faces together. That
//! makes a million rays affordable, and a slip in either of the two shows as a difference.

use hitscan_primitives::brute_force::{scaled, scaled_ray};
use hitscan_primitives::glam::Vec3;
use hitscan_primitives::{Faces, Hit, Ray, TriMesh, WatertightRay};

use crate::Answers;

/// A mesh as a plain list of triangles, scaled by its `query_scale`.
#[derive(Clone, Debug)]
pub struct Twin {
    corners: Vec<[Vec3; 3]>,
    scale: f64,
}

impl Twin {
    /// Copies the triangles of `mesh`.
    pub fn new(mesh: &TriMesh) -> Self {
        let scale = mesh.query_scale();
        let scaled_corners = |triangle| mesh.corners(triangle).map(|p| scaled(p, scale));
        let corners = (0..mesh.triangles().len() as u32).map(scaled_corners).collect();
        Self { corners, scale }
    }

    /// All hits of a ray on both sides of the triangles. O(n).
    pub fn answers(&self, ray: &Ray) -> BothFaces {
        let mut found = BothFaces::default();
        let Some(ray) = WatertightRay::new(&scaled_ray(ray, self.scale)) else {
            return found;
        };
        for (triangle, &corners) in self.corners.iter().enumerate() {
            if let Some(hit) = ray.intersect(corners) {
                let hit = Hit::new(triangle as u32, hit);
                found.closed.push(hit);
                if ray.owns_crossing(corners) {
                    found.once.push(hit);
                }
            }
        }
        found.closed.sort_by(Hit::cmp_along_ray);
        found.once.sort_by(Hit::cmp_along_ray);
        found
    }
}

/// The hits of a ray on both sides of the triangles, from which every answer follows.
#[derive(Clone, Debug, Default)]
pub struct BothFaces {
    /// Every triangle that is met, sorted.
    pub closed: Vec<Hit>,
    /// Those that own their crossing, sorted.
    pub once: Vec<Hit>,
}

impl BothFaces {
    /// The answers of a query that sees only `faces`.
    pub fn seen_by(&self, faces: Faces) -> Answers {
        let seen = |hits: &[Hit]| -> Vec<Hit> {
            hits.iter().copied().filter(|hit| faces.accepts(hit.side)).collect()
        };
        Answers::from_lists(seen(&self.closed), seen(&self.once))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, aimed_ray, soup};

    #[test]
    fn the_twin_and_the_public_brute_force_agree_on_every_query() {
        let mut rng = Rng::new(11);
        let (mut n_hits, mut n_edges) = (0, 0);
        for round in 0..300 {
            let shape = soup(&mut rng, 60);
            let twin = Twin::new(&shape.mesh);
            for _ in 0..20 {
                let ray = aimed_ray(&shape.mesh, &mut rng);
                let found = twin.answers(&ray);
                n_hits += found.closed.len();
                n_edges += found.closed.len() - found.once.len();
                for faces in [Faces::Both, Faces::Front, Faces::Back] {
                    let expected = Answers::by_brute_force(&shape.mesh, &ray, faces);
                    let difference = found.seen_by(faces).difference(&expected);
                    assert_eq!(difference, None, "round {round}, {}, {ray:?}", shape.name);
                }
            }
        }
        assert!(n_hits > 3_000 && n_edges > 100, "the rays hit too little: {n_hits}, {n_edges}");
    }
}
