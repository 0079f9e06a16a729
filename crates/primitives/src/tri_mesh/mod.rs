//! The mesh, and how it is edited.

#[expect(clippy::module_inception, reason = "the type is the module's subject")]
mod tri_mesh;

mod edit;
mod edited_triangles;
mod incidence;
mod mesh_change;
mod mesh_editor;
mod query_scale;

pub use edit::{EditError, Indexed};
pub use edited_triangles::{EditOrderError, MeshEdit};
pub use mesh_change::MeshChange;
pub use mesh_editor::MeshEditor;
pub(crate) use query_scale::query_scale_of;
pub use tri_mesh::{MeshError, TriMesh};
