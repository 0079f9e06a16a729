//! The scene of a query: current poses in its reach, without the entities that a filter excludes.

use std::{borrow::Cow, ops::ControlFlow};

use hitscan::{
    Faces,
    scene::{InstanceId, QueryOptions, Scene},
};

use crate::{
    bevy_api::{Entity, Pickable, Query, RenderLayers, SystemParam},
    cast::Caster,
    follow::{SHARED_LAYER, layer_mask},
    mirror::{Facts, Mirror, Mirrored, place_pose},
    reach::Reach,
    scene_query::SceneFilter,
};

/// What decides the entities of a query.
#[derive(SystemParam)]
pub(crate) struct Included<'w, 's> {
    pub(crate) caster: Caster<'w, 's>,
    filters: Query<'w, 's, (Option<&'static Pickable>, Option<&'static RenderLayers>)>,
}

impl Included<'_, '_> {
    /// Whether a filter includes an entity, apart from its visibility. `layers` are those that the query includes.
    pub(crate) fn accepts(
        &self,
        entity: Entity,
        filter: &SceneFilter<'_>,
        layers: Option<&RenderLayers>,
    ) -> bool {
        let Ok((pickable, own)) = self.filters.get(entity) else { return false };
        (filter.include_unpickable || pickable.is_none_or(|pickable| pickable.is_hoverable))
            && layers.is_none_or(|layers| layers.intersects(own.unwrap_or_default()))
            && !filter.ignore.contains(&entity)
            && filter.accept.is_none_or(|accept| accept(entity))
    }

    pub(crate) fn mirror(&self) -> &Mirror {
        &self.caster.world.mirror
    }

    /// The scene with all entities in their current poses.
    pub(crate) fn snapshot(&self) -> Scene {
        let mut scene = Cow::Borrowed(&self.mirror().scene);
        self.pose(&mut scene, &Reach::Everywhere, |_| true);
        scene.into_owned()
    }

    /// Gives a scene the current poses in reach of the entities that may count.
    fn pose(
        &self,
        scene: &mut Cow<'_, Scene>,
        reach: &Reach,
        may_count: impl Fn(&Mirrored) -> bool,
    ) {
        let mirror = self.mirror();
        for (entity, posed) in mirror.posed() {
            if let Some(known) = mirror.get(entity).filter(|known| may_count(known))
                && let Some(id) = known.instance
                && posed.bounds().is_some_and(|bounds| reach.may_touch(bounds))
                && let Some(shown) = mirror.show(entity, &self.caster.meshes)
                && let Some(instance) = shown.scene.get(shown.id)
                && let Some(mesh) = instance.mesh.clone()
            {
                let scene = scene.to_mut();
                place_pose(scene, id, mesh, instance.transform);
                scene.set_layers(id, known.facts.layers).expect("the instance is in the scene");
            }
        }
    }

    /// Runs a query on the scene in its current pose, restricted to the entities of a filter.
    pub(crate) fn query<T>(
        &self,
        reach: &Reach,
        filter: &SceneFilter<'_>,
        layers: Option<&RenderLayers>,
        query: impl FnOnce(&Scene, QueryOptions<'_>) -> T,
    ) -> T {
        let mirror = self.mirror();
        let mask = layers.map_or(u32::MAX, |layers| layer_mask(Some(layers)));
        let mut scene = Cow::Borrowed(&mirror.scene);
        self.pose(&mut scene, reach, |known| {
            let Facts { layers, hidden, locked, .. } = known.facts;
            layers & mask != 0
                && (filter.include_hidden || !hidden)
                && (filter.include_unpickable || !locked)
        });
        let ignore: Vec<InstanceId> = filter
            .ignore
            .iter()
            .filter_map(|&entity| mirror.get(entity).and_then(|known| known.instance))
            .collect();
        let options = QueryOptions {
            faces: filter.faces.unwrap_or(Faces::Front),
            layers: mask,
            ignore: &ignore,
            include_hidden: filter.include_hidden,
            include_locked: filter.include_unpickable,
            ..QueryOptions::default()
        };
        // Masks do not tell the layers of the shared bit apart.
        let shared = layers.filter(|_| mask & SHARED_LAYER != 0);
        for id in self.refused(&scene, reach, &options, shared, filter.accept) {
            // An instance without a layer takes part in no query.
            scene.to_mut().set_layers(id, 0).expect("the instance is in the scene");
        }
        query(&scene, options)
    }

    /// The instances in reach that a rule of the caller or exact layers exclude.
    fn refused(
        &self,
        scene: &Scene,
        reach: &Reach,
        options: &QueryOptions<'_>,
        layers: Option<&RenderLayers>,
        accept: Option<&dyn Fn(Entity) -> bool>,
    ) -> Vec<InstanceId> {
        let mut refused = vec![];
        if layers.is_none() && accept.is_none() {
            return refused;
        }
        let _: ControlFlow<()> = scene.visit(
            options,
            |bounds| reach.may_touch(bounds),
            |id| {
                let entity = self.mirror().owner_in_scene(id).entity;
                let intersects = |own: &RenderLayers| {
                    let (_, layers) = self.filters.get(entity).unwrap_or_default();
                    own.intersects(layers.unwrap_or_default())
                };
                let counts =
                    layers.is_none_or(intersects) && accept.is_none_or(|rule| rule(entity));
                if !counts {
                    refused.push(id);
                }
                ControlFlow::Continue(())
            },
        );
        refused
    }
}
