//! The tests in f32: eight boxes or eight triangles of a tree at once, and generous.
//!
//! Both test the line of a ray in the space of the tree. `t` is counted from the point of the line that is
//! closest to the origin of that space, in units of the largest component of the direction. So a distant
//! origin costs no digits: whatever is near the mesh has numbers of the mesh's size.

use crate::{
    layout::{Lanes, WIDTH},
    line::Line,
};

/// All triangles of a block.
pub(crate) const ALL: u32 = (1 << WIDTH) - 1;

/// A comparison in lanes, as bits. The compiler does not find the instruction that collects them.
macro_rules! compared {
    ($instruction:ident, $operator:tt, $a:ident, $b:ident) => {{
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        {
            use std::arch::wasm32::{$instruction, f32x4, i32x4_bitmask};
            let ([a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]) = (*$a, *$b);
            let low = $instruction(f32x4(a, b, c, d), f32x4(i, j, k, l));
            let high = $instruction(f32x4(e, f, g, h), f32x4(m, n, o, p));
            u32::from(i32x4_bitmask(low)) | u32::from(i32x4_bitmask(high)) << 4
        }
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        {
            (0..WIDTH).fold(0, |mask, lane| mask | u32::from($a[lane] $operator $b[lane]) << lane)
        }
    }};
}

/// A bound of the rounding in f32 of a coordinate or a `t` here, relative to the largest operand: six
/// operations round by 2^-24 each.
const ROUNDING: f32 = 1.0 / (1 << 20) as f32;

/// A bound of the rounding of the line's start in f64, relative to the ray's origin.
const ROUNDING_OF_START: f64 = 1e-14;

/// The smallest component of a direction whose largest is 1. A smaller one turns the line by less than any
/// rounding.
const LEAST: f64 = 1e-30;

/// The part of a triangle's size squared by which an edge function may be negative: more than the tolerance of
/// the test in f64, which is relative to the sum of the three.
const EDGE_TOLERANCE: f32 = 1e-5;

/// The line of a ray in the space of the tree.
pub(crate) struct WideLine {
    /// The axis of the direction's largest component, then the two others.
    axes: [usize; 3],
    start: [f32; 3],
    /// The start, moved so that the near and the far sides of boxes move away from each other.
    start_of_near: [f32; 3],
    start_of_far: [f32; 3],
    inverse: [f32; 3],
    /// The direction on the two other axes, per unit of the first.
    shear: [f32; 2],
    /// A bound of the distance by which a coordinate here may be wrong.
    error: f32,
    /// The `t` here is `(t * unit - first) * scale`.
    unit: f64,
    first: f64,
    scale: f64,
}

impl WideLine {
    /// The line of a ray; `None` if the direction is zero or NaN, with which no formula finds a hit. `scale`
    /// brings the mesh to the space of the tree, and `largest` is its largest coordinate.
    pub(crate) fn new(line: &Line, largest: f64, scale: f64) -> Option<Self> {
        let (o, d) = (line.origin, line.direction);
        let [x, y, z] = d.map(f64::abs);
        let axis = if x >= y && x >= z {
            0
        } else if y >= z {
            1
        } else {
            2
        };
        let unit = d[axis].abs();
        // In this form a NaN is refused.
        let has_direction = unit > 0.0;
        if !has_direction {
            return None;
        }
        let d = d.map(|x| x / unit);
        let first =
            -(o[0] * d[0] + o[1] * d[1] + o[2] * d[2]) / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        let start = [0, 1, 2].map(|i| (o[i] + first * d[i]) * scale);
        let [reach, distance] = [start, o].map(|[x, y, z]| x.abs().max(y.abs()).max(z.abs()));
        let error = f64::from(ROUNDING) * (scale * largest + reach)
            + scale * (2.0 * line.slack + ROUNDING_OF_START * distance);
        let error = error as f32 + f32::MIN_POSITIVE;
        let inverse = d.map(|x| 1.0 / if x.abs() < LEAST { LEAST.copysign(x) } else { x });
        let start = start.map(|x| x as f32);
        let moved = |by: f32| [0, 1, 2].map(|i| start[i] + if inverse[i] < 0.0 { -by } else { by });
        let axes = [axis, (axis + 1) % 3, (axis + 2) % 3];
        Some(Self {
            axes,
            start,
            start_of_near: moved(error),
            start_of_far: moved(-error),
            inverse: inverse.map(|x| x as f32),
            // The largest component is 1 or -1.
            shear: [(d[axes[1]] * d[axis]) as f32, (d[axes[2]] * d[axis]) as f32],
            error,
            unit,
            first,
            scale,
        })
    }

    /// A number that is at most the `t` of the ray here.
    pub(crate) fn t_below(&self, t: f64) -> f32 {
        let t = ((t * self.unit - self.first) * self.scale) as f32;
        t - self.error - t.abs() * ROUNDING
    }

    /// A number that is at least the `t` of the ray here.
    pub(crate) fn t_above(&self, t: f64) -> f32 {
        let t = ((t * self.unit - self.first) * self.scale) as f32;
        t + self.error + t.abs() * ROUNDING
    }

    /// The `t` at which the line enters each box, and the boxes that it may meet: bit `i` is box `i`.
    #[inline]
    pub(crate) fn test_boxes(
        &self,
        bounds: &[[Lanes; 2]; 3],
        t_min: f32,
        t_max: f32,
    ) -> (Lanes, u32) {
        let (mut enter, mut exit) = ([t_min; WIDTH], [t_max; WIDTH]);
        for (axis, [low, high]) in bounds.iter().enumerate() {
            let inverse = self.inverse[axis];
            let (near, far) = if inverse < 0.0 { (high, low) } else { (low, high) };
            let (start_of_near, start_of_far) = (self.start_of_near[axis], self.start_of_far[axis]);
            for slot in 0..WIDTH {
                let into = (near[slot] - start_of_near) * inverse;
                let out = (far[slot] - start_of_far) * inverse;
                // In this form a NaN changes nothing.
                enter[slot] = if into > enter[slot] { into } else { enter[slot] };
                exit[slot] = if out < exit[slot] { out } else { exit[slot] };
            }
        }
        let first = enter.map(|enter| enter - enter.abs() * ROUNDING);
        let last = exit.map(|exit| exit + exit.abs() * ROUNDING);
        (enter, at_most(&first, &last))
    }

    /// The triangles that the line may meet: bit `i` is triangle `i`. Those of empty lanes count as well.
    #[inline]
    pub(crate) fn test_triangles(&self, corners: &[[Lanes; 3]; 3]) -> u32 {
        let [a, b, c] = [0, 1, 2].map(|corner| self.sheared(&corners[corner]));
        let (mut least_of_all, mut most_of_all, mut errors) =
            ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
        for lane in 0..WIDTH {
            let [ax, bx, cx] = [a[0][lane], b[0][lane], c[0][lane]];
            let [ay, by, cy] = [a[1][lane], b[1][lane], c[1][lane]];
            let edges = [ax * by - ay * bx, bx * cy - by * cx, cx * ay - cy * ax];
            let size =
                larger(larger(ax.abs() + ay.abs(), bx.abs() + by.abs()), cx.abs() + cy.abs());
            let error = 2.0 * (size + self.error) * self.error + EDGE_TOLERANCE * size * size;
            let [e0, e1, e2] = edges;
            let (least, most) = (-larger(larger(-e0, -e1), -e2), larger(larger(e0, e1), e2));
            (least_of_all[lane], most_of_all[lane], errors[lane]) = (least, most, error);
        }
        // Two edge functions with certain and opposite signs; false for NaN.
        let misses = less(&errors, &most_of_all) & less(&least_of_all, &errors.map(|error| -error));
        !misses & ALL
    }

    /// The coordinates of corners on the two other axes, as seen along the line.
    #[inline]
    fn sheared(&self, corner: &[Lanes; 3]) -> [Lanes; 2] {
        let [along, x, y] = self.axes;
        let mut sheared = [[0.0; WIDTH]; 2];
        for (i, axis) in [x, y].into_iter().enumerate() {
            for lane in 0..WIDTH {
                let depth = corner[along][lane] - self.start[along];
                sheared[i][lane] = corner[axis][lane] - self.start[axis] - self.shear[i] * depth;
            }
        }
        sheared
    }
}

/// The larger number. Not `f32::max`, whose handling of NaN keeps the loop from vector instructions.
#[inline]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The lanes with `a <= b`, as bits; none for NaN.
#[inline]
fn at_most(a: &Lanes, b: &Lanes) -> u32 {
    compared!(f32x4_le, <=, a, b)
}

/// The lanes with `a < b`, as bits; none for NaN.
#[inline]
fn less(a: &Lanes, b: &Lanes) -> u32 {
    compared!(f32x4_lt, <, a, b)
}
