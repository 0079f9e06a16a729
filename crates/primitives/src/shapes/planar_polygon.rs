//! Flat polygons of any shape.

use glam::{DVec3, Vec3};
use thiserror::Error;

use super::plane::Plane;
use crate::{Aabb, Axis, Faces, Ray, Side, newell::newell_normal};

/// A flat polygon in space: an outer ring of corners, convex or not, and any number of holes.
///
/// A point of the plane is inside by the even-odd rule over all edges, so rings may run either way,
/// touch, and cross. All edges and corners belong to the polygon, including those of holes, and a hit
/// reports whether it lies on one. Seen from the front, the outer ring runs counter-clockwise.
///
/// The test intersects the plane and then counts the edges on one side of the point. It counts in the
/// two coordinates in which the polygon is largest (Haines, "Point in Polygon Strategies", Graphics Gems IV,
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

    /// A box around all hits, for a tree over many polygons. It is a little larger than that around the corners,
    /// because hits lie in the plane and corners only near it.
    pub fn bounds(&self) -> Aabb {
        let corners = self.corners.iter().map(|corner| corner.as_dvec3());
        let (min, max) = corners
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), p| (min.min(p), max.max(p)));
        // Both have the same projection, so only the dropped coordinate differs.
        let axis = self.dropped as usize;
        let mut margin = DVec3::ZERO;
        margin[axis] = self.tolerance / self.plane.unit_normal()[axis].abs();
        Aabb::around_f64(min - margin, max + margin)
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
mod tests;
