//! Instances and their handles.

use std::{fmt, sync::Arc};

use glam::DAffine3;

use crate::Mesh;

/// The handle of an instance: it names the same instance of a scene for ever, through removal and
/// restoring, and in every clone of the scene. A handle whose instance was removed names nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId {
    /// The slot, used again only after [`Scene::forget`](crate::Scene::forget).
    pub index: u32,
    /// How often the slot was used before.
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

/// A mesh, or a group without one, at a place in a scene: what [`Scene::insert`] takes and
/// [`Scene::get`] gives.
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
    /// From the mesh's space to that of the parent, or to the world without one. Any invertible affine
    /// transform: mirrored, sheared and non-uniform ones too.
    pub transform: DAffine3,
    /// What the transform is relative to, and what the instance is removed and hidden with.
    pub parent: Option<InstanceId>,
    /// A name for people; nothing depends on it.
    pub name: Option<Arc<str>>,
    /// A bit for each layer that the instance is on. The children's layers are their own.
    pub layers: u32,
    /// Whether the instance, and everything below it, is left out of queries that do not ask for what
    /// is hidden.
    pub hidden: bool,
    /// Whether the instance is left out of queries that do not ask for what is locked. The children's
    /// locks are their own.
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
    /// A mesh at a place in the world, and otherwise the default.
    pub fn new(mesh: Arc<Mesh>, transform: DAffine3) -> Self {
        Self { mesh: Some(mesh), transform, ..Self::default() }
    }
}
