//! Edits of a mesh.

use std::collections::BTreeSet;
use std::ops::Range;

use glam::Vec3;
use thiserror::Error;

use super::{
    edited_triangles::{MeshEdit, swap_removals},
    incidence::Incidence,
    tri_mesh::{MeshError, TriMesh},
};
use crate::CornerAttributes;

/// Edits, each of which says what it changed.
///
/// A hierarchy follows by `MeshBvh::update` of the crate `hitscan-bvh`. An edit costs O(changed). The first one also prepares the mesh, in
/// O(n) and 28 bytes per triangle. After an error nothing has changed.
impl TriMesh {
    /// Moves some vertices: pairs of a vertex and its new position, in local space.
    ///
    /// See also [`with_positions`](Self::with_positions), which moves all of them.
    ///
    /// # Errors
    /// A vertex that does not exist or stands twice, or a position that is not finite.
    pub fn move_vertices<P: Into<[f32; 3]>>(
        &mut self,
        moves: impl IntoIterator<Item = (u32, P)>,
    ) -> Result<MeshEdit, EditError> {
        let moves: Vec<(u32, Vec3)> =
            moves.into_iter().map(|(vertex, p)| (vertex, Vec3::from_array(p.into()))).collect();
        let vertices = || moves.iter().map(|&(vertex, _)| vertex);
        check_indices(Indexed::Vertex, vertices(), self.positions.len())?;
        if let Some(&(vertex, position)) = moves.iter().find(|(_, position)| !position.is_finite())
        {
            let position = position.to_array();
            return Err(MeshError::NonFinitePosition { vertex: vertex as usize, position }.into());
        }
        // Before the vertices move, because the boxes must know where they were.
        let (incidence, _) = self.incidence();
        let changed: Vec<u32> = vertices().flat_map(|at| incidence.triangles_at(at)).collect();
        for &(vertex, position) in &moves {
            self.positions[vertex as usize] = position;
        }
        self.follow_vertices(vertices());
        let n = self.triangles.len();
        Ok(MeshEdit::new(changed, n, n))
    }

    /// Appends vertices and triangles. The new triangles may use old vertices, and new vertices follow the old ones. The new
    /// corners have no attributes.
    ///
    /// # Errors
    /// As [`TriMesh::new`]. Any triangle for a mesh with records, which name the triangles of each polygon.
    pub fn append<P: Into<[f32; 3]>>(
        &mut self,
        positions: impl IntoIterator<Item = P>,
        triangles: &[[u32; 3]],
    ) -> Result<MeshEdit, EditError> {
        let added: Vec<Vec3> = positions.into_iter().map(|p| Vec3::from_array(p.into())).collect();
        let (first, n) = (self.positions.len(), self.triangles.len());
        let n_vertices = first + added.len();
        if let Some(at) = added.iter().position(|position| !position.is_finite()) {
            let (vertex, position) = (first + at, added[at].to_array());
            return Err(MeshError::NonFinitePosition { vertex, position }.into());
        }
        if n_vertices > u32::MAX as usize {
            return Err(MeshError::TooManyPositions { n_positions: n_vertices }.into());
        }
        let n_triangles = n + triangles.len();
        if n_triangles > Self::MAX_TRIANGLES {
            return Err(MeshError::TooManyTriangles { n_triangles }.into());
        }
        check_corners((n..).zip(triangles), n_vertices)?;
        self.check_records(triangles.len())?;
        self.positions.extend(added);
        self.triangles.extend(triangles);
        for indices in self.attribute_indices().into_iter().filter(|indices| !indices.is_empty()) {
            indices.resize(n_triangles, [CornerAttributes::NONE; 3]);
        }
        let (incidence, is_new) = self.incidence();
        if !is_new {
            incidence.grow(n_vertices, n_triangles);
            for (triangle, &vertices) in (n as u32..).zip(triangles) {
                incidence.link_triangle(triangle, vertices);
            }
        }
        self.follow_vertices(triangles.as_flattened().iter().copied());
        Ok(MeshEdit::new([], n, n_triangles))
    }

    /// Removes triangles as [`Vec::swap_remove`] does, the largest index first: the last triangle takes the place of each.
    /// Vertices stay, used or not.
    ///
    /// # Errors
    /// A triangle that does not exist or stands twice. Any triangle of a mesh with records.
    pub fn swap_remove_triangles(
        &mut self,
        triangles: impl IntoIterator<Item = u32>,
    ) -> Result<MeshEdit, EditError> {
        let removed: Vec<u32> = triangles.into_iter().collect();
        let n = self.triangles.len();
        check_indices(Indexed::Triangle, removed.iter().copied(), n)?;
        self.check_records(removed.len())?;
        let removed: BTreeSet<u32> = removed.into_iter().collect();
        let n_after = n - removed.len();
        let [moves, renamed] = swap_removals(&removed, n);
        self.incidence();
        let mut vertices = Vec::with_capacity(3 * removed.len());
        for &triangle in &removed {
            let corners = self.triangles[triangle as usize];
            self.incidence().0.unlink_triangle(triangle, corners);
            vertices.extend(corners);
        }
        for &(from, to) in &renamed {
            let corners = self.triangles[from as usize];
            let (incidence, _) = self.incidence();
            incidence.unlink_triangle(from, corners);
            incidence.link_triangle(to, corners);
        }
        self.incidence().0.shrink(n_after);
        let move_all = |rows: &mut Vec<[u32; 3]>| {
            for &(from, to) in &moves {
                rows[to as usize] = rows[from as usize];
            }
            rows.truncate(n_after);
        };
        move_all(&mut self.triangles);
        for indices in self.attribute_indices().into_iter().filter(|indices| !indices.is_empty()) {
            move_all(indices);
        }
        // The others stay where they are, so no box changes by them.
        let (incidence, _) = self.incidence();
        vertices.retain(|&vertex| !incidence.is_used(vertex));
        self.follow_vertices(vertices.into_iter());
        let changed = renamed.iter().map(|&(_, to)| to);
        Ok(MeshEdit::new(changed, n, n_after).with_renamed(renamed))
    }

    /// Gives a range of triangles other corners, or another number of triangles. Fewer are [swap-removed](Self::swap_remove_triangles) from the
    /// end of the range, and more are [appended](Self::append). The new corners have no attributes.
    ///
    /// # Errors
    /// A range that is not in the mesh, a corner that is not a vertex, more than
    /// [`MAX_TRIANGLES`](Self::MAX_TRIANGLES) triangles. Any triangle of a mesh with records.
    pub fn replace_triangles(
        &mut self,
        range: Range<u32>,
        triangles: &[[u32; 3]],
    ) -> Result<MeshEdit, EditError> {
        let n = self.triangles.len();
        if range.start > range.end || range.end as usize > n {
            return Err(EditError::Range { start: range.start, end: range.end, n_triangles: n });
        }
        let n_after = n - range.len() + triangles.len();
        if n_after > Self::MAX_TRIANGLES {
            return Err(MeshError::TooManyTriangles { n_triangles: n_after }.into());
        }
        check_corners((range.start as usize..).zip(triangles), self.positions.len())?;
        self.check_records(range.len().max(triangles.len()))?;
        let n_here = triangles.len().min(range.len());
        let (here, more) = triangles.split_at(n_here);
        self.incidence();
        let mut vertices = Vec::with_capacity(6 * n_here);
        for (triangle, &corners) in range.clone().zip(here) {
            let before = std::mem::replace(&mut self.triangles[triangle as usize], corners);
            let (incidence, _) = self.incidence();
            incidence.unlink_triangle(triangle, before);
            incidence.link_triangle(triangle, corners);
            vertices.extend(before.into_iter().chain(corners));
            for indices in self.attribute_indices().into_iter().filter(|all| !all.is_empty()) {
                indices[triangle as usize] = [CornerAttributes::NONE; 3];
            }
        }
        self.follow_vertices(vertices.into_iter());
        let replaced = MeshEdit::new(range.clone().take(n_here), n, n);
        let rest = if more.is_empty() {
            self.swap_remove_triangles(range.skip(n_here))?
        } else {
            self.append([[0.0; 3]; 0], more)?
        };
        replaced.then(&rest).map_err(|_| unreachable!("neither changed the number in between"))
    }

    /// The same mesh without records of polygons, so that triangles can come and go.
    #[must_use]
    pub fn without_records(mut self) -> Self {
        self.records = None;
        self
    }

    /// The incidence, and whether it was made just now.
    fn incidence(&mut self) -> (&mut Incidence, bool) {
        let is_new = self.incidence.0.is_none();
        let make = || Box::new(Incidence::new(&self.positions, &self.triangles));
        (self.incidence.0.get_or_insert_with(make), is_new)
    }

    /// Brings the bounds up to date with vertices that moved, or that other triangles use.
    fn follow_vertices(&mut self, vertices: impl Iterator<Item = u32>) {
        if let Some(incidence) = &mut self.incidence.0 {
            self.bounds = incidence.bounds_after(self.bounds, &self.positions, vertices);
        }
    }

    fn attribute_indices(&mut self) -> [&mut Vec<[u32; 3]>; 2] {
        [&mut self.attributes.normal_indices, &mut self.attributes.uv_indices]
    }

    fn check_records(&self, n_triangles: usize) -> Result<(), EditError> {
        if n_triangles > 0 && self.records.is_some() { Err(EditError::Records) } else { Ok(()) }
    }
}

/// Each index is in range and stands once.
fn check_indices(
    what: Indexed,
    indices: impl Iterator<Item = u32>,
    n: usize,
) -> Result<(), EditError> {
    let mut sorted: Vec<u32> = indices.collect();
    if let Some(&index) = sorted.iter().find(|&&index| index as usize >= n) {
        return Err(EditError::Unknown { what, index, n });
    }
    sorted.sort_unstable();
    match sorted.windows(2).find(|two| two[0] == two[1]) {
        Some(two) => Err(EditError::Twice { what, index: two[0] }),
        None => Ok(()),
    }
}

fn check_corners<'a>(
    triangles: impl Iterator<Item = (usize, &'a [u32; 3])>,
    n_vertices: usize,
) -> Result<(), MeshError> {
    for (triangle, corners) in triangles {
        if let Some(corner) = corners.iter().position(|&index| index as usize >= n_vertices) {
            let index = corners[corner];
            return Err(MeshError::IndexOutOfRange { triangle, corner, index, n_vertices });
        }
    }
    Ok(())
}

/// What an index of an edit names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexed {
    /// A vertex.
    Vertex,
    /// A triangle.
    Triangle,
}

impl std::fmt::Display for Indexed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Vertex => "vertex",
            Self::Triangle => "triangle",
        })
    }
}

/// The reason why a mesh does not take an edit. Nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum EditError {
    /// An index of nothing.
    #[error("the edit names {what} {index}, expected less than {n}")]
    Unknown {
        /// Of what.
        what: Indexed,
        /// The first such index.
        index: u32,
        /// The number of vertices or triangles.
        n: usize,
    },
    /// An index that stands twice.
    #[error("the edit names {what} {index} twice")]
    Twice {
        /// Of what.
        what: Indexed,
        /// The least such index.
        index: u32,
    },
    /// A range of triangles that the mesh does not have.
    #[error("the edit names triangles {start}..{end} of {n_triangles}")]
    Range {
        /// The start of the range.
        start: u32,
        /// Its end.
        end: u32,
        /// The number of triangles.
        n_triangles: usize,
    },
    /// Triangles come, go or change their corners in a mesh with records, which name the triangles of each polygon.
    #[error(
        "the mesh has records of polygons, which other triangles do not fit; see TriMesh::without_records"
    )]
    Records,
    /// No mesh has such positions or triangles.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}
