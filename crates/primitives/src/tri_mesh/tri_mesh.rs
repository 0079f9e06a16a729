//! Indexed triangle meshes.

use std::{ops::Range, sync::Arc};

use glam::{DVec3, Vec3};
use thiserror::Error;

use super::{incidence::KeptIncidence, query_scale::query_scale_of};
use crate::{Aabb, CornerAttributes, FaceRecords, FaceRecordsError, Hit, edge_function::cross_f64};

/// An indexed triangle mesh in local space. Its constructors check that positions are finite and
/// indices in range.
///
/// Triangles are counter-clockwise seen from their front. Triangles of zero area are allowed;
/// [`is_degenerate`](Self::is_degenerate) lists how queries treat them.
///
/// Local space is that of the file or the caller, or it is relative to an [offset](Self::offset).
///
/// A mesh has at most 2^29 triangles ([`MAX_TRIANGLES`](Self::MAX_TRIANGLES)) and 2^32 - 1 positions.
/// It takes 12 bytes per triangle and 12 per position. Each attribute adds 12 bytes per triangle, and
/// its values.
///
/// ```
/// use hitscan_primitives::TriMesh;
///
/// let mesh = TriMesh::new([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])?;
/// assert_eq!(mesh.triangles().len(), 1);
/// # Ok::<(), hitscan_primitives::MeshError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    pub(super) positions: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) bounds: Aabb,
    pub(super) attributes: CornerAttributes,
    pub(super) records: Option<Arc<FaceRecords>>,
    offset: DVec3,
    pub(super) incidence: KeptIncidence,
}

impl TriMesh {
    /// The maximum number of triangles of a mesh: 2^29, so that a hierarchy can index them all.
    pub const MAX_TRIANGLES: usize = 1 << 29;

    /// A mesh from positions (local space) and triangles (three indices into the positions each,
    /// counter-clockwise seen from the front).
    ///
    /// Both may be empty. O(n).
    ///
    /// # Errors
    /// The first position that is not finite, the first index that is out of range, more than
    /// [`MAX_TRIANGLES`](Self::MAX_TRIANGLES) triangles, or more than 2^32 - 1 positions.
    pub fn new<P: Into<[f32; 3]>>(
        positions: impl IntoIterator<Item = P>,
        triangles: Vec<[u32; 3]>,
    ) -> Result<Self, MeshError> {
        let positions = positions.into_iter().map(|p| Vec3::from_array(p.into())).collect();
        Self::from_vecs(positions, triangles)
    }

    /// [`TriMesh::new`] without a copy.
    ///
    /// # Errors
    /// As [`TriMesh::new`].
    pub fn from_vecs(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        check_positions(&positions)?;
        if triangles.len() > Self::MAX_TRIANGLES {
            return Err(MeshError::TooManyTriangles { n_triangles: triangles.len() });
        }
        let n_vertices = positions.len();
        let indices = triangles.as_flattened();
        let is_out_of_range = |index: u32| index as usize >= n_vertices;
        // The maximum of all indices takes a fraction of the time of a search.
        if indices.iter().copied().max().is_some_and(is_out_of_range)
            && let Some(at) = indices.iter().position(|&index| is_out_of_range(index))
        {
            let (triangle, corner, index) = (at / 3, at % 3, indices[at]);
            return Err(MeshError::IndexOutOfRange { triangle, corner, index, n_vertices });
        }
        let bounds = bounds_of(&positions, &triangles);
        let attributes = CornerAttributes::default();
        let offset = DVec3::ZERO;
        let incidence = KeptIncidence::default();
        Ok(Self { positions, triangles, bounds, attributes, records: None, offset, incidence })
    }

    /// The same mesh with attributes at its corners.
    ///
    /// # Errors
    /// An index list that is neither empty nor as long as the triangles, or an index that is neither
    /// in range nor [`CornerAttributes::NONE`].
    pub fn with_attributes(mut self, attributes: CornerAttributes) -> Result<Self, MeshError> {
        let CornerAttributes { normals, normal_indices, uvs, uv_indices } = &attributes;
        self.check_attribute("normal", normal_indices, normals.len())?;
        self.check_attribute("uv", uv_indices, uvs.len())?;
        self.attributes = attributes;
        Ok(self)
    }

    fn check_attribute(
        &self,
        name: &'static str,
        indices: &[[u32; 3]],
        n_values: usize,
    ) -> Result<(), MeshError> {
        if !indices.is_empty() && indices.len() != self.triangles.len() {
            let (found, expected) = (indices.len(), self.triangles.len());
            return Err(MeshError::AttributeCount { name, found, expected });
        }
        let bad = |&i: &u32| i != CornerAttributes::NONE && i as usize >= n_values;
        match indices.iter().flatten().position(bad) {
            None => Ok(()),
            Some(at) => {
                let (triangle, index) = (at / 3, indices[at / 3][at % 3]);
                Err(MeshError::AttributeIndex { name, triangle, index, n_values })
            }
        }
    }

    /// The same mesh with records of the polygons that its triangles were cut from.
    ///
    /// # Errors
    /// Records whose number of triangles differs from that of the mesh.
    pub fn with_records(mut self, records: FaceRecords) -> Result<Self, MeshError> {
        if records.n_triangles() != self.triangles.len() {
            return Err(MeshError::RecordCount {
                found: records.n_triangles(),
                expected: self.triangles.len(),
            });
        }
        self.records = Some(Arc::new(records));
        Ok(self)
    }

    /// The same triangles, attributes and records over the same number of new positions.
    ///
    /// # Errors
    /// A wrong number of positions, or one that is not finite.
    pub fn with_positions<P: Into<[f32; 3]>>(
        &self,
        positions: impl IntoIterator<Item = P>,
    ) -> Result<Self, MeshError> {
        let positions: Vec<Vec3> =
            positions.into_iter().map(|p| Vec3::from_array(p.into())).collect();
        if positions.len() != self.positions.len() {
            return Err(MeshError::PositionCount {
                found: positions.len(),
                expected: self.positions.len(),
            });
        }
        check_positions(&positions)?;
        let bounds = bounds_of(&positions, &self.triangles);
        Ok(Self {
            positions,
            triangles: self.triangles.clone(),
            bounds,
            attributes: self.attributes.clone(),
            records: self.records.clone(),
            offset: self.offset,
            incidence: KeptIncidence::default(),
        })
    }

    /// The same mesh at another [offset](Self::offset).
    ///
    /// # Panics
    /// If the offset is not finite.
    #[must_use]
    pub fn with_offset(mut self, offset: DVec3) -> Self {
        assert!(offset.is_finite(), "the offset of a mesh is finite");
        self.offset = offset;
        self
    }

    /// The origin of local space in the coordinates of the file that the mesh comes from; zero for most
    /// meshes.
    ///
    /// Positions, [bounds](Self::bounds) and [points](Self::point) are in local space, and so are rays and
    /// answers of a tree. A point `p` of the file is `p - offset` there. Readers choose an offset by
    /// [`recentre`](crate::recentre), because f32 has steps of 0.5 at 5,000,000. Scenes apply it: the
    /// transform of an instance takes the coordinates of the file to the world.
    pub fn offset(&self) -> DVec3 {
        self.offset
    }

    /// The vertex positions, in local space.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// The triangles, each as three indices into the positions.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Normals and texture coordinates.
    pub fn attributes(&self) -> &CornerAttributes {
        &self.attributes
    }

    /// The records of the polygons that the triangles were cut from, if known.
    pub fn records(&self) -> Option<&FaceRecords> {
        self.records.as_deref()
    }

    /// The index of the polygon that a triangle was cut from; without records, the triangle's index.
    pub fn polygon_of(&self, triangle: u32) -> u32 {
        self.records().map_or(triangle, |records| records.polygon(triangle))
    }

    /// The triangles that a polygon was cut into.
    ///
    /// # Panics
    /// If there are records but no such polygon.
    pub fn triangles_of(&self, polygon: u32) -> Range<u32> {
        self.records().map_or(polygon..polygon + 1, |records| records.triangles_of(polygon))
    }

    /// The smallest box around all triangles; unused positions do not count. O(1).
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The corners of a triangle.
    ///
    /// # Panics
    /// If there is no such triangle.
    #[inline]
    pub fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize].map(|i| self.positions[i as usize])
    }

    /// The unit normal of a triangle by its winding, in local space; `None` for a triangle of
    /// [zero area](Self::is_degenerate).
    ///
    /// # Panics
    /// If there is no such triangle.
    pub fn unit_normal(&self, triangle: u32) -> Option<DVec3> {
        let [a, b, c] = self.corners(triangle);
        cross_f64(a, b, c).try_normalize()
    }

    /// Whether a triangle has zero area: its corners, as rounded to f32, lie on a line or in a point.
    ///
    /// Such a triangle is a closed segment or a point. It keeps its index and counts in every query:
    ///
    /// - **Rays** hit it like any other triangle, where rounding gives it an area on its way to the
    ///   ray ([`WatertightRay`](crate::WatertightRay)). A closed mesh may need it to stay closed, for
    ///   example where an edge has a vertex in its middle on one side only. The hit has finite `t`,
    ///   `u` and `v`; its side is that of the rounded corners and means little.
    /// - **Closest points, overlap, picking and selection** find it as that segment or point. A user
    ///   can therefore select everything that a ray can hit.
    /// - **Winding numbers**: it contributes exactly zero.
    /// - **Its normal** is undefined: `None` where a function returns a normal, `null` in JSON, an
    ///   empty field in CSV, zeros in arrays.
    ///
    /// # Panics
    /// If there is no such triangle.
    pub fn is_degenerate(&self, triangle: u32) -> bool {
        let [a, b, c] = self.corners(triangle);
        cross_f64(a, b, c) == DVec3::ZERO
    }

    /// The volume that a closed mesh encloses. Negative if the mesh is inside out: its front faces inward. O(n).
    ///
    /// What the surface encloses twice counts twice. Of an open mesh the number means nothing. The sum is in f64, relative
    /// to the centre of the bounds, in the order of the triangles.
    pub fn volume(&self) -> f64 {
        let centre = self.bounds.center().as_dvec3();
        let of_tetrahedron = |triangle| {
            let [a, b, c] = self.corners(triangle).map(|corner| corner.as_dvec3() - centre);
            a.dot(b.cross(c))
        };
        (0..self.triangles.len() as u32).map(of_tetrahedron).fold(0.0, |sum, x| sum + x) / 6.0
    }

    /// The number of triangles of [zero area](Self::is_degenerate). O(n).
    pub fn n_degenerate(&self) -> usize {
        (0..self.triangles.len() as u32).filter(|&triangle| self.is_degenerate(triangle)).count()
    }

    /// The point of a hit in f64, from its weights `u` and `v`. It lies on the triangle even if the ray
    /// starts far away, because `t` does not enter.
    ///
    /// # Panics
    /// If the mesh has no such triangle.
    pub fn point(&self, hit: &Hit) -> DVec3 {
        let [a, b, c] = self.corners(hit.triangle).map(|corner| corner.as_dvec3());
        a + f64::from(hit.u) * (b - a) + f64::from(hit.v) * (c - a)
    }

    /// The power of two by which queries scale the mesh and every ray's origin and direction before
    /// any test. It changes no `t`.
    ///
    /// 1 unless the largest absolute coordinate lies outside `[2^-40, 2^40]`, where products of
    /// coordinates would leave the range of f32. The hierarchy and the brute-force scan use the same
    /// scale.
    pub fn query_scale(&self) -> f64 {
        query_scale_of(self.bounds)
    }
}

fn check_positions(positions: &[Vec3]) -> Result<(), MeshError> {
    match positions.iter().position(|p| !p.is_finite()) {
        None if positions.len() <= u32::MAX as usize => Ok(()),
        None => Err(MeshError::TooManyPositions { n_positions: positions.len() }),
        Some(vertex) => {
            Err(MeshError::NonFinitePosition { vertex, position: positions[vertex].to_array() })
        }
    }
}

fn bounds_of(positions: &[Vec3], triangles: &[[u32; 3]]) -> Aabb {
    // Three boxes, because one would be a single chain of dependent minima.
    let mut boxes = [Aabb::EMPTY; 3];
    for corners in triangles {
        for (bounds, &index) in boxes.iter_mut().zip(corners) {
            *bounds = bounds.grown(positions[index as usize]);
        }
    }
    boxes.into_iter().fold(Aabb::EMPTY, Aabb::union)
}

/// The reason why parts do not make a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A position is NaN or infinite.
    #[error("vertex {vertex} is at {position:?}, expected finite coordinates")]
    NonFinitePosition {
        /// The first such vertex.
        vertex: usize,
        /// Its position.
        position: [f32; 3],
    },
    /// A triangle names a vertex that does not exist.
    #[error(
        "corner {corner} of triangle {triangle} is vertex {index}, expected less than {n_vertices}"
    )]
    IndexOutOfRange {
        /// The first such triangle.
        triangle: usize,
        /// Its corner, 0 to 2.
        corner: usize,
        /// The index found there.
        index: u32,
        /// The number of vertices.
        n_vertices: usize,
    },
    /// More triangles than [`TriMesh::MAX_TRIANGLES`].
    #[error("{n_triangles} triangles, expected at most {}", TriMesh::MAX_TRIANGLES)]
    TooManyTriangles {
        /// The number found.
        n_triangles: usize,
    },
    /// More positions than 32 bits can name.
    #[error("{n_positions} positions, expected at most {}", u32::MAX)]
    TooManyPositions {
        /// The number found.
        n_positions: usize,
    },
    /// New positions for a mesh of another number of vertices.
    #[error("{found} positions for a mesh of {expected} vertices")]
    PositionCount {
        /// The number found.
        found: usize,
        /// The number of vertices of the mesh.
        expected: usize,
    },
    /// An attribute's index list of a wrong length.
    #[error("{found} {name} index triples for {expected} triangles, expected none or all")]
    AttributeCount {
        /// Which attribute.
        name: &'static str,
        /// The number found.
        found: usize,
        /// The number of triangles.
        expected: usize,
    },
    /// An attribute index out of range.
    #[error("triangle {triangle} has {name} index {index}, expected less than {n_values}")]
    AttributeIndex {
        /// Which attribute.
        name: &'static str,
        /// The first such triangle.
        triangle: usize,
        /// The index found there.
        index: u32,
        /// The number of values.
        n_values: usize,
    },
    /// Records in which a polygon refers to a name that does not exist.
    #[error(transparent)]
    Records(#[from] FaceRecordsError),
    /// Records of another number of triangles.
    #[error("records of {found} triangles for a mesh of {expected}")]
    RecordCount {
        /// The number found.
        found: usize,
        /// The number of triangles.
        expected: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn a_bad_mesh_names_the_place() {
        let index = TriMesh::new(CORNERS, vec![[0, 1, 2], [0, 3, 1]]).unwrap_err();
        assert_eq!(index.to_string(), "corner 1 of triangle 1 is vertex 3, expected less than 3");
        let nan = TriMesh::new([[0.0, f32::NAN, 0.0]], vec![]).unwrap_err();
        assert!(nan.to_string().starts_with("vertex 0 is at"));
    }

    #[test]
    fn an_empty_mesh_is_a_mesh() {
        let mesh = TriMesh::new([[0.0; 3]; 0], vec![]).unwrap();
        assert!(mesh.bounds().is_empty());
        assert_eq!(mesh.query_scale(), 1.0);
    }

    #[test]
    fn unused_positions_do_not_widen_the_bounds() {
        let far = CORNERS.into_iter().chain([[1e30, 0.0, 0.0]]);
        let mesh = TriMesh::new(far, vec![[0, 1, 2]]).unwrap();
        assert_eq!(mesh.bounds().max_abs_coordinate(), 1.0);
    }

    #[test]
    fn only_triangles_of_zero_area_are_degenerate_and_only_they_lack_a_normal() {
        let sliver = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1e-30, 0.0], [0.5, 0.0, 0.0]];
        let mesh = TriMesh::new(sliver, vec![[0, 1, 2], [0, 1, 3], [0, 0, 1]]).unwrap();
        assert_eq!(mesh.n_degenerate(), 2);
        assert!(!mesh.is_degenerate(0));
        let normals = [0, 1, 2].map(|triangle| mesh.unit_normal(triangle));
        assert_eq!(normals, [Some(DVec3::Z), None, None]);
    }
}
