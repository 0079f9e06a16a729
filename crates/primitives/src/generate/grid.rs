//! A flat rectangle of regular cells.

use glam::{DVec3, Vec3};

use crate::TriMesh;

use super::error::{GenerateError, check_count, check_size};
use super::parts::Parts;

/// The fewest triangles of a grid: one cell.
pub(super) const MIN_TRIANGLES: usize = 2;

/// A flat rectangle in the plane y = 0 about the origin, `width` along x and `depth` along z, with
/// its front upwards.
///
/// The cells are nearly square, two triangles each. The number of triangles is the nearest to
/// `n_triangles` that such a grid has: within 5 % from 100 on, within 0.2 % from 10,000 on (unless
/// the rectangle is so long that it has few rows).
///
/// # Errors
/// A size that is not positive or out of range, fewer than 2 or too many triangles, or a rectangle
/// so narrow that triangles lose their area.
///
/// ```
/// let mesh = hitscan_primitives::generate::grid(4.0, 2.0, 16)?;
/// assert_eq!((mesh.triangles().len(), mesh.positions().len()), (16, 15));
/// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
/// ```
pub fn grid(width: f32, depth: f32, n_triangles: usize) -> Result<TriMesh, GenerateError> {
    check_size("width", width)?;
    check_size("depth", depth)?;
    check_count(n_triangles, MIN_TRIANGLES)?;
    let (width, depth) = (f64::from(width), f64::from(depth));
    let (n_x, n_z) = cells(n_triangles, width / depth);
    cell_mesh(n_x, n_z, |x, z| DVec3::new(width * x, 0.0, depth * z).as_vec3())
        .into_mesh_with_areas()
}

/// Two triangles for each of `n_x * n_z` cells. `position` maps x and z in `[-0.5, 0.5]`.
pub(super) fn cell_mesh(n_x: u32, n_z: u32, position: impl Fn(f64, f64) -> Vec3) -> Parts {
    let n_cells = n_x as usize * n_z as usize;
    let n_positions = n_cells + n_x as usize + n_z as usize + 1;
    let mut parts = Parts::with_capacity(n_positions, 2 * n_cells);
    let share = |i: u32, n: u32| f64::from(i) / f64::from(n) - 0.5;
    for k in 0..=n_z {
        let z = share(k, n_z);
        parts.positions.extend((0..=n_x).map(|i| position(share(i, n_x), z)));
    }
    let row = n_x + 1;
    for k in 0..n_z {
        for i in 0..n_x {
            let a = k * row + i;
            let (b, c, d) = (a + 1, a + row, a + row + 1);
            parts.triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    parts
}

/// The numbers of cells along x and z: about `aspect` to one, with a product as near to half of
/// `n_triangles` as numbers within a quarter of the ideal ones allow.
pub(super) fn cells(n_triangles: usize, aspect: f64) -> (u32, u32) {
    let n_cells = n_triangles as f64 / 2.0;
    let ideal = (n_cells * aspect).sqrt().clamp(1.0, n_cells.max(1.0));
    let (low, high) = ((0.8 * ideal).max(1.0) as u32, (1.25 * ideal).min(n_cells).max(1.0) as u32);
    let candidates = (low..=high.max(low)).map(|n_x| {
        let n_z = ((n_cells / f64::from(n_x) + 0.5) as u32).max(1);
        let off = (f64::from(n_x) * f64::from(n_z) - n_cells).abs();
        // Of equally good products the squarest cells.
        (off, (f64::from(n_x) - ideal).abs(), (n_x, n_z))
    });
    let best = candidates.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    best.map_or((1, 1), |(_, _, cells)| cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_near_the_count_for_any_shape() {
        for (from, share) in [(100, 0.05), (10_000, 0.002)] {
            for n_triangles in (from..from + 300).chain([1_000_003, 4_000_000]) {
                for aspect in [1.0, 0.3, 4.0] {
                    let (n_x, n_z) = cells(n_triangles, aspect);
                    let off = (f64::from(2 * n_x * n_z) - n_triangles as f64).abs();
                    assert!(off <= share * n_triangles as f64, "{n_triangles} {aspect}: {off}");
                }
            }
        }
    }

    #[test]
    fn a_very_long_rectangle_is_one_row() {
        assert_eq!(cells(2, 1e30), (1, 1));
        assert_eq!(cells(200, 1e30), (100, 1));
        assert_eq!(cells(200, 1e-30), (1, 100));
    }
}
