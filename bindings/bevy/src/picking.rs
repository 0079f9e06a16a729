//! The picking backend.

use crate::{
    bevy_api::{
        App, AssetEventSystems, Camera, Entity, Has, HitData, IntoScheduleConfigs, Local,
        MeshPickingCamera, MeshPickingPlugin, MeshPickingSettings, MessageWriter, Pickable,
        PickingSystems, Plugin, PointerHits, PointerId, PostUpdate, PreUpdate, Query, RayMap,
        RenderLayers, Res, SystemSet, TransformSystems, VisibilitySystems,
    },
    cast::{CastOptions, Caster},
    edits::HitscanEdits,
    follow::follow_world,
    hit::HitscanHit,
    lines::HitscanLines,
    mirror::HitscanWorld,
    pick_filter::HitscanPickFilter,
    pick_order::HitscanPickOrder,
    polygons::HitscanPolygons,
    settings::HitscanSettings,
};

/// The picking backend, in place of Bevy's `MeshPickingPlugin`.
///
/// It reads the same settings and markers (`MeshPickingSettings`, `MeshPickingCamera`, `Pickable`,
/// `RayCastBackfaces`, `SimplifiedMesh`) and writes the same `PointerHits`. Each `HitData` carries a
/// [`HitscanHit`]. Do not add both plugins, because every hit would count twice; the log warns of it.
///
/// Adds [`HitscanPlugin`], which may also come before or after it.
#[derive(Clone, Copy, Debug, Default)]
pub struct HitscanPickingPlugin;

impl Plugin for HitscanPickingPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(HitscanPlugin)
            .init_resource::<MeshPickingSettings>()
            .register_type::<HitscanPickFilter>()
            .register_type::<HitscanPickOrder>()
            .add_systems(PreUpdate, update_hits.in_set(PickingSystems::Backend));
    }

    fn finish(&self, app: &mut App) {
        if app.is_plugin_added::<MeshPickingPlugin>() {
            tracing::warn!(
                "both HitscanPickingPlugin and MeshPickingPlugin report every hit; remove MeshPickingPlugin"
            );
        }
    }
}

/// The trees of the world's meshes and the system parameters, without a picking backend.
///
/// Needs `Assets<Mesh>`, from `DefaultPlugins` or `MeshPlugin`. A second one changes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct HitscanPlugin;

/// The system that updates the trees and instances, in `PostUpdate`.
///
/// Order your system after it to query what the same frame has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, SystemSet)]
pub struct HitscanSystems;

impl Plugin for HitscanPlugin {
    fn is_unique(&self) -> bool {
        // `HitscanPickingPlugin` adds it, too, in any order.
        false
    }

    fn build(&self, app: &mut App) {
        if app.world().contains_resource::<HitscanWorld>() {
            return;
        }
        app.init_resource::<HitscanWorld>()
            .init_resource::<HitscanSettings>()
            .init_resource::<HitscanEdits>()
            .init_resource::<HitscanPolygons>()
            .register_type::<HitscanSettings>()
            .register_type::<HitscanEdits>()
            .register_type::<HitscanPolygons>()
            .register_type::<HitscanHit>()
            .register_type::<HitscanLines>()
            .add_systems(
                PostUpdate,
                follow_world
                    .in_set(HitscanSystems)
                    .after(AssetEventSystems)
                    .after(TransformSystems::Propagate)
                    .after(VisibilitySystems::VisibilityPropagate),
            );
    }
}

/// Casts the ray of each pointer and camera, and writes the hits.
fn update_hits(
    settings: Res<'_, MeshPickingSettings>,
    ray_map: Res<'_, RayMap>,
    cameras: Query<'_, '_, (&Camera, Has<MeshPickingCamera>, Option<&RenderLayers>)>,
    targets: Query<'_, '_, (Option<&Pickable>, Option<&RenderLayers>, Option<&HitscanPickOrder>)>,
    ordered: Query<'_, '_, &HitscanPickOrder>,
    filters: Query<'_, '_, &HitscanPickFilter>,
    pointers: Query<'_, '_, (&PointerId, &HitscanPickFilter)>,
    caster: Caster<'_, '_>,
    mut hits: Local<'_, Vec<HitscanHit>>,
    mut writer: MessageWriter<'_, PointerHits>,
) {
    let orders = orders(&ordered);
    for (&ray_id, &ray) in ray_map.iter() {
        let Ok((camera, is_marked, camera_layers)) = cameras.get(ray_id.camera) else { continue };
        if settings.require_markers && !is_marked {
            continue;
        }
        let camera_layers = camera_layers.unwrap_or_default();
        let own = filters.get(ray_id.camera).ok();
        let pointer = pointers.iter().find(|(id, _)| **id == ray_id.pointer);
        let rules = [own, pointer.map(|(_, filter)| filter)];
        let rules = || rules.into_iter().flatten();
        let accept_hit = |hit: &HitscanHit| rules().all(|rule| rule.accepts_hit(hit));
        let options = CastOptions {
            visibility: settings.ray_cast_visibility,
            filter: &|_| true,
            // Entities without the component do not end the search. Bevy's hover sorts out which of the
            // hits count.
            blocks: &|entity| {
                let pickable = targets.get(entity).ok().and_then(|(pickable, ..)| pickable);
                pickable.is_some_and(|pickable| pickable.should_block_lower)
            },
            faces: None,
            accept_hit: rules().any(|rule| rule.accept_hit.is_some()).then_some(&accept_hit),
            lists_crossings: false,
        };
        // A ray for each order, because what blocks those of an order blocks no other.
        for &order in &orders {
            let filter = |entity| {
                let Ok((pickable, layers, own)) = targets.get(entity) else { return false };
                HitscanPickOrder::of(own) == order
                    && pickable.map_or(!settings.require_markers, |pickable| pickable.is_hoverable)
                    && camera_layers.intersects(layers.unwrap_or_default())
                    && rules().all(|rule| rule.accepts(entity))
            };
            caster.cast(ray, &CastOptions { filter: &filter, ..options }, &mut hits);
            if !hits.is_empty() {
                let picks = hits.drain(..).map(|hit| pick(ray_id.camera, hit)).collect();
                let order = camera.order as f32 + order;
                writer.write(PointerHits::new(ray_id.pointer, picks, order));
            }
        }
    }
}

/// A hit through a camera, as Bevy reports it.
fn pick(camera: Entity, hit: HitscanHit) -> (Entity, HitData) {
    let (entity, depth) = (hit.entity, hit.distance);
    let (position, normal) = (Some(hit.point), Some(hit.normal));
    (entity, HitData::new_with_extra(camera, depth, position, normal, hit))
}

/// The orders of all entities, each once.
fn orders(ordered: &Query<'_, '_, &HitscanPickOrder>) -> Vec<f32> {
    let mut orders: Vec<f32> =
        ordered.iter().map(|order| HitscanPickOrder::of(Some(order))).chain([0.0]).collect();
    orders.sort_unstable_by(f32::total_cmp);
    orders.dedup();
    orders
}
