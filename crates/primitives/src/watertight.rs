//! The reference ray-triangle test: the function that defines every answer of hitscan.
//!
//! The closest hit of a mesh is the minimum by `(t, triangle)` over all triangles that
//! [`WatertightRay::intersect`] accepts. Kernels and trees return the same bits, only faster.
//!
//! The definition in one sentence: **the test intersects the ray exactly with a mesh whose corners moved
//! a little, and rounds `t`, `u` and `v` once.** In detail, with `u = 2^-24` and `D` the largest
//! component of a corner minus the origin:
//!
//! - The test translates the corners to the origin and shears them along the ray in f32, after Woop,
//!   Benthin and Wald, "Watertight Ray/Triangle Intersection" (JCGT 2013). A sheared corner depends on
//!   the corner and the ray alone, so it is the same for all triangles that share the corner. It is the
//!   exact shear of a corner moved by at most `5 u D`.
//! - The edge functions are f64, where a product of two f32 is exact. Their signs are exact, and zero
//!   counts as inside, so no ray slips between two neighbours. The paper decides in f32, and falls back
//!   to f64 at zero.
//! - The test rejects a triangle only if the determinant is zero, that is if the ray sees it edge-on.
//!   **A ray hits a triangle of zero area like any other** if rounding gives it an area on the way to
//!   the ray, because a closed mesh may need it to stay closed.
//! - The exact edge functions interpolate `t` from the corners' depths; `u` and `v` are their quotients.
//!   A hit therefore lies within `6 u D` of its triangle and of the ray, for any angle and any shape of
//!   triangle. Neighbours give the same `t` at a shared edge.
//! - **Contact**: a depth of at most `4 u D` counts as zero, so a ray that starts in a face touches it at
//!   `t = 0`. The origin is uncertain by that much, because the corners moved.
//!
//! `docs/proof.md` in the repository proves that closed meshes do not leak, and that trees and kernels
//! change no answer.

mod candidate;

use glam::Vec3;

pub use self::candidate::{Candidate, EdgeFunctions};
use crate::{
    Axis, Ray, Side, TriangleHit,
    edge_function::{edge_functions, perturbed_sign},
};

/// A valid ray with the constants of the reference test, computed once per ray.
#[derive(Clone, Copy, Debug)]
pub struct WatertightRay {
    /// The components in the order of `axes`.
    origin: [f32; 3],
    axes: [Axis; 3],
    shear: [f32; 2],
    /// The direction's component on the dominant axis.
    depth_per_t: f64,
    t_min: f32,
    t_max: f32,
    /// An upper bound of the depth that counts as contact.
    max_contact: f64,
}

impl WatertightRay {
    /// The depth that counts as contact, as a share of the largest component of a corner minus the
    /// origin: `4 u`.
    pub const CONTACT: f64 = 4.0 / (1 << 24) as f64;

    /// Prepares `ray`; `None` if it is invalid.
    #[inline(always)]
    pub fn new(ray: &Ray) -> Option<Self> {
        ray.is_valid().then(|| Self::of_valid(ray))
    }

    /// Prepares a ray that is [valid](Ray::is_valid).
    #[inline(always)]
    pub fn of_valid(ray: &Ray) -> Self {
        Self::with_axes(ray, Self::dominant_axes(ray.direction))
    }

    /// [`of_valid`](Self::of_valid), if the [dominant axes](Self::dominant_axes) are known.
    #[inline(always)]
    pub fn with_axes(ray: &Ray, axes: &[Axis; 3]) -> Self {
        // Arrays, because indexing a `Vec3` compiles to unpredictable branches. Borrowed, because a copy
        // would be stored only to be indexed.
        let (o, d): (&[f32; 3], &[f32; 3]) = (ray.origin.as_ref(), ray.direction.as_ref());
        // By reference, because the compiler forgets the range of an enum that it copies with others.
        let (kx, ky, kz) = (axes[0].index(), axes[1].index(), axes[2].index());
        Self {
            origin: [o[kx], o[ky], o[kz]],
            axes: *axes,
            shear: [d[kx] / d[kz], d[ky] / d[kz]],
            depth_per_t: f64::from(d[kz]),
            t_min: ray.t_min,
            t_max: ray.t_max,
            max_contact: f64::INFINITY,
        }
    }

    /// The same ray with an upper bound for the components of every corner minus the origin. The bound
    /// changes no answer; it lets the test skip the check for contact where there can be none.
    #[inline(always)]
    #[must_use]
    pub fn with_farthest(self, farthest: f32) -> Self {
        Self { max_contact: Self::CONTACT * f64::from(farthest), ..self }
    }

    /// `[kx, ky, kz]` for a direction; a tie goes to the earlier axis. See [`axes`](Self::axes).
    #[inline(always)]
    pub fn dominant_axes(d: Vec3) -> &'static [Axis; 3] {
        let d = d.abs();
        Self::axes_by_order(
            u32::from(d.y > d.x) | u32::from(d.z > d.x) << 1 | u32::from(d.z > d.y) << 2,
        )
    }

    /// [`dominant_axes`](Self::dominant_axes) of a direction whose sizes compare as the bits of `order` say.
    /// Bit 0: y > x, bit 1: z > x, bit 2: z > y.
    #[inline(always)]
    pub fn axes_by_order(order: u32) -> &'static [Axis; 3] {
        static TABLE: [[Axis; 3]; 8] = {
            use Axis::{X, Y, Z};
            let (x, y, z) = ([Y, Z, X], [Z, X, Y], [X, Y, Z]);
            [x, y, x, y, x, y, z, z]
        };
        &TABLE[order as usize % TABLE.len()]
    }

    /// The axes as `[kx, ky, kz]`: `kz` is where the direction is largest, `kx` and `ky` follow it
    /// in cyclic order.
    #[inline]
    pub fn axes(&self) -> [Axis; 3] {
        self.axes
    }

    /// The origin in the order of the [`axes`](Self::axes).
    #[inline]
    pub fn origin_in_order(&self) -> [f32; 3] {
        self.origin
    }

    /// The shear `[sx, sy]` that maps the ray onto its dominant axis: `x' = x - sx * z`.
    #[inline]
    pub fn shear(&self) -> [f32; 2] {
        self.shear
    }

    /// The reference test: the hit of the ray on the closed triangle `[a, b, c]`, or `None`.
    ///
    /// Edges and vertices belong to the triangle. `t` lies in the ray's interval and is finite; `u` and
    /// `v` lie in `[0, 1]`. A corner that is not finite is a miss.
    #[inline(always)]
    pub fn intersect(&self, corners: [Vec3; 3]) -> Option<TriangleHit> {
        self.candidate(corners).map(|candidate| candidate.hit())
    }

    /// [`intersect`](Self::intersect) without the weights.
    #[inline(always)]
    pub fn candidate(&self, corners: [Vec3; 3]) -> Option<Candidate> {
        self.candidate_in_order(self.in_order(corners))
    }

    /// [`candidate`](Self::candidate) of corners whose components stand in the order of
    /// [`axes`](Self::axes).
    #[inline(always)]
    pub fn candidate_in_order(&self, corners: [[f32; 3]; 3]) -> Option<Candidate> {
        self.candidate_from_edges(&self.edge_functions(corners), corners)
    }

    /// The edge functions of corners whose components stand in the order of [`axes`](Self::axes).
    #[inline(always)]
    pub fn edge_functions(&self, corners: [[f32; 3]; 3]) -> EdgeFunctions {
        let [a, b, c] = self.relative(corners);
        let functions = edge_functions([self.sheared(a), self.sheared(b), self.sheared(c)]);
        let [edge_a, edge_b, edge_c] = functions;
        // `&` and `|`: the parts cannot be predicted. NaN fails all comparisons.
        let is_inside = ((edge_a >= 0.0) & (edge_b >= 0.0) & (edge_c >= 0.0))
            | ((edge_a <= 0.0) & (edge_b <= 0.0) & (edge_c <= 0.0));
        let det = edge_a + (edge_b + edge_c);
        let (az, bz, cz) = (f64::from(a[2]), f64::from(b[2]), f64::from(c[2]));
        let depth = edge_a * az + (edge_b * bz + edge_c * cz);
        EdgeFunctions { functions, det, depth, is_inside }
    }

    /// [`candidate_in_order`](Self::candidate_in_order), once the [edge functions](Self::edge_functions) of the
    /// corners are known.
    #[inline(always)]
    pub fn candidate_from_edges(
        &self,
        edges: &EdgeFunctions,
        corners: [[f32; 3]; 3],
    ) -> Option<Candidate> {
        if !edges.is_inside {
            return None;
        }
        let EdgeFunctions { functions, det, depth, .. } = *edges;
        let scaled_det = det * self.depth_per_t;
        // Infinite or NaN, and so out of range, for a determinant of zero, and for an infinite one, as
        // comes of an infinite difference in f32.
        let mut t = depth / scaled_det;
        if depth.abs() <= self.max_contact * det.abs() && touches(self.origin, corners, depth, det)
        {
            t = 0.0;
        }
        let side = if scaled_det > 0.0 { Side::Front } else { Side::Back };
        let t = self.in_range(t)?;
        Some(Candidate { t, side, edges: functions, det })
    }

    /// `t` rounded, if it lies in the interval.
    ///
    /// A small negative `t` may round to zero. It counts only if the interval includes negative `t`,
    /// because the triangle lies behind the origin.
    #[inline(always)]
    fn in_range(&self, exact: f64) -> Option<f32> {
        // `+ 0.0` turns -0.0 into 0.0, so that equal answers have equal bits.
        let t = exact as f32 + 0.0;
        let counts = (self.t_min <= t)
            & (t <= self.t_max)
            & (t.abs() <= f32::MAX)
            & ((exact >= 0.0) | (self.t_min < 0.0));
        if counts { Some(t) } else { None }
    }

    /// Whether the half-open edge rule assigns the crossing to this triangle. If the ray meets a shared
    /// edge or vertex, the rule selects the triangles that a ray moved by an infinitesimal amount would
    /// cross.
    ///
    /// Call it for triangles that [`intersect`](Self::intersect) accepts. The signs of the edge
    /// functions are exact, because products of two f32 are exact in f64. A tie is broken by moving the
    /// ray by (e, e^2) in the sheared plane, e towards 0 (Edelsbrunner and Mücke, "Simulation of
    /// Simplicity", 1990). A line therefore crosses a closed surface an even number of times.
    pub fn owns_crossing(&self, corners: [Vec3; 3]) -> bool {
        self.owns_crossing_in_order(self.in_order(corners))
    }

    /// [`owns_crossing`](Self::owns_crossing) of corners whose components stand in the order of
    /// [`axes`](Self::axes).
    pub fn owns_crossing_in_order(&self, corners: [[f32; 3]; 3]) -> bool {
        let [a, b, c] = self.relative(corners).map(|p| self.sheared(p));
        let signs = [perturbed_sign(b, c), perturbed_sign(c, a), perturbed_sign(a, b)];
        signs == [1; 3] || signs == [-1; 3]
    }

    /// The corners with their components in the order of the axes.
    #[inline(always)]
    fn in_order(&self, corners: [Vec3; 3]) -> [[f32; 3]; 3] {
        let [x, y, z] = self.axes.map(Axis::index);
        // Arrays, because indexing a `Vec3` compiles to branches.
        corners.map(|corner| corner.to_array()).map(|p| [p[x], p[y], p[z]])
    }

    /// The corners as seen from the origin.
    #[inline(always)]
    fn relative(&self, corners: [[f32; 3]; 3]) -> [[f32; 3]; 3] {
        relative(self.origin, corners)
    }

    /// Maps a point relative to the origin along the ray onto the minor axes.
    #[inline(always)]
    fn sheared(&self, [x, y, z]: [f32; 3]) -> [f32; 2] {
        let [sx, sy] = self.shear;
        [x - sx * z, y - sy * z]
    }
}

/// Corners as seen from an origin.
#[inline(always)]
fn relative([x, y, z]: [f32; 3], [a, b, c]: [[f32; 3]; 3]) -> [[f32; 3]; 3] {
    // Written out, because the compiler does not inline `map` into large callers.
    [[a[0] - x, a[1] - y, a[2] - z], [b[0] - x, b[1] - y, b[2] - z], [c[0] - x, c[1] - y, c[2] - z]]
}

/// Whether `depth / det` counts as contact. Inlined, because a call would need the corners in memory.
#[inline(always)]
fn touches(origin: [f32; 3], corners: [[f32; 3]; 3], depth: f64, det: f64) -> bool {
    let largest = f64::from(largest_component(relative(origin, corners)));
    let is_seen = det != 0.0 && det.abs() < f64::INFINITY;
    is_seen && depth.abs() <= WatertightRay::CONTACT * largest * det.abs()
}

/// The largest absolute component of three points.
#[inline(always)]
fn largest_component(points: [[f32; 3]; 3]) -> f32 {
    let mut largest = 0.0;
    for x in points.as_flattened() {
        // Not `f32::max`, because its treatment of NaN costs instructions.
        largest = if x.abs() > largest { x.abs() } else { largest };
    }
    largest
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

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
        // round to the same number. In f32 some would be hit.
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
            let same_sign = edges.iter().all(|&e| e >= 0.0) || edges.iter().all(|&e| e <= 0.0);
            n_fooled += u32::from(same_sign && edges != [0.0; 3]);
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
}
