//! Packet tests: nodes and blocks against all rays at once, then boxes and triangles ray by ray.

use hitscan_primitives::Faces;

use super::{
    Bounds, Group, N_GROUPS, Packet, RaySet, best::Undecided, group_mask, group_width, lanes_of,
    rays_of,
};
use crate::{
    error_bounds::INFLATION,
    kernel::{
        box_test::BoxHits,
        triangle_decision::Shared,
        triangle_filter::{Corners, Plane, relative, within_edges},
    },
    layout::{CornerRows, Leaves, Reach, TriangleBlock, WideNode},
    leaf_position::LeafPosition,
    simd::{Lanes, Simd},
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
        let lanes = s.le(enter, exit);
        BoxHits { mask: s.movemask(lanes), lanes, enter }
    }

    #[inline(always)]
    fn slab(&self, node: &WideNode, axis: usize) -> (S::F, S::F) {
        let s = self.simd;
        let planes = &node.bounds[self.axes[axis].index()];
        let near = s.load(self.near[axis].of(planes));
        let far = s.load(self.far[axis].of(planes));
        self.bounds.slab_between(s, axis, near, far)
    }

    /// The triangles of a block whose boxes any ray may meet, as bits: a superset. The boxes are widened as those of
    /// nodes are.
    #[inline(always)]
    fn test_boxes(&self, block: &TriangleBlock, reach: &Reach) -> u32 {
        let s = self.simd;
        let mut widening = s.splat(reach.widening(0.0));
        if !reach.is_uniform() {
            widening = s.max(widening, self.own_widening(block));
        }
        let (mut enter, mut exit) = (self.bounds.t_min, self.bounds.t_max);
        for axis in 0..3 {
            let (low, high) = self.box_sides(block, axis);
            let (low, high) = (s.sub(low, widening), s.add(high, widening));
            let forward = self.near[axis].is_first();
            let (near, far) = if forward { (low, high) } else { (high, low) };
            let (near, far) = self.bounds.slab_between(s, axis, near, far);
            (enter, exit) = (s.max(enter, near), s.min(exit, far));
        }
        s.movemask(s.le(enter, exit))
    }

    /// The sides of the boxes of a block's triangles on a rotated axis.
    #[inline(always)]
    fn box_sides(&self, block: &TriangleBlock, axis: usize) -> (S::F, S::F) {
        let (s, row) = (self.simd, self.rows[axis]);
        let a = s.load(row.of(&block.corners[0]));
        let b = s.load(row.of(&block.corners[1]));
        let c = s.load(row.of(&block.corners[2]));
        (s.min(a, s.min(b, c)), s.max(a, s.max(b, c)))
    }

    /// The widening of each triangle's box by its own largest coordinate. NaN in empty lanes.
    #[inline(always)]
    fn own_widening(&self, block: &TriangleBlock) -> S::F {
        let s = self.simd;
        let mut largest = s.splat(0.0);
        for axis in 0..3 {
            let (low, high) = self.box_sides(block, axis);
            largest = s.max(largest, s.max(s.abs(low), s.abs(high)));
        }
        s.mul(largest, s.splat(INFLATION))
    }

    /// The rays that meet the box of a child.
    #[inline(always)]
    pub(crate) fn test_child(&self, node: &WideNode, slot: usize) -> RaySet {
        let s = self.simd.rays();
        let slot = slot % NODE_WIDTH;
        let mut near = [s.splat(0.0); 3];
        let mut far = near;
        for axis in 0..3 {
            let planes = &node.bounds[self.axes[axis].index()];
            near[axis] = s.splat(self.near[axis].of(planes)[slot]);
            far[axis] = s.splat(self.far[axis].of(planes)[slot]);
        }
        let mut active = 0;
        if self.shift[2] != 0.0 {
            for (g, group) in self.groups().iter().enumerate() {
                active |= rays_of::<S>(group.meets_from_far(s, self.shift, near, far), g);
            }
            return active;
        }
        for (g, group) in self.groups().iter().enumerate() {
            let (r, o) = (group.reciprocal, group.scaled_origin);
            let (mut enter, mut exit) = (group.rays.t_min, group.best.high);
            for axis in 0..3 {
                enter = s.max(enter, s.approx_mul_add(near[axis], r[axis], o[axis]));
                exit = s.min(exit, s.approx_mul_add(far[axis], r[axis], o[axis]));
            }
            active |= rays_of::<S>(s.movemask(s.le(enter, exit)), g);
        }
        active
    }

    /// Tests the active rays against the triangles of a block. Returns the rays that hit any with `ANY`, else
    /// those with a new best hit.
    #[inline(always)]
    pub(crate) fn test_block<const ANY: bool>(
        &mut self,
        leaves: &Leaves,
        block: &TriangleBlock,
        index: usize,
        active: RaySet,
        reach: &Reach,
    ) -> RaySet {
        let lanes = self.test_boxes(block, reach);
        if lanes == 0 {
            0
        } else if self.has_one_origin {
            self.test_triangles::<ANY, true>(leaves, block, index, active, lanes)
        } else {
            self.test_triangles::<ANY, false>(leaves, block, index, active, lanes)
        }
    }

    /// Tests the active rays against the triangles in some lanes of a block. With `ONE_ORIGIN` the corners
    /// are moved to the origin of all rays at once.
    // Longer than 60 lines: one step after the other over values in registers.
    #[inline(always)]
    fn test_triangles<const ANY: bool, const ONE_ORIGIN: bool>(
        &mut self,
        leaves: &Leaves,
        block: &TriangleBlock,
        index: usize,
        mut active: RaySet,
        mut lanes: u32,
    ) -> RaySet {
        let (s, r, shared) = (self.simd, self.simd.rays(), self.shared());
        let mut rows: CornerRows = [[[0.0; BLOCK_WIDTH]; 3]; 3];
        for corner in 0..3 {
            let coordinates = self.load(&block.corners[corner]);
            for axis in 0..3 {
                let origin = s.octet(self.groups[0].rays.origin[axis], 0);
                let coordinate = coordinates[axis];
                rows[corner][axis] =
                    s.store(if ONE_ORIGIN { s.sub(coordinate, origin) } else { coordinate });
            }
        }
        let [x, y, z] = self.rows;
        let normals = [x.of(&block.normal), y.of(&block.normal), z.of(&block.normal)];
        let mut found = 0;
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize % BLOCK_WIDTH;
            lanes &= lanes - 1;
            let mut corners = [[r.splat(0.0); 3]; 3];
            for corner in 0..3 {
                for axis in 0..3 {
                    corners[corner][axis] = r.splat(rows[corner][axis][lane]);
                }
            }
            let normal =
                [r.splat(normals[0][lane]), r.splat(normals[1][lane]), r.splat(normals[2][lane])];
            let position = LeafPosition::new(index, lane);
            let mut left = active;
            while left != 0 {
                let g = left.trailing_zeros() as usize / group_width::<S>();
                let wanted = lanes_of::<S>(left, g);
                left &= !rays_of::<S>(group_mask::<S>(), g);
                let group = &mut self.groups[g % N_GROUPS];
                let corners = if ONE_ORIGIN { corners } else { relative(r, corners, &group.rays) };
                let (hits, undecided) =
                    group.test_triangle::<S, ANY>(r, &shared, corners, normal, wanted, position);
                found |= rays_of::<S>(hits, g);
                if undecided != 0 {
                    let axes = self.axes;
                    let lanes = undecided;
                    let hits = s.vectorize(Undecided::<S, ANY> {
                        group,
                        shared: &shared,
                        leaves,
                        axes,
                        lanes,
                        corners,
                        position,
                    });
                    found |= rays_of::<S>(hits, g);
                }
            }
            if ANY {
                active &= !found;
            }
        }
        found
    }
}

impl<S: Simd> Bounds<S> {
    /// The `t` at which the first ray may enter and the last ray may leave the slabs between two planes.
    #[inline(always)]
    fn slab_between(&self, s: S, axis: usize, near: S::F, far: S::F) -> (S::F, S::F) {
        let (min, max) = (self.min_reciprocal[axis], self.max_reciprocal[axis]);
        let near = s.sub(near, self.near_origin[axis]);
        let far = s.sub(far, self.far_origin[axis]);
        (s.min(s.mul(near, min), s.mul(near, max)), s.max(s.mul(far, min), s.mul(far, max)))
    }
}

impl<L: Lanes> Group<L> {
    /// The lanes whose rays meet a box, as bits, for origins far from the mesh. `near` and `far` are the
    /// planes of the box, and `shift` moves the origins away from both.
    #[inline(always)]
    fn meets_from_far(&self, s: L, shift: [f32; 3], near: [L::F; 3], far: [L::F; 3]) -> u32 {
        let (mut enter, mut exit) = (self.rays.t_min, self.best.high);
        for axis in 0..3 {
            let (origin, shift) = (self.rays.origin[axis], s.splat(shift[axis]));
            let near = s.sub(near[axis], s.add(origin, shift));
            let far = s.sub(far[axis], s.sub(origin, shift));
            enter = s.max(enter, s.mul(near, self.reciprocal[axis]));
            exit = s.min(exit, s.mul(far, self.reciprocal[axis]));
        }
        s.movemask(s.le(enter, exit))
    }

    /// Tests the rays in the lanes `wanted` against a triangle. Returns the lanes that certainly hit it, or
    /// without `ANY` those whose best hit it became, and the undecided lanes.
    #[inline(always)]
    fn test_triangle<S: Simd, const ANY: bool>(
        &mut self,
        s: L,
        shared: &Shared<S>,
        corners: Corners<L>,
        normal: [L::F; 3],
        wanted: u32,
        position: LeafPosition,
    ) -> (u32, u32) {
        let within_edges = within_edges(s, &self.rays, corners);
        let within = s.movemask(within_edges.maybe) & wanted;
        if within == 0 {
            return (0, 0);
        }
        let plane = Plane::new(s, &self.rays, normal, corners[0]);
        let mut lanes = within & s.movemask(plane.in_range(s, &self.rays, self.best.high));
        if lanes == 0 {
            return (0, 0);
        }
        let certain = within_edges.certainly(s);
        match shared.faces {
            Faces::Both => {}
            Faces::Front => {
                let front = within_edges.front(s, shared.backward);
                lanes &= front | !s.movemask(certain);
            }
            Faces::Back => {
                let front = within_edges.front(s, shared.backward);
                lanes &= !front | !s.movemask(certain);
            }
        }
        if ANY {
            let in_range = plane.certainly_in_range(s, &self.rays, self.best.high);
            let hits = s.movemask(s.and(certain, in_range)) & lanes;
            return (hits, lanes & !hits);
        }
        let (low, high) = plane.t_bounds(s, &self.rays);
        let in_range = s.and(s.le(self.rays.t_min, low), s.le(high, self.best.low));
        let closer = s.movemask(s.and(certain, in_range)) & lanes;
        self.best.set(s, s.mask_from_bits(closer), [low, high], position);
        (closer, lanes & !closer)
    }
}
