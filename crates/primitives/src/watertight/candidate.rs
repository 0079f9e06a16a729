//! What the reference test knows of a triangle before the weights: its edge functions, and a hit by `t` and side.

use crate::{Side, TriangleHit};

/// The edge functions of a triangle as a ray sees it.
#[derive(Clone, Copy, Debug)]
pub struct EdgeFunctions {
    /// The edge functions opposite the corners, from the sheared corners in f64.
    pub functions: [f64; 3],
    /// Their sum: the first plus the sum of the others.
    pub det: f64,
    /// The sum in the same order of the functions times the depths of their corners: the components on the
    /// dominant axis, minus the origin's.
    pub depth: f64,
    /// Whether no two have opposite signs, and none is NaN.
    pub is_inside: bool,
}

/// A hit without `u` and `v`. A search compares many candidates and needs the weights of only one.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The position on the ray, as in [`TriangleHit::t`].
    pub t: f32,
    /// The side from which the ray comes.
    pub side: Side,
    /// The edge functions opposite the corners; all of one sign, or zero.
    pub(super) edges: [f64; 3],
    /// Their sum; not zero.
    pub(super) det: f64,
}

impl Candidate {
    /// A stand-in for a hit at `t` whose other values are unknown.
    #[inline(always)]
    pub fn without_weights(t: f32) -> Self {
        Self { t, side: Side::Front, edges: [0.0; 3], det: 1.0 }
    }

    /// The weights `[u, v]` of the second and the third corner, each divided and rounded once.
    #[inline(always)]
    pub fn weights(&self) -> [f32; 2] {
        let [_, edge_b, edge_c] = self.edges;
        // `+ 0.0`, as a zero may be negative.
        [(edge_b / self.det) as f32 + 0.0, (edge_c / self.det) as f32 + 0.0]
    }

    /// The hit with its weights.
    #[inline(always)]
    pub fn hit(&self) -> TriangleHit {
        let [u, v] = self.weights();
        TriangleHit { t: self.t, u, v, side: self.side }
    }

    /// Whether the ray passes strictly inside the edges.
    #[inline(always)]
    pub fn is_inside_edges(&self) -> bool {
        let [a, b, c] = self.edges;
        (a != 0.0) & (b != 0.0) & (c != 0.0)
    }
}
