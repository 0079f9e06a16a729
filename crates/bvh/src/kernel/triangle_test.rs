//! One ray against the blocks of a leaf: a filter in lanes, then the reference decides.

use std::hint::black_box;

use hitscan_primitives::{Candidate, Faces, WatertightRay};

use super::{
    hit_sink::{CandidateGeometry, HitSink, MeshCandidate},
    ray_mode::RayMode,
    ray_setup::QueryRay,
    triangle_filter::{Corners, Plane, RayLanes, turned, within_edges},
};
use crate::{
    error_bounds::{LONGEST, PLANE_SLACK, farthest_bound},
    layout::{CornerRows, IndexedBlock, IndexedBlocks, Leaves, TriangleBlock},
    leaf_position::LeafPosition,
    simd::{LANES, Row, Simd},
    widths::BLOCK_WIDTH,
};

/// A ray's constants for the triangle test.
pub(crate) struct TriangleRay<S: Simd> {
    simd: S,
    faces: Faces,
    /// The ray of the reference test.
    exact: WatertightRay,
    rows: [Row<3>; 3],
    // Numbers, not lanes: a block test broadcasts them from memory, which costs no more than to load lanes
    // that lack a register, and rays with few leaves save the setup.
    /// Minus the direction, in the order of the axes.
    backward: [f32; 3],
    t_min: f32,
    /// [`PLANE_SLACK`] times E.
    slack: f32,
}

/// A block as a ray tests it.
struct BlockLanes<'a, S: Simd> {
    index: usize,
    /// The corners as the reference takes them.
    rows: &'a CornerRows,
    triangles: &'a [u32; BLOCK_WIDTH],
    /// The corners as the filter takes them.
    corners: Corners<S>,
}

impl<S: Simd> TriangleRay<S> {
    #[inline(always)]
    pub(crate) fn new<M: RayMode>(query: &QueryRay<'_, S>, faces: Faces) -> Self {
        let (simd, ray) = (query.simd, query.ray);
        let farthest = query.farthest;
        let axes = query.axes();
        let exact = WatertightRay::with_axes(ray, axes).with_farthest(farthest_bound(farthest));
        let d: &[f32; 3] = ray.direction.as_ref();
        let mut backward = [-d[axes[0].index()], -d[axes[1].index()], -d[axes[2].index()]];
        let mut slack = PLANE_SLACK * farthest;
        // The fast path takes no such ray.
        if M::ROBUST && (query.is_tiny || backward[2].abs() > LONGEST) {
            // Its product with a normal might underflow or overflow, so every plane passes.
            (backward, slack) = ([0.0; 3], f32::INFINITY);
        }
        Self {
            simd,
            faces,
            exact,
            rows: [Row::of_axis(axes[0]), Row::of_axis(axes[1]), Row::of_axis(axes[2])],
            backward,
            t_min: ray.t_min.max(f32::MIN),
            slack,
        }
    }

    /// The ray in all lanes, with its direction turned, as [`turned`] corners need it.
    #[inline(always)]
    fn lanes(&self) -> RayLanes<S> {
        let (s, [ox, oy, oz], [dx, dy, dz]) =
            (self.simd, self.exact.origin_in_order(), self.backward);
        let [sx, sy] = self.exact.shear();
        RayLanes {
            origin: [s.splat(ox), s.splat(oy), s.splat(oz)],
            direction: [s.splat(dx), s.splat(dy), s.splat(dz)],
            shear: [s.splat(sx), s.splat(sy)],
            t_min: s.splat(self.t_min),
            slack: s.splat(self.slack),
        }
    }

    /// Passes to `sink` every triangle of the block that the ray hits at a `t` of at most `limit`, and
    /// maybe some behind. Returns whether the sink ended the traversal. Lowers `limit` to the maximum
    /// `t` of use to the sink.
    ///
    /// The sums of a robust ray may overflow in f32.
    #[inline(always)]
    pub(crate) fn test<M: RayMode, H: HitSink>(
        &self,
        block: &TriangleBlock,
        index: usize,
        limit: &mut f32,
        sink: &mut H,
    ) -> bool {
        let (s, ray) = (self.simd, self.lanes());
        let corners = turned(s, self.corners(&block.corners), &ray);
        let plane = Plane::new(s, &ray, self.load(&block.normal), corners[0]);
        let block =
            BlockLanes { index, rows: &block.corners, triangles: &block.triangles, corners };
        self.test_lanes::<M, H, true>(&ray, &block, &plane, limit, sink)
    }

    /// [`test`](Self::test) of a block without normals.
    #[inline(always)]
    pub(crate) fn test_indexed<M: RayMode, H: HitSink>(
        &self,
        blocks: &IndexedBlocks,
        index: usize,
        limit: &mut f32,
        sink: &mut H,
    ) -> bool {
        let (s, ray, block) = (self.simd, self.lanes(), &blocks.blocks[index]);
        let rows = &blocks.corners_by(s, block);
        let corners = turned(s, self.corners(rows), &ray);
        let plane = Plane::around(s, &ray, &corners);
        let block = BlockLanes { index, rows, triangles: &block.triangles, corners };
        self.test_lanes::<M, H, false>(&ray, &block, &plane, limit, sink)
    }

    /// Tests the triangles of a block, whose planes are known exactly or only to lie within bounds.
    #[inline(always)]
    fn test_lanes<M: RayMode, H: HitSink, const KNOWS_PLANES: bool>(
        &self,
        ray: &RayLanes<S>,
        block: &BlockLanes<'_, S>,
        plane: &Plane<S>,
        limit: &mut f32,
        sink: &mut H,
    ) -> bool {
        let s = self.simd;
        let t_max = s.splat(*limit);
        let within_edges = within_edges(s, ray, block.corners);
        // Empty lanes of full blocks are NaN.
        let in_range = if M::ROBUST {
            plane.in_range_or_nan(s, ray, t_max)
        } else {
            plane.in_range(s, ray, t_max)
        };
        let candidates = s.movemask(s.and(within_edges.maybe, in_range));
        if candidates == 0 {
            return false;
        }
        let mut is_bounded = false;
        // A robust test may meet NaN, so nothing is certain there.
        if !M::ROBUST && H::TAKES_ALL_HITS && self.faces == Faces::Both {
            let in_range = plane.certainly_in_range(s, ray, t_max);
            let certain = s.movemask(s.and(within_edges.certainly(s), in_range));
            if H::NEEDS_NO_T && certain != 0 {
                return sink.accept_certain_hit();
            }
            // A bound on the closest hit, so that the traversal need not wait for the decision. It stays until the next
            // hit, so a loose one would cost more than the wait.
            if KNOWS_PLANES && H::ORDERED && certain != 0 {
                let bounds = s.store(plane.upper_bound(s, ray));
                let bound = bounds[certain.trailing_zeros() as usize % LANES];
                *limit = if bound < *limit { bound } else { *limit };
                is_bounded = true;
            }
        }
        let may_be_empty = M::ROBUST || !KNOWS_PLANES;
        let is_done = self.decide(block, candidates, may_be_empty, sink);
        if !is_bounded {
            // Keeps the compiler from a branch-free choice, which would wait for the decision.
            black_box(());
            *limit = sink.t_max();
        }
        is_done
    }

    /// Asks the reference about the candidates of a block, some of which may be empty lanes.
    #[inline(always)]
    fn decide<H: HitSink>(
        &self,
        block: &BlockLanes<'_, S>,
        mut candidates: u32,
        may_be_empty: bool,
        sink: &mut H,
    ) -> bool {
        let [a, b, c] = block.rows;
        while candidates != 0 {
            let lane = candidates.trailing_zeros() as usize % LANES;
            candidates &= candidates - 1;
            let triangle = block.triangles[lane];
            if may_be_empty && triangle == TriangleBlock::NO_TRIANGLE {
                continue;
            }
            let corners = [self.corner(a, lane), self.corner(b, lane), self.corner(c, lane)];
            let Some(candidate) = self.candidate(corners) else { continue };
            if !self.faces.accepts(candidate.side) {
                continue;
            }
            let candidate = MeshCandidate {
                hit: candidate,
                triangle,
                position: LeafPosition::new(block.index, lane),
            };
            let geometry = CandidateGeometry { ray: &self.exact, corners };
            if sink.accept_candidate(&candidate, &geometry) {
                return true;
            }
        }
        false
    }

    /// [`WatertightRay::candidate_in_order`], with the edge functions in lanes.
    #[inline(always)]
    fn candidate(&self, corners: [[f32; 3]; 3]) -> Option<Candidate> {
        let edges = self.simd.edge_functions(&self.exact, corners);
        self.exact.candidate_from_edges(&edges, corners)
    }

    /// The corner in one lane, in the order of the axes.
    #[inline(always)]
    fn corner(&self, rows: &[[f32; LANES]; 3], lane: usize) -> [f32; 3] {
        let [x, y, z] = self.rows;
        [x.of(rows)[lane], y.of(rows)[lane], z.of(rows)[lane]]
    }

    /// The corners of a block in the order of the axes.
    #[inline(always)]
    fn corners(&self, [a, b, c]: &CornerRows) -> Corners<S> {
        [self.load(a), self.load(b), self.load(c)]
    }

    /// Three rows in the order of the axes.
    #[inline(always)]
    fn load(&self, rows: &[[f32; LANES]; 3]) -> [S::F; 3] {
        let (s, [x, y, z]) = (self.simd, self.rows);
        [s.load(x.of(rows)), s.load(y.of(rows)), s.load(z.of(rows))]
    }
}

/// The blocks of leaves in one of their layouts, as a traversal tests them.
pub(crate) trait LeafTest {
    type Block;

    /// The blocks, for those that prefetch or remember one.
    fn blocks(&self) -> &[Self::Block];

    /// [`TriangleRay::test`] of the block at an index.
    fn test_block<M: RayMode, S: Simd, H: HitSink>(
        &self,
        index: usize,
        ray: &TriangleRay<S>,
        limit: &mut f32,
        sink: &mut H,
    ) -> bool;
}

impl LeafTest for [TriangleBlock] {
    type Block = TriangleBlock;

    #[inline(always)]
    fn blocks(&self) -> &[TriangleBlock] {
        self
    }

    #[inline(always)]
    fn test_block<M: RayMode, S: Simd, H: HitSink>(
        &self,
        index: usize,
        ray: &TriangleRay<S>,
        limit: &mut f32,
        sink: &mut H,
    ) -> bool {
        ray.test::<M, H>(&self[index], index, limit, sink)
    }
}

impl LeafTest for IndexedBlocks {
    type Block = IndexedBlock;

    #[inline(always)]
    fn blocks(&self) -> &[IndexedBlock] {
        &self.blocks
    }

    #[inline(always)]
    fn test_block<M: RayMode, S: Simd, H: HitSink>(
        &self,
        index: usize,
        ray: &TriangleRay<S>,
        limit: &mut f32,
        sink: &mut H,
    ) -> bool {
        ray.test_indexed::<M, H>(self, index, limit, sink)
    }
}

/// One loop for both layouts, where code must be small. It prefetches and remembers no block.
impl LeafTest for Leaves {
    type Block = TriangleBlock;

    #[inline(always)]
    fn blocks(&self) -> &[TriangleBlock] {
        &[]
    }

    #[inline(always)]
    fn test_block<M: RayMode, S: Simd, H: HitSink>(
        &self,
        index: usize,
        ray: &TriangleRay<S>,
        limit: &mut f32,
        sink: &mut H,
    ) -> bool {
        match self {
            Self::Full(blocks) => blocks.test_block::<M, S, H>(index, ray, limit, sink),
            Self::Compact(blocks) => blocks.test_block::<M, S, H>(index, ray, limit, sink),
        }
    }
}
