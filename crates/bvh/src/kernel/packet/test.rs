//! Packet tests: nodes and blocks against all rays at once, then boxes and triangles ray by ray.

use hitscan_primitives::Faces;

use super::{GROUP_MASK, N_GROUPS, Packet};
use crate::{
    kernel::{
        box_test::BoxHits,
        hit_sink::leaf_position,
        triangle_decision::{Candidates, Shared, decide},
        triangle_filter::{Plane, relative, within_edges},
    },
    layout::{TriangleBlock, WideNode},
    simd::{LANES, Simd},
    widths::{BLOCK_WIDTH, NODE_WIDTH},
};

impl<S: Simd> Packet<S> {
    /// The children whose boxes any ray may meet: a superset of those that a ray meets.
    #[inline(always)]
    pub(crate) fn test_node(&self, node: &WideNode) -> BoxHits<S> {
        let s = self.simd;
        let (near_x, far_x) = self.slab(node, 0);
        let (near_y, far_y) = self.slab(node, 1);
        let (near_z, far_z) = self.slab(node, 2);
        let enter = s.max(s.max(near_x, near_y), s.max(near_z, self.bounds.t_min));
        let exit = s.min(s.min(far_x, far_y), s.min(far_z, self.bounds.t_max));
        BoxHits { mask: s.movemask(s.le(enter, exit)), enter }
    }

    #[inline(always)]
    fn slab(&self, node: &WideNode, axis: usize) -> (S::F, S::F) {
        let s = self.simd;
        let planes = &node.bounds[self.axes[axis].index()];
        let near = s.load(self.near[axis].of(planes));
        let far = s.load(self.far[axis].of(planes));
        self.slab_between(axis, near, far)
    }

    /// The `t` at which the first ray may enter and the last ray may leave the slabs between two planes.
    #[inline(always)]
    fn slab_between(&self, axis: usize, near: S::F, far: S::F) -> (S::F, S::F) {
        let (s, bounds) = (self.simd, &self.bounds);
        let (min, max) = (bounds.min_reciprocal[axis], bounds.max_reciprocal[axis]);
        let near = s.sub(near, bounds.near_origin[axis]);
        let far = s.sub(far, bounds.far_origin[axis]);
        (s.min(s.mul(near, min), s.mul(near, max)), s.max(s.mul(far, min), s.mul(far, max)))
    }

    /// The triangles of a block whose boxes any ray may meet, as bits: a superset. `inflation` is that of
    /// the node boxes.
    #[inline(always)]
    fn test_boxes(&self, block: &TriangleBlock, inflation: f32) -> u32 {
        let s = self.simd;
        let inflation = s.splat(inflation);
        let (mut enter, mut exit) = (self.bounds.t_min, self.bounds.t_max);
        for axis in 0..3 {
            let row = self.rows[axis];
            let a = s.load(row.of(&block.corners[0]));
            let b = s.load(row.of(&block.corners[1]));
            let c = s.load(row.of(&block.corners[2]));
            let low = s.sub(s.min(a, s.min(b, c)), inflation);
            let high = s.add(s.max(a, s.max(b, c)), inflation);
            let forward = self.near[axis].is_first();
            let (near, far) = if forward { (low, high) } else { (high, low) };
            let (near, far) = self.slab_between(axis, near, far);
            (enter, exit) = (s.max(enter, near), s.min(exit, far));
        }
        s.movemask(s.le(enter, exit))
    }

    /// The rays that meet the box of a child, as bits.
    #[inline(always)]
    pub(crate) fn test_child(&self, node: &WideNode, slot: usize) -> u32 {
        let s = self.simd;
        let slot = slot % NODE_WIDTH;
        let mut near = [s.splat(0.0); 3];
        let mut far = near;
        for axis in 0..3 {
            let planes = &node.bounds[self.axes[axis].index()];
            near[axis] = s.splat(self.near[axis].of(planes)[slot]);
            far[axis] = s.splat(self.far[axis].of(planes)[slot]);
        }
        let mut active = 0;
        for (g, group) in self.groups.iter().enumerate() {
            let reciprocal = group.reciprocal;
            let (mut enter, mut exit) = (group.rays.t_min, group.t_max);
            for axis in 0..3 {
                let to_near = s.mul(s.sub(near[axis], group.near_origin[axis]), reciprocal[axis]);
                let to_far = s.mul(s.sub(far[axis], group.far_origin[axis]), reciprocal[axis]);
                (enter, exit) = (s.max(enter, to_near), s.min(exit, to_far));
            }
            active |= s.movemask(s.le(enter, exit)) << (LANES * g);
        }
        active
    }

    /// Tests the active rays against the triangles of a block, and returns those that hit any. With
    /// `ANY`, hits are not recorded.
    #[inline(always)]
    pub(crate) fn test_block<const ANY: bool>(
        &mut self,
        block: &TriangleBlock,
        index: usize,
        active: u32,
        inflation: f32,
    ) -> u32 {
        let s = self.simd;
        let contact = s.splat(self.contact);
        let shared = Shared { backward: self.backward, faces: self.faces, contact };
        let mut hit_any = 0;
        let mut lanes = self.test_boxes(block, inflation);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize % BLOCK_WIDTH;
            lanes &= lanes - 1;
            let [a, b, c] = &block.corners;
            let corners = [self.splat(a, lane), self.splat(b, lane), self.splat(c, lane)];
            let normal = self.splat(&block.normal, lane);
            for g in 0..N_GROUPS {
                let wanted = active >> (LANES * g) & GROUP_MASK;
                if wanted == 0 {
                    continue;
                }
                let group = &mut self.groups[g];
                let corners = relative(s, corners, &group.rays);
                let plane = Plane::new(s, &group.rays, normal, corners[0]);
                let within_edges = within_edges(s, &group.rays, corners);
                let in_range = plane.in_range(s, &group.rays, group.t_max);
                let mut lanes = s.movemask(s.and(within_edges.maybe, in_range));
                if lanes == 0 {
                    continue;
                }
                let certain = within_edges.certainly(s);
                if ANY && self.faces == Faces::Both {
                    // The `t` of a hit is not needed.
                    let in_range = plane.certainly_in_range(s, &group.rays, group.t_max);
                    let hits = s.movemask(s.and(certain, in_range));
                    hit_any |= hits << (LANES * g);
                    lanes &= !hits;
                    if lanes == 0 {
                        continue;
                    }
                }
                let candidates = Candidates { lanes, certain: s.movemask(certain) };
                // An inactive ray cannot hit, because no hit lies outside the boxes around it.
                let hits = decide(s, &group.rays, &shared, corners, candidates, group.t_max);
                hit_any |= hits.accepted << (LANES * g);
                if !ANY && hits.accepted != 0 {
                    let position = leaf_position(index, lane);
                    group.record(s, &hits, block.triangles[lane], position);
                }
            }
        }
        hit_any
    }

    /// One triangle's row values, each in all lanes, in the order of the axes.
    #[inline(always)]
    fn splat(&self, rows: &[[f32; LANES]; 3], lane: usize) -> [S::F; 3] {
        let (s, [x, y, z]) = (self.simd, self.rows);
        [s.splat(x.of(rows)[lane]), s.splat(y.of(rows)[lane]), s.splat(z.of(rows)[lane])]
    }
}
