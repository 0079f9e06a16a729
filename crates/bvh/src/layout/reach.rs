//! How far the triangles of a tree lie from zero, and the widening of boxes that follows from it.

use crate::{
    box3::Box3,
    error_bounds::{INFLATION, LEAST_REACH, LEAST_SCALED_REACH},
    scaled_mesh::ScaledMesh,
};

/// The largest coordinates of a tree, in absolute value and in scaled space.
///
/// A box is widened by a share of the largest coordinate of its triangles, because the corners that a ray sees move by a share of
/// their distance from its origin (docs/proof.md). In an ordinary mesh all boxes may as well be widened by the share of
/// the whole mesh: then rays from near the mesh need no shift of planes, which saves three registers. But beside a triangle that is
/// a million times farther away than the others, that would make every small box as large as all of them. So only coordinates up to `near`
/// count for all boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    /// The largest coordinate of the mesh.
    pub(crate) max: f32,
    /// Boxes are widened as if each had a coordinate of this size. At most `max`, and equal to it in ordinary meshes.
    pub(crate) near: f32,
}

/// The share of a leaf's largest side by which the widening of all boxes may exceed its own widening: 1/32. It adds a tenth
/// to the area of such a leaf.
const MAX_SHARE: f32 = 1.0 / 32.0;

/// The same share where the widening has to be chosen.
const CHOSEN_SHARE: f32 = 1.0 / 256.0;

/// The maximum number of leaves for which the shares may be larger. Rays that come near these test them all.
const MAX_EXCEPTIONS: usize = 8;

impl Reach {
    /// The reach of a mesh whose boxes may all be widened by the share of the largest coordinate.
    pub(crate) fn uniform(max: f32) -> Self {
        Self { max, near: max }
    }

    /// The reach of a mesh whose leaves have these boxes.
    pub(crate) fn of_leaves(
        mesh: &ScaledMesh<'_>,
        leaves: impl Iterator<Item = Box3> + Clone,
    ) -> Self {
        let max = mesh.max_abs;
        // The largest `near` that is no harm to a leaf.
        let harmless = |share: f32| {
            let factor = share / INFLATION;
            leaves.clone().map(move |leaf| leaf.reach().max(factor * leaf.max_extent()))
        };
        // Twice the limit is no harm, either.
        let is_harmed = |limit: f32| 2.0 * limit < max;
        if harmless(MAX_SHARE).filter(|&limit| is_harmed(limit)).count() <= MAX_EXCEPTIONS {
            return Self::uniform(max);
        }
        let mut limits: Vec<f32> = harmless(CHOSEN_SHARE).collect();
        let (_, &mut near, _) = limits.select_nth_unstable_by(MAX_EXCEPTIONS, f32::total_cmp);
        Self { max, near: near.max(Self::least(mesh.scale)).min(max) }
    }

    /// The minimum of `near` in a tree of this scale, unless `max` is smaller.
    pub(crate) fn least(scale: f64) -> f32 {
        if scale == 1.0 { LEAST_REACH } else { LEAST_SCALED_REACH }
    }

    /// Whether all boxes are widened alike.
    pub(crate) fn is_uniform(&self) -> bool {
        self.near >= self.max
    }

    /// The widening on every side of a box whose triangles have the largest coordinate `of_box`.
    #[inline]
    pub(crate) fn widening(&self, of_box: f32) -> f32 {
        INFLATION * self.near.max(of_box)
    }
}
