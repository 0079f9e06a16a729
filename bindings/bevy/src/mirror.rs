//! The entities with meshes, mirrored as instances of a hitscan scene.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hitscan::{
    glam::DAffine3,
    scene::{Instance, InstanceId, Scene, WorldBox},
};

use crate::{
    bevy_api::{
        AssetId, Assets, Entity, EntityHashMap, EntityHashSet, GlobalTransform, Mesh, Resource,
    },
    pose::Poses,
    skin::PoseValues,
    trees::Trees,
};

/// The scene that mirrors the world, with the trees of its meshes.
///
/// The plugin updates it once a frame, in `PostUpdate` after transforms propagate.
/// [`HitscanScene`](crate::HitscanScene) and [`HitscanRayCast`](crate::HitscanRayCast) query it.
#[derive(Resource, Debug, Default)]
pub struct HitscanWorld {
    mirror: Mutex<Mirror>,
}

impl HitscanWorld {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Mirror> {
        // A panic during a query leaves the mirror intact, because edits of a scene are atomic.
        self.mirror.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of mesh assets whose tree is not ready or does not show their current content.
    pub fn n_pending(&self) -> usize {
        self.lock().trees.n_stale()
    }

    /// Whether the tree of a mesh shows its current content.
    pub fn is_ready(&self, mesh: impl Into<AssetId<Mesh>>) -> bool {
        self.lock().trees.get(mesh.into()).is_some_and(|tree| tree.is_current())
    }

    /// A snapshot of the scene, for queries on another thread. It shares its memory, so it costs little.
    ///
    /// A skinned or morphed entity has the pose of the last query that needed it.
    pub fn snapshot(&self) -> Scene {
        self.lock().scene.clone()
    }

    /// The instance of an entity in the scene; `None` without a tree.
    pub fn instance(&self, entity: Entity) -> Option<InstanceId> {
        self.lock().entities.get(&entity)?.instance
    }

    /// The entity of an instance in the scene.
    pub fn entity(&self, instance: InstanceId) -> Option<Entity> {
        self.lock().owner(instance)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Mirror {
    pub(crate) scene: Scene,
    pub(crate) trees: Trees,
    /// The owner of each slot of the scene.
    owners: Vec<Owner>,
    entities: EntityHashMap<Mirrored>,
    /// The entities whose positions depend on joints or morph targets.
    posed: EntityHashSet,
}

/// The entity of an instance, with what a ray asks of it first. Small, so that a ray past many instances
/// reads little memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) entity: Entity,
    pub(crate) mesh: AssetId<Mesh>,
    /// Whether joints or morph targets move the vertices.
    pub(crate) is_posed: bool,
}

/// An entity with a mesh.
#[derive(Debug)]
pub(crate) struct Mirrored {
    pub(crate) mesh: AssetId<Mesh>,
    facts: Facts,
    /// `None` without a tree, or with a singular transform.
    pub(crate) instance: Option<InstanceId>,
    /// The pose that the instance shows.
    pose: Option<PoseValues>,
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
    pub(crate) fn posed(&self) -> Vec<Entity> {
        self.posed.iter().copied().collect()
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
                self.posed.insert(entity);
            }
            self.entities.insert(entity, Mirrored { mesh, facts, instance: None, pose: None });
            self.place(entity);
            return;
        }
        let known = self.entities.get_mut(&entity).expect("the entity is known");
        let old = std::mem::replace(&mut known.facts, facts);
        let Some(id) = known.instance else {
            self.place(entity);
            return;
        };
        let is_moved = old.transform != facts.transform && !facts.is_posed;
        let scene = &mut self.scene;
        let mut result = Ok(());
        if is_moved {
            result = scene.set_transform(id, facts.transform);
        }
        if old.layers != facts.layers {
            result = result.and(scene.set_layers(id, facts.layers));
        }
        if old.hidden != facts.hidden {
            result = result.and(scene.set_hidden(id, facts.hidden));
        }
        if old.locked != facts.locked {
            result = result.and(scene.set_locked(id, facts.locked));
        }
        if result.is_err() {
            // A singular transform: no ray hits the entity until it changes.
            self.displace(entity);
        }
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
            self.displace(entity);
            self.place(entity);
        }
    }

    /// Inserts the instance of an entity, if its mesh has a tree.
    fn place(&mut self, entity: Entity) {
        let Some(known) = self.entities.get_mut(&entity) else { return };
        let Some(built) = self.trees.get(known.mesh).and_then(|tree| tree.built.as_ref()) else {
            return;
        };
        let Facts { transform, layers, hidden, locked, .. } = known.facts;
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
        let owner = Owner { entity, mesh: known.mesh, is_posed: known.facts.is_posed };
        if self.owners.len() <= slot {
            self.owners.resize(slot + 1, owner);
        }
        self.owners[slot] = owner;
    }

    /// Removes the instance of an entity.
    fn displace(&mut self, entity: Entity) {
        let Some(known) = self.entities.get_mut(&entity) else { return };
        known.pose = None;
        if let Some(id) = known.instance.take()
            && let Ok(removed) = self.scene.remove(id)
        {
            self.scene.forget(removed);
        }
    }
}

/// Poses.
impl Mirror {
    /// The current pose of an entity and a culling box around it, without moving its instance.
    pub(crate) fn pose_of(
        &mut self,
        entity: Entity,
        transform: &GlobalTransform,
        meshes: &Assets<Mesh>,
        poses: &Poses<'_, '_>,
    ) -> Option<(PoseValues, WorldBox)> {
        let known = self.entities.get(&entity)?;
        let mesh = meshes.get(known.mesh)?;
        let tree = self.trees.get_mut(known.mesh)?;
        let skin = tree.skin(mesh)?;
        let values = poses.values(entity, transform, skin.has_joints());
        let bounds = match known.instance {
            Some(id) if known.pose.as_ref() == Some(&values) => self.scene.culling_box(id)?,
            _ => skin.bounds(mesh, &values),
        };
        Some((values, bounds))
    }

    /// Moves the instance of an entity to a pose. Returns the instance.
    pub(crate) fn show_pose(
        &mut self,
        entity: Entity,
        values: PoseValues,
        meshes: &Assets<Mesh>,
    ) -> Option<InstanceId> {
        let known = self.entities.get_mut(&entity)?;
        let id = known.instance?;
        if known.pose.as_ref() == Some(&values) {
            return Some(id);
        }
        let is_same = known.pose.as_ref().is_some_and(|old| old.has_same_positions(&values));
        if !is_same {
            let tree = self.trees.get_mut(known.mesh)?;
            let rest = Arc::clone(tree.built.as_ref()?);
            let mesh = meshes.get(known.mesh)?;
            let positions =
                tree.skin(mesh)?.positions(mesh, rest.mesh.tri_mesh().positions(), &values);
            let refitted = match positions {
                Ok(positions) => {
                    self.scene.refit(id, positions).map(drop).map_err(|error| error.to_string())
                }
                Err(error) => Err(error.to_string()),
            };
            if let Err(error) = refitted {
                tree.warn_once(known.mesh, &error);
            }
        }
        if self.scene.set_transform(id, values.placement).is_err() {
            return None;
        }
        known.pose = Some(values);
        Some(id)
    }
}
