//! The block that leaves are made of: eight triangles, transposed.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use hitscan_primitives::plane_normal;

/// Eight triangles in structure-of-arrays form.
///
/// Empty lanes and triangles without area are NaN, which every test rejects. The latter keep their
/// number, so that a refit can bring them back.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(32))]
pub(crate) struct TriangleBlock {
    /// `corners[corner][axis]`, in the mesh's scaled space.
    pub(crate) corners: [[[f32; 8]; 3]; 3],
    /// The normal by [`plane_normal`], per axis.
    pub(crate) normal: [[f32; 8]; 3],
    /// The triangles' numbers; [`TriangleBlock::NO_TRIANGLE`] in empty lanes.
    pub(crate) triangles: [u32; 8],
}

const _: () = assert!(size_of::<TriangleBlock>() == 416);

impl TriangleBlock {
    /// The number in an empty lane.
    pub(crate) const NO_TRIANGLE: u32 = u32::MAX;

    pub(crate) const EMPTY: Self = Self {
        corners: [[[f32::NAN; 8]; 3]; 3],
        normal: [[f32::NAN; 8]; 3],
        triangles: [Self::NO_TRIANGLE; 8],
    };

    /// Puts a triangle with its corners, in the mesh's scaled space.
    pub(crate) fn set(&mut self, lane: usize, triangle: u32, corners: [Vec3; 3]) {
        self.triangles[lane] = triangle;
        let [a, b, c, normal] = match plane_normal(corners) {
            Some(normal) => [corners[0], corners[1], corners[2], normal],
            None => [Vec3::NAN; 4],
        };
        set_corners(&mut self.corners, lane, [a, b, c]);
        for axis in 0..3 {
            self.normal[axis][lane] = normal[axis];
        }
    }

    /// Takes the corners and the normal out of a lane, so that nothing there is hit.
    pub(crate) fn clear(&mut self, lane: usize) {
        for row in self.corners.as_flattened_mut().iter_mut().chain(&mut self.normal) {
            row[lane] = f32::NAN;
        }
    }

    /// The corners of a triangle as stored.
    #[inline]
    pub(crate) fn corners_of(&self, lane: usize) -> [Vec3; 3] {
        corners_of(&self.corners, lane)
    }
}

/// The corners in one lane of [`TriangleBlock::corners`].
#[inline]
pub(crate) fn corners_of(corners: &[[[f32; 8]; 3]; 3], lane: usize) -> [Vec3; 3] {
    let [a, b, c] = corners;
    [a, b, c].map(|[x, y, z]| Vec3::new(x[lane], y[lane], z[lane]))
}

/// Sets the corners in one lane of [`TriangleBlock::corners`].
#[inline(always)]
pub(crate) fn set_corners(rows: &mut [[[f32; 8]; 3]; 3], lane: usize, corners: [Vec3; 3]) {
    for (rows, corner) in rows.iter_mut().zip(corners) {
        for axis in 0..3 {
            rows[axis][lane] = corner.to_array()[axis];
        }
    }
}
