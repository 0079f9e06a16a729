//! One ray against a block of eight triangles: lanes filter, the reference decides.

use hitscan_primitives::{Candidate, Faces, Hit, Side, TriangleHit, WatertightRay};

use super::{
    ray::QueryRay,
    watertight::{Corners, LONGEST, PLANE_SLACK, Plane, RayLanes, relative, within_edges},
};
use crate::{
    simd::{Row, Simd},
    traverse::Collector,
    wide::{IndexedBlocks, TriangleBlock},
};

/// A ray's constants for the triangle test.
pub(crate) struct TriangleRay<S: Simd> {
    simd: S,
    faces: Faces,
    /// The ray as the reference takes it.
    exact: WatertightRay,
    rows: [Row<3>; 3],
    lanes: RayLanes<S>,
}

/// A hit without its weights: many are found along a ray, and few are asked for them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) candidate: Candidate,
    pub(crate) triangle: u32,
    /// The triangle's slot: eight times the number of its block, and its lane.
    pub(crate) slot: u32,
}

impl Found {
    /// Stands for no hit in an interval that ends at `t_max`: any hit there comes before it.
    #[inline(always)]
    pub(crate) fn nothing_until(t_max: f32) -> Self {
        Self::without_weights(t_max, TriangleBlock::NO_TRIANGLE, 0)
    }

    /// A hit whose weights are not known, nor its side.
    #[inline(always)]
    pub(crate) fn without_weights(t: f32, triangle: u32, slot: u32) -> Self {
        Self { candidate: Candidate::without_weights(t), triangle, slot }
    }

    /// Whether this hit comes before the other along the ray.
    #[inline(always)]
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        let (t, other_t) = (self.candidate.t, other.candidate.t);
        t < other_t || (t == other_t && self.triangle < other.triangle)
    }

    /// Whether it stands for a hit.
    #[inline(always)]
    pub(crate) fn is_hit(&self) -> bool {
        self.triangle != TriangleBlock::NO_TRIANGLE
    }

    /// The hit with its weights.
    #[inline(always)]
    pub(crate) fn hit(&self) -> Hit {
        let TriangleHit { t, u, v, side } = self.candidate.hit();
        Hit { t, u, v, triangle: self.triangle, side }
    }
}

/// A candidate's ray and corners, for what is asked of few candidates only.
pub(crate) struct Meeting<'a> {
    ray: &'a WatertightRay,
    corners: [[f32; 3]; 3],
}

impl Meeting<'_> {
    /// [`WatertightRay::owns_crossing`].
    pub(crate) fn owns_crossing(&self, candidate: &Candidate) -> bool {
        candidate.is_inside_edges() || self.ray.owns_crossing_in_order(self.corners)
    }
}

impl<S: Simd> TriangleRay<S> {
    #[inline(always)]
    pub(super) fn new(query: &QueryRay<'_, S>, faces: Faces) -> Self {
        let (simd, ray) = (query.simd, query.ray);
        let farthest = query.farthest();
        // More than the sum and a difference round, and what underflows.
        let exact = WatertightRay::of_valid(ray).with_farthest(farthest * 1.000_001 + 1e-30);
        let (o, d) = (ray.origin.to_array(), ray.direction.to_array());
        let axes = exact.axes();
        let (x, y, z) = (axes[0].index(), axes[1].index(), axes[2].index());
        let [sx, sy] = exact.shear();
        let mut direction = [simd.splat(d[x]), simd.splat(d[y]), simd.splat(d[z])];
        let mut slack = PLANE_SLACK * farthest;
        if query.is_tiny || d[z].abs() > LONGEST {
            // The slope would underflow or overflow: every plane passes.
            (direction, slack) = ([simd.splat(0.0); 3], f32::INFINITY);
        }
        Self {
            simd,
            faces,
            exact,
            rows: [Row::new(x), Row::new(y), Row::new(z)],
            lanes: RayLanes {
                origin: [simd.splat(o[x]), simd.splat(o[y]), simd.splat(o[z])],
                direction,
                shear: [simd.splat(sx), simd.splat(sy)],
                t_min: simd.splat(ray.t_min.max(f32::MIN)),
                slack: simd.splat(slack),
            },
        }
    }

    /// Gives the collector every triangle of the block that the ray hits at a `t` of at most `limit`,
    /// and maybe some behind, until it has enough, which is then the result. Lowers `limit` to what the
    /// collector still has use for.
    ///
    /// `CAREFUL` is for rays from so far that sums overflow in f32.
    #[inline(always)]
    pub(crate) fn test<const CAREFUL: bool, C: Collector>(
        &self,
        block: &TriangleBlock,
        number: usize,
        limit: &mut f32,
        collector: &mut C,
    ) -> bool {
        let s = self.simd;
        let t_max = s.splat(*limit);
        let corners = relative(s, self.corners(&block.corners), &self.lanes);
        let plane = Plane::new(s, &self.lanes, self.load(&block.normal), corners[0]);
        let within_edges = within_edges(s, &self.lanes, corners);
        // Empty lanes are NaN.
        let in_range = if CAREFUL {
            plane.in_range_or_nan(s, &self.lanes, t_max)
        } else {
            plane.in_range(s, &self.lanes, t_max)
        };
        let candidates = s.bits(s.and(within_edges.maybe, in_range));
        if candidates == 0 {
            return false;
        }
        let mut bound = f32::INFINITY;
        // With care a sum may be NaN, and nothing is certain.
        if !CAREFUL && C::TAKES_ALL_HITS && self.faces == Faces::Both {
            let in_range = plane.certainly_in_range(s, &self.lanes, t_max);
            let certain = s.bits(s.and(within_edges.certainly(s), in_range));
            if C::NEEDS_NO_T && certain != 0 {
                return collector.found_some();
            }
            // A bound on the nearest hit, so that the walk need not wait for the decision.
            if C::ORDERED && certain != 0 {
                bound = s.store(plane.upper_bound(s, &self.lanes))
                    [certain.trailing_zeros() as usize % 8];
            }
        }
        let is_enough = self.decide::<CAREFUL, C>(
            number,
            &block.corners,
            &block.triangles,
            candidates,
            collector,
        );
        *limit = if bound < *limit { bound } else { collector.t_max() };
        is_enough
    }

    /// [`test`](Self::test) of a block without normals.
    #[inline(always)]
    pub(crate) fn test_indexed<C: Collector>(
        &self,
        number: usize,
        blocks: &IndexedBlocks,
        limit: &mut f32,
        collector: &mut C,
    ) -> bool {
        let block = &blocks.blocks[number];
        let corners = blocks.corners(block);
        let seen = relative(self.simd, self.corners(&corners), &self.lanes);
        let candidates = self.simd.bits(within_edges(self.simd, &self.lanes, seen).maybe);
        let is_enough =
            self.decide::<true, C>(number, &corners, &block.triangles, candidates, collector);
        *limit = collector.t_max();
        is_enough
    }

    /// Asks the reference about the candidates of a block. With `SOME_EMPTY` they may be empty lanes.
    #[inline(always)]
    fn decide<const SOME_EMPTY: bool, C: Collector>(
        &self,
        number: usize,
        [a, b, c]: &[[[f32; 8]; 3]; 3],
        triangles: &[u32; 8],
        mut candidates: u32,
        collector: &mut C,
    ) -> bool {
        while candidates != 0 {
            let lane = candidates.trailing_zeros() as usize % 8;
            candidates &= candidates - 1;
            let triangle = triangles[lane];
            if SOME_EMPTY && triangle == TriangleBlock::NO_TRIANGLE {
                continue;
            }
            let corners = [self.corner(a, lane), self.corner(b, lane), self.corner(c, lane)];
            let Some(candidate) = self.exact.candidate_in_order(corners) else { continue };
            if !self.faces.accepts(candidate.side) {
                continue;
            }
            let found = Found { candidate, triangle, slot: slot(number, lane) };
            if collector.found(&found, &Meeting { ray: &self.exact, corners }) {
                return true;
            }
        }
        false
    }

    /// One corner in the order of the axes.
    #[inline(always)]
    fn corner(&self, rows: &[[f32; 8]; 3], lane: usize) -> [f32; 3] {
        let [x, y, z] = self.rows;
        [x.of(rows)[lane], y.of(rows)[lane], z.of(rows)[lane]]
    }

    /// The corners of a block in the order of the axes.
    #[inline(always)]
    fn corners(&self, [a, b, c]: &[[[f32; 8]; 3]; 3]) -> Corners<S> {
        [self.load(a), self.load(b), self.load(c)]
    }

    /// Three rows in the order of the axes.
    #[inline(always)]
    fn load(&self, rows: &[[f32; 8]; 3]) -> [S::F; 3] {
        let (s, [x, y, z]) = (self.simd, self.rows);
        [s.load(x.of(rows)), s.load(y.of(rows)), s.load(z.of(rows))]
    }
}

/// The side that a ray sees of a front or back face.
#[inline(always)]
pub(super) fn side(is_front: bool) -> Side {
    if is_front { Side::Front } else { Side::Back }
}

/// The [`Found::slot`] of a lane.
#[inline(always)]
pub(super) fn slot(block: usize, lane: usize) -> u32 {
    (8 * block + lane) as u32
}
