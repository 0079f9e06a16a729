//! Lower bounds on the distances from a point to the boxes of a node and to the triangles of a block.
//!
//! The bounds exclude boxes and triangles. The definition in f64 decides among those that remain.
//! docs/proof.md shows that no bound exceeds the distance by more than its slack.

use glam::DVec3;
use hitscan_primitives::power_of_two_below;

use super::BoxHits;
use crate::{
    error_bounds::{DISTANCE_SLACK, LEAST_DIRECTION_SQUARED, LEAST_DISTANCE_SQUARED, OFFSET_SLACK},
    layout::{Reach, TriangleBlock, WideNode},
    simd::Simd,
};

/// A point in all lanes.
pub(crate) struct PointBound<S: Simd> {
    simd: S,
    /// Minus the point, in units of the bounds.
    minus_point: [S::F; 3],
    /// The units of the bounds in one unit of the tree's space: a power of two.
    unit: S::F,
}

/// The units in one unit of the tree's space in which the square of a distance neither vanishes nor overflows, for a
/// point and the triangles around it. Only beside triangles far away is it another than 1.
pub(crate) fn unit_for(point: DVec3, reach: &Reach) -> f64 {
    if reach.is_uniform() {
        return 1.0;
    }
    let size = point.abs().max_element().max(f64::from(reach.near));
    (1.0 / power_of_two_below(size)).clamp(1.0, (1u128 << 120) as f64)
}

/// Triangles within a limit.
pub(crate) struct NearTriangles<S: Simd> {
    /// Bit `i` is lane `i` of the block.
    pub(crate) mask: u32,
    /// Bounds on the squared distances.
    pub(crate) bounds: S::F,
}

/// A vector in each lane.
type Vectors<F> = [F; 3];

/// The limit on a bound, from a limit on the squared distance itself: more by the slack of the bound. `unit` is that of
/// the bounds.
#[inline(always)]
pub(crate) fn limit_on_bound(distance_squared: f64, unit: f64) -> f32 {
    (distance_squared * (unit * unit) * (1.0 + DISTANCE_SLACK) + LEAST_DISTANCE_SQUARED) as f32
}

impl<S: Simd> PointBound<S> {
    /// The point is in the tree's space, and `unit` is [`unit_for`] it.
    #[inline(always)]
    pub(crate) fn new(simd: S, point: DVec3, unit: f64) -> Self {
        let [x, y, z] = (-point * unit).as_vec3().to_array();
        Self {
            simd,
            minus_point: [simd.splat(x), simd.splat(y), simd.splat(z)],
            unit: simd.splat(unit as f32),
        }
    }

    /// The children within a [limit](limit_on_bound), with the bounds on their squared distances.
    #[inline(always)]
    pub(crate) fn children(&self, node: &WideNode, limit: S::F) -> BoxHits<S> {
        let s = self.simd;
        let min_x = s.load(&node.bounds[0][0]);
        let enter = self.norm_squared([
            self.gap_to_child(node, 0),
            self.gap_to_child(node, 1),
            self.gap_to_child(node, 2),
        ]);
        // The box of an empty slot begins at infinity, which may be within the limit.
        let lanes = s.and(s.le(enter, limit), s.le(min_x, s.splat(f32::MAX)));
        BoxHits { mask: s.movemask(lanes), lanes, enter }
    }

    /// The triangles within a [limit](limit_on_bound).
    ///
    /// Along any direction, no triangle is nearer than its nearest corner. For a triangle that does not
    /// hold the foot of the perpendicular, the best direction is that to the nearest point of its edges.
    /// For the others it is the normal. Neither needs to be exact.
    #[inline(always)]
    pub(crate) fn triangles(&self, block: &TriangleBlock, limit: S::F) -> NearTriangles<S> {
        let s = self.simd;
        let [a, b, c] =
            [self.to_corner(block, 0), self.to_corner(block, 1), self.to_corner(block, 2)];
        let x = self.interval([a[0], b[0], c[0]]);
        let y = self.interval([a[1], b[1], c[1]]);
        let z = self.interval([a[2], b[2], c[2]]);
        let boxes = self.norm_squared([x.gap, y.gap, z.gap]);
        let mask = s.movemask(s.le(boxes, limit));
        if mask == 0 {
            return NearTriangles { mask, bounds: boxes };
        }
        let farthest = [x.farthest, y.farthest, z.farthest];
        let edge_point = self.nearer(
            self.nearer(self.nearest_of_edge(a, b), self.nearest_of_edge(b, c)),
            self.nearest_of_edge(c, a),
        );
        let edges = self.along(edge_point.0, edge_point.1, [a, b, c], farthest);
        let normal = [s.load(&block.normal[0]), s.load(&block.normal[1]), s.load(&block.normal[2])];
        let planes = self.along(normal, self.norm_squared(normal), [a, b, c], farthest);
        // A bound that is NaN does not count, so it is the first argument.
        let bounds = s.max(planes, s.max(edges, boxes));
        NearTriangles { mask: s.movemask(s.le(bounds, limit)), bounds }
    }

    /// The vectors from the point to corners.
    #[inline(always)]
    fn to_corner(&self, block: &TriangleBlock, corner: usize) -> Vectors<S::F> {
        let s = self.simd;
        let [x, y, z] = &block.corners[corner];
        [
            self.to_coordinate(s.load(x), 0),
            self.to_coordinate(s.load(y), 1),
            self.to_coordinate(s.load(z), 2),
        ]
    }

    /// The distances to the boxes of children, on one axis.
    #[inline(always)]
    fn gap_to_child(&self, node: &WideNode, axis: usize) -> S::F {
        let s = self.simd;
        let [min, max] = &node.bounds[axis];
        let before = self.to_coordinate(s.load(min), axis);
        let behind = s.sub(s.splat(0.0), self.to_coordinate(s.load(max), axis));
        self.gap(before, behind)
    }

    /// The distance from the point to coordinates on an axis, with its sign. The product with the unit is exact, so the
    /// sum is rounded as a difference is.
    #[inline(always)]
    fn to_coordinate(&self, coordinate: S::F, axis: usize) -> S::F {
        self.simd.approx_mul_add(coordinate, self.unit, self.minus_point[axis])
    }

    /// The distance to an interval that begins at `before` and ends at minus `behind`, as seen from the point; 0
    /// within. NaN if both are NaN.
    #[inline(always)]
    fn gap(&self, before: S::F, behind: S::F) -> S::F {
        let s = self.simd;
        // `max` returns its second argument if either is NaN.
        s.max(s.splat(0.0), s.max(before, behind))
    }

    /// The interval of three coordinates relative to the point.
    #[inline(always)]
    fn interval(&self, [a, b, c]: [S::F; 3]) -> Interval<S> {
        let s = self.simd;
        let before = s.min(s.min(a, b), c);
        let max = s.max(s.max(a, b), c);
        let behind = s.sub(s.splat(0.0), max);
        Interval {
            gap: self.gap(before, behind),
            farthest: s.max(max, s.sub(s.splat(0.0), before)),
        }
    }

    /// About the nearest point of an edge, and its squared distance.
    #[inline(always)]
    fn nearest_of_edge(&self, a: Vectors<S::F>, b: Vectors<S::F>) -> (Vectors<S::F>, S::F) {
        let s = self.simd;
        let ab = [s.sub(b[0], a[0]), s.sub(b[1], a[1]), s.sub(b[2], a[2])];
        let share = s.div(s.sub(s.splat(0.0), self.dot(a, ab)), self.norm_squared(ab));
        // Of an edge without length the share is NaN, which becomes 0.
        let share = s.min(s.max(share, s.splat(0.0)), s.splat(1.0));
        let point = [
            s.approx_mul_add(ab[0], share, a[0]),
            s.approx_mul_add(ab[1], share, a[1]),
            s.approx_mul_add(ab[2], share, a[2]),
        ];
        (point, self.norm_squared(point))
    }

    /// The nearer of two points.
    #[inline(always)]
    fn nearer(&self, a: (Vectors<S::F>, S::F), b: (Vectors<S::F>, S::F)) -> (Vectors<S::F>, S::F) {
        let s = self.simd;
        let is_a = s.le(a.1, b.1);
        let point = [
            s.select(is_a, b.0[0], a.0[0]),
            s.select(is_a, b.0[1], a.0[1]),
            s.select(is_a, b.0[2], a.0[2]),
        ];
        (point, s.min(a.1, b.1))
    }

    /// The bound along a direction or against it, less the rounding of the products. `norm_squared` is that of the
    /// direction.
    #[inline(always)]
    fn along(
        &self,
        direction: Vectors<S::F>,
        norm_squared: S::F,
        [a, b, c]: [Vectors<S::F>; 3],
        farthest: Vectors<S::F>,
    ) -> S::F {
        let s = self.simd;
        let (a, b, c) = (self.dot(direction, a), self.dot(direction, b), self.dot(direction, c));
        let against = s.sub(s.splat(0.0), s.max(s.max(a, b), c));
        let product = s.max(s.min(s.min(a, b), c), against);
        let sizes = [s.abs(direction[0]), s.abs(direction[1]), s.abs(direction[2])];
        let slack = s.mul(s.splat(OFFSET_SLACK), self.dot(sizes, farthest));
        let product = s.max(s.sub(product, slack), s.splat(0.0));
        let norm_squared = s.max(norm_squared, s.splat(LEAST_DIRECTION_SQUARED));
        s.mul(product, s.div(product, norm_squared))
    }

    #[inline(always)]
    fn dot(&self, a: Vectors<S::F>, b: Vectors<S::F>) -> S::F {
        let s = self.simd;
        s.approx_mul_add(a[2], b[2], s.approx_mul_add(a[1], b[1], s.mul(a[0], b[0])))
    }

    #[inline(always)]
    fn norm_squared(&self, a: Vectors<S::F>) -> S::F {
        self.dot(a, a)
    }
}

/// Coordinates relative to the point.
struct Interval<S: Simd> {
    /// The distance to them; 0 between them.
    gap: S::F,
    /// The distance to the farthest.
    farthest: S::F,
}
