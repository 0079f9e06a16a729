//! The decision on eight rays at once: the operations of the reference test, in the same order.
//!
//! Packets use it. Single rays ask the reference itself, because few of their lanes pass the filter.
//! As in `triangle_filter`, every function is `#[inline(always)]` and none is a closure.

use hitscan_primitives::{Faces, WatertightRay};

use super::triangle_filter::{Corners, RayLanes, sheared};
use crate::simd::Simd;

/// The properties that all rays of a [`decide`] share.
#[derive(Clone, Copy)]
pub(super) struct Shared<S: Simd> {
    /// Whether the rays run against their dominant axis.
    pub(super) backward: bool,
    pub(super) faces: Faces,
    /// The maximum depth of a contact.
    pub(super) contact: S::F,
}

/// The lanes that hit, with their `t`.
pub(super) struct HitLanes<S: Simd> {
    /// Lanes that hit, as bits.
    pub(super) accepted: u32,
    pub(super) t: S::F,
}

/// The exact barycentrics of hits, and the sides that the rays see.
pub(super) struct WeightLanes<S: Simd> {
    pub(super) u: S::F,
    pub(super) v: S::F,
    /// Front faces, as bits.
    pub(super) front: u32,
}

/// The edge functions in f64, as in the reference, and their sum.
struct Edges<S: Simd> {
    edges: [S::D; 3],
    det: S::D,
}

impl<S: Simd> Edges<S> {
    #[inline(always)]
    fn new(s: S, ray: &RayLanes<S>, [a, b, c]: Corners<S>) -> Self {
        let (ax, ay) = sheared(s, a, ray.shear);
        let (bx, by) = sheared(s, b, ray.shear);
        let (cx, cy) = sheared(s, c, ray.shear);
        let (ax, ay) = (s.widen(ax), s.widen(ay));
        let (bx, by) = (s.widen(bx), s.widen(by));
        let (cx, cy) = (s.widen(cx), s.widen(cy));
        let edge_a = s.sub_wide(s.mul_wide(cx, by), s.mul_wide(cy, bx));
        let edge_b = s.sub_wide(s.mul_wide(ax, cy), s.mul_wide(ay, cx));
        let edge_c = s.sub_wide(s.mul_wide(bx, ay), s.mul_wide(by, ax));
        let det = s.add_wide(edge_a, s.add_wide(edge_b, edge_c));
        Self { edges: [edge_a, edge_b, edge_c], det }
    }

    /// The lanes whose rays see the front, as bits.
    #[inline(always)]
    fn front(&self, s: S, backward: bool) -> u32 {
        let zero = s.widen(s.splat(0.0));
        if backward { s.le_wide(self.det, zero) } else { s.le_wide(zero, self.det) }
    }
}

/// The lanes of `candidates` that hit at a `t` of at most `t_max`, for rays that share their axes and see
/// no difference larger than [`FARTHEST`](crate::error_bounds::FARTHEST).
#[inline(always)]
pub(super) fn decide<S: Simd>(
    s: S,
    ray: &RayLanes<S>,
    shared: &Shared<S>,
    corners: Corners<S>,
    candidates: u32,
    t_max: S::F,
) -> HitLanes<S> {
    let [a, b, c] = corners;
    let edges = Edges::new(s, ray, corners);
    let [edge_a, edge_b, edge_c] = edges.edges;
    let zero = s.widen(s.splat(0.0));
    let none_negative = s.le_wide(zero, edge_a) & s.le_wide(zero, edge_b) & s.le_wide(zero, edge_c);
    let none_positive = s.le_wide(edge_a, zero) & s.le_wide(edge_b, zero) & s.le_wide(edge_c, zero);
    let edge_on = s.le_wide(edges.det, zero) & s.le_wide(zero, edges.det);
    let mut accepted = candidates & (none_negative | none_positive) & !edge_on;
    match shared.faces {
        Faces::Both => {}
        Faces::Front => accepted &= edges.front(s, shared.backward),
        Faces::Back => accepted &= !edges.front(s, shared.backward),
    }
    let (az, bz, cz) = (s.widen(a[2]), s.widen(b[2]), s.widen(c[2]));
    let sum = s.add_wide(
        s.mul_wide(edge_a, az),
        s.add_wide(s.mul_wide(edge_b, bz), s.mul_wide(edge_c, cz)),
    );
    let exact = s.div_wide(sum, s.mul_wide(edges.det, s.widen(ray.direction[2])));
    // `+ 0.0` turns -0.0 into 0.0.
    let mut t = s.add(s.narrow(exact), s.splat(0.0));
    // A triangle behind the origin counts only if the interval includes negative `t`.
    let mut ahead = s.le_wide(zero, exact) | !s.movemask(s.ge(ray.t_min, s.splat(0.0)));

    let depth = s.abs(s.mul(t, ray.direction[2]));
    if s.movemask(s.le(depth, shared.contact)) & accepted != 0 {
        let largest = s.widen(largest_component(s, corners));
        let contact = s.mul_wide(largest, s.widen(s.splat(WatertightRay::CONTACT as f32)));
        let det = s.abs_wide(edges.det);
        let touches = s.le_wide(s.abs_wide(sum), s.mul_wide(contact, det)) & accepted;
        t = s.select(s.mask_from_bits(touches), t, s.splat(0.0));
        ahead |= touches;
    }
    let in_range = s.and(s.le(ray.t_min, t), s.le(t, t_max));
    let finite = s.le(s.abs(t), s.splat(f32::MAX));
    accepted &= ahead & s.movemask(s.and(in_range, finite));
    HitLanes { accepted, t }
}

/// The `t` of accepted hits.
#[inline(always)]
pub(super) fn exact_t<S: Simd>(
    s: S,
    ray: &RayLanes<S>,
    shared: &Shared<S>,
    corners: Corners<S>,
    accepted: u32,
) -> S::F {
    decide(s, ray, shared, corners, accepted, s.splat(f32::MAX)).t
}

/// The barycentrics of accepted hits.
#[inline(always)]
pub(super) fn weights<S: Simd>(
    s: S,
    ray: &RayLanes<S>,
    backward: bool,
    corners: Corners<S>,
) -> WeightLanes<S> {
    let edges = Edges::new(s, ray, corners);
    let [_, edge_b, edge_c] = edges.edges;
    let zero = s.splat(0.0);
    WeightLanes {
        u: s.add(s.narrow(s.div_wide(edge_b, edges.det)), zero),
        v: s.add(s.narrow(s.div_wide(edge_c, edges.det)), zero),
        front: edges.front(s, backward),
    }
}

/// The largest component of three points, in absolute value.
#[inline(always)]
fn largest_component<S: Simd>(s: S, [a, b, c]: Corners<S>) -> S::F {
    let x = s.max(s.abs(a[0]), s.max(s.abs(b[0]), s.abs(c[0])));
    let y = s.max(s.abs(a[1]), s.max(s.abs(b[1]), s.abs(c[1])));
    let z = s.max(s.abs(a[2]), s.max(s.abs(b[2]), s.abs(c[2])));
    s.max(x, s.max(y, z))
}
