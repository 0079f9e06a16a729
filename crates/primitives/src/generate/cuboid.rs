//! A box with subdivided faces.

use glam::Vec3;

use crate::TriMesh;

use super::error::{GenerateError, check_size};
use super::parts::{Parts, with_areas};

/// The largest level within [`TriMesh::MAX_TRIANGLES`].
const MAX_LEVEL: u32 = 12;

/// The closed surface of a box about the origin: `width` along x, `height` along y, `depth` along z,
/// with `12 * 4^level` triangles.
///
/// Vertices and triangles have the same indices as in the `CuboidMesh` of the FXyz library, so that
/// results are comparable by index: eight corners in the order `+++ ++- +-+ +-- -++ -+- --+ ---`,
/// two triangles for each face, and `level` times [`TriMesh::subdivided`]. Level 4 has 1538 vertices
/// and 3072 triangles.
///
/// # Errors
/// A size that is not positive or out of range, a level above 12, or a box so flat and so finely
/// divided that triangles lose their area.
///
/// ```
/// use hitscan_primitives::generate;
///
/// let mesh = generate::cuboid(10.0, 12.0, 4.0, 4)?;
/// assert_eq!((mesh.positions().len(), mesh.triangles().len()), (1538, 3072));
/// # Ok::<(), generate::GenerateError>(())
/// ```
pub fn cuboid(width: f32, height: f32, depth: f32, level: u32) -> Result<TriMesh, GenerateError> {
    check_size("width", width)?;
    check_size("height", height)?;
    check_size("depth", depth)?;
    if level > MAX_LEVEL {
        return Err(GenerateError::Level { level, max: MAX_LEVEL });
    }
    let (x, y, z) = (0.5 * width, 0.5 * height, 0.5 * depth);
    let positions = vec![
        Vec3::new(x, y, z),
        Vec3::new(x, y, -z),
        Vec3::new(x, -y, z),
        Vec3::new(x, -y, -z),
        Vec3::new(-x, y, z),
        Vec3::new(-x, y, -z),
        Vec3::new(-x, -y, z),
        Vec3::new(-x, -y, -z),
    ];
    let mesh = Parts { positions, triangles: FACES.to_vec() }.into_mesh();
    with_areas((0..level).fold(mesh, |mesh, _| split(&mesh)))
}

fn split(mesh: &TriMesh) -> TriMesh {
    mesh.subdivided().expect("the largest level is within the limits of a mesh")
}

/// Two triangles for each of the faces +x, -x, +z, -z, +y, -y. The diagonals decide the indices.
#[rustfmt::skip]
const FACES: [[u32; 3]; 12] = [
    [0, 2, 1], [2, 3, 1],
    [4, 5, 6], [6, 5, 7],
    [0, 1, 4], [4, 1, 5],
    [2, 6, 3], [3, 6, 7],
    [0, 4, 2], [2, 4, 6],
    [1, 3, 5], [5, 3, 7],
];
