//! The space in which two placed meshes meet: which f64 corners count.

use glam::{DAffine3, DMat3, DVec3, Vec3};
use thiserror::Error;

use crate::{Aabb, PairPoints, recentre::power_of_two_below, tri_mesh::query_scale_of};

/// The reason why a question about two meshes was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshPairError {
    /// A transform has a component that is infinite or NaN.
    #[error("the transform of the {} mesh is not finite: found {value}; use finite numbers", ordinal(*.mesh))]
    NotFinite {
        /// 0 for the first mesh, 1 for the second.
        mesh: usize,
        /// The component.
        value: f64,
    },
    /// A transform takes a corner of a mesh too far away.
    #[error("the transform of the {} mesh reaches beyond 1e120 units; use smaller values", ordinal(*.mesh))]
    TooFar {
        /// 0 for the first mesh, 1 for the second.
        mesh: usize,
    },
    /// The maximum distance is negative or NaN.
    #[error("the maximum distance is {0}; expected 0 or more")]
    MaxDistance(f64),
}

fn ordinal(mesh: usize) -> &'static str {
    ["first", "second"][mesh]
}

/// The segment in which two triangles of a pair of meshes cross, by [`triangle_crossing`](crate::triangle_crossing).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleCrossing {
    /// The index of the triangle in each mesh.
    pub triangles: [u32; 2],
    /// The ends, in the common space; equal where the triangles touch in a point.
    pub segment: [DVec3; 2],
}

impl TriangleCrossing {
    /// The crossing of two triangles, from the segment in pair space.
    pub fn new(triangles: [u32; 2], segment: [DVec3; 2], space: &PairSpace) -> Self {
        Self { triangles, segment: segment.map(|end| end / space.scale) }
    }
}

/// The distance between two meshes, with the nearest points.
///
/// It is the first by `(distance, first triangle, second triangle)` over all pairs of triangles, by
/// [`triangle_distance`](crate::triangle_distance).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshDistance {
    /// The index of the triangle in each mesh.
    pub triangles: [u32; 2],
    /// The nearest point of each mesh, in the common space. Both are the same where the meshes have a point in common.
    pub points: [DVec3; 2],
    /// The distance between the points, in the common space. 0 exactly if the meshes have a point in common.
    pub distance: f64,
}

impl MeshDistance {
    /// The distance of two triangles, from their nearest points in pair space.
    pub fn new(triangles: [u32; 2], found: &PairPoints, space: &PairSpace) -> Self {
        Self {
            triangles,
            points: found.points.map(|point| point / space.scale),
            distance: found.distance_squared.sqrt() / space.scale,
        }
    }
}

/// The maximum coordinate of a placed mesh.
const FARTHEST: f64 = 1e120;

/// The least size of a coordinate in pair space other than 0: 2^-300. Products of three differences stay exact.
const LEAST: f64 = f64::from_bits((1023 - 300) << 52);

/// Two meshes in one space, each by its own transform.
///
/// The corners of a triangle are `((x_axis * x + y_axis * y) + z_axis * z) + translation`, in f64, each operation rounded, of
/// the f32 position `(x, y, z)`. Every answer about the pair is about these corners. The transform may be singular: then
/// the mesh is flat, but it has corners all the same.
///
/// Pair space is the common space of both transforms times a [scale](Self::scale), a power of two. It is 1 unless the largest
/// coordinate lies outside `[2^-40, 2^40]`. A coordinate below 2^-300 in pair space counts as 0.
#[derive(Clone, Copy, Debug)]
pub struct PairSpace {
    /// From the [scaled](crate::TriMesh::query_scale) space of each mesh to pair space.
    placements: [DAffine3; 2],
    scale: f64,
}

impl PairSpace {
    /// The space of two meshes with these [bounds](crate::TriMesh::bounds), which may be empty, and the transforms that place them.
    ///
    /// # Errors
    /// A transform that is not finite, or takes its mesh beyond 1e120 units.
    pub fn new(bounds: [Aabb; 2], transforms: [DAffine3; 2]) -> Result<Self, MeshPairError> {
        let mut largest = 0.0f64;
        for mesh in 0..2 {
            let (bounds, transform) = (bounds[mesh], transforms[mesh]);
            if let Some(value) = transform.to_cols_array().into_iter().find(|x| !x.is_finite()) {
                return Err(MeshPairError::NotFinite { mesh, value });
            }
            if bounds.is_empty() {
                continue;
            }
            let corner = bounds.min.abs().max(bounds.max.abs()).as_dvec3();
            let farthest = transform.matrix3.abs() * corner + transform.translation.abs();
            // In this form a NaN is too far.
            let is_near = farthest.max_element() <= FARTHEST;
            if !is_near {
                return Err(MeshPairError::TooFar { mesh });
            }
            largest = largest.max(farthest.max_element());
        }
        let (least, most) = (2f64.powi(-40), 2f64.powi(40));
        let scale = if largest == 0.0 || (least..=most).contains(&largest) {
            1.0
        } else {
            1.0 / power_of_two_below(largest.max(2f64.powi(-400)))
        };
        let mut placements = [DAffine3::IDENTITY; 2];
        for mesh in (0..2).filter(|&mesh| !bounds[mesh].is_empty()) {
            let factor = scale / query_scale_of(bounds[mesh]);
            // Where a product overflows, the mesh is flat: all its coordinates on this axis are 0.
            let scaled = |axis: DVec3| {
                (axis * factor).clamp(DVec3::splat(-f64::MAX), DVec3::splat(f64::MAX))
            };
            let DAffine3 { matrix3: DMat3 { x_axis, y_axis, z_axis }, translation } =
                transforms[mesh];
            placements[mesh] = DAffine3 {
                matrix3: DMat3::from_cols(scaled(x_axis), scaled(y_axis), scaled(z_axis)),
                translation: translation * scale,
            };
        }
        Ok(Self { placements, scale })
    }

    /// The space of a mesh with itself, neither of them moved.
    ///
    /// # Panics
    /// Never: no f32 lies beyond 1e120 units.
    pub fn of_one(bounds: Aabb) -> Self {
        let space = Self::new([bounds; 2], [DAffine3::IDENTITY; 2]);
        space.expect("no f32 lies beyond 1e120 units")
    }

    /// The power of two by which pair space is larger than the common space of both transforms.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The transforms from the [scaled](crate::TriMesh::query_scale) spaces of the meshes to pair space.
    pub fn placements(&self) -> &[DAffine3; 2] {
        &self.placements
    }

    /// The corners of a triangle of mesh 0 or 1 in pair space, from those in the [scaled](crate::TriMesh::query_scale) space of the mesh.
    #[inline]
    pub fn corners(&self, mesh: usize, corners: [Vec3; 3]) -> [DVec3; 3] {
        let DAffine3 { matrix3: DMat3 { x_axis, y_axis, z_axis }, translation } =
            self.placements[mesh];
        corners.map(|corner| {
            let DVec3 { x, y, z } = corner.as_dvec3();
            let placed = ((x_axis * x + y_axis * y) + z_axis * z) + translation;
            // -0 becomes 0, too.
            DVec3::select(placed.abs().cmplt(DVec3::splat(LEAST)), DVec3::ZERO, placed)
        })
    }

    /// The largest squared distance in pair space of points whose [distance](MeshDistance::distance) is within a maximum, inclusive.
    ///
    /// # Errors
    /// A maximum that is negative or NaN.
    pub fn max_distance_squared(&self, max_distance: f64) -> Result<f64, MeshPairError> {
        // In this form a NaN is an error.
        let is_valid = max_distance >= 0.0;
        if !is_valid {
            return Err(MeshPairError::MaxDistance(max_distance));
        }
        // The square is rounded, and so is the root of the squared distance.
        let max = max_distance * self.scale;
        let mut squared = max * max;
        while squared.sqrt() > max {
            squared = squared.next_down();
        }
        while squared < f64::INFINITY && squared.next_up().sqrt() <= max {
            squared = squared.next_up();
        }
        Ok(squared)
    }
}
