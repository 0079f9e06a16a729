//! The parts of split triangles in the leaves, for refits.
//!
//! A refit to boxes of whole triangles would undo all splits, and a city's rays would take almost three times as
//! many steps. So the first refit cuts each split triangle by the boxes of its leaves, and keeps the weights
//! of the vertices. They stay valid however the corners move.

use std::ops::Range;

use glam::{DVec2, Vec3};

use super::polygon::{Polygon, bounds_of, reach_of};
use crate::{box3::Box3, leaf_position::LeafPosition};

/// The parts of split triangles, by their position in the leaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeafParts {
    /// Rising.
    positions: Vec<LeafPosition>,
    /// Part `i` has the vertices `weights[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    /// The weights of the second and third corner.
    weights: Vec<DVec2>,
}

impl LeafParts {
    /// Adds the part of a triangle within the box of its leaf. Positions must rise.
    ///
    /// The box is widened by far more than a cut rounds, so the parts of a triangle still cover it.
    pub(crate) fn push(&mut self, position: LeafPosition, corners: [Vec3; 3], leaf: Box3) {
        let part = part_within(corners, leaf);
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.positions.push(position);
        self.weights.extend(part.vertices().iter().map(|vertex| vertex.weights));
        self.starts.push(self.weights.len() as u32);
    }

    /// The parts at positions in the leaves, in order.
    pub(crate) fn within(
        &self,
        positions: Range<LeafPosition>,
    ) -> impl Iterator<Item = LeafPart<'_>> {
        let place = |position| self.positions.partition_point(|&other| other < position);
        let parts = place(positions.start)..place(positions.end);
        parts.map(|part| LeafPart {
            position: self.positions[part],
            weights: &self.weights[self.starts[part] as usize..self.starts[part + 1] as usize],
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.positions) + size_of_val(&*self.starts) + size_of_val(&*self.weights)
    }
}

/// The part of a triangle within a box; all of it if rounding leaves nothing.
fn part_within(corners: [Vec3; 3], leaf: Box3) -> Polygon {
    let whole = Polygon::of_triangle(corners);
    let [min, max] = [leaf.min.as_dvec3(), leaf.max.as_dvec3()];
    whole.within(min, max).filter(|part| !part.is_empty()).unwrap_or(whole)
}

/// The box of the part of a triangle within the box of its leaf, and the reach of the triangle.
pub(crate) fn part_box(corners: [Vec3; 3], leaf: Box3) -> (Box3, f32) {
    let reach = reach_of(corners);
    (part_within(corners, leaf).bounds(reach), reach)
}

/// A part of a split triangle.
pub(crate) struct LeafPart<'a> {
    pub(crate) position: LeafPosition,
    weights: &'a [DVec2],
}

impl LeafPart<'_> {
    /// The box of the part, if its triangle has moved to `corners`.
    pub(crate) fn bounds(&self, corners: [Vec3; 3]) -> Box3 {
        let reach = reach_of(corners);
        let [a, b, c] = corners.map(|corner| corner.as_dvec3());
        let position = |weights: &DVec2| a + weights.x * (b - a) + weights.y * (c - a);
        bounds_of(self.weights.iter().map(position), reach)
    }
}
