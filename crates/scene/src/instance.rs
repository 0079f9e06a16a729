//! Instances and their handles.

use std::{fmt, sync::Arc};

use glam::DAffine3;

use crate::Mesh;

/// The handle of an instance in a scene.
///
/// A handle names the same instance in every clone of the scene, and again after
/// [`Scene::restore`](crate::Scene::restore). No clone gives it to another instance, even after the way back to a
/// snapshot. While the instance is removed, every call with its handle returns `None` or an error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId {
    /// The slot. The scene reuses it only after [`Scene::forget`](crate::Scene::forget).
    pub index: u32,
    /// Tells the instances apart that held the slot, in the scene and its clones. Less than 2^21, so that
    /// `index + generation * 2^32` is exact as an f64.
    pub generation: u32,
}

impl fmt::Debug for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index, self.generation)
    }
}

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A mesh with a transform, or a group without a mesh. [`Scene::insert`] takes it, [`Scene::get`]
/// returns it.
///
/// ```
/// use std::sync::Arc;
/// use hitscan_scene::{Instance, Mesh, Scene, glam::DAffine3};
///
/// let mut scene = Scene::new();
/// let group = scene.insert(Instance { name: Some("house".into()), ..Instance::default() })?;
/// let roof = Instance {
///     mesh: Some(Arc::new(Mesh::default())),
///     transform: DAffine3::from_translation([0.0, 3.0, 0.0].into()),
///     parent: Some(group),
///     ..Instance::default()
/// };
/// let roof = scene.insert(roof)?;
/// assert_eq!(scene.get(roof).and_then(|roof| roof.parent), Some(group));
/// # Ok::<(), hitscan_scene::SceneError>(())
/// ```
///
/// [`Scene::insert`]: crate::Scene::insert
/// [`Scene::get`]: crate::Scene::get
#[derive(Clone, Debug)]
pub struct Instance {
    /// The mesh; `None` for a group.
    pub mesh: Option<Arc<Mesh>>,
    /// The transform from the mesh's space to the parent's space, or to the world without a parent. Any
    /// invertible affine transform, including mirrored, sheared and non-uniform ones. It takes the positions
    /// of the mesh with their [offset](hitscan_primitives::TriMesh::offset), which most meshes do not have.
    pub transform: DAffine3,
    /// The parent. The transform is relative to it, and removing or hiding it removes or hides this
    /// instance.
    pub parent: Option<InstanceId>,
    /// A name for display. No query depends on it.
    pub name: Option<Arc<str>>,
    /// One bit per layer that contains the instance. Children do not inherit it.
    pub layers: u32,
    /// Whether queries skip the instance and all its descendants, unless
    /// [`QueryOptions::include_hidden`](crate::QueryOptions::include_hidden) is set.
    pub hidden: bool,
    /// Whether queries skip the instance, unless
    /// [`QueryOptions::include_locked`](crate::QueryOptions::include_locked) is set. Children do not
    /// inherit it.
    pub locked: bool,
}

impl Default for Instance {
    /// A group at the origin without a parent, on layer 0, neither hidden nor locked.
    fn default() -> Self {
        Self {
            mesh: None,
            transform: DAffine3::IDENTITY,
            parent: None,
            name: None,
            layers: 1,
            hidden: false,
            locked: false,
        }
    }
}

impl Instance {
    /// A mesh with a transform to the world. The other fields are the defaults.
    pub fn new(mesh: Arc<Mesh>, transform: DAffine3) -> Self {
        Self { mesh: Some(mesh), transform, ..Self::default() }
    }
}
