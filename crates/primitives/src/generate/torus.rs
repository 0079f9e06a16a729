//! A torus.

use glam::DVec3;

use crate::TriMesh;

use super::error::{GenerateError, MIN_TUBE_RATIO, check_count, check_size};
use super::parts::Parts;
use super::ring::{self, Ring};
use super::turns;

/// Three sections of three vertices.
const MIN_TRIANGLES: usize = 18;

/// A closed torus about the y axis: a tube of `minor_radius` around a circle of `major_radius` in
/// the plane y = 0.
///
/// It has exactly `n_triangles`, or one more if that is odd (a closed surface has an even number).
/// Sections of the tube stand at even angles about the axis, and their numbers of vertices differ by
/// one at most.
///
/// # Errors
/// A radius that is not positive or out of range; a minor radius not less than the major one, or below
/// 1e-5 of it; fewer than 18 or too many triangles, or a number at which triangles lose their
/// area.
///
/// ```
/// let mesh = hitscan_primitives::generate::torus(3.0, 1.0, 5000)?;
/// assert_eq!(mesh.triangles().len(), 5000);
/// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
/// ```
pub fn torus(
    major_radius: f32,
    minor_radius: f32,
    n_triangles: usize,
) -> Result<TriMesh, GenerateError> {
    check_size("major radius", major_radius)?;
    check_size("minor radius", minor_radius)?;
    if minor_radius >= major_radius || minor_radius < MIN_TUBE_RATIO * major_radius {
        return Err(GenerateError::MinorRadius { minor_radius, major_radius });
    }
    check_count(n_triangles, MIN_TRIANGLES)?;
    let (major, minor) = (f64::from(major_radius), f64::from(minor_radius));

    // Two triangles for each vertex.
    let n_vertices = n_triangles.div_ceil(2) as u64;
    let n_sections = n_sections(n_vertices, major / minor);
    let mut parts = Parts::with_capacity(n_vertices as usize, 2 * n_vertices as usize);
    let mut sections: Vec<Ring> = Vec::with_capacity(n_sections as usize);
    for i in 0..n_sections {
        let count = n_vertices * (i + 1) / n_sections - n_vertices * i / n_sections;
        let (sin, cos) = turns::sin_cos(i, n_sections);
        let section = Ring::new(&mut parts, count as u32, false, |tube_sin, tube_cos| {
            let radius = major + minor * tube_cos;
            DVec3::new(radius * cos, minor * tube_sin, -radius * sin)
        });
        if let Some(&before) = sections.last() {
            ring::zip(&mut parts, before, section);
        }
        sections.push(section);
    }
    ring::zip(&mut parts, sections[sections.len() - 1], sections[0]);
    parts.into_mesh_with_areas()
}

/// The number of sections of at least three vertices, for nearly square pairs of triangles: if one
/// that divides the number of vertices is near, that one.
fn n_sections(n_vertices: u64, radius_ratio: f64) -> u64 {
    let most = n_vertices / 3;
    let ideal = ((n_vertices as f64 * radius_ratio).sqrt() + 0.5).min(most as f64) as u64;
    let ideal = ideal.max(3);
    let near = (ideal - ideal / 5).max(3)..=(ideal + ideal / 5).min(most);
    near.filter(|n| n_vertices.is_multiple_of(*n))
        .min_by_key(|n| n.abs_diff(ideal))
        .unwrap_or(ideal)
}
