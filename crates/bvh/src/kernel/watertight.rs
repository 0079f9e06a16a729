//! The reference test on eight lanes: eight triangles and one ray, or eight rays and one triangle.
//!
//! First a filter in f32, which may only let more lanes through than the reference accepts, never
//! fewer; docs/proof.md has its slack. Then the decision: one lane at a time by the reference itself, or
//! eight at once by [`decide`], which does the operations of the reference in the same order.
//!
//! All functions are `#[inline(always)]` and none is a closure, which cannot be: left out of line they
//! are compiled without the instruction set, which makes the whole kernel four times slower.

use hitscan_primitives::{Faces, WatertightRay};

use crate::simd::Simd;

/// What the plane test lets pass, as a share of E, the largest |origin| plus the mesh's largest
/// coordinate: 64 units in the last place, 42.7 are needed (docs/proof.md).
pub(super) const PLANE_SLACK: f32 = 64.0 / (1 << 24) as f32;

/// Rays that see larger differences are no case for [`decide`]: products might overflow in f32.
pub(super) const FARTHEST: f32 = (1u64 << 60) as f32;

/// Directions with larger components are none either, because a subnormal `t` would hide a contact. Nor do
/// they have a slope that is safe from overflow.
pub(super) const LONGEST: f32 = (1u64 << 60) as f32;

/// Rays, their components in the order `kx, ky, kz` of [`WatertightRay::axes`].
#[derive(Clone, Copy)]
pub(super) struct RayLanes<S: Simd> {
    pub(super) origin: [S::F; 3],
    pub(super) direction: [S::F; 3],
    pub(super) shear: [S::F; 2],
    pub(super) t_min: S::F,
    /// [`PLANE_SLACK`] times E.
    pub(super) slack: S::F,
}

/// Corners relative to the rays' origins, `[x, y, z]` in the order of the axes.
pub(super) type Corners<S> = [[<S as Simd>::F; 3]; 3];

/// Corners as seen from the rays' origins.
#[inline(always)]
pub(super) fn relative<S: Simd>(s: S, [a, b, c]: Corners<S>, ray: &RayLanes<S>) -> Corners<S> {
    [sub3(s, a, ray.origin), sub3(s, b, ray.origin), sub3(s, c, ray.origin)]
}

/// The lanes on which a ray runs within the edges, as far as f32 shows it.
pub(super) struct WithinEdges<S: Simd> {
    /// Where no two edge functions have strictly opposite signs. NaN passes.
    pub(super) maybe: S::M,
    /// Negative where two have, positive where all have one sign and none is zero.
    opposite: S::F,
}

impl<S: Simd> WithinEdges<S> {
    /// Where all edge functions have one sign and none is zero: in f32 the signs are exact.
    #[inline(always)]
    pub(super) fn certainly(&self, s: S) -> S::M {
        s.le(s.splat(f32::MIN_POSITIVE), self.opposite)
    }
}

/// The lanes on which no two edge functions have strictly opposite signs.
#[inline(always)]
pub(super) fn within_edges<S: Simd>(
    s: S,
    ray: &RayLanes<S>,
    [a, b, c]: Corners<S>,
) -> WithinEdges<S> {
    let (ax, ay) = sheared(s, a, ray.shear);
    let (bx, by) = sheared(s, b, ray.shear);
    let (cx, cy) = sheared(s, c, ray.shear);
    let edge_a = s.sub(s.mul(cx, by), s.mul(cy, bx));
    let edge_b = s.sub(s.mul(ax, cy), s.mul(ay, cx));
    let edge_c = s.sub(s.mul(bx, ay), s.mul(by, ax));
    // Two pairs are enough: if the one in the middle is zero, the decision finds what is left.
    let opposite = s.min(s.mul(edge_a, edge_b), s.mul(edge_b, edge_c));
    WithinEdges { maybe: s.not_lt(opposite, s.splat(0.0)), opposite }
}

/// How far a plane is and how steep the ray meets it, both times the length of the normal; the slope is
/// not negative.
pub(super) struct Plane<S: Simd> {
    height: S::F,
    slope: S::F,
}

impl<S: Simd> Plane<S> {
    /// The plane of triangles with this normal and corner `a`.
    #[inline(always)]
    pub(super) fn new(s: S, ray: &RayLanes<S>, normal: [S::F; 3], a: [S::F; 3]) -> Self {
        let slope = dot(s, normal, ray.direction);
        Self { height: s.flip_sign(dot(s, normal, a), slope), slope: s.abs(slope) }
    }

    /// The lanes whose plane the ray may meet from `t_min` to `t_max`; not where it is NaN.
    #[inline(always)]
    pub(super) fn in_range(&self, s: S, ray: &RayLanes<S>, t_max: S::F) -> S::M {
        let (low, high) = self.range(s, ray, t_max);
        s.and(s.le(low, self.height), s.le(self.height, high))
    }

    /// [`in_range`](Self::in_range), also where it is NaN.
    #[inline(always)]
    pub(super) fn in_range_or_nan(&self, s: S, ray: &RayLanes<S>, t_max: S::F) -> S::M {
        let (low, high) = self.range(s, ray, t_max);
        s.and(s.not_lt(self.height, low), s.not_lt(high, self.height))
    }

    /// The lanes whose plane the ray certainly meets between `t_min` and `t_max`, if it runs within the
    /// edges.
    #[inline(always)]
    pub(super) fn certainly_in_range(&self, s: S, ray: &RayLanes<S>, t_max: S::F) -> S::M {
        let t_max = s.min(t_max, s.splat(f32::MAX));
        let low = s.about_mul_add(ray.t_min, self.slope, ray.slack);
        let high = s.sub(s.mul(t_max, self.slope), ray.slack);
        s.and(s.le(low, self.height), s.le(self.height, high))
    }

    /// At least the `t` of a hit, where the ray runs within the edges: an upper bound long before the exact
    /// `t` is known.
    #[inline(always)]
    pub(super) fn upper_bound(&self, s: S, ray: &RayLanes<S>) -> S::F {
        s.div(s.add(self.height, ray.slack), self.slope)
    }

    #[inline(always)]
    fn range(&self, s: S, ray: &RayLanes<S>, t_max: S::F) -> (S::F, S::F) {
        // Infinity times a slope of zero would be NaN.
        let t_max = s.min(t_max, s.splat(f32::MAX));
        let low = s.sub(s.mul(ray.t_min, self.slope), ray.slack);
        (low, s.about_mul_add(t_max, self.slope, ray.slack))
    }
}

/// What holds for all rays of [`decide`].
#[derive(Clone, Copy)]
pub(super) struct Shared<S: Simd> {
    /// Whether the rays run against their dominant axis.
    pub(super) backward: bool,
    pub(super) faces: Faces,
    /// A depth beyond which there is no contact.
    pub(super) contact: S::F,
}

/// Lanes to be decided, as bits.
#[derive(Clone, Copy)]
pub(super) struct Candidates {
    pub(super) lanes: u32,
    /// Those that certainly run within the edges.
    pub(super) certain: u32,
}

/// The lanes that hit, with where they do.
pub(super) struct HitLanes<S: Simd> {
    /// Lanes that hit, as bits.
    pub(super) accepted: u32,
    pub(super) t: S::F,
}

/// The exact weights of triangles, and the sides from which they are seen.
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

    /// The lanes that are seen from the front, as bits.
    #[inline(always)]
    fn front(&self, s: S, backward: bool) -> u32 {
        let zero = s.widen(s.splat(0.0));
        if backward { s.le_wide(self.det, zero) } else { s.le_wide(zero, self.det) }
    }
}

/// The candidates that hit at a `t` of at most `t_max`, for rays without a negative `t_min` that share
/// their axes, see no difference larger than [`FARTHEST`] and are no longer than [`LONGEST`].
#[inline(always)]
pub(super) fn decide<S: Simd>(
    s: S,
    ray: &RayLanes<S>,
    shared: &Shared<S>,
    corners: Corners<S>,
    candidates: Candidates,
    t_max: S::F,
) -> HitLanes<S> {
    let [a, b, c] = corners;
    let edges = Edges::new(s, ray, corners);
    let [edge_a, edge_b, edge_c] = edges.edges;
    let zero = s.widen(s.splat(0.0));
    let mut accepted = candidates.lanes;
    if candidates.lanes & !candidates.certain != 0 {
        let none_negative =
            s.le_wide(zero, edge_a) & s.le_wide(zero, edge_b) & s.le_wide(zero, edge_c);
        let none_positive =
            s.le_wide(edge_a, zero) & s.le_wide(edge_b, zero) & s.le_wide(edge_c, zero);
        let edge_on = s.le_wide(edges.det, zero) & s.le_wide(zero, edges.det);
        accepted &= (none_negative | none_positive) & !edge_on;
    }
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
    let mut ahead = s.le_wide(zero, exact);

    let depth = s.abs(s.mul(t, ray.direction[2]));
    if s.bits(s.le(depth, shared.contact)) & accepted != 0 {
        let largest = s.widen(largest_component(s, corners));
        let contact = s.mul_wide(largest, s.widen(s.splat(WatertightRay::CONTACT as f32)));
        let det = s.abs_wide(edges.det);
        let touches = s.le_wide(s.abs_wide(sum), s.mul_wide(contact, det)) & accepted;
        t = s.select(s.mask_from_bits(touches), t, s.splat(0.0));
        ahead |= touches;
    }
    let in_range = s.and(s.le(ray.t_min, t), s.le(t, t_max));
    let finite = s.le(s.abs(t), s.splat(f32::MAX));
    accepted &= ahead & s.bits(s.and(in_range, finite));
    HitLanes { accepted, t }
}

/// The weights of triangles that were accepted.
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

/// The largest component of three points, in size.
#[inline(always)]
fn largest_component<S: Simd>(s: S, [a, b, c]: Corners<S>) -> S::F {
    let x = s.max(s.abs(a[0]), s.max(s.abs(b[0]), s.abs(c[0])));
    let y = s.max(s.abs(a[1]), s.max(s.abs(b[1]), s.abs(c[1])));
    let z = s.max(s.abs(a[2]), s.max(s.abs(b[2]), s.abs(c[2])));
    s.max(x, s.max(y, z))
}

#[inline(always)]
fn sub3<S: Simd>(s: S, p: [S::F; 3], q: [S::F; 3]) -> [S::F; 3] {
    [s.sub(p[0], q[0]), s.sub(p[1], q[1]), s.sub(p[2], q[2])]
}

#[inline(always)]
fn sheared<S: Simd>(s: S, [x, y, z]: [S::F; 3], [sx, sy]: [S::F; 2]) -> (S::F, S::F) {
    (s.sub(x, s.mul(sx, z)), s.sub(y, s.mul(sy, z)))
}

#[inline(always)]
fn dot<S: Simd>(s: S, p: [S::F; 3], q: [S::F; 3]) -> S::F {
    s.about_mul_add(p[2], q[2], s.about_mul_add(p[1], q[1], s.mul(p[0], q[0])))
}
