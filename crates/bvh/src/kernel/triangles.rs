//! One ray against a block of eight triangles.

use glam::Vec3;
use hitscan_primitives::{Faces, Hit, Ray, Side, TriangleHit, WatertightRay};

use super::{
    ray::QueryRay,
    watertight::{RayLanes, TriangleLanes, intersect, runs_inside, sheared_corners},
};
use crate::{
    simd::{Row, Simd},
    traverse::Collector,
    wide::{IndexedBlocks, TriangleBlock, corners_of},
};

/// A ray's constants for the triangle test.
pub(crate) struct TriangleRay<'a, S: Simd> {
    simd: S,
    ray: &'a Ray,
    faces: Faces,
    /// Whether the ray runs against its dominant axis.
    backward: bool,
    rows: [Row<3>; 3],
    lanes: RayLanes<S>,
}

/// A hit without its weights: of many that are found along a ray, few are asked for them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) t: f32,
    pub(crate) triangle: u32,
    /// Where the triangle lies: eight times the number of its block, and its lane.
    pub(crate) place: u32,
    pub(crate) side: Side,
}

impl Found {
    /// Stands for no hit in an interval that ends at `t_max`: any hit there is less than this.
    pub(crate) fn nothing_until(t_max: f32) -> Self {
        let triangle = TriangleBlock::NO_TRIANGLE;
        Self { t: t_max, triangle, place: 0, side: Side::Front }
    }

    /// Whether this hit comes before the other along the ray.
    #[inline(always)]
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        self.t < other.t || (self.t == other.t && self.triangle < other.triangle)
    }

    /// Whether it stands for a hit.
    #[inline(always)]
    pub(crate) fn is_hit(&self) -> bool {
        self.triangle != TriangleBlock::NO_TRIANGLE
    }

    /// What [`place`](Self::place) is made of.
    #[inline(always)]
    pub(crate) fn block_and_lane(&self) -> (usize, usize) {
        (self.place as usize / 8, self.place as usize % 8)
    }

    /// The hit by that ray on the triangle of these corners, both in the tree's space.
    #[inline(always)]
    pub(crate) fn hit(&self, ray: &Ray, corners: [Vec3; 3]) -> Option<Hit> {
        Some(self.with_weights(WatertightRay::new(ray)?.weights(corners)))
    }

    #[inline(always)]
    pub(crate) fn with_weights(&self, [u, v]: [f32; 2]) -> Hit {
        Hit { t: self.t + 0.0, u, v, triangle: self.triangle, side: self.side }
    }
}

impl<'a, S: Simd> TriangleRay<'a, S> {
    #[inline(always)]
    pub(super) fn new(ray: &QueryRay<'a, S>, faces: Faces) -> Self {
        let (simd, query, ray) = (ray.simd, ray, ray.ray);
        let (o, d) = (ray.origin.to_array(), ray.direction.to_array());
        let axes = query.axes();
        let (x, y, z) = (axes[0].index(), axes[1].index(), axes[2].index());
        let direction = [simd.splat(d[x]), simd.splat(d[y]), simd.splat(d[z])];
        let r = simd.store(query.reciprocals);
        let reciprocal = [simd.splat(r[3 + x]), simd.splat(r[3 + y]), simd.splat(r[3 + z])];
        let cosine = simd.splat(WatertightRay::TRUSTED_COSINE);
        Self {
            simd,
            ray,
            faces,
            backward: d[z].is_sign_negative(),
            rows: [Row::new(x), Row::new(y), Row::new(z)],
            lanes: RayLanes {
                origin: [simd.splat(o[x]), simd.splat(o[y]), simd.splat(o[z])],
                direction,
                reciprocal,
                shear: [
                    simd.mul(direction[0], reciprocal[2]),
                    simd.mul(direction[1], reciprocal[2]),
                ],
                t_min: simd.splat(WatertightRay::lower_bound(ray)),
                trusted_slope: simd.mul(simd.abs(direction[2]), cosine),
            },
        }
    }

    /// Gives the collector every triangle of the block that the ray hits at a `t` of at most `t_max`,
    /// until it has enough, which is then the result.
    #[inline(always)]
    pub(crate) fn test<C: Collector>(
        &self,
        block: &TriangleBlock,
        number: usize,
        t_max: f32,
        collector: &mut C,
    ) -> bool {
        let s = self.simd;
        let triangles = TriangleLanes {
            corners: self.corners(&block.corners),
            normal: self.load(&block.normal),
        };
        let Some(hits) = intersect(s, &self.lanes, &triangles, s.splat(t_max), self.faces) else {
            return false;
        };
        let mut accepted = hits.accepted;
        if accepted != 0 {
            let (t, det) = (s.store(hits.t), s.store(hits.det));
            while accepted != 0 {
                let lane = accepted.trailing_zeros() as usize % 8;
                accepted &= accepted - 1;
                let hit = Found {
                    t: t[lane],
                    triangle: block.triangles[lane],
                    place: place(number, lane),
                    side: side(det[lane], self.backward),
                };
                if collector.found(hit, self.ray, block.corners_of(lane)) {
                    return true;
                }
            }
        }
        let flat = Flat { number, corners: &block.corners, triangles: &block.triangles };
        hits.flat != 0 && flat.test_flat(self.ray, self.faces, hits.flat, t_max, collector)
    }

    /// [`test`](Self::test) of a block without normals: the triangles inside whose edges the ray runs
    /// are left to the reference.
    #[inline(always)]
    pub(crate) fn test_indexed<C: Collector>(
        &self,
        number: usize,
        blocks: &IndexedBlocks,
        t_max: f32,
        collector: &mut C,
    ) -> bool {
        let block = &blocks.blocks[number];
        let corners = blocks.corners(block);
        let inside = runs_inside(self.simd, &self.lanes, self.corners(&corners));
        let flat = Flat { number, corners: &corners, triangles: &block.triangles };
        inside != 0 && flat.test_flat(self.ray, self.faces, inside, t_max, collector)
    }

    /// The weights of the hit on one triangle of a block's corners.
    #[inline(always)]
    pub(crate) fn weights(&self, [a, b, c]: &[[[f32; 8]; 3]; 3], lane: usize) -> [f32; 2] {
        let corners = [self.splat(a, lane), self.splat(b, lane), self.splat(c, lane)];
        let [a, b, c] = sheared_corners(self.simd, &self.lanes, corners);
        let sheared = [[a[0][0], a[1][0]], [b[0][0], b[1][0]], [c[0][0], c[1][0]]];
        WatertightRay::weights_of_sheared(sheared)
    }

    /// One triangle's row values, each in all lanes, in rotated order.
    #[inline(always)]
    fn splat(&self, rows: &[[f32; 8]; 3], lane: usize) -> [S::F; 3] {
        let (s, [x, y, z]) = (self.simd, self.rows);
        [s.splat(x.of(rows)[lane]), s.splat(y.of(rows)[lane]), s.splat(z.of(rows)[lane])]
    }

    /// The corners of a block in rotated order.
    #[inline(always)]
    fn corners(&self, [a, b, c]: &[[[f32; 8]; 3]; 3]) -> [[S::F; 3]; 3] {
        [self.load(a), self.load(b), self.load(c)]
    }

    /// Three rows in rotated order.
    #[inline(always)]
    fn load(&self, rows: &[[f32; 8]; 3]) -> [S::F; 3] {
        let (s, [x, y, z]) = (self.simd, self.rows);
        [s.load(x.of(rows)), s.load(y.of(rows)), s.load(z.of(rows))]
    }
}

/// The side that a ray sees of a triangle by its determinant. `backward`: the ray runs against its
/// dominant axis.
#[inline(always)]
pub(super) fn side(det: f32, backward: bool) -> Side {
    if (det < 0.0) == backward { Side::Front } else { Side::Back }
}

/// The [`Found::place`] of a lane.
#[inline(always)]
pub(super) fn place(block: usize, lane: usize) -> u32 {
    (8 * block + lane) as u32
}

/// A block in which lanes are decided by the reference itself: those on which an edge function is zero or
/// a plane is seen edge-on, which is rare, and those of blocks without normals.
struct Flat<'a> {
    number: usize,
    corners: &'a [[[f32; 8]; 3]; 3],
    triangles: &'a [u32; 8],
}

impl Flat<'_> {
    /// Takes the caller's ray, not the kernel's: a reference to the latter would keep all of it in memory.
    #[cold]
    #[inline(never)]
    fn test_flat<C: Collector>(
        &self,
        ray: &Ray,
        faces: Faces,
        mut lanes: u32,
        mut t_max: f32,
        collector: &mut C,
    ) -> bool {
        let Some(watertight) = WatertightRay::new(ray) else { return false };
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize % 8;
            lanes &= lanes - 1;
            let triangle = self.triangles[lane];
            if triangle == TriangleBlock::NO_TRIANGLE {
                continue;
            }
            let corners = corners_of(self.corners, lane);
            let hit = watertight.intersect(corners);
            if let Some(hit) = hit.filter(|hit| hit.t <= t_max && faces.accepts(hit.side)) {
                let TriangleHit { t, side, .. } = hit;
                let found = Found { t, triangle, place: place(self.number, lane), side };
                if collector.found(found, ray, corners) {
                    return true;
                }
                t_max = collector.t_max();
            }
        }
        false
    }
}
