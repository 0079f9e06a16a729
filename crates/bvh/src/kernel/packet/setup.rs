//! Packet setup: which rays can go as a packet, and the constants of its tests.

use hitscan_primitives::{Axis, Ray, WatertightRay};

use super::{
    BestLanes, Bounds, Group, LANES, Packet, RaySet, group_mask, group_width, max_lane, rays_of,
};
use crate::{
    error_bounds::{
        FARTHEST, LEAST_COMPONENT, LONGEST, PLANE_SLACK, SHORT, contact_depth, origin_shift,
    },
    kernel::triangle_filter::RayLanes,
    layout::Reach,
    simd::{Lanes, Row, Simd, as_row},
};

/// The properties that the rays of a packet share.
struct Kind {
    axes: [Axis; 3],
    /// Per rotated axis, whether the rays run against it.
    backward: [bool; 3],
}

impl Kind {
    #[inline(always)]
    fn of(ray: &Ray) -> Self {
        let axes = *WatertightRay::dominant_axes(ray.direction);
        let d = ray.direction.to_array();
        let backward = [
            d[axes[0].index()].is_sign_negative(),
            d[axes[1].index()].is_sign_negative(),
            d[axes[2].index()].is_sign_negative(),
        ];
        Self { axes, backward }
    }
}

impl<S: Simd> Packet<S> {
    /// Makes this the packet of the rays at `indices`, 1 to [`PACKET_WIDTH`](super::PACKET_WIDTH), and returns the valid
    /// ones. `None` if it cannot take all valid rays: they must share octant and dominant axis. None may
    /// start so far away that products overflow in f32, or have a tiny or huge direction. `reach` is that of
    /// the tree.
    ///
    /// Fills in place, because a packet is too large to move. Longer than 60 lines, because its loop keeps
    /// its reductions over all groups in registers.
    #[inline(always)]
    pub(crate) fn fill(&mut self, rays: &[Ray], indices: &[u32], reach: &Reach) -> Option<RaySet> {
        let (s, r) = (self.simd, self.simd.rays());
        let Some(leader) = first_valid(rays, indices) else { return Some(0) };
        let Kind { axes, backward } = Kind::of(leader);
        let [kx, ky, kz] = [axes[0].index(), axes[1].index(), axes[2].index()];
        let zero = r.splat(0.0);
        let minus = r.splat(-0.0);
        let first_origin = leader.origin.to_array();
        let first_origin =
            [r.splat(first_origin[kx]), r.splat(first_origin[ky]), r.splat(first_origin[kz])];
        let (mut valid, mut farthest) = (0, zero);
        let all = group_mask::<S>();
        let mut one_origin = all;
        let width = group_width::<S>();
        self.n_groups = indices.len().div_ceil(width);
        for (g, indices) in indices.chunks(width).enumerate() {
            let mut columns = [zero; LANES];
            for octet in 0..S::OCTETS {
                let mut rows = [s.splat(0.0); LANES];
                for lane in 0..LANES {
                    // Lanes without a ray repeat the last one.
                    let index = indices[(LANES * octet + lane).min(indices.len() - 1)];
                    rows[lane] = s.load(as_row(&rays[index as usize]));
                }
                rows = s.transpose(rows);
                for i in 0..LANES {
                    columns[i] = s.with_octet(columns[i], octet, rows[i]);
                }
            }
            let used = all >> (width - indices.len());
            let fitting = fitting(r, &columns, axes, backward);
            if fitting != all {
                let odd = !fitting & used;
                if any_valid(rays, indices, odd) {
                    return None;
                }
                // Invalid rays take part with the values of another, so that no bound suffers.
                let (mask, leader) = (r.mask_from_bits(!fitting), as_row(leader));
                for i in 0..LANES {
                    columns[i] = r.select(mask, columns[i], r.splat(leader[i]));
                }
            }
            let present = fitting & used;
            valid |= rays_of::<S>(present, g);
            let origin = [columns[kx], columns[ky], columns[kz]];
            let direction = [columns[3 + kx], columns[3 + ky], columns[3 + kz]];
            let mut reciprocal = [zero; 3];
            let mut scaled_origin = [zero; 3];
            for axis in 0..3 {
                let size = r.max(r.abs(direction[axis]), r.splat(LEAST_COMPONENT));
                reciprocal[axis] = r.xor_sign(r.div(r.splat(1.0), size), direction[axis]);
                scaled_origin[axis] = r.xor_sign(r.mul(origin[axis], reciprocal[axis]), minus);
                farthest = r.max(farthest, r.abs(origin[axis]));
                one_origin &= r.movemask(r.eq(origin[axis], first_origin[axis]));
            }
            // Every `t` is finite, and infinity times zero would be NaN.
            let t_min = r.max(columns[6], r.splat(f32::MIN));
            let t_max = r.min(columns[7], r.splat(f32::MAX));
            let mut best = BestLanes::none_until(r, t_max);
            if present != all {
                best.retire(r, r.mask_from_bits(!present));
            }
            let shear = [r.div(direction[0], direction[2]), r.div(direction[1], direction[2])];
            let rays = RayLanes { origin, direction, shear, t_min, slack: zero };
            self.groups[g] = Group { rays, reciprocal, scaled_origin, best };
        }
        let farthest_origin = max_lane(s, farthest);
        let farthest = farthest_origin + reach.max;
        if farthest > FARTHEST {
            return None;
        }
        self.contact = contact_depth(farthest);
        let slack = r.splat(PLANE_SLACK * farthest);
        for group in &mut self.groups[..self.n_groups] {
            group.rays.slack = slack;
        }
        let shift = origin_shift(farthest_origin, reach.near);
        self.has_one_origin = one_origin == all;
        self.axes = axes;
        self.rows = [Row::new(kx), Row::new(ky), Row::new(kz)];
        self.backward = backward[2];
        for axis in 0..3 {
            self.shift[axis] = if backward[axis] { -shift } else { shift };
            self.near[axis] = Row::new(usize::from(backward[axis]));
            self.far[axis] = Row::new(usize::from(!backward[axis]));
        }
        self.bounds = self.bounds_of_rays(backward);
        Some(valid)
    }

    /// The bounds of the rays.
    #[inline(always)]
    fn bounds_of_rays(&self, backward: [bool; 3]) -> Bounds<S> {
        let (s, r) = (self.simd, self.simd.rays());
        let groups = &self.groups[..self.n_groups.max(1)];
        let (mut low, mut high) = (groups[0].reciprocal, groups[0].reciprocal);
        let (mut t_min, mut t_max) = (groups[0].rays.t_min, groups[0].best.high);
        for group in &groups[1..] {
            for axis in 0..3 {
                low[axis] = r.min(low[axis], group.reciprocal[axis]);
                high[axis] = r.max(high[axis], group.reciprocal[axis]);
            }
            t_min = r.min(t_min, group.rays.t_min);
            t_max = r.max(t_max, group.best.high);
        }
        let extremes = Extremes::new(s, low, high, t_min, t_max);
        let [x, y, z] = groups[0].rays.origin;
        let origin = [s.octet(x, 0), s.octet(y, 0), s.octet(z, 0)];
        let (mut near_origin, mut far_origin) = (origin, origin);
        if !self.has_one_origin || self.shift[2] != 0.0 {
            (near_origin, far_origin) = self.origins_of(groups, backward);
        }
        Bounds {
            near_origin,
            far_origin,
            min_reciprocal: in_all_lanes(s, extremes.min),
            max_reciprocal: in_all_lanes(s, extremes.max),
            t_min: s.splat(extremes.t_min),
            t_max: s.splat(extremes.t_max),
        }
    }

    /// The origins of some groups for near and for far planes.
    #[inline(always)]
    fn origins_of(&self, groups: &[Group<S::Rays>], backward: [bool; 3]) -> ([S::F; 3], [S::F; 3]) {
        let (s, r) = (self.simd, self.simd.rays());
        let (mut low, mut high) = (groups[0].rays.origin, groups[0].rays.origin);
        for group in &groups[1..] {
            for axis in 0..3 {
                low[axis] = r.min(low[axis], group.rays.origin[axis]);
                high[axis] = r.max(high[axis], group.rays.origin[axis]);
            }
        }
        let Extremes { min, max, .. } = Extremes::new(s, low, high, low[0], high[0]);
        let (mut near, mut far) = (max, min);
        for axis in 0..3 {
            if backward[axis] {
                (near[axis], far[axis]) = (min[axis], max[axis]);
            }
            near[axis] += self.shift[axis];
            far[axis] -= self.shift[axis];
        }
        (in_all_lanes(s, near), in_all_lanes(s, far))
    }
}

/// The first valid ray of some.
#[inline(always)]
fn first_valid<'a>(rays: &'a [Ray], indices: &[u32]) -> Option<&'a Ray> {
    for &index in indices {
        let ray = &rays[index as usize];
        if ray.is_valid() {
            return Some(ray);
        }
    }
    None
}

/// Whether any of the rays in `lanes` is valid.
#[inline(always)]
fn any_valid(rays: &[Ray], indices: &[u32], lanes: u32) -> bool {
    let mut left = lanes;
    while left != 0 {
        let index = indices[left.trailing_zeros() as usize];
        left &= left - 1;
        if rays[index as usize].is_valid() {
            return true;
        }
    }
    false
}

/// The lanes of valid rays that fit a packet, as bits. `columns` holds the rays' components.
#[inline(always)]
fn fitting<L: Lanes>(s: L, columns: &[L::F; LANES], axes: [Axis; 3], backward: [bool; 3]) -> u32 {
    let zero = s.splat(0.0);
    // Zero times a number is zero, times anything else NaN.
    let mut sum = s.mul(columns[0], zero);
    for component in 1..6 {
        sum = s.add(sum, s.mul(columns[component], zero));
    }
    let [kx, ky, kz] = [axes[0].index(), axes[1].index(), axes[2].index()];
    let direction = [columns[3 + kx], columns[3 + ky], columns[3 + kz]];
    let [x, y, z] = [s.abs(direction[0]), s.abs(direction[1]), s.abs(direction[2])];
    let is_usual = s.and(s.le(s.splat(SHORT), z), s.le(z, s.splat(LONGEST)));
    let is_valid = s.and(s.eq(sum, zero), s.le(columns[6], columns[7]));
    let mut lanes = s.movemask(s.and(is_usual, is_valid));
    // The dominant axis by the reference's rule: a tie goes to the earlier axis.
    for (other, axis) in [(x, kx), (y, ky)] {
        lanes &= s.movemask(s.le(other, z));
        if axis < kz {
            lanes &= !s.movemask(s.eq(other, z));
        }
    }
    for axis in 0..3 {
        let signs = s.sign_bits(direction[axis]);
        lanes &= if backward[axis] { signs } else { !signs };
    }
    lanes
}

/// The minima and maxima over all lanes of some registers.
struct Extremes {
    min: [f32; 3],
    max: [f32; 3],
    t_min: f32,
    t_max: f32,
}

impl Extremes {
    /// The minima of `low` and `t_min`, the maxima of `high` and `t_max`.
    #[inline(always)]
    fn new<S: Simd>(
        s: S,
        [low_x, low_y, low_z]: [<S::Rays as Lanes>::F; 3],
        high: [<S::Rays as Lanes>::F; 3],
        t_min: <S::Rays as Lanes>::F,
        t_max: <S::Rays as Lanes>::F,
    ) -> Self {
        // Maxima as minima of the negatives, which are exact.
        let (r, minus) = (s.rays(), s.rays().splat(-0.0));
        let [high_x, high_y, high_z, t_max] = [
            r.xor_sign(high[0], minus),
            r.xor_sign(high[1], minus),
            r.xor_sign(high[2], minus),
            r.xor_sign(t_max, minus),
        ];
        let least = least_of_each(s, [low_x, low_y, low_z, high_x, high_y, high_z, t_min, t_max]);
        let [low_x, low_y, low_z, high_x, high_y, high_z, t_min, t_max] = least;
        let (min, max) = ([low_x, low_y, low_z], [-high_x, -high_y, -high_z]);
        Self { min, max, t_min, t_max: -t_max }
    }
}

/// The minimum lane of each of the rows.
#[inline(always)]
fn least_of_each<S: Simd>(s: S, rows: [<S::Rays as Lanes>::F; LANES]) -> [f32; LANES] {
    let mut octets = [s.splat(0.0); LANES];
    for i in 0..LANES {
        octets[i] = s.octet(rows[i], 0);
        for octet in 1..S::OCTETS {
            octets[i] = s.min(octets[i], s.octet(rows[i], octet));
        }
    }
    let [a, b, c, d, e, f, g, h] = s.transpose(octets);
    let (ab, cd, ef, gh) = (s.min(a, b), s.min(c, d), s.min(e, f), s.min(g, h));
    s.store(s.min(s.min(ab, cd), s.min(ef, gh)))
}

/// Each of three numbers in all lanes.
#[inline(always)]
fn in_all_lanes<S: Simd>(s: S, [x, y, z]: [f32; 3]) -> [S::F; 3] {
    [s.splat(x), s.splat(y), s.splat(z)]
}
