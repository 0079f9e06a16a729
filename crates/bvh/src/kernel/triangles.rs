//! One ray against a block of eight triangles: `WatertightRay::intersect` on eight lanes.
//!
//! Every value that decides or is returned is computed by the same operations in the same order as
//! in the reference, so that the bits are the same. What comes before the one branch may only let
//! more lanes through than the reference accepts, never fewer.

use hitscan_primitives::{Axis, Faces, Hit, Ray, Side, TriangleHit, WatertightRay};

use super::ray::Constants;
use crate::{
    simd::{Row, Simd},
    traverse::Collector,
    wide::TriangleBlock,
};

/// A ray's constants for the triangle test, in the rotated order `kx, ky, kz`.
pub(crate) struct TriangleRay<'a, S: Simd> {
    simd: S,
    ray: &'a Ray,
    faces: Faces,
    /// Whether the ray runs against its dominant axis.
    backward: bool,
    rows: [Row<3>; 3],
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
    pub(super) fn new(simd: S, constants: &Constants<'a>, faces: Faces) -> Self {
        let Constants { ray, reciprocal: r, axes } = *constants;
        let (o, d) = (ray.origin.to_array(), ray.direction.to_array());
        let [kx, ky, kz] = axes.map(Axis::index);
        Self {
            simd,
            ray,
            faces,
            backward: d[kz].is_sign_negative(),
            rows: [Row::new(kx), Row::new(ky), Row::new(kz)],
            origin: [simd.splat(o[kx]), simd.splat(o[ky]), simd.splat(o[kz])],
            direction: [simd.splat(d[kx]), simd.splat(d[ky]), simd.splat(d[kz])],
            reciprocal: [simd.splat(r[kx]), simd.splat(r[ky]), simd.splat(r[kz])],
            shear: [simd.splat(d[kx] * r[kz]), simd.splat(d[ky] * r[kz])],
            t_min: simd.splat(ray.t_min),
            trusted_slope: simd.splat(d[kz].abs() * WatertightRay::TRUSTED_COSINE),
        }
    }

    /// Gives the collector every triangle of the block that the ray hits at a `t` of at most `t_max`,
    /// until it has enough, which is then the result.
    #[inline(always)]
    pub(crate) fn test<C: Collector>(
        &self,
        block: &TriangleBlock,
        t_max: f32,
        collector: &mut C,
    ) -> bool {
        let s = self.simd;
        let (a_x, a_y, a_z) = self.relative(&block.corners[0]);
        let (b_x, b_y, b_z) = self.relative(&block.corners[1]);
        let (c_x, c_y, c_z) = self.relative(&block.corners[2]);
        let (ax, ay) = self.sheared(a_x, a_y, a_z);
        let (bx, by) = self.sheared(b_x, b_y, b_z);
        let (cx, cy) = self.sheared(c_x, c_y, c_z);

        let edge_a = s.sub(s.mul(cx, by), s.mul(cy, bx));
        let edge_b = s.sub(s.mul(ax, cy), s.mul(ay, cx));
        let edge_c = s.sub(s.mul(bx, ay), s.mul(by, ax));
        let zero = s.splat(0.0);
        // A NaN may slip through here; its determinant is NaN and rejected below.
        let least = s.min(edge_a, s.min(edge_b, edge_c));
        let greatest = s.max(edge_a, s.max(edge_b, edge_c));
        let inside = s.or(s.ge(least, zero), s.le(greatest, zero));

        let [dx, dy, dz] = self.direction;
        let slope = self.dot(&block.normal, dx, dy, dz);
        let height = s.flip_sign(self.dot(&block.normal, a_x, a_y, a_z), slope);
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

        let (lo_x, hi_x) = span(s, a_x, b_x, c_x);
        let (lo_y, hi_y) = span(s, a_y, b_y, c_y);
        let (lo_z, hi_z) = span(s, a_z, b_z, c_z);
        let reach_x = s.max(hi_x, s.sub(zero, lo_x));
        let reach_y = s.max(hi_y, s.sub(zero, lo_y));
        let reach_z = s.max(hi_z, s.sub(zero, lo_z));
        let reach = s.max(reach_x, s.max(reach_y, reach_z));
        let pad = s.mul(reach, s.splat(WatertightRay::OWN_BOX_PAD));
        let [rx, ry, rz] = self.reciprocal;
        let (near_x, far_x) = slab(s, s.sub(lo_x, pad), s.add(hi_x, pad), rx);
        let (near_y, far_y) = slab(s, s.sub(lo_y, pad), s.add(hi_y, pad), ry);
        let (near_z, far_z) = slab(s, lo_z, hi_z, rz);
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
                    side: if (det[lane] < 0.0) == self.backward { Side::Front } else { Side::Back },
                };
                if collector.found(hit, self.ray, block, lane) {
                    return true;
                }
            }
        }
        let flat = flat & candidates;
        flat != 0 && test_flat(self.ray, self.faces, block, flat, t_max, collector)
    }

    /// Corners relative to the ray's origin, in rotated order.
    #[inline(always)]
    fn relative(&self, rows: &[[f32; 8]; 3]) -> (S::F, S::F, S::F) {
        let (s, [x, y, z], [ox, oy, oz]) = (self.simd, self.rows, self.origin);
        (
            s.sub(s.load(x.of(rows)), ox),
            s.sub(s.load(y.of(rows)), oy),
            s.sub(s.load(z.of(rows)), oz),
        )
    }

    #[inline(always)]
    fn sheared(&self, x: S::F, y: S::F, z: S::F) -> (S::F, S::F) {
        let (s, [sx, sy]) = (self.simd, self.shear);
        (s.sub(x, s.mul(sx, z)), s.sub(y, s.mul(sy, z)))
    }

    #[inline(always)]
    fn dot(&self, rows: &[[f32; 8]; 3], x: S::F, y: S::F, z: S::F) -> S::F {
        let (s, [row_x, row_y, row_z]) = (self.simd, self.rows);
        let xy = s.add(s.mul(s.load(row_x.of(rows)), x), s.mul(s.load(row_y.of(rows)), y));
        s.add(xy, s.mul(s.load(row_z.of(rows)), z))
    }

    /// The lanes whose triangle shows the wanted side.
    #[inline(always)]
    fn facing(&self, det: S::F) -> u32 {
        let s = self.simd;
        let towards = s.flip_sign(det, self.direction[2]);
        let zero = s.splat(0.0);
        s.bits(if self.faces == Faces::Front { s.ge(towards, zero) } else { s.le(towards, zero) })
    }
}

/// The lanes on which all edge functions are zero: rare, and decided by the reference itself.
///
/// Takes the caller's ray, not the kernel's: a reference to the latter would keep all of it in memory.
#[cold]
#[inline(never)]
fn test_flat<C: Collector>(
    ray: &Ray,
    faces: Faces,
    block: &TriangleBlock,
    mut lanes: u32,
    t_max: f32,
    collector: &mut C,
) -> bool {
    let Some(watertight) = WatertightRay::new(ray) else { return false };
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize % 8;
        lanes &= lanes - 1;
        let hit = watertight.intersect(block.corners_of(lane));
        if let Some(hit) = hit.filter(|hit| hit.t <= t_max && faces.accepts(hit.side)) {
            let hit = Found::from_scalar(block.triangles[lane], hit);
            if collector.found(hit, ray, block, lane) {
                return true;
            }
        }
    }
    false
}

// Plain functions and not closures, which cannot be marked `#[inline(always)]`: left out of line they
// are compiled without the instruction set, which makes the whole kernel four times slower.

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
