//! Several edits of a mesh as one.

use std::ops::Range;

use super::{edit::EditError, edited_triangles::MeshEdit, tri_mesh::TriMesh};

/// A mesh under edit. It remembers what all edits changed, so that nothing that follows the mesh can miss one.
///
/// ```
/// use hitscan_primitives::{MeshEditor, generate};
///
/// let mut mesh = generate::sphere(1.0, 300)?;
/// let mut editor = MeshEditor::new(&mut mesh);
/// editor.swap_remove_triangles([7, 8])?;
/// editor.move_vertices([(0, [0.0, 0.0, 2.0])])?;
/// assert_eq!((editor.finish().n_before(), mesh.triangles().len()), (300, 298));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MeshEditor<'a> {
    mesh: &'a mut TriMesh,
    edit: MeshEdit,
}

impl<'a> MeshEditor<'a> {
    /// For edits of this mesh.
    pub fn new(mesh: &'a mut TriMesh) -> Self {
        let n = mesh.triangles().len();
        Self { mesh, edit: MeshEdit::new([], n, n) }
    }

    /// The mesh as it is now.
    pub fn mesh(&self) -> &TriMesh {
        self.mesh
    }

    /// What all edits changed.
    pub fn finish(self) -> MeshEdit {
        self.edit
    }

    /// See [`TriMesh::move_vertices`].
    ///
    /// # Errors
    /// As there.
    pub fn move_vertices<P: Into<[f32; 3]>>(
        &mut self,
        moves: impl IntoIterator<Item = (u32, P)>,
    ) -> Result<(), EditError> {
        let edit = self.mesh.move_vertices(moves)?;
        self.note(&edit);
        Ok(())
    }

    /// See [`TriMesh::append`].
    ///
    /// # Errors
    /// As there.
    pub fn append<P: Into<[f32; 3]>>(
        &mut self,
        positions: impl IntoIterator<Item = P>,
        triangles: &[[u32; 3]],
    ) -> Result<(), EditError> {
        let edit = self.mesh.append(positions, triangles)?;
        self.note(&edit);
        Ok(())
    }

    /// See [`TriMesh::swap_remove_triangles`].
    ///
    /// # Errors
    /// As there.
    pub fn swap_remove_triangles(
        &mut self,
        triangles: impl IntoIterator<Item = u32>,
    ) -> Result<(), EditError> {
        let edit = self.mesh.swap_remove_triangles(triangles)?;
        self.note(&edit);
        Ok(())
    }

    /// See [`TriMesh::replace_triangles`].
    ///
    /// # Errors
    /// As there.
    pub fn replace_triangles(
        &mut self,
        range: Range<u32>,
        triangles: &[[u32; 3]],
    ) -> Result<(), EditError> {
        let edit = self.mesh.replace_triangles(range, triangles)?;
        self.note(&edit);
        Ok(())
    }

    fn note(&mut self, edit: &MeshEdit) {
        self.edit = self.edit.then(edit).expect("an edit starts where the last one ended");
    }
}
