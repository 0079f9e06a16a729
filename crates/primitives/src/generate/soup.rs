//! Random triangles.

use glam::{DVec3, Vec3};

use crate::{TriMesh, edge_function::cross_f64};

use super::error::{GenerateError, check_count};
use super::parts::Parts;
use super::rng::SplitMix64;

/// `n_triangles` loose triangles at random places of the cube `[-1, 1]^3`, of random directions, and
/// of sizes that differ by a factor of 64. No triangle has zero area.
///
/// Triangles shrink as their number grows, so that a ray meets about the same number in every soup.
/// They overlap and pierce each other, unlike those of a real mesh: a hard case for any hierarchy.
///
/// # Errors
/// Fewer than 1 or too many triangles.
pub fn soup(n_triangles: usize, seed: u64) -> Result<TriMesh, GenerateError> {
    check_count(n_triangles, 1)?;
    let mut rng = SplitMix64::new(seed);
    let mut parts = Parts::with_capacity(3 * n_triangles, n_triangles);
    // The side of a square that is the n-th part of the cube's cross-section.
    let typical_size = 2.0 / (n_triangles as f64).sqrt();
    while parts.triangles.len() < n_triangles {
        let center = in_cube(&mut rng);
        // A factor of 1/8 to 8, small ones as likely as large ones.
        let octave = (1u64 << rng.below(6)) as f64 * rng.range(1.0, 2.0) / 8.0;
        let size = (typical_size * octave).min(1.0);
        let corners: [Vec3; 3] =
            std::array::from_fn(|_| (center + size * in_cube(&mut rng)).as_vec3());
        // Chance may put three corners on a line; then try again.
        let [a, b, c] = corners;
        if cross_f64(a, b, c) != DVec3::ZERO {
            let first = parts.next_vertex();
            parts.positions.extend(corners);
            parts.triangles.push([first, first + 1, first + 2]);
        }
    }
    Ok(parts.into_mesh())
}

/// A random point of the cube `[-1, 1]^3`.
fn in_cube(rng: &mut SplitMix64) -> DVec3 {
    DVec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), rng.range(-1.0, 1.0))
}
