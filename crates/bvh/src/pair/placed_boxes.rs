//! The boxes of a placed mesh in the space of a traversal: pair space moved by an origin, in f32.
//!
//! Boxes only exclude. docs/proof.md shows that each holds the f64 corners of its triangles, with all rounding.

use glam::{DAffine3, DVec3};

use crate::{
    error_bounds::{PLACED_BOX_ROUNDING, PLACED_BOX_SHARE, PLACED_BOX_UNDERFLOW},
    layout::{ChildRef, CornerRows, WideNode},
    simd::{LANES, Simd},
};

/// A box in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Boxes<S: Simd> {
    min: [S::F; 3],
    max: [S::F; 3],
}

/// Eight boxes in memory.
pub(super) struct BoxRows {
    min: [[f32; LANES]; 3],
    max: [[f32; LANES]; 3],
}

/// One box.
#[derive(Clone, Copy)]
pub(super) struct PlacedBox {
    pub(super) min: [f32; 3],
    pub(super) max: [f32; 3],
}

impl PlacedBox {
    /// Around everything. Its extent is finite.
    pub(super) const ALL: Self = Self { min: [-f32::MAX / 16.0; 3], max: [f32::MAX / 16.0; 3] };

    /// The sum of the edge lengths, which tells how large the box is even if it is flat.
    #[inline(always)]
    pub(super) fn size(&self) -> f32 {
        (self.max[0] - self.min[0]) + (self.max[1] - self.min[1]) + (self.max[2] - self.min[2])
    }
}

impl BoxRows {
    #[inline(always)]
    pub(super) fn lane(&self, lane: usize) -> PlacedBox {
        let [x, y, z] = &self.min;
        let min = [x[lane], y[lane], z[lane]];
        let [x, y, z] = &self.max;
        PlacedBox { min, max: [x[lane], y[lane], z[lane]] }
    }
}

impl<S: Simd> Boxes<S> {
    #[inline(always)]
    pub(super) fn splat(s: S, one: &PlacedBox) -> Self {
        let splat = |[x, y, z]: [f32; 3]| [s.splat(x), s.splat(y), s.splat(z)];
        Self { min: splat(one.min), max: splat(one.max) }
    }

    #[inline(always)]
    pub(super) fn rows(&self, s: S) -> BoxRows {
        let rows = |[x, y, z]: [S::F; 3]| [s.store(x), s.store(y), s.store(z)];
        BoxRows { min: rows(self.min), max: rows(self.max) }
    }

    /// The squared distances to other boxes; 0 where they have a point in common.
    #[inline(always)]
    pub(super) fn distances_squared(&self, s: S, other: &Self) -> S::F {
        let (x, y, z) = (self.gap(s, other, 0), self.gap(s, other, 1), self.gap(s, other, 2));
        s.approx_mul_add(z, z, s.approx_mul_add(y, y, s.mul(x, x)))
    }

    #[inline(always)]
    fn gap(&self, s: S, other: &Self, axis: usize) -> S::F {
        let before = s.sub(other.min[axis], self.max[axis]);
        let behind = s.sub(self.min[axis], other.max[axis]);
        s.max(s.max(before, behind), s.splat(0.0))
    }
}

/// The way of a mesh's boxes from its tree to the space of a traversal.
pub(super) struct BoxPlacer<S: Simd> {
    simd: S,
    /// `linear[row][column]`.
    linear: [[S::F; 3]; 3],
    /// Their sizes.
    sizes: [[S::F; 3]; 3],
    translation: [S::F; 3],
    /// What every box is wider on each side, whatever its size.
    slack: [S::F; 3],
}

impl<S: Simd> BoxPlacer<S> {
    /// For the mesh placed in pair space by `placement`. `reach` is the size of both translations, which bounds the rounding of f64.
    #[inline(always)]
    pub(super) fn new(simd: S, placement: &DAffine3, origin: DVec3, reach: DVec3) -> Self {
        let zero = simd.splat(0.0);
        let (mut linear, mut sizes) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        let (mut translation, mut slack) = ([zero; 3], [zero; 3]);
        let offset = placement.translation - origin;
        let columns = placement.matrix3.to_cols_array_2d();
        for row in 0..3 {
            for column in 0..3 {
                linear[row][column] = simd.splat(columns[column][row] as f32);
                sizes[row][column] = simd.abs(linear[row][column]);
            }
            let (offset, reach) = (offset.to_array()[row], reach.to_array()[row]);
            translation[row] = simd.splat(offset as f32);
            slack[row] = simd.splat(
                PLACED_BOX_SHARE * offset.abs() as f32
                    + (PLACED_BOX_ROUNDING * reach) as f32
                    + PLACED_BOX_UNDERFLOW,
            );
        }
        Self { simd, linear, sizes, translation, slack }
    }

    /// The boxes of a node's children, and the slots that hold one.
    #[inline(always)]
    pub(super) fn children(&self, node: &WideNode) -> (Boxes<S>, u32) {
        let s = self.simd;
        let zero = s.splat(0.0);
        let (mut center, mut half) = ([zero; 3], [zero; 3]);
        for axis in 0..3 {
            let [min, max] = &node.bounds[axis];
            let (min, max) = (s.load(min), s.load(max));
            center[axis] = s.mul(s.splat(0.5), s.add(min, max));
            let size = s.max(s.abs(min), s.abs(max));
            let exact = s.mul(s.splat(0.5), s.sub(max, min));
            half[axis] = s.approx_mul_add(s.splat(PLACED_BOX_SHARE), size, exact);
        }
        let is_child = s.le(s.load(&node.bounds[0][0]), s.splat(f32::MAX));
        let (mut min, mut max) = ([zero; 3], [zero; 3]);
        for row in 0..3 {
            let middle = self.along(&self.linear[row], center, self.translation[row]);
            let reach = self.along(&self.sizes[row], half, self.slack[row]);
            (min[row], max[row]) = (s.sub(middle, reach), s.add(middle, reach));
        }
        (Boxes { min, max }, s.movemask(is_child))
    }

    /// The boxes of a block's triangles, and the lanes that hold one.
    #[inline(always)]
    pub(super) fn triangles(&self, corners: &CornerRows) -> (Boxes<S>, u32) {
        let s = self.simd;
        let zero = s.splat(0.0);
        let mut points = [[zero; 3]; 3];
        let mut sizes = [zero; 3];
        for corner in 0..3 {
            for axis in 0..3 {
                points[corner][axis] = s.load(&corners[corner][axis]);
                sizes[axis] = s.max(sizes[axis], s.abs(points[corner][axis]));
            }
        }
        let is_triangle = s.le(points[0][0], s.splat(f32::MAX));
        let share = s.splat(PLACED_BOX_SHARE);
        let sizes = [s.mul(share, sizes[0]), s.mul(share, sizes[1]), s.mul(share, sizes[2])];
        let (mut min, mut max) = ([zero; 3], [zero; 3]);
        for row in 0..3 {
            let (linear, translation) = (&self.linear[row], self.translation[row]);
            let a = self.along(linear, points[0], translation);
            let b = self.along(linear, points[1], translation);
            let c = self.along(linear, points[2], translation);
            let reach = self.along(&self.sizes[row], sizes, self.slack[row]);
            min[row] = s.sub(s.min(s.min(a, b), c), reach);
            max[row] = s.add(s.max(s.max(a, b), c), reach);
        }
        (Boxes { min, max }, s.movemask(is_triangle))
    }

    /// `row · vector + added`.
    #[inline(always)]
    fn along(&self, row: &[S::F; 3], vector: [S::F; 3], added: S::F) -> S::F {
        let s = self.simd;
        let sum = s.approx_mul_add(row[0], vector[0], added);
        s.approx_mul_add(row[2], vector[2], s.approx_mul_add(row[1], vector[1], sum))
    }
}

/// One child, or the children of a node.
pub(super) struct Side<S: Simd> {
    pub(super) boxes: Boxes<S>,
    /// The lanes in use.
    pub(super) mask: u32,
    pub(super) children: [ChildRef; LANES],
}
