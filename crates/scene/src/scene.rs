//! The scene: instances in a hierarchy, over the top-level tree.

use std::sync::Arc;

use glam::{DAffine3, DVec3};
use hitscan_bvh::{
    CowVec,
    instances::{InstanceBvh, InstanceTag},
};
use hitscan_primitives::{Aabb, LocalFrame, TriMesh, WorldBox};

use crate::{
    Instance, InstanceId, SceneError,
    handles::Handles,
    placement::{Placement, TransformError},
};

/// Instances of meshes in world space, with edits, snapshots and ray queries.
///
/// Every edit updates the top-level tree, in O(log n) per moved instance, and now and then builds it anew.
/// An edit that returns an error changes nothing.
///
/// A clone is a snapshot that shares memory with the original. Cloning costs one pointer per 64 instances
/// and per 64 tree nodes. The first edit of a shared chunk copies that chunk. Keep a clone per undo step,
/// or give one to a thread that queries while you edit the original.
///
/// Queries never fail. A miss is `None` or an empty list, and an invalid ray misses.
///
/// ```
/// use std::sync::Arc;
/// use hitscan_bvh::BuildOptions;
/// use hitscan_primitives::generate;
/// use hitscan_scene::{Instance, Mesh, QueryOptions, Scene, WorldRay, glam::DAffine3};
///
/// let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &BuildOptions::default()));
/// let mut scene = Scene::new();
/// let near = scene.insert(Instance::new(cube.clone(), DAffine3::from_translation([0.0, 0.0, 5.0].into())))?;
/// let far = scene.insert(Instance::new(cube, DAffine3::from_translation([0.0, 0.0, 9.0].into())))?;
///
/// let ray = WorldRay::new([0.1, 0.2, 0.0], [0.0, 0.0, 1.0]);
/// let hit = scene.closest_hit(&ray, &QueryOptions::default()).expect("two cubes are ahead");
/// assert_eq!((hit.instance, hit.t), (near, 4.0));
///
/// let before = scene.clone();
/// scene.remove(near)?;
/// let hit = scene.closest_hit(&ray, &QueryOptions::default()).expect("one cube is ahead");
/// assert_eq!((hit.instance, hit.t), (far, 8.0));
/// assert!(before.contains(near));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub(crate) slots: CowVec<Slot>,
    /// The slots in [`Slot::Free`].
    pub(crate) free: Vec<u32>,
    pub(crate) n_instances: usize,
    /// The insertion order of the next instance, greater than that of every present one.
    pub(crate) next_order: u64,
    /// Names the last change of insertion orders. Clones that agree in it gave equal orders to the instances
    /// that both know.
    pub(crate) numbering: u64,
    pub(crate) tree: InstanceBvh,
    /// Shared with all clones, so that no two of them give one handle to two instances.
    pub(crate) handles: Arc<Handles>,
}

/// A place for one instance at a time.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// No instance holds the slot. The generation exceeds those of all instances that held it in this scene.
    Free { generation: u32 },
    /// An instance of this generation was removed, and may be restored.
    Removed { generation: u32 },
    /// An instance in the scene.
    Present(Record),
}

impl Default for Slot {
    fn default() -> Self {
        Self::Free { generation: 0 }
    }
}

impl Slot {
    pub(crate) fn record(&self) -> Option<&Record> {
        match self {
            Self::Present(record) => Some(record),
            Self::Free { .. } | Self::Removed { .. } => None,
        }
    }
}

/// An instance in the scene, or one that was removed from it.
///
/// The tree has its inverse transform and its box. A scene of a million instances is a million of these.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) id: InstanceId,
    pub(crate) instance: Instance,
    pub(crate) insertion_order: u64,
    /// `None` for an instance with neither parent nor children.
    pub(crate) kin: Option<Arc<Kin>>,
}

const _: () = assert!(size_of::<Slot>() <= 168, "a scene has as many as instances");

/// What an instance with a parent or children has beside its own values.
#[derive(Clone, Debug)]
pub(crate) struct Kin {
    /// The slots of the children, in sibling order.
    pub(crate) children: Vec<u32>,
    pub(crate) inherited: Inherited,
}

/// The bits of [`InstanceTag::flags`].
pub(crate) const HIDDEN: u32 = 1;
pub(crate) const LOCKED: u32 = 2;

impl Record {
    /// What the tree knows of the instance.
    pub(crate) fn tag(&self) -> InstanceTag {
        let hidden = if self.inherited().hidden { HIDDEN } else { 0 };
        let locked = if self.instance.locked { LOCKED } else { 0 };
        InstanceTag {
            layers: self.instance.layers,
            flags: hidden | locked,
            generation: self.id.generation,
            order: self.insertion_order,
        }
    }

    /// What its children inherit.
    pub(crate) fn inherited(&self) -> Inherited {
        match &self.kin {
            Some(kin) => kin.inherited,
            None => Inherited::new(None, &self.instance, self.instance.transform),
        }
    }

    /// Follows a change of the instance or its ancestors.
    pub(crate) fn inherit(&mut self, inherited: Inherited) {
        match &mut self.kin {
            Some(kin) => Arc::make_mut(kin).inherited = inherited,
            None if self.instance.parent.is_none() => {}
            None => self.kin = Some(Arc::new(Kin { children: Vec::new(), inherited })),
        }
    }

    /// The slots of the children, in sibling order.
    pub(crate) fn children(&self) -> &[u32] {
        self.kin.as_ref().map_or(&[], |kin| &kin.children)
    }

    /// The slots of the children, to change them.
    pub(crate) fn children_mut(&mut self) -> &mut Vec<u32> {
        let inherited = self.inherited();
        let kin = || Arc::new(Kin { children: Vec::new(), inherited });
        &mut Arc::make_mut(self.kin.get_or_insert_with(kin)).children
    }

    /// The transform from the space of the mesh to the world.
    pub(crate) fn mesh_to_world(&self) -> DAffine3 {
        self.instance.after_offset(self.inherited().world)
    }

    /// The placement of the mesh, computed anew. The tree has the values that queries need often.
    pub(crate) fn placement(&self) -> Placement {
        let placed = self.instance.placement(self.inherited().world);
        placed.expect("edits refuse such transforms")
    }
}

/// What the children of an instance inherit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inherited {
    /// The transform of the instance to the world, which its children are relative to.
    pub(crate) world: DAffine3,
    /// Whether the instance or an ancestor is hidden.
    pub(crate) hidden: bool,
}

impl Inherited {
    /// Those of an instance if its transform becomes `local`.
    pub(crate) fn new(parent: Option<&Self>, instance: &Instance, local: DAffine3) -> Self {
        Self {
            world: parent.map_or(local, |parent| parent.world * local),
            hidden: instance.hidden || parent.is_some_and(|parent| parent.hidden),
        }
    }
}

/// Where an edit puts an instance.
#[derive(Debug)]
pub(crate) struct WorldState {
    pub(crate) inherited: Inherited,
    pub(crate) placement: Placement,
}

impl WorldState {
    /// That of an instance if its transform becomes `local`.
    pub(crate) fn new(
        parent: Option<&Inherited>,
        instance: &Instance,
        local: DAffine3,
    ) -> Result<Self, TransformError> {
        let inherited = Inherited::new(parent, instance, local);
        Ok(Self { inherited, placement: instance.placement(inherited.world)? })
    }
}

impl Instance {
    /// The placement of the mesh if the instance has the transform `world`.
    pub(crate) fn placement(&self, world: DAffine3) -> Result<Placement, TransformError> {
        match &self.mesh {
            Some(mesh) => mesh.placement(self.after_offset(world)),
            None => Placement::new(world, Aabb::EMPTY),
        }
    }

    /// The transform from the space of the mesh, if the instance has the transform `world`.
    fn after_offset(&self, world: DAffine3) -> DAffine3 {
        self.mesh.as_ref().map_or(world, |mesh| after_offset(world, mesh.tri_mesh()))
    }
}

/// The transform from the space of a mesh, whose offset comes first.
pub(crate) fn after_offset(transform: DAffine3, mesh: &TriMesh) -> DAffine3 {
    match mesh.offset() {
        // Without an offset every bit stays, even the sign of zero.
        DVec3::ZERO => transform,
        offset => transform * DAffine3::from_translation(offset),
    }
}

impl Scene {
    /// Creates a scene without instances.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of instances, groups included.
    pub fn len(&self) -> usize {
        self.n_instances
    }

    /// Whether the scene has no instances.
    pub fn is_empty(&self) -> bool {
        self.n_instances == 0
    }

    /// Whether the handle names an instance that is in the scene.
    pub fn contains(&self, id: InstanceId) -> bool {
        self.record(id).is_some()
    }

    /// The instance as last inserted or edited; `None` for an unknown handle.
    pub fn get(&self, id: InstanceId) -> Option<&Instance> {
        Some(&self.record(id)?.instance)
    }

    /// All instances, in slot order. O(n).
    pub fn iter(&self) -> impl Iterator<Item = (InstanceId, &Instance)> {
        self.records().map(|record| (record.id, &record.instance))
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> {
        self.slots.iter().filter_map(Slot::record)
    }

    /// The children of an instance, in the order in which it got them. Empty for an unknown handle.
    pub fn children(&self, id: InstanceId) -> impl Iterator<Item = InstanceId> {
        let children = self.record(id).map_or(&[][..], Record::children);
        children.iter().map(|&index| self.at(index).id)
    }

    /// The ancestors of an instance from the root down, then the instance. Empty for an unknown handle.
    pub fn path(&self, id: InstanceId) -> Vec<InstanceId> {
        let mut path: Vec<InstanceId> = self.ancestors(id).map(|record| record.id).collect();
        path.reverse();
        path
    }

    /// The instance, then its ancestors up to the root.
    pub(crate) fn ancestors(&self, id: InstanceId) -> impl Iterator<Item = &Record> {
        std::iter::successors(self.record(id), |record| self.record(record.instance.parent?))
    }

    /// The transform of the instance after those of its ancestors; `None` for an unknown handle.
    ///
    /// For the positions of a mesh use [`mesh_to_world`](Self::mesh_to_world), which also has the
    /// [offset](TriMesh::offset) of the mesh.
    pub fn world_transform(&self, id: InstanceId) -> Option<DAffine3> {
        Some(self.record(id)?.inherited().world)
    }

    /// The transform from the positions of the instance's mesh to the world: the
    /// [offset](TriMesh::offset) of the mesh, then [`world_transform`](Self::world_transform). `None` for an
    /// unknown handle.
    pub fn mesh_to_world(&self, id: InstanceId) -> Option<DAffine3> {
        Some(self.record(id)?.mesh_to_world())
    }

    /// Whether the instance or an ancestor is hidden; `None` for an unknown handle.
    pub fn is_hidden(&self, id: InstanceId) -> Option<bool> {
        Some(self.record(id)?.inherited().hidden)
    }

    /// The number that decides ties between hits with equal `t`; `None` for an unknown handle.
    ///
    /// The first instance has 0, and each further one the next number. [`restore`](Self::restore) preserves
    /// it, and [`renumber`](Self::renumber) changes it. No two instances have the same.
    pub fn insertion_order(&self, id: InstanceId) -> Option<u64> {
        Some(self.record(id)?.insertion_order)
    }

    /// The instance of an insertion order, which stays the same when a file holds the scene. O(n).
    pub fn by_insertion_order(&self, order: u64) -> Option<InstanceId> {
        self.records().find(|record| record.insertion_order == order).map(|record| record.id)
    }

    /// All instances, each before its children, and children in their order. Instances without a parent
    /// come in insertion order. O(n log n).
    pub fn depth_first(&self) -> Vec<InstanceId> {
        let mut roots: Vec<&Record> =
            self.records().filter(|record| record.instance.parent.is_none()).collect();
        roots.sort_unstable_by_key(|record| std::cmp::Reverse(record.insertion_order));
        let mut pending: Vec<u32> = roots.iter().map(|record| record.id.index).collect();
        let mut found = Vec::with_capacity(self.n_instances);
        while let Some(index) = pending.pop() {
            let record = self.at(index);
            found.push(record.id);
            pending.extend(record.children().iter().rev());
        }
        found
    }

    pub(crate) fn record(&self, id: InstanceId) -> Option<&Record> {
        self.slot(id.index)?.record().filter(|record| record.id.generation == id.generation)
    }

    pub(crate) fn slot(&self, index: u32) -> Option<&Slot> {
        ((index as usize) < self.slots.len()).then(|| self.slots.get(index))
    }

    /// The record in a slot that is in use.
    #[inline]
    pub(crate) fn at(&self, index: u32) -> &Record {
        self.slots.get(index).record().expect("links and tree name slots in use")
    }

    pub(crate) fn at_mut(&mut self, index: u32) -> &mut Record {
        match self.slots.get_mut(index) {
            Slot::Present(record) => record,
            Slot::Free { .. } | Slot::Removed { .. } => panic!("links and tree name slots in use"),
        }
    }

    /// What brings world rays and points to the mesh of an instance.
    #[inline]
    pub(crate) fn frame(&self, record: &Record) -> LocalFrame {
        self.tree.frame(record.id.index).unwrap_or_else(|| record.placement().frame)
    }

    /// The box of an instance in the tree; empty for a group.
    pub(crate) fn tree_box(&self, record: &Record) -> WorldBox {
        self.tree.bounds(record.id.index).unwrap_or(WorldBox::EMPTY)
    }

    pub(crate) fn index_of(&self, id: InstanceId) -> Result<u32, SceneError> {
        self.record(id).map(|_| id.index).ok_or(SceneError::UnknownInstance(id))
    }
}
