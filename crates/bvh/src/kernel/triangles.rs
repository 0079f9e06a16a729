//! One ray against a block of eight triangles.

use hitscan_primitives::{Faces, Hit, Ray, Side, TriangleHit, WatertightRay};

use super::{
    ray::QueryRay,
    watertight::{RayLanes, TriangleLanes, intersect, runs_inside},
};
use crate::{
    simd::{Row, Simd},
    traverse::Collector,
    wide::{IndexedBlock, IndexedBlocks, TriangleBlock, corners_of},
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

/// A hit with its weights not yet divided by their sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) t: f32,
    pub(crate) triangle: u32,
    pub(super) edge_b: f32,
    pub(super) edge_c: f32,
    pub(super) det: f32,
    pub(super) side: Side,
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

    pub(super) fn from_scalar(triangle: u32, hit: TriangleHit) -> Self {
        let TriangleHit { t, u, v, side } = hit;
        Self { t, triangle, edge_b: u, edge_c: v, det: 1.0, side }
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
                t_min: simd.splat(ray.t_min),
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
            let (edge_b, edge_c) = (s.store(hits.edge_b), s.store(hits.edge_c));
            while accepted != 0 {
                let lane = accepted.trailing_zeros() as usize % 8;
                accepted &= accepted - 1;
                let hit = Found {
                    t: t[lane],
                    triangle: block.triangles[lane],
                    edge_b: edge_b[lane],
                    edge_c: edge_c[lane],
                    det: det[lane],
                    side: side(det[lane], self.backward),
                };
                if collector.found(hit, self.ray, block.corners_of(lane)) {
                    return true;
                }
            }
        }
        let (ray, faces, corners, numbers) =
            (self.ray, self.faces, &block.corners, &block.triangles);
        hits.flat != 0 && test_flat(ray, faces, corners, numbers, hits.flat, t_max, collector)
    }

    /// [`test`](Self::test) of a block without normals: the triangles inside whose edges the ray runs
    /// are left to the reference.
    #[inline(always)]
    pub(crate) fn test_indexed<C: Collector>(
        &self,
        block: &IndexedBlock,
        blocks: &IndexedBlocks,
        t_max: f32,
        collector: &mut C,
    ) -> bool {
        let corners = blocks.corners(block);
        let inside = runs_inside(self.simd, &self.lanes, self.corners(&corners));
        let (ray, faces, numbers) = (self.ray, self.faces, &block.triangles);
        inside != 0 && test_flat(ray, faces, &corners, numbers, inside, t_max, collector)
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

/// Lanes that are decided by the reference itself: those on which all edge functions are zero, which is
/// rare, and those of blocks without normals.
///
/// Takes the caller's ray, not the kernel's: a reference to the latter would keep all of it in memory.
#[cold]
#[inline(never)]
fn test_flat<C: Collector>(
    ray: &Ray,
    faces: Faces,
    corners: &[[[f32; 8]; 3]; 3],
    numbers: &[u32; 8],
    mut lanes: u32,
    mut t_max: f32,
    collector: &mut C,
) -> bool {
    let Some(watertight) = WatertightRay::new(ray) else { return false };
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize % 8;
        lanes &= lanes - 1;
        if numbers[lane] == TriangleBlock::NO_TRIANGLE {
            continue;
        }
        let corners = corners_of(corners, lane);
        let hit = watertight.intersect(corners);
        if let Some(hit) = hit.filter(|hit| hit.t <= t_max && faces.accepts(hit.side)) {
            if collector.found(Found::from_scalar(numbers[lane], hit), ray, corners) {
                return true;
            }
            t_max = collector.t_max();
        }
    }
    false
}
