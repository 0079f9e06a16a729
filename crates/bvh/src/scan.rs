//! The brute-force scan over all cores: every triangle, no tree.

use hitscan_primitives::{Faces, Hit, Ray, brute_force::BruteForce};

/// The hit with the least `(t, triangle)`, found by testing every triangle in parallel.
pub fn closest_hit(mesh: &BruteForce<'_>, ray: &Ray, faces: Faces) -> Option<Hit> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        const CHUNK: usize = 1 << 14;
        let n = mesh.n_triangles();
        (0..n.div_ceil(CHUNK))
            .into_par_iter()
            .filter_map(|chunk| {
                let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(n);
                mesh.closest_hit_among(range, ray, faces)
            })
            .min_by(Hit::cmp_along_ray)
    }
    #[cfg(not(feature = "parallel"))]
    mesh.closest_hit(ray, faces)
}
