//! The reference ray-triangle test: the function that defines every answer of hitscan.
//!
//! The hit of a ray on a mesh is the least `(t, triangle)` over all triangles of
//! [`WatertightRay::intersect`], to the last bit. Kernels and trees may only be faster.
//!
//! The edge functions are those of Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection"
//! (JCGT 2013): the triangle is sheared into a space where the ray is an axis, and two triangles
//! that share an edge evaluate the same edge function with opposite signs. We depart from the paper
//! in six points:
//!
//! - **Signs are exact, and zero counts as inside**, so no ray slips between two neighbours.
//!   `fl(a*b) - fl(c*d)`, without a fused multiply-add, has the exact sign or is zero, because rounding
//!   is monotone. Where one of the functions is zero all are computed in f64, where products are exact.
//! - **`t` comes from the triangle's plane**, whose normal is computed in f64: interpolating the
//!   sheared depths loses up to 1 % of `t` on long thin triangles.
//! - **The ray must meet the triangle's own box**, widened by a pad of 2^-20 of the box's farthest
//!   extent from the origin, so that a tree may cull by boxes. The pad is larger than all rounding errors of the shear and
//!   of the slab arithmetic, so it rejects nothing that the surface covers.
//! - **`t` is not before that box interval.** A tree whose node intervals contain the intervals of
//!   the triangles below then cannot lose a hit, whatever its shape.
//! - **Within rounding of the plane, what the edges saw decides.** A ray that starts within 2^-18 of
//!   that extent from the plane, and runs along it, has a distance from the plane and a slope of which
//!   not even the signs are certain. Its `t` is interpolated in f64 from the sheared corners, as exactly
//!   as the edge functions see them, within what the plane leaves open.
//! - **The weights come from the edge functions in f64**, where their products are exact: on slivers, and
//!   on triangles seen nearly edge-on, the functions in f32 keep little but their sign.
//!
//! `docs/proof.md` in the repository has the proof that trees and kernels change nothing, and that
//! closed meshes do not leak.

use glam::{DVec3, Vec3};

use crate::{Axis, Ray, Side, TriangleHit};

/// A valid ray with the constants of the watertight test, computed once per ray.
#[derive(Clone, Copy, Debug)]
pub struct WatertightRay {
    origin: Vec3,
    direction: Vec3,
    reciprocal: Vec3,
    t_min: f32,
    t_max: f32,
    axes: [Axis; 3],
    shear: [f32; 2],
}

impl WatertightRay {
    /// The pad on the triangle's own box, as a share of the box's farthest extent from the origin.
    pub const OWN_BOX_PAD: f32 = 1.0 / (1 << 20) as f32;

    /// Origins within this distance from a plane that is not trusted, as a share of the farthest extent
    /// of the triangle's box, may lie on either side of it.
    pub const PLANE_PAD: f32 = 1.0 / (1 << 18) as f32;

    /// Planes are trusted to reject from about this cosine between normal and ray on; see
    /// [`trusted_slope`](Self::trusted_slope).
    pub const TRUSTED_COSINE: f32 = 1.0 / 16.0;

    /// Prepares `ray`; `None` if it is invalid.
    #[inline(always)]
    pub fn new(ray: &Ray) -> Option<Self> {
        if !ray.is_valid() {
            return None;
        }
        // Arrays, because a `Vec3` is indexed by branches, which nobody can predict.
        let d = ray.direction.to_array();
        let reciprocal = clamped_reciprocal(ray.direction);
        let axes = *Self::dominant_axes(ray.direction);
        let [kx, ky, kz] = axes.map(Axis::index);
        let r = reciprocal.to_array()[kz];
        Some(Self {
            origin: ray.origin,
            direction: ray.direction,
            reciprocal,
            t_min: Self::lower_bound(ray),
            t_max: ray.t_max,
            axes,
            shear: [d[kx] * r, d[ky] * r],
        })
    }

    /// The ray's `t_min`, but never below the least finite number: every `t` is finite, and a box at a `t`
    /// of minus infinity holds none.
    #[inline(always)]
    pub fn lower_bound(ray: &Ray) -> f32 {
        ray.t_min.max(f32::MIN)
    }

    /// `[kx, ky, kz]` for a direction; a tie goes to the earlier axis. See [`axes`](Self::axes).
    #[inline(always)]
    pub fn dominant_axes(d: Vec3) -> &'static [Axis; 3] {
        static TABLE: [[Axis; 3]; 8] = {
            use Axis::{X, Y, Z};
            let (x, y, z) = ([Y, Z, X], [Z, X, Y], [X, Y, Z]);
            // Bit 0: y > x, bit 1: z > x, bit 2: z > y.
            [x, y, x, y, x, y, z, z]
        };
        let d = d.abs();
        &TABLE[usize::from(d.y > d.x) | usize::from(d.z > d.x) << 1 | usize::from(d.z > d.y) << 2]
    }

    /// The ray's origin.
    #[inline]
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// The ray's direction, as given.
    #[inline]
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// `1 / direction`, clamped to finite values of the same sign.
    #[inline]
    pub fn reciprocal(&self) -> Vec3 {
        self.reciprocal
    }

    /// The ray's lower bound; finite.
    #[inline]
    pub fn t_min(&self) -> f32 {
        self.t_min
    }

    /// The ray's upper bound.
    #[inline]
    pub fn t_max(&self) -> f32 {
        self.t_max
    }

    /// The axes as `[kx, ky, kz]`: `kz` is where the direction is largest, `kx` and `ky` follow it
    /// in cyclic order.
    #[inline]
    pub fn axes(&self) -> [Axis; 3] {
        self.axes
    }

    /// The shear `[sx, sy]` that maps the ray onto its dominant axis: `x' = x - sx * z`.
    #[inline]
    pub fn shear(&self) -> [f32; 2] {
        self.shear
    }

    /// The product of direction and plane normal, in size, from which on the plane is trusted to
    /// reject at `t_min`: a cosine of about 1/16.
    #[inline]
    pub fn trusted_slope(&self) -> f32 {
        self.direction.to_array()[self.axes[2].index()].abs() * Self::TRUSTED_COSINE
    }

    /// The reference test: where the ray meets the closed triangle `[a, b, c]`, or `None`.
    ///
    /// Edges and vertices belong to the triangle; a triangle of zero area is never hit. `t` lies in
    /// the ray's interval and is finite.
    // Not left to the compiler: corners that are passed through memory cost more than the test.
    #[inline(always)]
    pub fn intersect(&self, corners: [Vec3; 3]) -> Option<TriangleHit> {
        let [a, b, c] = corners.map(|corner| self.rotated(corner - self.origin));
        let [ax, ay] = self.sheared(a);
        let [bx, by] = self.sheared(b);
        let [cx, cy] = self.sheared(c);

        let edge_a = cx * by - cy * bx;
        let edge_b = ax * cy - ay * cx;
        let edge_c = bx * ay - by * ax;
        if !same_sign(edge_a, edge_b, edge_c) {
            return None;
        }
        let sheared = [[ax, ay], [bx, by], [cx, cy]];
        let det_is_negative = if (edge_a == 0.0) | (edge_b == 0.0) | (edge_c == 0.0) {
            exact_det_is_negative(sheared)?
        } else {
            let det = edge_a + (edge_b + edge_c);
            if !det.is_finite() {
                return None;
            }
            det < 0.0
        };

        let n = self.rotated(plane_normal(corners)?);
        let height = dot(n, a);
        let slope = dot(n, self.rotated(self.direction));
        let height = if slope.is_sign_negative() { -height } else { height };
        let slope = slope.abs();
        let trusted = slope >= self.trusted_slope();
        // Written with `!` so that NaN is rejected: it is a comparison that must hold.
        #[expect(clippy::neg_cmp_op_on_partial_ord, reason = "NaN must be rejected")]
        if trusted && !(height >= self.t_min * slope) {
            return None;
        }

        let OwnBox { enter, exit, reach } = self.own_box([a, b, c]);
        #[expect(clippy::neg_cmp_op_on_partial_ord, reason = "NaN must be rejected")]
        if !(max(enter, self.t_min) <= exit) {
            return None;
        }
        let pad = reach * Self::PLANE_PAD;
        let t = if trusted {
            max(height / slope, enter)
        } else if height.abs() < pad {
            let t = self.interpolated_t(sheared, [a[2], b[2], c[2]]);
            let t = min(max(t, (height - pad) / slope), (height + pad) / slope);
            min(max(t, enter), exit)
        } else {
            min(max(height / slope, enter), exit)
        };
        let in_range = t >= self.t_min && t <= self.t_max && t.is_finite();
        in_range.then(|| {
            let [u, v] = Self::weights_of_sheared(sheared);
            // `+ 0.0` turns -0.0 into 0.0, so that equal answers have equal bits.
            TriangleHit { t: t + 0.0, u, v, side: self.side(det_is_negative) }
        })
    }

    /// The weights `[u, v]` of the second and third corner, for a triangle that
    /// [`intersect`](Self::intersect) accepts.
    #[inline(always)]
    pub fn weights(&self, corners: [Vec3; 3]) -> [f32; 2] {
        Self::weights_of_sheared(
            corners.map(|corner| self.sheared(self.rotated(corner - self.origin))),
        )
    }

    /// [`weights`](Self::weights) of corners relative to the origin, in rotated order and sheared.
    #[inline(always)]
    pub fn weights_of_sheared(corners: [[f32; 2]; 3]) -> [f32; 2] {
        let [edge_a, edge_b, edge_c] = exact_edges(corners);
        let det = edge_a + (edge_b + edge_c);
        // `+ 0.0`, as a zero may be negative.
        [(edge_b / det) as f32 + 0.0, (edge_c / det) as f32 + 0.0]
    }

    /// Whether the half-open edge rule gives the crossing to this triangle: of the triangles of a
    /// surface that share an edge or a vertex met by the ray, exactly those that a ray moved by an
    /// infinitesimal amount would cross.
    ///
    /// Call it for triangles that [`intersect`](Self::intersect) accepts. The signs of the edge
    /// functions are exact (products of two f32 are exact in f64), ties are broken by moving the ray
    /// by (e, e^2) in the sheared plane, e towards 0 (Edelsbrunner and Muecke, "Simulation of
    /// Simplicity", 1990), so that a closed surface is crossed an even number of times by a line.
    pub fn owns_crossing(&self, corners: [Vec3; 3]) -> bool {
        let [a, b, c] = corners.map(|corner| self.sheared(self.rotated(corner - self.origin)));
        let signs = [perturbed_sign(b, c), perturbed_sign(c, a), perturbed_sign(a, b)];
        signs == [1; 3] || signs == [-1; 3]
    }

    /// The side from which the ray sees a triangle whose sheared determinant is negative or not.
    #[inline]
    pub fn side(&self, det_is_negative: bool) -> Side {
        if det_is_negative == self.runs_backward() { Side::Front } else { Side::Back }
    }

    /// Whether the ray runs against its dominant axis.
    #[inline]
    fn runs_backward(&self) -> bool {
        self.direction.to_array()[self.axes[2].index()].is_sign_negative()
    }

    /// The components in the order `kx, ky, kz`. As arrays, because a `Vec3` is indexed by branches.
    #[inline(always)]
    fn rotated(&self, v: Vec3) -> [f32; 3] {
        let v = v.to_array();
        self.axes.map(|axis| v[axis.index()])
    }

    /// Maps a point relative to the origin, in rotated order, along the ray onto the minor axes.
    #[inline(always)]
    fn sheared(&self, [x, y, z]: [f32; 3]) -> [f32; 2] {
        let [sx, sy] = self.shear;
        [x - sx * z, y - sy * z]
    }

    /// Where the ray meets a triangle that it is inside of, from its sheared corners and their depths.
    #[cold]
    fn interpolated_t(&self, corners: [[f32; 2]; 3], depths: [f32; 3]) -> f32 {
        let [a, b, c] = depths.map(f64::from);
        // All three have one sign: there is no cancellation.
        let [edge_a, edge_b, edge_c] = exact_edges(corners);
        let depth = (edge_a * a + edge_b * b + edge_c * c) / (edge_a + edge_b + edge_c);
        (depth / f64::from(self.direction.to_array()[self.axes[2].index()])) as f32
    }

    /// The ray's slab interval with the box of three corners, given relative to the origin and in
    /// rotated order. The box is padded on the two minor axes.
    #[inline]
    fn own_box(&self, [a, b, c]: [[f32; 3]; 3]) -> OwnBox {
        let r = self.rotated(self.reciprocal);
        let lo = |k: usize| min(a[k], min(b[k], c[k]));
        let hi = |k: usize| max(a[k], max(b[k], c[k]));
        let reach = |k: usize| max(hi(k), -lo(k));
        let reach = max(reach(0), max(reach(1), reach(2)));
        let pad = reach * Self::OWN_BOX_PAD;
        let slab = |k: usize, pad: f32| {
            let (from_lo, from_hi) = ((lo(k) - pad) * r[k], (hi(k) + pad) * r[k]);
            if r[k].is_sign_negative() { (from_hi, from_lo) } else { (from_lo, from_hi) }
        };
        let (near_x, far_x) = slab(0, pad);
        let (near_y, far_y) = slab(1, pad);
        let (near_z, far_z) = slab(2, 0.0);
        OwnBox {
            enter: max(near_x, max(near_y, near_z)),
            exit: min(far_x, min(far_y, far_z)),
            reach,
        }
    }
}

/// A triangle's own box, as a ray sees it.
struct OwnBox {
    /// Where the ray enters and leaves it.
    enter: f32,
    exit: f32,
    /// The farthest extent from the origin, along any axis.
    reach: f32,
}

/// The triangle's normal by its winding, scaled by a power of two so that its largest component is
/// about in `[0.5, 1]`; `None` for a triangle without area.
///
/// Computed in f64 and rounded once. The scale changes no `t`, and nothing can overflow.
#[inline]
pub fn plane_normal([a, b, c]: [Vec3; 3]) -> Option<Vec3> {
    let n = cross_f64(a, b, c);
    let largest = n.abs().max_element();
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    Some((n * power_of_two_below_one(largest)).as_vec3())
}

/// `(b - a) x (c - a)` in f64: exact in sign and zero for corners of comparable size.
#[inline]
pub(crate) fn cross_f64(a: Vec3, b: Vec3, c: Vec3) -> DVec3 {
    let a = a.as_dvec3();
    (b.as_dvec3() - a).cross(c.as_dvec3() - a)
}

/// The power of two that brings a positive normal number into `[0.5, 1)`.
#[inline]
fn power_of_two_below_one(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52) & 0x7ff;
    // 1022 is the biased exponent of 0.5; the result's own biased exponent stays in 1..=2046 for
    // every normal x up to 2^1022, far beyond a product of two f32 differences.
    f64::from_bits((1023 + 1022 - exponent) << 52)
}

/// `1 / d` per axis, with the sign of `d` and never infinite: zero and tiny components give
/// `f32::MAX`, so that a slab product cannot be `0 * inf`.
#[inline(always)]
fn clamped_reciprocal(d: Vec3) -> Vec3 {
    let clamp = |x: f32| (1.0 / x.abs()).min(f32::MAX).copysign(x);
    Vec3::new(clamp(d.x), clamp(d.y), clamp(d.z))
}

/// `(p.x * q.x + p.y * q.y) + p.z * q.z`
#[inline(always)]
fn dot(p: [f32; 3], q: [f32; 3]) -> f32 {
    (p[0] * q[0] + p[1] * q[1]) + p[2] * q[2]
}

/// Whether none is negative or none is positive. `&` and `|`: the parts cannot be predicted.
#[inline(always)]
fn same_sign(a: f32, b: f32, c: f32) -> bool {
    ((a >= 0.0) & (b >= 0.0) & (c >= 0.0)) | ((a <= 0.0) & (b <= 0.0) & (c <= 0.0))
}

/// The edge functions of sheared corners in f64: their products are exact, and so are their signs.
#[inline(always)]
fn exact_edges(corners: [[f32; 2]; 3]) -> [f64; 3] {
    let [[ax, ay], [bx, by], [cx, cy]] = corners.map(|corner| corner.map(f64::from));
    [cx * by - cy * bx, ax * cy - ay * cx, bx * ay - by * ax]
}

/// Whether the determinant is negative of a triangle on which an edge function rounded to zero in f32.
/// `None` if it does not hold the ray, is seen exactly edge-on, or is too large for f32.
#[cold]
fn exact_det_is_negative(corners: [[f32; 2]; 3]) -> Option<bool> {
    let edges = exact_edges(corners);
    let is_inside = edges.iter().all(|&edge| edge >= 0.0) || edges.iter().all(|&edge| edge <= 0.0);
    let det = edges[0] + (edges[1] + edges[2]);
    (is_inside && det != 0.0 && det.is_finite()).then_some(det < 0.0)
}

/// The sign of the edge function `q.x * p.y - q.y * p.x` as seen from a point moved by (e, e^2).
fn perturbed_sign(p: [f32; 2], q: [f32; 2]) -> i32 {
    let [px, py] = p.map(f64::from);
    let [qx, qy] = q.map(f64::from);
    let ahead = |x: f64, y: f64| i32::from(x > y) - i32::from(x < y);
    let exact = ahead(qx * py, qy * px);
    if exact != 0 {
        exact
    } else if q[1] != p[1] {
        ahead(qy, py)
    } else {
        ahead(px, qx)
    }
}

/// `a < b ? a : b`: what `minps` does, so that scalar and vector code agree on NaN.
#[inline]
fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// `a > b ? a : b`: what `maxps` does, so that scalar and vector code agree on NaN.
#[inline]
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::SplitMix64;

    fn intersect(corners: [[f32; 3]; 3], ray: &Ray) -> Option<TriangleHit> {
        WatertightRay::new(ray)?.intersect(corners.map(Vec3::from_array))
    }

    #[test]
    fn the_dominant_axis_is_the_largest_and_the_earlier_of_equals() {
        for (d, axis) in [
            ([3.0, -2.0, 1.0], Axis::X),
            ([1.0, -3.0, 2.0], Axis::Y),
            ([1.0, 2.0, -3.0], Axis::Z),
            ([-2.0, 2.0, 1.0], Axis::X),
            ([1.0, 2.0, -2.0], Axis::Y),
            ([2.0, 1.0, -2.0], Axis::X),
            ([1.0, 1.0, 1.0], Axis::X),
            ([0.0, -0.0, 1e-30], Axis::Z),
        ] {
            let [kx, ky, kz] = WatertightRay::dominant_axes(Vec3::from_array(d)).map(Axis::index);
            assert_eq!(kz, axis.index(), "{d:?}");
            assert_eq!((kx, ky), ((kz + 1) % 3, (kz + 2) % 3), "{d:?}");
        }
    }

    #[test]
    fn a_triangle_too_small_for_products_in_f32_is_hit() {
        // Products of 1e-25 are zero in f32: all three edge functions vanish.
        let s = 1e-25;
        let corners = [[-s, -s, 0.0], [s, -s, 0.0], [0.0, 2.0 * s, 0.0]];
        let hit = intersect(corners, &Ray::new([0.0, 0.0, 1.0], [0.0, 0.0, -1.0])).unwrap();
        assert_eq!((hit.t, hit.u, hit.v, hit.side), (1.0, 1.0 / 3.0, 1.0 / 3.0, Side::Front));
        let beside = Ray::new([3e-25, 0.0, 1.0], [0.0, 0.0, -1.0]);
        assert_eq!(intersect(corners, &beside), None);
    }

    #[test]
    fn a_small_triangle_seen_edge_on_is_not_hit_from_units_away() {
        // Beside the ray by about 4, so small and so thin that the products of its coordinates often
        // round to the same number. Without the box of its own some would be hit.
        let mut rng = SplitMix64::new(1);
        let (sx, sy) = (1.0 / 1024.0, -1.0 / 512.0);
        let ray = WatertightRay::new(&Ray::line([0.0; 3], [sx, sy, 1.0])).unwrap();
        let mut n_fooled = 0;
        for _ in 0..300_000 {
            let corners: [Vec3; 3] = std::array::from_fn(|_| {
                let along = rng.range(0.0, 3e-4);
                let across = rng.range(0.0, 1e-7);
                let z = rng.range(5.0, 5.0005);
                let (x, y) = (f64::from(sx) * z, f64::from(sy) * z);
                DVec3::new(x - 2.4374 - along + across, y + 3.5537 + 1.43 * along, z).as_vec3()
            });
            let [a, b, c] = corners.map(|p| [p.x - sx * p.z, p.y - sy * p.z]);
            let edge = |p: [f32; 2], q: [f32; 2]| q[0] * p[1] - q[1] * p[0];
            let edges = [edge(b, c), edge(c, a), edge(a, b)];
            n_fooled += u32::from(same_sign(edges[0], edges[1], edges[2]) && edges != [0.0; 3]);
            assert_eq!(ray.intersect(corners), None, "{corners:?}");
        }
        assert!(n_fooled > 20, "{n_fooled}");
    }

    #[test]
    fn slivers_are_hit_where_they_are() {
        // Seen at grazing angles the plane of a sliver may be far off; the box is not.
        let mut rng = SplitMix64::new(2);
        let mut vector =
            |size: f64| DVec3::from_array(std::array::from_fn(|_| rng.range(-size, size)));
        let mut n_hits = 0;
        for case in 0..300_000 {
            let (a, b) = (vector(2.0), vector(2.0));
            let width = [1e-3, 1e-5, 1e-6, 3e-7][case % 4];
            let c = a.lerp(b, 0.4) + vector(width);
            let corners = [a, b, c].map(|p| p.as_vec3());
            // Aimed at a point of the triangle, along its longest edge but for a small angle.
            let origin = (a + 1.5 * (a - b) + vector(10.0 * width)).as_vec3();
            let target = a.lerp(b, 0.3 + 0.1 * vector(1.0).x).as_vec3();
            let ray = Ray::new(origin, target - origin);
            let Some(hit) = WatertightRay::new(&ray).unwrap().intersect(corners) else { continue };
            n_hits += 1;
            let point = origin.as_dvec3() + f64::from(hit.t) * ray.direction.as_dvec3();
            let [lo, hi] = [
                corners[0].min(corners[1]).min(corners[2]).as_dvec3(),
                corners[0].max(corners[1]).max(corners[2]).as_dvec3(),
            ];
            let reach = (lo - origin.as_dvec3()).abs().max((hi - origin.as_dvec3()).abs());
            let pad = reach.max_element() * 2f64.powi(-19);
            let is_near = point.cmpge(lo - pad).all() && point.cmple(hi + pad).all();
            assert!(is_near, "case {case}: {corners:?} {ray:?} {hit:?} {point}");
        }
        assert!(n_hits > 20_000, "{n_hits}");
    }

    #[test]
    fn the_point_of_the_weights_is_on_the_ray() {
        // Seen edge-on nearly always, and so thin that edge functions often round to zero.
        let mut rng = SplitMix64::new(3);
        let mut vector =
            |size: f64| DVec3::from_array(std::array::from_fn(|_| rng.range(-size, size)));
        let mut n_hits = 0;
        for case in 0..300_000 {
            let (a, b) = (vector(1.0), vector(1.0));
            let c = a.lerp(b, 0.4) + vector([1e-2, 1e-4, 1e-6, 1e-7][case % 4]);
            let corners = [a, b, c].map(|p| p.as_vec3());
            let target = a.lerp(b, 0.5 + 0.5 * vector(1.0).x);
            let along = (b - a).normalize() + vector([1.0, 1e-2, 1e-4][case % 3]);
            let origin = (target - 2.0 * along).as_vec3();
            let ray = Ray::new(origin, along.as_vec3());
            let Some(hit) = WatertightRay::new(&ray).unwrap().intersect(corners) else { continue };
            n_hits += 1;
            let [p, q, r] = corners.map(|p| p.as_dvec3());
            let point = p + f64::from(hit.u) * (q - p) + f64::from(hit.v) * (r - p);
            let from_origin = point - origin.as_dvec3();
            let direction = ray.direction.as_dvec3().normalize();
            let beside = (from_origin - from_origin.dot(direction) * direction).length();
            let reach =
                corners.map(|p| (p - origin).abs().max_element()).into_iter().fold(0.0, f32::max);
            assert!(beside < f64::from(reach) * 2f64.powi(-18), "case {case}: {beside} of {reach}");
        }
        assert!(n_hits > 20_000, "{n_hits}");
    }

    #[test]
    fn a_t_beyond_f32_is_a_miss() {
        let corners = [[-1.0, -1.0, 1e2], [1.0, -1.0, 1e2], [0.0, 2.0, 1e2]];
        assert!(intersect(corners, &Ray::new([0.0; 3], [0.0, 0.0, 1e-36])).is_some());
        assert_eq!(intersect(corners, &Ray::new([0.0; 3], [0.0, 0.0, 1e-37])), None);
    }

    #[test]
    fn a_shared_edge_belongs_to_the_side_of_greater_x_then_greater_y() {
        // The ray is moved by (e, e^2) in the plane of kx and ky: x and y for a ray along z.
        let owner = |[x, y]: [f32; 2], corners: [[f32; 2]; 3]| {
            let ray = WatertightRay::new(&Ray::new([x, y, 1.0], [0.0, 0.0, -1.0])).unwrap();
            ray.owns_crossing(corners.map(|[x, y]| Vec3::new(x, y, 0.0)))
        };
        let (left, right) = ([-1.0, 0.0], [1.0, 0.0]);
        let (below, above) = ([0.0, -1.0], [0.0, 1.0]);
        // On the edge from below to above.
        assert!(owner([0.0, 0.0], [below, right, above]));
        assert!(!owner([0.0, 0.0], [below, above, left]));
        // On the edge from left to right.
        assert!(owner([0.0, 0.0], [left, right, above]));
        assert!(!owner([0.0, 0.0], [right, left, below]));
        // At the corner in the middle of four, in either winding.
        let middle = [0.0, 0.0];
        for swapped in [false, true] {
            let owners = [[right, above], [above, left], [left, below], [below, right]]
                .map(|[p, q]| owner(middle, if swapped { [middle, q, p] } else { [middle, p, q] }));
            assert_eq!(owners, [true, false, false, false]);
        }
    }

    #[test]
    fn the_plane_normal_is_scaled_and_zero_areas_have_none() {
        for size in [1e-18, 1e-3, 1.0, 7.3, 1e12, 1e18] {
            let corners = [Vec3::ZERO, size * Vec3::X, size * Vec3::Y];
            let n = plane_normal(corners).unwrap();
            assert!((0.5..=1.0).contains(&n.z) && n.x == 0.0 && n.y == 0.0, "{size} {n}");
        }
        let x = Vec3::X;
        assert_eq!(plane_normal([x, x, Vec3::Y]), None);
        assert_eq!(plane_normal([Vec3::ZERO, x, 2.0 * x]), None);
        assert_eq!(plane_normal([Vec3::NAN, x, Vec3::Y]), None);
    }
}
