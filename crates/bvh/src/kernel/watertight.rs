//! `WatertightRay::intersect` on eight lanes: eight triangles and one ray, or eight rays and one
//! triangle.
//!
//! Every value that decides or is returned is computed by the same operations in the same order as
//! in the reference, so that the bits are the same. What comes before the one branch may only let
//! more lanes through than the reference accepts, never fewer.
//!
//! All functions are `#[inline(always)]` and none is a closure, which cannot be: left out of line they
//! are compiled without the instruction set, which makes the whole kernel four times slower.

use hitscan_primitives::{Faces, WatertightRay};

use crate::simd::Simd;

/// Rays, their components in rotated order `kx, ky, kz`.
#[derive(Clone, Copy)]
pub(super) struct RayLanes<S: Simd> {
    pub(super) origin: [S::F; 3],
    pub(super) direction: [S::F; 3],
    pub(super) reciprocal: [S::F; 3],
    pub(super) shear: [S::F; 2],
    pub(super) t_min: S::F,
    /// From this slope on a plane is trusted to reject.
    pub(super) trusted_slope: S::F,
}

/// Triangles, their components in rotated order.
#[derive(Clone, Copy)]
pub(super) struct TriangleLanes<S: Simd> {
    pub(super) corners: [[S::F; 3]; 3],
    pub(super) normal: [S::F; 3],
}

/// The lanes that hit, with what makes up their hits.
pub(super) struct HitLanes<S: Simd> {
    /// Lanes that hit, as bits.
    pub(super) accepted: u32,
    /// Lanes on which an edge function is zero, or the ray starts within rounding of a plane that is
    /// not trusted: to be decided by the reference itself.
    pub(super) flat: u32,
    pub(super) t: S::F,
    pub(super) det: S::F,
}

/// The reference test with hits at a `t` of at most `t_max`; `None` if no lane hits.
#[inline(always)]
pub(super) fn intersect<S: Simd>(
    s: S,
    ray: &RayLanes<S>,
    triangle: &TriangleLanes<S>,
    t_max: S::F,
    faces: Faces,
) -> Option<HitLanes<S>> {
    let [a, b, c] = relative(s, triangle.corners, ray);
    let Edges { edge_a, edge_b, edge_c, least, greatest, inside } = edges(s, ray, [a, b, c]);
    let zero = s.splat(0.0);

    // A NaN that slipped through has a determinant that is NaN, and is rejected below.
    let slope = dot(s, triangle.normal, ray.direction);
    let height = s.flip_sign(dot(s, triangle.normal, a), slope);
    let slope = s.abs(slope);
    let largest = s.splat(f32::MAX);
    // Looser than `height / slope <= t_max`, for every sign of t_max, also where the quotient, the
    // bound or its product underflow.
    let tiny = s.splat(1e-37);
    let bound = s.add(t_max, s.add(s.mul(s.abs(t_max), s.splat(5e-7)), tiny));
    let below = s.add(s.mul(s.min(bound, largest), slope), tiny);
    let in_range = s.and(s.le(height, below), s.ge(height, s.mul(ray.t_min, slope)));
    let trusted = s.ge(slope, ray.trusted_slope);
    // In bits, because "not trusted" must be true for NaN.
    let candidates = s.bits(inside) & (s.bits(in_range) | !s.bits(trusted));
    if candidates == 0 {
        return None;
    }

    let (enter, exit, reach) = own_box(s, ray.reciprocal, a, b, c);
    let t = s.max(s.div(height, slope), enter);
    let t = s.select(trusted, s.min(t, exit), t);
    let det = s.add(edge_a, s.add(edge_b, edge_c));
    let meets_box = s.le(s.max(enter, ray.t_min), exit);
    let in_range = s.and(s.ge(t, ray.t_min), s.le(t, t_max));
    let finite = s.and(s.le(s.abs(t), largest), s.le(s.abs(det), largest));
    let accepted = candidates & s.bits(s.and(meets_box, s.and(in_range, finite)));
    let on_edge = s.bits(s.or(s.eq(least, zero), s.eq(greatest, zero)));
    let in_plane = s.bits(s.le(s.abs(height), s.mul(reach, s.splat(WatertightRay::PLANE_PAD))));
    let flat = candidates & s.bits(meets_box) & (on_edge | (in_plane & !s.bits(trusted)));
    let facing = match faces {
        Faces::Both => u32::MAX,
        Faces::Front => s.bits(s.ge(s.flip_sign(det, ray.direction[2]), zero)),
        Faces::Back => s.bits(s.le(s.flip_sign(det, ray.direction[2]), zero)),
    };
    Some(HitLanes { accepted: accepted & facing & !flat, flat, t, det })
}

/// The lanes on which the ray runs inside the edges of its triangle, or on one; also where it may.
#[inline(always)]
pub(super) fn runs_inside<S: Simd>(s: S, ray: &RayLanes<S>, corners: [[S::F; 3]; 3]) -> u32 {
    s.bits(edges(s, ray, relative(s, corners, ray)).inside)
}

/// Triangles sheared along the rays, `[x, y]` per corner: what [`WatertightRay::weights_of_sheared`] takes.
#[inline(always)]
pub(super) fn sheared_corners<S: Simd>(
    s: S,
    ray: &RayLanes<S>,
    corners: [[S::F; 3]; 3],
) -> [[[f32; 8]; 2]; 3] {
    let [a, b, c] = relative(s, corners, ray);
    let (ax, ay) = sheared(s, a, ray.shear);
    let (bx, by) = sheared(s, b, ray.shear);
    let (cx, cy) = sheared(s, c, ray.shear);
    [[s.store(ax), s.store(ay)], [s.store(bx), s.store(by)], [s.store(cx), s.store(cy)]]
}

/// Corners as seen from the ray's origin.
#[inline(always)]
fn relative<S: Simd>(s: S, [a, b, c]: [[S::F; 3]; 3], ray: &RayLanes<S>) -> [[S::F; 3]; 3] {
    [sub3(s, a, ray.origin), sub3(s, b, ray.origin), sub3(s, c, ray.origin)]
}

/// The edge functions of triangles.
struct Edges<S: Simd> {
    edge_a: S::F,
    edge_b: S::F,
    edge_c: S::F,
    least: S::F,
    greatest: S::F,
    /// Where none is positive, or none negative. A NaN may slip through.
    inside: S::M,
}

/// The edge functions of triangles whose corners are relative to the ray's origin.
#[inline(always)]
fn edges<S: Simd>(s: S, ray: &RayLanes<S>, [a, b, c]: [[S::F; 3]; 3]) -> Edges<S> {
    let (ax, ay) = sheared(s, a, ray.shear);
    let (bx, by) = sheared(s, b, ray.shear);
    let (cx, cy) = sheared(s, c, ray.shear);

    let edge_a = s.sub(s.mul(cx, by), s.mul(cy, bx));
    let edge_b = s.sub(s.mul(ax, cy), s.mul(ay, cx));
    let edge_c = s.sub(s.mul(bx, ay), s.mul(by, ax));
    let zero = s.splat(0.0);
    let least = s.min(edge_a, s.min(edge_b, edge_c));
    let greatest = s.max(edge_a, s.max(edge_b, edge_c));
    let inside = s.or(s.ge(least, zero), s.le(greatest, zero));
    Edges { edge_a, edge_b, edge_c, least, greatest, inside }
}

/// Where the ray enters and leaves the triangle's own box, padded on the two minor axes, and that box's
/// farthest extent from the origin.
#[inline(always)]
fn own_box<S: Simd>(
    s: S,
    [rx, ry, rz]: [S::F; 3],
    a: [S::F; 3],
    b: [S::F; 3],
    c: [S::F; 3],
) -> (S::F, S::F, S::F) {
    let (lo_x, hi_x) = span(s, a[0], b[0], c[0]);
    let (lo_y, hi_y) = span(s, a[1], b[1], c[1]);
    let (lo_z, hi_z) = span(s, a[2], b[2], c[2]);
    let zero = s.splat(0.0);
    let reach_x = s.max(hi_x, s.sub(zero, lo_x));
    let reach_y = s.max(hi_y, s.sub(zero, lo_y));
    let reach_z = s.max(hi_z, s.sub(zero, lo_z));
    let reach = s.max(reach_x, s.max(reach_y, reach_z));
    let pad = s.mul(reach, s.splat(WatertightRay::OWN_BOX_PAD));
    let (near_x, far_x) = slab(s, s.sub(lo_x, pad), s.add(hi_x, pad), rx);
    let (near_y, far_y) = slab(s, s.sub(lo_y, pad), s.add(hi_y, pad), ry);
    let (near_z, far_z) = slab(s, lo_z, hi_z, rz);
    (s.max(near_x, s.max(near_y, near_z)), s.min(far_x, s.min(far_y, far_z)), reach)
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
    s.add(s.add(s.mul(p[0], q[0]), s.mul(p[1], q[1])), s.mul(p[2], q[2]))
}

/// The least and the greatest of three.
#[inline(always)]
fn span<S: Simd>(s: S, a: S::F, b: S::F, c: S::F) -> (S::F, S::F) {
    (s.min(a, s.min(b, c)), s.max(a, s.max(b, c)))
}

/// Where the ray enters and leaves the slab from `lo` to `hi`.
#[inline(always)]
fn slab<S: Simd>(s: S, lo: S::F, hi: S::F, reciprocal: S::F) -> (S::F, S::F) {
    let (to_lo, to_hi) = (s.mul(lo, reciprocal), s.mul(hi, reciprocal));
    (s.min(to_lo, to_hi), s.max(to_lo, to_hi))
}
