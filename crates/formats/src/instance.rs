//! Instances of meshes, and the nodes that hold them.

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

/// A node of the hierarchy of a file: a group, or an instance of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneNode {
    /// The name of the node. If it has a mesh and no name, it takes the name of the mesh.
    pub name: Option<Arc<str>>,
    /// The index in [`Loaded::nodes`](crate::Loaded::nodes), smaller than that of this node.
    pub parent: Option<usize>,
    /// The index of the mesh in [`Loaded::meshes`](crate::Loaded::meshes).
    pub mesh: Option<usize>,
    /// The transform from the space of the node to that of the parent.
    pub transform: DAffine3,
}
