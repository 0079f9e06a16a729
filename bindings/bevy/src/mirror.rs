//! The entities with meshes, mirrored as instances of a hitscan scene.

use std::sync::Arc;

use hitscan::{
    glam::DAffine3,
    scene::{Instance, InstanceId, Scene},
};

use crate::{
    bevy_api::{AssetId, Assets, Entity, EntityHashMap, Mesh, MeshData, Resource},
    build::BuiltMesh,
    pose::Poses,
    posed::{Posed, Shown},
    trees::Trees,
};

/// The scene that mirrors the world, with the trees of its meshes.
///
/// The plugin updates it once a frame, in `PostUpdate` after transforms propagate. Until then it does not change, so that
/// systems query it side by side. [`HitscanScene`](crate::HitscanScene) and
/// [`HitscanRayCast`](crate::HitscanRayCast) do.
#[derive(Resource, Debug, Default)]
pub struct HitscanWorld {
    pub(crate) mirror: Mirror,
}

impl HitscanWorld {
    /// The number of mesh assets whose tree is not ready or does not show their current content.
    pub fn n_pending(&self) -> usize {
        self.mirror.trees.n_stale()
    }

    /// Whether the tree of a mesh shows its current content.
    pub fn is_ready(&self, mesh: impl Into<AssetId<Mesh>>) -> bool {
        self.mirror.trees.get(mesh.into()).is_some_and(|tree| tree.is_current())
    }

    /// A snapshot of the scene, for queries on another thread. It shares its memory, so it costs little.
    ///
    /// A skinned or morphed entity has the pose of the last query that needed it.
    /// [`HitscanScene::snapshot`](crate::HitscanScene::snapshot) has the current poses.
    pub fn snapshot(&self) -> Scene {
        let mut scene = self.mirror.scene.clone();
        for (entity, posed) in self.mirror.posed() {
            if let Some(known) = self.mirror.get(entity)
                && let Some(id) = known.instance
            {
                if let Some(latest) = posed.latest() {
                    place_pose(&mut scene, id, latest.mesh, latest.placement);
                }
                let _ = scene.set_layers(id, known.facts.layers);
            }
        }
        scene
    }

    /// The instance of an entity in the scene; `None` without a tree.
    pub fn instance(&self, entity: Entity) -> Option<InstanceId> {
        self.mirror.entities.get(&entity)?.instance
    }

    /// The entity of an instance in the scene.
    pub fn entity(&self, instance: InstanceId) -> Option<Entity> {
        self.mirror.owner(instance)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Mirror {
    pub(crate) scene: Scene,
    pub(crate) trees: Trees,
    /// The owner of each slot of the scene.
    owners: Vec<Owner>,
    entities: EntityHashMap<Mirrored>,
    /// The entities whose positions depend on joints or morph targets. Queries take them from here: their
    /// instances in the scene have no layer, so that no query finds them there.
    posed: EntityHashMap<Posed>,
    /// The transforms that changed in this frame.
    moves: Vec<(InstanceId, DAffine3)>,
}

/// The entity of an instance, with what a ray asks of it first. Small, so that a ray past many instances
/// reads little memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) entity: Entity,
    pub(crate) mesh: AssetId<Mesh>,
}

/// The place of a tree in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Instance(InstanceId),
    /// The entity, in its current pose.
    Posed(Entity),
}

/// An entity with a mesh.
#[derive(Debug)]
pub(crate) struct Mirrored {
    pub(crate) mesh: AssetId<Mesh>,
    pub(crate) facts: Facts,
    /// `None` without a tree, or with a singular transform.
    pub(crate) instance: Option<InstanceId>,
}

/// The values of an entity's components that its instance mirrors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Facts {
    pub(crate) transform: DAffine3,
    pub(crate) layers: u32,
    pub(crate) hidden: bool,
    pub(crate) locked: bool,
    pub(crate) is_posed: bool,
}

impl Mirrored {
    /// Whether joints or morph targets move the vertices.
    pub(crate) fn is_posed(&self) -> bool {
        self.facts.is_posed
    }
}

impl Mirror {
    pub(crate) fn owner(&self, instance: InstanceId) -> Option<Entity> {
        self.scene.contains(instance).then(|| self.owner_in_scene(instance).entity)
    }

    /// The owner of an instance that is in the scene.
    pub(crate) fn owner_in_scene(&self, instance: InstanceId) -> &Owner {
        &self.owners[instance.index as usize]
    }

    pub(crate) fn get(&self, entity: Entity) -> Option<&Mirrored> {
        self.entities.get(&entity)
    }

    /// The number that Bevy's mesh gives a triangle of an entity's tree.
    pub(crate) fn number(&self, entity: Entity, triangle: u32) -> u32 {
        let tree = self.entities.get(&entity).and_then(|known| self.trees.get(known.mesh));
        tree.and_then(|tree| tree.built.as_ref()).map_or(triangle, |built| built.number(triangle))
    }

    /// The entities whose positions depend on joints or morph targets.
    pub(crate) fn posed(&self) -> impl Iterator<Item = (Entity, &Posed)> {
        self.posed.iter().map(|(&entity, posed)| (entity, posed))
    }

    /// The tree of a posed entity in its current pose.
    pub(crate) fn show(&self, entity: Entity, meshes: &Assets<Mesh>) -> Option<&Shown> {
        let mesh = self.entities.get(&entity)?.mesh;
        self.posed.get(&entity)?.show(mesh, self.trees.get(mesh)?, meshes.get(mesh)?)
    }

    /// A box around the pose of an instance's entity; `None` without one.
    #[cfg(feature = "gizmos")]
    pub(crate) fn posed_bounds(&self, id: InstanceId) -> Option<hitscan::scene::WorldBox> {
        self.posed.get(&self.owner(id)?)?.bounds().copied()
    }

    /// The scene that has a tree in its place. A pose is there once [`show`](Self::show) has returned it.
    pub(crate) fn scene_of(&self, place: Place) -> Option<(&Scene, InstanceId)> {
        match place {
            Place::Instance(id) => Some((&self.scene, id)),
            Place::Posed(entity) => {
                self.posed.get(&entity)?.shown().map(|shown| (&shown.scene, shown.id))
            }
        }
    }

    /// Mirrors an entity that is new or has changed.
    pub(crate) fn update(
        &mut self,
        entity: Entity,
        mesh: AssetId<Mesh>,
        facts: Facts,
        meshes: &Assets<Mesh>,
    ) {
        let known = self.entities.get(&entity);
        let is_same =
            known.is_some_and(|known| known.mesh == mesh && known.facts.is_posed == facts.is_posed);
        if !is_same {
            self.remove(entity);
            self.trees.get_or_start(mesh, meshes).users.insert(entity);
            if facts.is_posed {
                self.posed.insert(entity, Posed::default());
            }
            self.entities.insert(entity, Mirrored { mesh, facts, instance: None });
            self.place(entity);
            return;
        }
        self.posed.get_mut(&entity).into_iter().for_each(Posed::entity_changed);
        let known = self.entities.get_mut(&entity).expect("the entity is known");
        let old = std::mem::replace(&mut known.facts, facts);
        let Some(id) = known.instance else {
            self.place(entity);
            return;
        };
        if old.transform != facts.transform && !facts.is_posed {
            self.moves.push((id, facts.transform));
        }
        const KNOWN: &str = "the entity's instance is in the scene";
        if old.layers != facts.layers && !facts.is_posed {
            self.scene.set_layers(id, facts.layers).expect(KNOWN);
        }
        if old.hidden != facts.hidden {
            self.scene.set_hidden(id, facts.hidden).expect(KNOWN);
        }
        if old.locked != facts.locked {
            self.scene.set_locked(id, facts.locked).expect(KNOWN);
        }
    }

    /// Moves the instances whose transforms changed, all at once.
    pub(crate) fn apply_moves(&mut self) {
        let moves = std::mem::take(&mut self.moves);
        if self.scene.set_transforms(moves.iter().copied()).is_err() {
            for &(id, transform) in &moves {
                // A singular transform: no ray hits the entity until it changes.
                if self.scene.set_transform(id, transform).is_err()
                    && let Some(entity) = self.owner(id)
                {
                    self.displace(entity);
                }
            }
        }
        self.moves = moves;
        self.moves.clear();
    }

    /// Forgets an entity that lost its mesh or despawned.
    pub(crate) fn remove(&mut self, entity: Entity) {
        self.displace(entity);
        self.posed.remove(&entity);
        if let Some(known) = self.entities.remove(&entity)
            && let Some(tree) = self.trees.get_mut(known.mesh)
        {
            tree.users.remove(&entity);
        }
    }

    /// Gives the entities of an asset its new tree, or takes it away.
    pub(crate) fn tree_changed(&mut self, mesh: AssetId<Mesh>) {
        let Some(tree) = self.trees.get(mesh) else { return };
        let mut users: Vec<Entity> = tree.users.iter().copied().collect();
        // The order of instances decides ties, so it must not depend on the hash.
        users.sort_unstable_by_key(|entity| entity.index_u32());
        for entity in users {
            self.posed.get_mut(&entity).into_iter().for_each(Posed::reset);
            let known = self.entities.get(&entity).and_then(|known| known.instance);
            let built = self.trees.get(mesh).and_then(|tree| tree.built.as_ref());
            let is_placed = known.zip(built).is_some_and(|(id, built)| {
                self.scene.set_mesh(id, Some(Arc::clone(&built.mesh))).is_ok()
            });
            if !is_placed {
                self.displace(entity);
                self.place(entity);
            }
        }
    }

    /// Lets the tree of an asset follow vertices that moved, and all that show it.
    pub(crate) fn vertices_moved(
        &mut self,
        mesh: AssetId<Mesh>,
        vertices: Vec<u32>,
        meshes: &Assets<Mesh>,
    ) {
        if !self.trees.vertices_moved(mesh, &vertices) {
            // A job takes them into its tree.
            return;
        }
        match self.follow_vertices(mesh, vertices, meshes) {
            Some(is_slow) => {
                if is_slow {
                    self.trees.became_slow(mesh);
                }
            }
            None => self.trees.content_changed(mesh),
        }
    }

    /// Returns whether the tree has become slow; `None` if it could not follow.
    fn follow_vertices(
        &mut self,
        mesh: AssetId<Mesh>,
        vertices: Vec<u32>,
        meshes: &Assets<Mesh>,
    ) -> Option<bool> {
        let data = MeshData::new(meshes.get(mesh)?).ok()?;
        let tree = self.trees.get_mut(mesh)?;
        let moves = tree.built.as_ref()?.moves(&data, vertices)?;
        tree.forget_skin();
        let instances = tree.users.iter().filter_map(|user| self.entities.get(user)?.instance);
        let instance = instances.min_by_key(|id| id.index);
        for user in &tree.users {
            self.posed.get_mut(user).into_iter().for_each(Posed::reset);
        }
        let BuiltMesh { mesh: mut shared, source } = tree.built.take()?;
        let report = match instance {
            Some(id) => {
                // The scene edits the tree in place if it alone holds it.
                drop(shared);
                let report = self.scene.edit_mesh(id, |mesh| mesh.move_vertices(moves)).ok();
                shared = self.scene.get(id)?.mesh.clone()?;
                report
            }
            None => Arc::make_mut(&mut shared).edit(|mesh| mesh.move_vertices(moves)).ok(),
        };
        tree.built = Some(BuiltMesh { mesh: shared, source });
        Some(report?.rebuild_pays())
    }

    /// Inserts the instance of an entity, if its mesh has a tree.
    fn place(&mut self, entity: Entity) {
        let Some(known) = self.entities.get_mut(&entity) else { return };
        let Some(built) = self.trees.get(known.mesh).and_then(|tree| tree.built.as_ref()) else {
            return;
        };
        let Facts { transform, layers, hidden, locked, .. } = known.facts;
        let layers = if known.facts.is_posed { 0 } else { layers };
        let instance = Instance {
            layers,
            hidden,
            locked,
            ..Instance::new(Arc::clone(&built.mesh), transform)
        };
        // An error means a singular transform. The joints may still place a skinned mesh.
        let inserted = self.scene.insert(instance.clone());
        let inserted = match inserted {
            Err(_) if known.facts.is_posed => {
                self.scene.insert(Instance { transform: DAffine3::IDENTITY, ..instance })
            }
            other => other,
        };
        let Ok(id) = inserted else { return };
        known.instance = Some(id);
        let slot = id.index as usize;
        let owner = Owner { entity, mesh: known.mesh };
        if self.owners.len() <= slot {
            self.owners.resize(slot + 1, owner);
        }
        self.owners[slot] = owner;
    }

    /// Removes the instance of an entity.
    fn displace(&mut self, entity: Entity) {
        let Some(known) = self.entities.get_mut(&entity) else { return };
        if let Some(id) = known.instance.take()
            && let Ok(removed) = self.scene.remove(id)
        {
            self.scene.forget(removed);
        }
    }
}

/// Poses.
impl Mirror {
    /// Brings every skinned and morphed entity to its current pose: joints and a box around them. The first query that
    /// needs its triangles moves them.
    pub(crate) fn follow_poses(&mut self, poses: &Poses<'_, '_>, meshes: &Assets<Mesh>) {
        let Self { posed, entities, trees, .. } = self;
        for (&entity, posed) in posed {
            let known = entities.get(&entity).filter(|known| known.instance.is_some());
            let Some(id) = known.map(|known| known.mesh) else { continue };
            if posed.is_up_to_date() && !poses.may_have_changed(entity) {
                continue;
            }
            let skin = meshes.get(id).zip(trees.get_mut(id));
            let skin = skin.and_then(|(mesh, tree)| Some((mesh, tree.skin_or_read(mesh)?)));
            if let Some((mesh, skin)) = skin
                && let Some(values) = poses.values(entity, skin.has_joints())
            {
                posed.set(values, |values| skin.bounds(mesh, values));
            }
        }
    }
}

/// Gives an instance of a snapshot a tree in a pose.
pub(crate) fn place_pose(
    scene: &mut Scene,
    id: InstanceId,
    mesh: Arc<hitscan::scene::Mesh>,
    placement: DAffine3,
) {
    // A transform that fits one of the two meshes alone is far outside of any world.
    let placed = scene.set_mesh(id, Some(mesh));
    let _ = placed.and_then(|()| scene.set_transform(id, placement));
}
