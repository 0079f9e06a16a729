//! One edit of a mesh as a value.

use std::{borrow::Cow, ops::Range};

use super::{edit::EditError, mesh_editor::MeshEditor};

/// An edit that waits for its mesh, where a caller cannot pass a closure: in a log of commands, or in another language.
///
/// Arrays are borrowed or owned. `P` is a type of positions.
///
/// ```
/// use hitscan_primitives::{MeshChange, MeshEditor, generate};
///
/// let mut mesh = generate::sphere(1.0, 300)?;
/// let log: [MeshChange<'_>; 2] = [
///     MeshChange::Remove { triangles: (&[7, 8]).into() },
///     MeshChange::Move { vertices: (&[0]).into(), positions: vec![[0.0, 0.0, 2.0]].into() },
/// ];
/// let mut editor = MeshEditor::new(&mut mesh);
/// for change in &log {
///     editor.apply(change)?;
/// }
/// assert_eq!(mesh.triangles().len(), 298);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum MeshChange<'a, P: Clone = [f32; 3]> {
    /// See [`TriMesh::move_vertices`](crate::TriMesh::move_vertices): vertices, and as many positions.
    Move {
        /// The vertices.
        vertices: Cow<'a, [u32]>,
        /// The position of each.
        positions: Cow<'a, [P]>,
    },
    /// See [`TriMesh::append`](crate::TriMesh::append).
    Append {
        /// The new vertices.
        positions: Cow<'a, [P]>,
        /// The new triangles, of old and new vertices.
        triangles: Cow<'a, [[u32; 3]]>,
    },
    /// See [`TriMesh::swap_remove_triangles`](crate::TriMesh::swap_remove_triangles).
    Remove {
        /// The triangles to remove.
        triangles: Cow<'a, [u32]>,
    },
    /// See [`TriMesh::replace_triangles`](crate::TriMesh::replace_triangles).
    Replace {
        /// The triangles to replace.
        range: Range<u32>,
        /// What takes their place.
        triangles: Cow<'a, [[u32; 3]]>,
    },
}

impl<P: Clone> MeshChange<'_, P> {
    /// `move`, `append`, `remove` or `replace`, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Move { .. } => "move",
            Self::Append { .. } => "append",
            Self::Remove { .. } => "remove",
            Self::Replace { .. } => "replace",
        }
    }
}

impl MeshEditor<'_> {
    /// Makes an edit.
    ///
    /// # Errors
    /// Those of the method that the edit stands for.
    ///
    /// # Panics
    /// If an edit moves vertices, and has not as many positions.
    pub fn apply<P: Clone + Into<[f32; 3]>>(
        &mut self,
        change: &MeshChange<'_, P>,
    ) -> Result<(), EditError> {
        match change {
            MeshChange::Move { vertices, positions } => {
                assert_eq!(vertices.len(), positions.len(), "expected a position per vertex");
                self.move_vertices(vertices.iter().copied().zip(positions.iter().cloned()))
            }
            MeshChange::Append { positions, triangles } => {
                self.append(positions.iter().cloned(), triangles)
            }
            MeshChange::Remove { triangles } => {
                self.swap_remove_triangles(triangles.iter().copied())
            }
            MeshChange::Replace { range, triangles } => {
                self.replace_triangles(range.clone(), triangles)
            }
        }
    }
}
