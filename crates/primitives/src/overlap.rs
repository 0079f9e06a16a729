//! Whether a triangle touches a box or a convex region: the definitions of every overlap answer.
//!
//! All regions are closed, so a triangle that touches a region from outside overlaps it. The tests
//! compute in f64 without a tolerance, which detects touching exactly if the numbers have few digits. A
//! triangle of zero area is a closed segment or a point.

use glam::DVec3;

use crate::Plane;

/// Whether the triangle has a point in common with the box from `min` to `max`.
///
/// The box may be flat and may reach to infinity. An empty box, or one with NaN, overlaps nothing.
///
/// Separating axes after Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing" (2001): the axes of
/// the box, the normal, and the nine products of axes and edges. Before the last ten tests the box is
/// intersected with the triangle's own box, which keeps the numbers small and finite.
pub fn triangle_overlaps_box(corners: [DVec3; 3], min: DVec3, max: DVec3) -> bool {
    let [a, b, c] = corners;
    let (own_min, own_max) = (a.min(b).min(c), a.max(b).max(c));
    // A NaN fails the comparisons.
    if !(min.cmple(max) & min.cmple(own_max) & own_min.cmple(max)).all() {
        return false;
    }
    let (min, max) = (min.max(own_min), max.min(own_max));
    let (center, half) = (0.5 * (min + max), 0.5 * (max - min));
    let [a, b, c] = corners.map(|corner| corner - center);
    let is_separated = |axis: DVec3| {
        let (a, b, c) = (a.dot(axis), b.dot(axis), c.dot(axis));
        let reach = half.dot(axis.abs());
        a.min(b).min(c) > reach || a.max(b).max(c) < -reach
    };
    let edges = [b - a, c - b, a - c];
    // Tests all corners, because the normal of a segment consists of rounding errors and may point
    // anywhere.
    if is_separated(edges[0].cross(edges[1])) {
        return false;
    }
    !edges.iter().any(|edge| {
        is_separated(DVec3::new(0.0, -edge.z, edge.y))
            || is_separated(DVec3::new(edge.z, 0.0, -edge.x))
            || is_separated(DVec3::new(-edge.y, edge.x, 0.0))
    })
}

/// A convex region, such as a view frustum, a slab or a box: the points that lie behind no plane of a
/// list.
///
/// The region is closed and may be unbounded or empty. Without planes it is all of space. Coordinates
/// are f64, in the same space as the triangles or boxes to test.
///
/// ```
/// use hitscan_primitives::{ConvexRegion, glam::DVec3};
///
/// // The wedge x >= 0, y >= 1.
/// let wedge = ConvexRegion::from_coefficients([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, -1.0]]);
/// let triangle = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0]].map(DVec3::from_array);
/// assert!(wedge.overlaps_triangle(triangle) && !wedge.contains(triangle[0]));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConvexRegion {
    planes: Vec<[f64; 4]>,
}

impl FromIterator<Plane> for ConvexRegion {
    /// The points that lie behind no plane of the list.
    fn from_iter<I: IntoIterator<Item = Plane>>(planes: I) -> Self {
        Self::from_coefficients(planes.into_iter().map(|plane| plane.coefficients()))
    }
}

impl ConvexRegion {
    /// The points with `a x + b y + c z + d >= 0` for all `[a, b, c, d]`. The normals `[a, b, c]`
    /// point inwards and may have any length. A plane with a NaN has no point in front of it.
    pub fn from_coefficients(planes: impl IntoIterator<Item = [f64; 4]>) -> Self {
        Self { planes: planes.into_iter().collect() }
    }

    /// The planes, as given to [`from_coefficients`](Self::from_coefficients).
    pub fn planes(&self) -> &[[f64; 4]] {
        &self.planes
    }

    /// The region in a space `scale` times as large. Exact for a power of two.
    #[must_use]
    pub fn scaled(&self, scale: f64) -> Self {
        let planes = self.planes.iter().map(|&[a, b, c, d]| [a, b, c, d * scale]);
        Self { planes: planes.collect() }
    }

    /// Whether a point lies in the region or on its border.
    #[inline]
    pub fn contains(&self, point: DVec3) -> bool {
        self.planes.iter().all(|plane| height(plane, point) >= 0.0)
    }

    /// Whether the region contains the whole box. If it returns `true`, [`contains`](Self::contains) is
    /// `true` for every point of the box.
    pub fn contains_box(&self, min: DVec3, max: DVec3) -> bool {
        self.planes.iter().all(|plane| height(plane, corner_along(plane, max, min)) >= 0.0)
    }

    /// Whether no single plane has the whole box behind it.
    ///
    /// `false` proves that nothing in the box overlaps the region; `true` proves nothing. If the result
    /// is `true` for a box, it is `true` for every box around it.
    #[inline]
    pub fn may_overlap_box(&self, min: DVec3, max: DVec3) -> bool {
        // A NaN proves nothing.
        !self.planes.iter().any(|plane| height(plane, corner_along(plane, min, max)) < 0.0)
    }

    /// Whether the triangle has a point in common with the region.
    ///
    /// The corners decide most triangles: one corner lies in the region, or all lie behind one plane.
    /// Otherwise the function clips the triangle by each plane (Sutherland and Hodgman, "Reentrant
    /// Polygon Clipping", 1974) and tests whether a part remains.
    pub fn overlaps_triangle(&self, corners: [DVec3; 3]) -> bool {
        let reaches = |plane: &[f64; 4]| corners.iter().any(|&corner| height(plane, corner) >= 0.0);
        if corners.iter().any(|&corner| self.contains(corner)) {
            return true;
        }
        if !self.planes.iter().all(reaches) {
            return false;
        }
        let mut polygon = corners.to_vec();
        let mut clipped = Vec::with_capacity(polygon.len() + self.planes.len());
        for plane in &self.planes {
            clipped.clear();
            for (i, &to) in polygon.iter().enumerate() {
                let from = polygon[(i + polygon.len() - 1) % polygon.len()];
                let (height_from, height_to) = (height(plane, from), height(plane, to));
                if (height_from >= 0.0) != (height_to >= 0.0) {
                    clipped.push(from.lerp(to, height_from / (height_from - height_to)));
                }
                if height_to >= 0.0 {
                    clipped.push(to);
                }
            }
            std::mem::swap(&mut polygon, &mut clipped);
        }
        !polygon.is_empty()
    }
}

/// The signed distance of a point from a plane, times the length of the normal. Monotone in every
/// coordinate, even after rounding.
#[inline]
fn height(&[a, b, c, d]: &[f64; 4], point: DVec3) -> f64 {
    a * point.x + b * point.y + c * point.z + d
}

/// The corner of a box that is farthest in front of the plane. With `min` and `max` exchanged, the
/// corner farthest behind it.
#[inline]
fn corner_along(&[a, b, c, _]: &[f64; 4], min: DVec3, max: DVec3) -> DVec3 {
    let pick = |slope: f64, min: f64, max: f64| if slope >= 0.0 { max } else { min };
    DVec3::new(pick(a, min.x, max.x), pick(b, min.y, max.y), pick(c, min.z, max.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::SplitMix64;

    fn point(random: &mut SplitMix64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0) as f32).map(f64::from))
    }

    /// On a coarse grid, so that touching is met exactly.
    fn grid_point(random: &mut SplitMix64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| random.below(5) as f64 - 2.0))
    }

    fn box_region(min: DVec3, max: DVec3) -> ConvexRegion {
        ConvexRegion::from_coefficients((0..3).flat_map(|axis| {
            let unit = DVec3::AXES[axis].to_array();
            let [x, y, z] = unit;
            [[x, y, z, -min[axis]], [-x, -y, -z, max[axis]]]
        }))
    }

    #[test]
    fn separating_axes_and_clipping_agree_about_boxes() {
        let mut random = SplitMix64::new(1);
        let mut counts = [0, 0];
        for round in 0..20_000 {
            let on_grid = round % 2 == 0;
            let mut next = || if on_grid { grid_point(&mut random) } else { point(&mut random) };
            let corners = [next(), next(), next()];
            let (p, q) = (next(), next());
            let (min, max) = (p.min(q), p.max(q));
            let by_axes = triangle_overlaps_box(corners, min, max);
            // A hair of slack for the clipping, which rounds where edges are cut.
            let slack = DVec3::splat(1e-12);
            let larger = box_region(min - slack, max + slack).overlaps_triangle(corners);
            let smaller = box_region(min + slack, max - slack).overlaps_triangle(corners);
            assert!(!by_axes || larger, "round {round}: {corners:?} {min} {max}");
            assert!(!smaller || by_axes, "round {round}: {corners:?} {min} {max}");
            counts[usize::from(by_axes)] += 1;
        }
        assert!(counts.iter().all(|&n| n > 2000), "{counts:?}");
    }

    #[test]
    fn touching_is_overlapping() {
        let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]].map(DVec3::from_array);
        let touches = |min: [f64; 3], max: [f64; 3]| {
            triangle_overlaps_box(corners, DVec3::from_array(min), DVec3::from_array(max))
        };
        // In a corner, with an edge of the box on one of the triangle, and from above.
        assert!(touches([-1.0; 3], [0.0; 3]));
        assert!(touches([1.0, 1.0, -1.0], [3.0, 3.0, 1.0]));
        assert!(touches([0.5, 0.5, 0.0], [0.6, 0.6, 5.0]));
        assert!(touches([0.5, 0.5, 0.0], [0.5, 0.5, 0.0]));
        assert!(!touches([1.25, 1.0, -1.0], [3.0, 3.0, 1.0]));
        assert!(!touches([0.5, 0.5, 1e-30], [0.6, 0.6, 5.0]));
        // Without bound, and without points.
        assert!(touches([1.0, f64::NEG_INFINITY, 0.0], [f64::INFINITY; 3]));
        assert!(touches([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]));
        assert!(!touches([1.0; 3], [0.0; 3]));
        assert!(!touches([f64::NAN; 3], [f64::NAN; 3]));
    }

    #[test]
    fn a_triangle_of_zero_area_overlaps_as_a_segment_or_a_point() {
        let mut random = SplitMix64::new(4);
        let mut counts = [0; 2];
        for round in 0..20_000 {
            // On a line up to the rounding of f64, as the corners of a placed instance are.
            let (from, to) = (point(&mut random), point(&mut random));
            let at = |s: f64| from + s * (to - from);
            let corners = match round % 3 {
                0 => [at(0.0), at(1.0), at(random.unit())],
                1 => [at(random.unit()), at(0.0), at(1.0)],
                _ => [at(0.0); 3],
            };
            // The smallest of boxes around a point of it, and one beside it.
            let on_it = if round % 3 == 2 { from } else { at(random.unit()) };
            let away = on_it + 1e-6 * (to - from).any_orthonormal_vector();
            for (middle, expected) in [(on_it, true), (away, false)] {
                let (min, max) = (middle - 1e-9, middle + 1e-9);
                let found = triangle_overlaps_box(corners, min, max);
                assert_eq!(found, expected, "round {round}: {corners:?}, {middle}");
                let found = box_region(min, max).overlaps_triangle(corners);
                assert_eq!(found, expected, "round {round}: {corners:?}, {middle}");
                counts[usize::from(expected)] += 1;
            }
        }
        assert_eq!(counts, [20_000; 2]);
    }

    #[test]
    fn boxes_are_decided_as_what_is_in_them() {
        let mut random = SplitMix64::new(2);
        for _ in 0..3000 {
            let region = ConvexRegion::from_coefficients((0..4).map(|_| {
                let normal = point(&mut random);
                [normal.x, normal.y, normal.z, random.range(-0.5, 0.5)]
            }));
            let corners = [0; 3].map(|_| point(&mut random));
            let [a, b, c] = corners;
            let (min, max) = (a.min(b).min(c), a.max(b).max(c));
            assert!(region.may_overlap_box(min, max) || !region.overlaps_triangle(corners));
            assert!(!region.contains_box(min, max) || corners.iter().all(|&p| region.contains(p)));
        }
    }

    #[test]
    fn a_region_of_no_planes_is_everything_and_a_nan_is_nothing() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert!(ConvexRegion::default().overlaps_triangle(corners));
        let nothing = ConvexRegion::from_coefficients([[f64::NAN; 4]]);
        assert!(!nothing.overlaps_triangle(corners) && !nothing.contains(DVec3::ZERO));
    }

    #[test]
    fn a_triangle_around_a_thin_region_overlaps_it() {
        let center = DVec3::new(0.1, 0.1, 0.0);
        let thin = DVec3::new(1e-6, 1e-6, 1e6);
        let region = box_region(center - thin, center + thin);
        assert!(region.overlaps_triangle([DVec3::ZERO, DVec3::X, DVec3::Y]));
        assert!(!region.overlaps_triangle([0.2 * DVec3::X, DVec3::X, DVec3::Y]));
    }
}
