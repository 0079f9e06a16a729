//! An instance of a mesh.

use std::sync::Arc;

use glam::DAffine3;

/// An instance of a mesh in the scene of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The index of the mesh in [`Loaded::meshes`](crate::Loaded::meshes).
    pub mesh: usize,
    /// The transform from the space of the mesh to that of the scene; invertible.
    pub transform: DAffine3,
    /// The name of the node, or that of the mesh if the node has none. Instances share it.
    pub name: Option<Arc<str>>,
}
