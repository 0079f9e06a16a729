//! One ray against a block of eight triangles: `WatertightRay::intersect` on eight lanes.
//!
//! Every value that decides or is returned is computed by the same operations in the same order as
//! in the reference, so that the bits are the same. What comes before the one branch may only let
//! more lanes through than the reference accepts, never fewer.

use glam::Vec3;
use hitscan_primitives::{Axis, Faces, Hit, Side, TriangleHit, WatertightRay};

use crate::{simd::Simd, wide::TriangleBlock};

/// A ray's constants for the triangle test, in the rotated order `kx, ky, kz`.
pub(crate) struct TriangleRay<'a, S: Simd> {
    simd: S,
    ray: &'a WatertightRay,
    faces: Faces,
    axes: [usize; 3],
    origin: [S::F; 3],
    direction: [S::F; 3],
    reciprocal: [S::F; 3],
    shear: [S::F; 2],
    t_min: S::F,
    /// From this slope on a plane is trusted to reject.
    trusted_slope: S::F,
}

/// A hit with its weights not yet divided by their sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) t: f32,
    pub(crate) triangle: u32,
    edge_b: f32,
    edge_c: f32,
    det: f32,
    side: Side,
}

impl Found {
    /// Stands for no hit in an interval that ends at `t_max`: any hit there is less than this.
    pub(crate) fn nothing_until(t_max: f32) -> Self {
        let triangle = TriangleBlock::NO_TRIANGLE;
        Self { t: t_max, triangle, edge_b: 0.0, edge_c: 0.0, det: 1.0, side: Side::Front }
    }

    /// Whether this hit comes before the other along the ray.
    #[inline(always)]
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        self.t < other.t || (self.t == other.t && self.triangle < other.triangle)
    }

    /// The hit; `None` if it stands for no hit.
    #[inline(always)]
    pub(crate) fn hit(&self) -> Option<Hit> {
        (self.triangle != TriangleBlock::NO_TRIANGLE).then(|| Hit {
            t: self.t + 0.0,
            u: self.edge_b / self.det + 0.0,
            v: self.edge_c / self.det + 0.0,
            triangle: self.triangle,
            side: self.side,
        })
    }

    fn from_scalar(triangle: u32, hit: TriangleHit) -> Self {
        let TriangleHit { t, u, v, side } = hit;
        Self { t, triangle, edge_b: u, edge_c: v, det: 1.0, side }
    }
}

impl<'a, S: Simd> TriangleRay<'a, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, ray: &'a WatertightRay, faces: Faces) -> Self {
        let axes = ray.axes().map(Axis::index);
        let rotated = |v: Vec3| axes.map(|k| simd.splat(v[k]));
        Self {
            simd,
            ray,
            faces,
            axes,
            origin: rotated(ray.origin()),
            direction: rotated(ray.direction()),
            reciprocal: rotated(ray.reciprocal()),
            shear: ray.shear().map(|shear| simd.splat(shear)),
            t_min: simd.splat(ray.t_min()),
            trusted_slope: simd.splat(ray.trusted_slope()),
        }
    }

    /// Calls `found` for every triangle of the block that the ray hits at a `t` of at most `t_max`,
    /// and stops when it answers `true`, which is then the result.
    #[inline(always)]
    pub(crate) fn test(
        &self,
        block: &TriangleBlock,
        t_max: f32,
        mut found: impl FnMut(Found, usize) -> bool,
    ) -> bool {
        let s = self.simd;
        let [kx, ky, kz] = self.axes;
        let [ox, oy, oz] = self.origin;
        let [sx, sy] = self.shear;
        let load = |rows: &[[f32; 8]; 3]| {
            (
                s.sub(s.load(&rows[kx]), ox),
                s.sub(s.load(&rows[ky]), oy),
                s.sub(s.load(&rows[kz]), oz),
            )
        };
        let (a_x, a_y, a_z) = load(&block.corners[0]);
        let (b_x, b_y, b_z) = load(&block.corners[1]);
        let (c_x, c_y, c_z) = load(&block.corners[2]);
        let sheared = |x, y, z| (s.sub(x, s.mul(sx, z)), s.sub(y, s.mul(sy, z)));
        let (ax, ay) = sheared(a_x, a_y, a_z);
        let (bx, by) = sheared(b_x, b_y, b_z);
        let (cx, cy) = sheared(c_x, c_y, c_z);

        let edge_a = s.sub(s.mul(cx, by), s.mul(cy, bx));
        let edge_b = s.sub(s.mul(ax, cy), s.mul(ay, cx));
        let edge_c = s.sub(s.mul(bx, ay), s.mul(by, ax));
        let zero = s.splat(0.0);
        // A NaN may slip through here; its determinant is NaN and rejected below.
        let least = s.min(edge_a, s.min(edge_b, edge_c));
        let greatest = s.max(edge_a, s.max(edge_b, edge_c));
        let inside = s.or(s.ge(least, zero), s.le(greatest, zero));

        let dot = |rows: &[[f32; 8]; 3], x, y, z| {
            let xy = s.add(s.mul(s.load(&rows[kx]), x), s.mul(s.load(&rows[ky]), y));
            s.add(xy, s.mul(s.load(&rows[kz]), z))
        };
        let [dx, dy, dz] = self.direction;
        let slope = dot(&block.normal, dx, dy, dz);
        let height = s.flip_sign(dot(&block.normal, a_x, a_y, a_z), slope);
        let slope = s.abs(slope);
        // Looser than `height / slope <= t_max`, for every sign of t_max, also where it underflows.
        let bound = (t_max + t_max.abs() * 5e-7).min(f32::MAX);
        let below = s.add(s.mul(s.splat(bound), slope), s.splat(1e-37));
        let in_range = s.and(s.le(height, below), s.ge(height, s.mul(self.t_min, slope)));
        let trusted = s.ge(slope, self.trusted_slope);
        // In bits, because "not trusted" must be true for NaN.
        let candidates = s.bits(inside) & (s.bits(in_range) | !s.bits(trusted));
        if candidates == 0 {
            return false;
        }

        let span = |a, b, c| (s.min(a, s.min(b, c)), s.max(a, s.max(b, c)));
        let (lo_x, hi_x) = span(a_x, b_x, c_x);
        let (lo_y, hi_y) = span(a_y, b_y, c_y);
        let (lo_z, hi_z) = span(a_z, b_z, c_z);
        let reach = |lo, hi| s.max(hi, s.sub(zero, lo));
        let reach = s.max(reach(lo_x, hi_x), s.max(reach(lo_y, hi_y), reach(lo_z, hi_z)));
        let pad = s.mul(reach, s.splat(WatertightRay::OWN_BOX_PAD));
        let slab = |lo, hi, r| {
            let (to_lo, to_hi) = (s.mul(lo, r), s.mul(hi, r));
            (s.min(to_lo, to_hi), s.max(to_lo, to_hi))
        };
        let [rx, ry, rz] = self.reciprocal;
        let (near_x, far_x) = slab(s.sub(lo_x, pad), s.add(hi_x, pad), rx);
        let (near_y, far_y) = slab(s.sub(lo_y, pad), s.add(hi_y, pad), ry);
        let (near_z, far_z) = slab(lo_z, hi_z, rz);
        let enter = s.max(near_x, s.max(near_y, near_z));
        let exit = s.min(far_x, s.min(far_y, far_z));
        let meets_box = s.le(s.max(enter, self.t_min), exit);

        let t = s.max(s.div(height, slope), enter);
        let t = s.select(trusted, s.min(t, exit), t);
        let largest = s.splat(f32::MAX);
        let det = s.add(edge_a, s.add(edge_b, edge_c));
        let t_ok =
            s.and(s.and(s.ge(t, self.t_min), s.le(t, s.splat(t_max))), s.le(s.abs(t), largest));
        let ok = s.and(s.and(meets_box, t_ok), s.le(s.abs(det), largest));
        let flat = s.bits(s.and(s.eq(least, zero), s.eq(greatest, zero)));
        let mut accepted = candidates & s.bits(ok) & !flat;
        if self.faces != Faces::Both {
            accepted &= self.facing(det);
        }
        if accepted != 0 {
            let (t, det) = (s.store(t), s.store(det));
            let (edge_b, edge_c) = (s.store(edge_b), s.store(edge_c));
            while accepted != 0 {
                let lane = accepted.trailing_zeros() as usize % 8;
                accepted &= accepted - 1;
                let hit = Found {
                    t: t[lane],
                    triangle: block.triangles[lane],
                    edge_b: edge_b[lane],
                    edge_c: edge_c[lane],
                    det: det[lane],
                    side: self.ray.side(det[lane] < 0.0),
                };
                if found(hit, lane) {
                    return true;
                }
            }
        }
        let flat = flat & candidates;
        flat != 0 && self.test_flat(block, flat, t_max, &mut found)
    }

    /// The lanes whose triangle shows the wanted side.
    #[inline(always)]
    fn facing(&self, det: S::F) -> u32 {
        let s = self.simd;
        let towards = s.flip_sign(det, self.direction[2]);
        let zero = s.splat(0.0);
        s.bits(if self.faces == Faces::Front { s.ge(towards, zero) } else { s.le(towards, zero) })
    }

    /// The lanes on which all edge functions are zero: rare, and decided by the reference itself.
    #[cold]
    #[inline(never)]
    fn test_flat(
        &self,
        block: &TriangleBlock,
        mut lanes: u32,
        t_max: f32,
        found: &mut impl FnMut(Found, usize) -> bool,
    ) -> bool {
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize % 8;
            lanes &= lanes - 1;
            let hit = self.ray.intersect(block.corners_of(lane));
            if let Some(hit) = hit.filter(|hit| hit.t <= t_max && self.faces.accepts(hit.side))
                && found(Found::from_scalar(block.triangles[lane], hit), lane)
            {
                return true;
            }
        }
        false
    }
}
