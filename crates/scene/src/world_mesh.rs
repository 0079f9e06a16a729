//! The mesh of an instance with its corners in world space.

use glam::{DMat3, DVec3};
use hitscan_primitives::{Aabb, TriMesh};

use crate::{WorldBox, scene::Record};

/// A mesh in world space, relative to a point. The coordinates stay small, and so exact, even if the
/// scene lies far from the origin.
pub(crate) struct WorldMesh<'a> {
    pub(crate) tri_mesh: &'a TriMesh,
    linear: DMat3,
    abs_linear: DMat3,
    offset: DVec3,
}

impl<'a> WorldMesh<'a> {
    /// The mesh of an instance relative to `point`; `None` for a group.
    pub(crate) fn new(record: &'a Record, point: DVec3) -> Option<Self> {
        let world = record.mesh_to_world();
        Some(Self {
            tri_mesh: record.instance.mesh.as_ref()?.tri_mesh(),
            linear: world.matrix3,
            abs_linear: world.matrix3.abs(),
            offset: world.translation - point,
        })
    }

    /// The corners of a triangle.
    pub(crate) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        let corners = self.tri_mesh.corners(triangle);
        corners.map(|corner| self.linear * corner.as_dvec3() + self.offset)
    }

    /// A box around the computed [`corners`](Self::corners) of all triangles in a local box.
    pub(crate) fn bounds(&self, local: &Aabb) -> WorldBox {
        // At most fifteen roundings, of numbers of at most `extent`.
        const SHARE: f64 = 32.0 * f64::EPSILON;
        let (min, max) = (local.min.as_dvec3(), local.max.as_dvec3());
        let (center, half) = (0.5 * (min + max), 0.5 * (max - min));
        let extent = self.abs_linear * (center.abs() + half) + self.offset.abs();
        let center = self.linear * center + self.offset;
        let half = self.abs_linear * half + SHARE * extent;
        WorldBox { min: center - half, max: center + half }
    }
}
