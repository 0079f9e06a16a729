//! Brute force over all cores: the reference of the checks, and the subject of the bench `scan`.

use hitscan::brute_force::BruteForce;
use hitscan::{Faces, Hit, Ray};
use rayon::prelude::*;

/// Triangles that one task tests.
const CHUNK: usize = 1 << 14;

/// The hit with the smallest `(t, triangle)`, found by testing every triangle on rayon's current pool.
pub fn closest_hit(mesh: &BruteForce<'_>, ray: &Ray, faces: Faces) -> Option<Hit> {
    let n = mesh.n_triangles();
    (0..n.div_ceil(CHUNK))
        .into_par_iter()
        .filter_map(|chunk| {
            let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(n);
            mesh.closest_hit_among(range, ray, faces)
        })
        .min_by(Hit::cmp_along_ray)
}
