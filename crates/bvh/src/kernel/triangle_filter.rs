//! The filter before the reference test: eight triangles and one ray, or a group of rays and one triangle.
//!
//! It runs in f32 and never rejects a lane that the reference accepts; docs/proof.md has its slack. The
//! reference decides the lanes that pass, or `triangle_decision` does.
//!
//! All functions are `#[inline(always)]`, and none is a closure, which cannot be. A function left out of
//! line is compiled without the instruction set, which makes the whole kernel four times slower.

use crate::{error_bounds::CERTAIN_SIGN, simd::Lanes};

/// Rays in lanes. Components stand in the order `kx, ky, kz` of
/// [`WatertightRay::axes`](hitscan_primitives::WatertightRay::axes).
#[derive(Clone, Copy)]
pub(super) struct RayLanes<L: Lanes> {
    pub(super) origin: [L::F; 3],
    pub(super) direction: [L::F; 3],
    pub(super) shear: [L::F; 2],
    pub(super) t_min: L::F,
    /// [`PLANE_SLACK`](crate::error_bounds::PLANE_SLACK) times E.
    pub(super) slack: L::F,
}

/// Corners relative to the rays' origins, `[x, y, z]` in the order of the axes.
pub(super) type Corners<L> = [[<L as Lanes>::F; 3]; 3];

/// Subtracts the rays' origins from corners.
#[inline(always)]
pub(super) fn relative<L: Lanes>(s: L, [a, b, c]: Corners<L>, ray: &RayLanes<L>) -> Corners<L> {
    [sub3(s, a, ray.origin), sub3(s, b, ray.origin), sub3(s, c, ray.origin)]
}

/// Subtracts corners from the rays' origins: [`relative`] with all signs turned, so that a register takes
/// the corners from memory. With the ray's direction turned as well, the filter is the same: edge functions
/// keep their bits, and planes keep their distance, unless they are parallel to the ray, where only its size
/// counts.
#[inline(always)]
pub(super) fn turned<L: Lanes>(s: L, [a, b, c]: Corners<L>, ray: &RayLanes<L>) -> Corners<L> {
    [sub3(s, ray.origin, a), sub3(s, ray.origin, b), sub3(s, ray.origin, c)]
}

/// The lanes on which a ray runs within the edges, as far as f32 can tell.
pub(super) struct WithinEdges<L: Lanes> {
    /// The lanes without two edge functions of strictly opposite signs. NaN passes.
    pub(super) maybe: L::M,
    /// Negative where two signs are opposite, positive where all signs are equal and none is zero.
    min_product: L::F,
    /// One of the edge functions.
    edge: L::F,
}

impl<L: Lanes> WithinEdges<L> {
    /// The lanes whose edge functions have one sign and none is zero. Signs are exact in f32.
    #[inline(always)]
    pub(super) fn certainly(&self, s: L) -> L::M {
        s.le(s.splat(CERTAIN_SIGN), self.min_product)
    }

    /// The lanes that see the front, as bits, where they are [`certainly`](Self::certainly) within.
    #[inline(always)]
    pub(super) fn front(&self, s: L, backward: bool) -> u32 {
        let negative = s.sign_bits(self.edge);
        if backward { negative } else { !negative }
    }
}

/// Tests the signs of the edge functions.
#[inline(always)]
pub(super) fn within_edges<L: Lanes>(
    s: L,
    ray: &RayLanes<L>,
    [a, b, c]: Corners<L>,
) -> WithinEdges<L> {
    let (ax, ay) = sheared(s, a, ray.shear);
    let (bx, by) = sheared(s, b, ray.shear);
    let (cx, cy) = sheared(s, c, ray.shear);
    let edge_a = s.sub(s.mul(cx, by), s.mul(cy, bx));
    let edge_b = s.sub(s.mul(ax, cy), s.mul(ay, cx));
    let edge_c = s.sub(s.mul(bx, ay), s.mul(by, ax));
    // Two pairs are enough. If the middle edge function is zero, the decision compares the other two.
    let min_product = s.min(s.mul(edge_a, edge_b), s.mul(edge_b, edge_c));
    WithinEdges { maybe: s.not_lt(min_product, s.splat(0.0)), min_product, edge: edge_b }
}

/// The plane of a triangle as a ray meets it, or two parallel planes with the triangle between them. All numbers are multiples
/// of the normal's length.
pub(super) struct Plane<L: Lanes> {
    /// The signed distance from the origin to the nearer plane, positive if the plane lies ahead.
    near: L::F,
    /// That to the other plane.
    far: L::F,
    /// The absolute cosine between normal and direction, times the direction's length.
    normal_dot_dir: L::F,
}

impl<L: Lanes> Plane<L> {
    /// The plane of triangles with this normal and corner `a`.
    #[inline(always)]
    pub(super) fn new(s: L, ray: &RayLanes<L>, normal: [L::F; 3], a: [L::F; 3]) -> Self {
        let normal_dot_dir = dot(s, normal, ray.direction);
        let distance = s.xor_sign(dot(s, normal, a), normal_dot_dir);
        Self { near: distance, far: distance, normal_dot_dir: s.abs(normal_dot_dir) }
    }

    /// Two planes around triangles without stored normals: across the dominant axis, through the nearest corner and the
    /// farthest.
    #[inline(always)]
    pub(super) fn around(s: L, ray: &RayLanes<L>, [a, b, c]: &Corners<L>) -> Self {
        let along = ray.direction[2];
        let (a, b, c) = (s.xor_sign(a[2], along), s.xor_sign(b[2], along), s.xor_sign(c[2], along));
        Self {
            near: s.min(s.min(a, b), c),
            far: s.max(s.max(a, b), c),
            normal_dot_dir: s.abs(along),
        }
    }

    /// The lanes whose plane the ray may meet from `t_min` to `t_max`. NaN fails.
    #[inline(always)]
    pub(super) fn in_range(&self, s: L, ray: &RayLanes<L>, t_max: L::F) -> L::M {
        let (low, high) = self.range(s, ray, t_max);
        s.and(s.le(low, self.far), s.le(self.near, high))
    }

    /// [`in_range`](Self::in_range), but NaN passes.
    #[inline(always)]
    pub(super) fn in_range_or_nan(&self, s: L, ray: &RayLanes<L>, t_max: L::F) -> L::M {
        let (low, high) = self.range(s, ray, t_max);
        s.and(s.not_lt(self.far, low), s.not_lt(high, self.near))
    }

    /// The lanes whose plane the ray certainly meets between `t_min` and `t_max`, if it runs within the
    /// edges.
    #[inline(always)]
    pub(super) fn certainly_in_range(&self, s: L, ray: &RayLanes<L>, t_max: L::F) -> L::M {
        let t_max = s.min(t_max, s.splat(f32::MAX));
        let low = s.approx_mul_add(ray.t_min, self.normal_dot_dir, ray.slack);
        let high = s.sub(s.mul(t_max, self.normal_dot_dir), ray.slack);
        s.and(s.le(low, self.near), s.le(self.far, high))
    }

    /// An upper bound on the `t` of a hit, for rays within the edges. It is known long before the exact
    /// `t`.
    #[inline(always)]
    pub(super) fn upper_bound(&self, s: L, ray: &RayLanes<L>) -> L::F {
        s.div(s.add(self.far, ray.slack), self.normal_dot_dir)
    }

    /// Bounds on the `t` of a hit, for rays within the edges. Infinite or NaN where the ray runs along the
    /// plane.
    #[inline(always)]
    pub(super) fn t_bounds(&self, s: L, ray: &RayLanes<L>) -> (L::F, L::F) {
        // One division instead of two: PLANE_SLACK covers the roundings (docs/proof.md).
        let per_distance = s.div(s.splat(1.0), self.normal_dot_dir);
        let low = s.mul(s.sub(self.near, ray.slack), per_distance);
        let high = s.mul(s.add(self.far, ray.slack), per_distance);
        (low, high)
    }

    #[inline(always)]
    fn range(&self, s: L, ray: &RayLanes<L>, t_max: L::F) -> (L::F, L::F) {
        // Infinity times zero would be NaN.
        let t_max = s.min(t_max, s.splat(f32::MAX));
        let low = s.sub(s.mul(ray.t_min, self.normal_dot_dir), ray.slack);
        (low, s.approx_mul_add(t_max, self.normal_dot_dir, ray.slack))
    }
}

#[inline(always)]
fn sub3<L: Lanes>(s: L, p: [L::F; 3], q: [L::F; 3]) -> [L::F; 3] {
    [s.sub(p[0], q[0]), s.sub(p[1], q[1]), s.sub(p[2], q[2])]
}

#[inline(always)]
pub(super) fn sheared<L: Lanes>(s: L, [x, y, z]: [L::F; 3], [sx, sy]: [L::F; 2]) -> (L::F, L::F) {
    (s.sub(x, s.mul(sx, z)), s.sub(y, s.mul(sy, z)))
}

#[inline(always)]
fn dot<L: Lanes>(s: L, p: [L::F; 3], q: [L::F; 3]) -> L::F {
    s.approx_mul_add(p[2], q[2], s.approx_mul_add(p[1], q[1], s.mul(p[0], q[0])))
}
