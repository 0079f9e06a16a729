//! Flat polygons of any shape.

use glam::{DVec3, Vec3};
use thiserror::Error;

use super::plane::Plane;
use crate::{Axis, Faces, Ray, Side, newell::newell_normal};

/// A flat polygon in space: an outer ring of corners, convex or not, and any number of holes.
///
/// A point of the plane is inside by the even-odd rule over all edges, so rings may run either way,
/// touch, and cross. All edges and corners belong to the polygon, including those of holes, and a hit
/// reports whether it lies on one. Seen from the front, the outer ring runs counter-clockwise.
///
/// The test intersects the plane and then counts the edges on one side of the point, in the two
/// coordinates where the polygon is largest (Haines, "Point in Polygon Strategies", Graphics Gems IV,
/// 1994; Shimrat, "Algorithm 112: Position of Point Relative to Polygon", 1962). O(corners).
///
/// ```
/// use hitscan_primitives::{Faces, PlanarPolygon, Ray};
///
/// let square = [[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [4.0, 4.0, 1.0], [0.0, 4.0, 1.0]];
/// let hole = [[1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [2.0, 2.0, 1.0], [1.0, 2.0, 1.0]];
/// let polygon = PlanarPolygon::new(square)?.with_hole(hole)?;
/// let down = |x, y| polygon.intersect(&Ray::new([x, y, 3.0], [0.0, 0.0, -1.0]), Faces::Both);
/// assert_eq!(down(3.0, 3.0).map(|hit| hit.t), Some(2.0));
/// assert_eq!(down(1.5, 1.5), None);
/// # Ok::<(), hitscan_primitives::PolygonError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarPolygon {
    /// All corners, ring by ring.
    corners: Vec<Vec3>,
    /// The end of each ring in `corners`; the first ring is the outer one.
    ring_ends: Vec<usize>,
    plane: Plane,
    /// The largest rounding error of each component of the normal.
    normal_error: DVec3,
    /// The axis along which the corners are projected: the largest of the normal.
    dropped: Axis,
    /// The largest distance allowed between a corner and the plane.
    tolerance: f64,
}

/// A hit of a ray on a polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolygonHit {
    /// The position on the ray, in units of its direction; finite, never -0.0.
    pub t: f32,
    /// The point, in f64.
    pub point: DVec3,
    /// The side that the ray came from.
    pub side: Side,
    /// Whether the point lies on an edge or a corner.
    pub on_boundary: bool,
}

/// The position of a point of the plane relative to the polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PolygonRegion {
    /// Inside the polygon, on no edge.
    Inside,
    /// On an edge or a corner.
    Boundary,
    /// Outside, or in a hole.
    Outside,
}

impl PlanarPolygon {
    /// The largest distance allowed between a corner and the plane, as a share of the largest extent of
    /// the outer ring. Four roundings of the largest coordinate to f32 are added to it.
    pub const PLANARITY_TOLERANCE: f64 = 1e-4;

    /// The polygon with the given outer ring, whose last corner is joined to the first.
    ///
    /// The plane goes through the mean of the corners. Its normal is Newell's (in Sutherland,
    /// Sproull and Schumacker, "A Characterization of Ten Hidden-Surface Algorithms", 1974). Every
    /// corner contributes to it, so concave corners and corners on a line do no harm. The constructor
    /// neither moves nor merges corners.
    ///
    /// # Errors
    /// Fewer than three corners, a corner that is not finite, a ring without area, or a corner farther
    /// from the plane than [`PLANARITY_TOLERANCE`](Self::PLANARITY_TOLERANCE): split such a polygon
    /// into triangles.
    pub fn new<P: Into<[f32; 3]>>(
        outer: impl IntoIterator<Item = P>,
    ) -> Result<Self, PolygonError> {
        let corners = ring_of(outer, 0)?;
        let n_corners = corners.len();
        let in_f64 = || corners.iter().map(|corner| corner.as_dvec3());
        let mean = in_f64().sum::<DVec3>() / n_corners as f64;
        let (normal, normal_error) = (newell_normal(&corners), error_of_normal(&corners));
        if normal.abs().cmple(normal_error).all() {
            return Err(PolygonError::NoArea);
        }
        let (min, max) = in_f64()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), p| (min.min(p), max.max(p)));
        let extent = (max - min).max_element();
        let plane = Plane::from_f64(mean, normal).ok_or(PolygonError::NoArea)?;
        let largest = min.abs().max(max.abs()).max_element();
        let polygon = Self {
            ring_ends: vec![n_corners],
            dropped: Axis::largest_of(normal),
            tolerance: Self::PLANARITY_TOLERANCE * extent + 4.0 * f64::from(f32::EPSILON) * largest,
            plane,
            normal_error,
            corners,
        };
        polygon.check_planar(0)?;
        Ok(polygon)
    }

    /// The same polygon with a hole in it.
    ///
    /// By the even-odd rule a hole within a hole is solid again, and so is a hole outside of the
    /// outer ring.
    ///
    /// # Errors
    /// As [`PlanarPolygon::new`], except that a hole may have no area.
    pub fn with_hole<P: Into<[f32; 3]>>(
        mut self,
        hole: impl IntoIterator<Item = P>,
    ) -> Result<Self, PolygonError> {
        let ring = self.ring_ends.len();
        self.corners.extend(ring_of(hole, ring)?);
        self.ring_ends.push(self.corners.len());
        self.check_planar(ring)?;
        Ok(self)
    }

    /// The plane of the polygon.
    pub fn plane(&self) -> &Plane {
        &self.plane
    }

    /// The rings of corners: the outer one, then the holes.
    pub fn rings(&self) -> impl Iterator<Item = &[Vec3]> {
        let starts = std::iter::once(0).chain(self.ring_ends.iter().copied());
        starts.zip(&self.ring_ends).map(|(start, &end)| &self.corners[start..end])
    }

    /// The hit of the ray within its closed interval, if it comes from a side that `faces` accepts.
    ///
    /// A parallel ray is a miss, even in the plane of the polygon.
    pub fn intersect(&self, ray: &Ray, faces: Faces) -> Option<PolygonHit> {
        if !ray.is_valid() {
            return None;
        }
        let d = ray.direction.as_dvec3();
        let normal = self.plane.normal();
        let slope = normal.dot(d);
        // A slope within the rounding errors of the normal and of this product counts as zero.
        let slope_error = self.normal_error.dot(d.abs()) + f64::EPSILON * normal.abs().dot(d.abs());
        if slope.abs() <= slope_error {
            return None;
        }
        let side = if slope < 0.0 { Side::Front } else { Side::Back };
        let exact_t = self.plane.t_on_line(ray)?;
        let t = ray.accept(exact_t)?;
        if !faces.accepts(side) {
            return None;
        }
        let point = ray.origin.as_dvec3() + exact_t * d;
        let on_boundary = match self.locate(point) {
            PolygonRegion::Inside => false,
            PolygonRegion::Boundary => true,
            PolygonRegion::Outside => return None,
        };
        Some(PolygonHit { t, point, side, on_boundary })
    }

    /// The position of a point, projected onto the plane along the largest axis of the normal. A point
    /// that is not finite is outside.
    ///
    /// The function counts the edges that cross a line from the point along a projected axis. An edge
    /// crosses the line if exactly one of its ends lies above it. Where two edges meet on the line, the
    /// count is therefore odd exactly if the ring crosses the line. An edge through the point ends
    /// the count. The arithmetic starts at an edge's lower end, so that two polygons evaluate a shared
    /// edge alike.
    pub fn locate(&self, point: impl Into<[f64; 3]>) -> PolygonRegion {
        let point = DVec3::from_array(point.into());
        if !point.is_finite() {
            return PolygonRegion::Outside;
        }
        let [x, y] = self.projected(point);
        let mut is_inside = false;
        for ring in self.rings() {
            let mut before = self.projected(ring[ring.len() - 1].as_dvec3());
            for corner in ring {
                let corner = self.projected(corner.as_dvec3());
                match edge_crossing(before, corner, [x, y]) {
                    EdgeCrossing::Holds => return PolygonRegion::Boundary,
                    EdgeCrossing::Crosses => is_inside = !is_inside,
                    EdgeCrossing::Misses => {}
                }
                before = corner;
            }
        }
        if is_inside { PolygonRegion::Inside } else { PolygonRegion::Outside }
    }

    /// The two coordinates that the projection keeps.
    fn projected(&self, p: DVec3) -> [f64; 2] {
        match self.dropped {
            Axis::X => [p.y, p.z],
            Axis::Y => [p.z, p.x],
            Axis::Z => [p.x, p.y],
        }
    }

    /// Checks that the corners of a ring lie in the plane.
    fn check_planar(&self, ring: usize) -> Result<(), PolygonError> {
        let corners = self.rings().nth(ring).unwrap_or_default();
        for (corner, p) in corners.iter().enumerate() {
            let distance = self.plane.signed_distance(*p).abs();
            // Also an error for NaN.
            let is_near = distance <= self.tolerance;
            if !is_near {
                let tolerance = self.tolerance;
                return Err(PolygonError::NotPlanar { ring, corner, distance, tolerance });
            }
        }
        Ok(())
    }
}

/// The reason why rings do not make a polygon. Ring 0 is the outer one, ring 1 the first hole.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PolygonError {
    /// A ring of fewer than three corners.
    #[error("ring {ring} has {found} corners, expected at least 3")]
    TooFewCorners {
        /// The ring.
        ring: usize,
        /// The number found.
        found: usize,
    },
    /// A corner is NaN or infinite.
    #[error("corner {corner} of ring {ring} is at {position:?}, expected finite coordinates")]
    NonFiniteCorner {
        /// The ring.
        ring: usize,
        /// The first such corner.
        corner: usize,
        /// Its position.
        position: [f32; 3],
    },
    /// The area of the outer ring is zero or a rounding error, for example if its corners lie on a line
    /// or it forms an eight of equal halves.
    #[error("the outer ring has no area")]
    NoArea,
    /// A corner off the plane of the outer ring.
    #[error(
        "corner {corner} of ring {ring} is {distance:e} off the plane, expected at most {tolerance:e}"
    )]
    NotPlanar {
        /// The ring.
        ring: usize,
        /// The first such corner.
        corner: usize,
        /// Its distance from the plane.
        distance: f64,
        /// The largest distance allowed.
        tolerance: f64,
    },
}

fn ring_of<P: Into<[f32; 3]>>(
    corners: impl IntoIterator<Item = P>,
    ring: usize,
) -> Result<Vec<Vec3>, PolygonError> {
    let corners: Vec<Vec3> = corners.into_iter().map(|p| Vec3::from_array(p.into())).collect();
    if corners.len() < 3 {
        return Err(PolygonError::TooFewCorners { ring, found: corners.len() });
    }
    match corners.iter().position(|corner| !corner.is_finite()) {
        None => Ok(corners),
        Some(corner) => {
            let position = corners[corner].to_array();
            Err(PolygonError::NonFiniteCorner { ring, corner, position })
        }
    }
}

/// The largest rounding error of each component of [`newell_normal`].
fn error_of_normal(corners: &[Vec3]) -> DVec3 {
    let first = corners[0].as_dvec3();
    let mut sum_of_sizes = DVec3::ZERO;
    for edge in corners[1..].windows(2) {
        let (p, q) = ((edge[0].as_dvec3() - first).abs(), (edge[1].as_dvec3() - first).abs());
        sum_of_sizes +=
            DVec3::new(p.y * q.z + p.z * q.y, p.z * q.x + p.x * q.z, p.x * q.y + p.y * q.x);
    }
    // One rounding for each sum, and four for differences and products.
    let n_roundings = corners.len() as f64 + 4.0;
    n_roundings * f64::EPSILON * sum_of_sizes
}

enum EdgeCrossing {
    /// The point lies on the edge.
    Holds,
    /// The edge crosses the line from the point along +x.
    Crosses,
    /// Neither.
    Misses,
}

fn edge_crossing(a: [f64; 2], b: [f64; 2], [x, y]: [f64; 2]) -> EdgeCrossing {
    // Ordered by height, then by x, so that both directions of an edge give the same order.
    let b_is_lower = (b[1], b[0]) < (a[1], a[0]);
    let (low, high) = if b_is_lower { (b, a) } else { (a, b) };
    if y < low[1] || y > high[1] {
        return EdgeCrossing::Misses;
    }
    if low[1] == high[1] {
        let holds = low[0] <= x && x <= high[0];
        return if holds { EdgeCrossing::Holds } else { EdgeCrossing::Misses };
    }
    // Positive if the point is to the left of the edge, seen upwards.
    let left = (high[0] - low[0]) * (y - low[1]) - (x - low[0]) * (high[1] - low[1]);
    if left == 0.0 {
        EdgeCrossing::Holds
    } else if left > 0.0 && y < high[1] {
        EdgeCrossing::Crosses
    } else {
        EdgeCrossing::Misses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::SplitMix64;

    /// A square of side 4 about the origin of the plane orthogonal to an axis.
    fn square(axis: Axis) -> PlanarPolygon {
        PlanarPolygon::new(
            [[-2.0, -2.0], [2.0, -2.0], [2.0, 2.0], [-2.0, 2.0]].map(|xy| in_plane(axis, xy, 0.0)),
        )
        .unwrap()
    }

    fn in_plane(axis: Axis, [x, y]: [f32; 2], height: f32) -> [f32; 3] {
        match axis {
            Axis::X => [height, x, y],
            Axis::Y => [y, height, x],
            Axis::Z => [x, y, height],
        }
    }

    /// A ring in the plane z = 0.
    fn flat(corners: &[[f32; 2]]) -> PlanarPolygon {
        PlanarPolygon::new(corners.iter().map(|&[x, y]| [x, y, 0.0])).unwrap()
    }

    fn locate(polygon: &PlanarPolygon, x: f64, y: f64) -> PolygonRegion {
        polygon.locate([x, y, 0.0])
    }

    #[test]
    fn every_grid_point_of_a_square_is_right_in_every_plane() {
        // The seed's rule fails for its centre, above and below it and on its diagonals, and in
        // every plane that holds the z axis.
        for axis in Axis::ALL {
            for (i, j) in (-7..=7).flat_map(|i| (-7..=7).map(move |j| (i, j))) {
                let at = [0.5 * i as f32, 0.5 * j as f32];
                let ray = Ray::new(in_plane(axis, at, 3.0), in_plane(axis, [0.0, 0.0], -2.0));
                let hit = square(axis).intersect(&ray, Faces::Both);
                let distance = i32::max(i32::abs(i), i32::abs(j));
                assert_eq!(hit.is_some(), distance <= 4, "{axis:?} {at:?}");
                let Some(hit) = hit else { continue };
                assert_eq!((hit.t, hit.side), (1.5, Side::Front));
                assert_eq!(hit.point.as_vec3().to_array(), in_plane(axis, at, 0.0));
                assert_eq!(hit.on_boundary, distance == 4, "{axis:?} {at:?}");
            }
        }
    }

    #[test]
    fn the_plane_is_met_within_the_closed_interval_only() {
        let polygon = square(Axis::Z);
        let up = Ray::new([1.0, 1.0, 3.0], [0.0, 0.0, 1.0]);
        assert_eq!(polygon.intersect(&up, Faces::Both), None);
        let down = Ray::new([1.0, 1.0, 3.0], [0.0, 0.0, -1.0]);
        assert!(polygon.intersect(&down.with_range(3.0, 3.0), Faces::Both).is_some());
        assert_eq!(polygon.intersect(&down.with_range(0.0, 2.9), Faces::Both), None);
        let on_it = Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let hit = polygon.intersect(&on_it, Faces::Both).unwrap();
        assert_eq!((hit.t.to_bits(), hit.side), (0, Side::Back));
        assert_eq!(polygon.intersect(&on_it, Faces::Front), None);
        assert_eq!(polygon.intersect(&down, Faces::Back), None);
    }

    #[test]
    fn a_ray_in_the_plane_is_a_miss_also_in_a_tilted_one() {
        let in_it = Ray::new([-3.0, 0.0, 0.5], [1.0, 0.0, 0.0]);
        assert_eq!(square(Axis::Y).intersect(&in_it, Faces::Both), None);
        // Rings in the plane y = 3 x, exactly; coordinates of very different sizes, so that the sum
        // of their products is not exact.
        let mut rng = SplitMix64::new(9);
        let mut number = || {
            let digits = rng.range(-1e6, 1e6).round() as f32;
            digits * 2f32.powi(rng.below(40) as i32 - 30)
        };
        let mut n_polygons = 0;
        for _ in 0..20_000 {
            let mut corner = || {
                let x = number();
                [x, 3.0 * x, number()]
            };
            let ring: [[f32; 3]; 7] = std::array::from_fn(|_| corner());
            let (origin, x) = (corner(), number());
            let Ok(polygon) = PlanarPolygon::new(ring) else { continue };
            n_polygons += 1;
            for direction in [[1.0, 3.0, 0.0], [0.0, 0.0, 1.0], [x, 3.0 * x, 1.0]] {
                let line = Ray::line(origin, direction);
                assert_eq!(polygon.intersect(&line, Faces::Both), None, "{ring:?} {line:?}");
            }
        }
        assert!(n_polygons > 10_000, "{n_polygons}");
    }

    #[test]
    fn concave_rings_and_corners_on_a_line_are_right() {
        // An L whose first three corners lie on a line, and whose inner corner is concave.
        let ring =
            [[0.0, 0.0], [2.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]];
        for shift in 0..ring.len() {
            let mut ring = ring;
            ring.rotate_left(shift);
            let polygon = flat(&ring);
            assert_eq!(polygon.plane().unit_normal(), DVec3::Z);
            for (x, y, expected) in [
                (0.5, 0.5, PolygonRegion::Inside),
                (3.0, 0.5, PolygonRegion::Inside),
                (0.5, 3.0, PolygonRegion::Inside),
                // On the height of corners.
                (0.5, 1.0, PolygonRegion::Inside),
                (-0.5, 1.0, PolygonRegion::Outside),
                (5.0, 1.0, PolygonRegion::Outside),
                (-0.5, 4.0, PolygonRegion::Outside),
                (2.0, 2.0, PolygonRegion::Outside),
                (1.0, 1.0, PolygonRegion::Boundary),
                (2.0, 1.0, PolygonRegion::Boundary),
                (1.0, 2.0, PolygonRegion::Boundary),
                (0.0, 0.0, PolygonRegion::Boundary),
                (0.0, 4.0, PolygonRegion::Boundary),
                (-1.0, 0.0, PolygonRegion::Outside),
                (5.0, 0.0, PolygonRegion::Outside),
            ] {
                assert_eq!(locate(&polygon, x, y), expected, "shift {shift}: {x} {y}");
            }
        }
    }

    #[test]
    fn a_peak_that_touches_the_counting_line_counts_for_nothing() {
        let crown = flat(&[
            [0.0, 0.0],
            [6.0, 0.0],
            [6.0, 4.0],
            [4.0, 1.0],
            [3.0, 2.0],
            [2.0, 1.0],
            [0.0, 4.0],
        ]);
        // To the right of this point the line touches the peak at (3, 2) and crosses two slopes.
        assert_eq!(locate(&crown, 1.0, 2.0), PolygonRegion::Inside);
        assert_eq!(locate(&crown, 2.0, 2.0), PolygonRegion::Outside);
        assert_eq!(locate(&crown, 3.0, 2.0), PolygonRegion::Boundary);
        assert_eq!(locate(&crown, 1.0, 1.0), PolygonRegion::Inside);
        assert_eq!(locate(&crown, -1.0, 4.0), PolygonRegion::Outside);
    }

    #[test]
    fn holes_are_open_and_their_edges_belong_to_the_polygon() {
        let hole = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
        let mut backwards = hole;
        backwards.reverse();
        for hole in [hole, backwards] {
            let polygon = square(Axis::Z).with_hole(hole).unwrap();
            assert_eq!(polygon.rings().count(), 2);
            assert_eq!(locate(&polygon, 0.0, 0.0), PolygonRegion::Outside);
            assert_eq!(locate(&polygon, 1.5, 0.0), PolygonRegion::Inside);
            assert_eq!(locate(&polygon, -1.5, 1.0), PolygonRegion::Inside);
            assert_eq!(locate(&polygon, 1.0, 0.5), PolygonRegion::Boundary);
            let island = hole.map(|[x, y, z]| [0.5 * x, 0.5 * y, z]);
            let polygon = polygon.with_hole(island).unwrap();
            assert_eq!(locate(&polygon, 0.0, 0.0), PolygonRegion::Inside);
        }
    }

    #[test]
    fn neighbours_share_every_point_of_an_edge_between_them() {
        // Two random quadrilaterals that share a slanted edge cover a neighbourhood of it: no point
        // between is lost to both.
        let (p, q) = ([0.1, -1.3], [0.7, 2.1]);
        let left = flat(&[p, q, [-3.0, 1.0], [-2.0, -1.0]]);
        let right = flat(&[q, p, [3.0, -1.0], [2.0, 1.0]]);
        let mut rng = SplitMix64::new(2);
        for _ in 0..10_000 {
            let s = rng.range(0.05, 0.95);
            let along = |i: usize| f64::from(p[i]) + s * (f64::from(q[i]) - f64::from(p[i]));
            let regions = [locate(&left, along(0), along(1)), locate(&right, along(0), along(1))];
            let n_inside = regions.iter().filter(|&&r| r == PolygonRegion::Inside).count();
            let n_boundary = regions.iter().filter(|&&r| r == PolygonRegion::Boundary).count();
            assert!((n_inside, n_boundary) == (1, 0) || n_boundary == 2, "{s}: {regions:?}");
        }
    }

    #[test]
    fn a_ring_crossing_itself_follows_the_even_odd_rule() {
        let star = flat(&[[0.0, 3.0], [-1.8, -2.4], [2.9, 0.9], [-2.9, 0.9], [1.8, -2.4]]);
        assert_eq!(locate(&star, 0.0, 0.0), PolygonRegion::Outside);
        assert_eq!(locate(&star, 0.0, 2.0), PolygonRegion::Inside);
    }

    #[test]
    fn what_is_not_flat_or_not_a_ring_is_refused() {
        let bent = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.01], [0.0, 1.0, 0.0]];
        let error = PlanarPolygon::new(bent).unwrap_err();
        assert!(matches!(error, PolygonError::NotPlanar { ring: 0, .. }), "{error}");
        let rounded = bent.map(|[x, y, z]| [x, y, 1e-3 * z]);
        assert!(PlanarPolygon::new(rounded).is_ok());
        // Far from the origin rounding to f32 alone bends it, in steps of 1/16.
        let far = |i: u8, y: f32| [1e6 + 0.3 * f32::from(i), y, 0.3 * f32::from(i)];
        let far = [far(0, 0.0), far(1, 0.0), far(2, 0.0), far(3, 0.0), far(3, 1.0), far(0, 1.0)];
        assert!(PlanarPolygon::new(far).is_ok());
        let near = far.map(|[x, y, z]| [x - 1e6, y, z]);
        assert!(matches!(PlanarPolygon::new(near), Err(PolygonError::NotPlanar { .. })));

        let two = PlanarPolygon::new([[0.0; 3], [1.0; 3]]).unwrap_err();
        assert_eq!(two.to_string(), "ring 0 has 2 corners, expected at least 3");
        let line = PlanarPolygon::new([[0.1; 3], [1.3; 3], [2.7; 3], [0.3; 3]]).unwrap_err();
        assert_eq!(line, PolygonError::NoArea);
        let nan = PlanarPolygon::new([[0.0; 3], [f32::NAN; 3], [1.0; 3]]).unwrap_err();
        assert!(matches!(nan, PolygonError::NonFiniteCorner { corner: 1, .. }));
        let hole = [[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5]];
        let error = square(Axis::Z).with_hole(hole).unwrap_err();
        assert!(matches!(error, PolygonError::NotPlanar { ring: 1, corner: 0, .. }));
        assert!(square(Axis::Z).with_hole([[0.0; 3]; 2]).is_err());
    }

    #[test]
    fn size_and_length_of_the_direction_do_not_matter() {
        for size in [1e-30, 1e-6, 1e6, 1e30] {
            let ring = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 1.0], [0.0, 4.0]];
            let polygon = flat(&ring.map(|xy| xy.map(|c| c * size)));
            for (x, y, is_hit) in [(2.0, 0.5, true), (2.0, 2.0, false)] {
                let ray = Ray::new([x * size, y * size, size], [0.0, 0.0, -0.5 * size]);
                let hit = polygon.intersect(&ray, Faces::Both);
                assert_eq!(hit.is_some(), is_hit, "{size}");
                assert!(hit.is_none_or(|hit| hit.t == 2.0));
            }
        }
    }

    #[test]
    fn a_way_there_and_back_has_no_area() {
        // Its sum is zero but for rounding, as coordinates differ in size.
        let mut rng = SplitMix64::new(12);
        let mut n_rounded = 0;
        for _ in 0..1000 {
            let way: [Vec3; 5] = std::array::from_fn(|_| {
                Vec3::from_array(std::array::from_fn(|_| {
                    rng.range(-1.0, 1.0) as f32 * 2f32.powi(rng.below(30) as i32 - 15)
                }))
            });
            let ring = way.into_iter().chain(way.into_iter().rev().skip(1));
            assert_eq!(PlanarPolygon::new(ring.clone()).unwrap_err(), PolygonError::NoArea);
            let sum = newell_normal(&ring.collect::<Vec<_>>());
            n_rounded += u32::from(sum != DVec3::ZERO);
        }
        assert!(n_rounded > 100, "{n_rounded}");
    }

    #[test]
    fn a_hair_is_a_polygon() {
        let hair = flat(&[[0.0, 0.0], [1.0, 0.0], [0.5, 1e-20]]);
        let hit = hair.intersect(&Ray::new([0.5, 1e-21, 1.0], [0.0, 0.0, -1.0]), Faces::Both);
        assert_eq!(hit.map(|hit| (hit.t, hit.on_boundary)), Some((1.0, false)));
    }

    #[test]
    fn invalid_rays_and_points_are_outside() {
        let polygon = square(Axis::Z);
        let ray = Ray::new([f32::NAN, 0.0, 1.0], [0.0, 0.0, -1.0]);
        assert_eq!(polygon.intersect(&ray, Faces::Both), None);
        assert_eq!(polygon.locate([f64::NAN, 0.0, 0.0]), PolygonRegion::Outside);
    }
}
