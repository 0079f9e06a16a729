//! A sphere of nearly equal triangles.

use glam::DVec3;

use crate::TriMesh;

use super::error::{GenerateError, check_count, check_size};
use super::parts::Parts;
use super::ring::{self, Ring};
use super::turns;

/// The fewest triangles of a sphere: two tetrahedra on one base.
pub(super) const MIN_TRIANGLES: usize = 6;

/// A closed sphere about the origin, with its poles on the y axis and its vertices at `radius`.
///
/// It has exactly `n_triangles`, or one more if that is odd (a closed surface has an even number).
/// Triangles have about equal size, because the number of vertices on a circle of latitude is
/// proportional to its length.
///
/// # Errors
/// A radius that is not positive or out of range, or fewer than 6 or too many triangles.
///
/// ```
/// let mesh = hitscan_primitives::generate::sphere(2.0, 1000)?;
/// assert_eq!(mesh.triangles().len(), 1000);
/// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
/// ```
pub fn sphere(radius: f32, n_triangles: usize) -> Result<TriMesh, GenerateError> {
    check_size("radius", radius)?;
    check_count(n_triangles, MIN_TRIANGLES)?;
    let mut parts = Parts::with_capacity(n_triangles / 2 + 3, n_triangles + 1);
    add_sphere(&mut parts, DVec3::ZERO, radius.into(), n_triangles);
    parts.into_mesh_with_areas()
}

/// Adds a sphere; an odd number of triangles gives one more. At least [`MIN_TRIANGLES`].
pub(super) fn add_sphere(parts: &mut Parts, center: DVec3, radius: f64, n_triangles: usize) {
    // Euler: two triangles for each vertex but the poles.
    let n_ring_vertices = n_triangles.div_ceil(2) as u32;
    let n_rings = n_rings(n_triangles, n_ring_vertices);
    let n_steps = u64::from(n_rings) + 1;
    // Sine and cosine of the angle from the upper pole.
    let latitudes: Vec<(f64, f64)> =
        (1..n_steps).map(|step| turns::sin_cos(step, 2 * n_steps)).collect();
    let weights: Vec<f64> = latitudes.iter().map(|&(sin, _)| sin).collect();
    let counts = ring::share_out(n_ring_vertices, &weights);

    let top = parts.next_vertex();
    parts.positions.push((center + radius * DVec3::Y).as_vec3());
    let mut above: Option<Ring> = None;
    for (i, (&(sin, cos), &count)) in latitudes.iter().zip(&counts).enumerate() {
        // Counter-clockwise seen from above; every other ring is turned, for even triangles.
        let ring = Ring::new(parts, count, i % 2 == 1, |ring_sin, ring_cos| {
            center + radius * DVec3::new(sin * ring_cos, cos, -sin * ring_sin)
        });
        match above {
            None => ring::cap_above(parts, top, ring),
            Some(above) => ring::zip(parts, above, ring),
        }
        above = Some(ring);
    }
    let bottom = parts.next_vertex();
    parts.positions.push((center - radius * DVec3::Y).as_vec3());
    if let Some(above) = above {
        ring::cap_below(parts, bottom, above);
    }
}

/// The number of rings that makes triangles about equilateral.
fn n_rings(n_triangles: usize, n_ring_vertices: u32) -> u32 {
    // An equilateral triangle of area A has the height sqrt(sqrt(3) * A).
    let area = 4.0 * std::f64::consts::PI / n_triangles as f64;
    let height = (3f64.sqrt() * area).sqrt();
    let n_steps = (std::f64::consts::PI / height + 0.5) as u32;
    n_steps.saturating_sub(1).clamp(1, n_ring_vertices / 3)
}
