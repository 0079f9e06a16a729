//! A mesh at its place.

use std::sync::Arc;

use glam::DAffine3;

/// A mesh at its place in the scene of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The mesh, as a place in [`Loaded::meshes`](crate::Loaded::meshes).
    pub mesh: usize,
    /// From the space of the mesh to that of the scene; invertible.
    pub transform: DAffine3,
    /// The name of the node, or that of its mesh, which its instances share.
    pub name: Option<Arc<str>>,
}
