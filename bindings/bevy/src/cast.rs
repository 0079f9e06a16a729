//! Rays through the world: entities nearest first, each with its hits.

use std::ops::ControlFlow;

use hitscan::{
    Faces, Hit, HitMode, HitOptions,
    glam::DVec3,
    scene::{InstanceId, QueryOptions, WorldBox, WorldRay},
};

use crate::{
    bevy_api::{
        Aabb, Aabb3d, AssetId, Assets, Backfaces, Entity, GlobalTransform, InheritedVisibility,
        Local, Mesh, MeshData, Query, QueryData, Ray3d, RayCastVisibility, Res, SystemParam,
        ViewVisibility, ray_aabb_intersection_3d,
    },
    convert,
    follow::{HasMesh, HitsBackfaces, MeshHandle},
    hit::{HitMesh, HitscanHit},
    mirror::{HitscanWorld, Mirror},
    pose::Poses,
    settings::HitscanSettings,
    skin::PoseValues,
    trees::Answer,
};

/// Everything that rays need from the world.
#[derive(SystemParam)]
pub(crate) struct Caster<'w, 's> {
    pub(crate) world: Res<'w, HitscanWorld>,
    settings: Res<'w, HitscanSettings>,
    pub(crate) meshes: Res<'w, Assets<Mesh>>,
    pub(crate) entities: Query<'w, 's, Castable, HasMesh>,
    pub(crate) poses: Poses<'w, 's>,
    candidates: Local<'s, Vec<Candidate>>,
    local_hits: Local<'s, Vec<Hit>>,
}

/// The components of an entity that decide whether and how a ray hits it.
#[derive(QueryData)]
pub(crate) struct Castable {
    mesh: MeshHandle,
    pub(crate) transform: &'static GlobalTransform,
    inherited: Option<&'static InheritedVisibility>,
    in_view: Option<&'static ViewVisibility>,
    aabb: Option<&'static Aabb>,
    hits_backfaces: HitsBackfaces,
}

impl CastableItem<'_, '_> {
    fn is_visible(&self, visibility: RayCastVisibility) -> bool {
        match visibility {
            RayCastVisibility::Any => true,
            RayCastVisibility::Visible => self.inherited.is_some_and(|visibility| visibility.get()),
            RayCastVisibility::VisibleInView => {
                self.in_view.is_some_and(|visibility| visibility.get())
            }
        }
    }

    fn is_double_sided(&self) -> bool {
        self.hits_backfaces || self.mesh.is_flat()
    }

    /// The distance at which a ray enters the bounding box. An entity without one may be anywhere.
    fn enter_box(&self, ray: Ray3d) -> Option<f32> {
        self.aabb.map_or(Some(0.0), |aabb| {
            let bounds = Aabb3d::new(aabb.center, aabb.half_extents);
            ray_aabb_intersection_3d(ray, &bounds, &self.transform.affine())
        })
    }
}

/// The entities and hits that a cast returns.
#[derive(Clone, Copy)]
pub(crate) struct CastOptions<'a> {
    pub(crate) visibility: RayCastVisibility,
    /// Whether rays may hit an entity.
    pub(crate) filter: &'a dyn Fn(Entity) -> bool,
    /// Whether a hit of an entity hides everything behind it.
    pub(crate) blocks: &'a dyn Fn(Entity) -> bool,
    /// The sides of triangles; `None` for the front, and both sides of double-sided entities.
    pub(crate) faces: Option<Faces>,
    /// Whether to list every crossing of an entity's surface, or the nearest hit alone.
    pub(crate) lists_crossings: bool,
}

/// An entity whose box the ray enters.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// The distance at which the ray enters the box.
    enter: f64,
    entity: Entity,
    target: Target,
}

#[derive(Debug)]
enum Target {
    Instance(InstanceId),
    Posed(PoseValues),
    /// The entity has no current tree.
    Untreed(AssetId<Mesh>),
}

impl Caster<'_, '_> {
    /// Casts a ray. The hits are sorted by distance and end with the first hit that blocks.
    pub(crate) fn cast(
        &mut self,
        ray: Ray3d,
        options: &CastOptions<'_>,
        hits: &mut Vec<HitscanHit>,
    ) {
        hits.clear();
        let world_ray = convert::world_ray(ray);
        if !world_ray.is_valid() {
            return;
        }
        let mut guard = self.world.lock();
        let mirror = &mut *guard;
        let mut candidates = std::mem::take(&mut *self.candidates);
        let mut local_hits = std::mem::take(&mut *self.local_hits);
        candidates.clear();
        let gathering = Gathering { caster: self, ray, world_ray, options };
        gathering.untreed(mirror, &mut candidates);
        gathering.instances(mirror, &mut candidates);
        gathering.posed(mirror, &mut candidates);
        candidates.sort_unstable_by(|a, b| {
            a.enter
                .total_cmp(&b.enter)
                .then_with(|| a.entity.index_u32().cmp(&b.entity.index_u32()))
        });
        let mut nearest_blocking = f32::INFINITY;
        for candidate in candidates.drain(..) {
            // The box is a little larger than the mesh, so it may start after the hit by rounding only.
            if candidate.enter > f64::from(nearest_blocking) {
                break;
            }
            let entity = candidate.entity;
            if !(options.filter)(entity) {
                continue;
            }
            let first = hits.len();
            gathering.test(mirror, candidate, &mut local_hits, hits);
            if let Some(nearest) =
                hits[first..].iter().map(|hit| hit.distance).min_by(f32::total_cmp)
                && nearest < nearest_blocking
                && (options.blocks)(entity)
            {
                nearest_blocking = nearest;
            }
        }
        hits.retain(|hit| hit.distance <= nearest_blocking);
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        drop(guard);
        *self.candidates = candidates;
        *self.local_hits = local_hits;
    }
}

impl Caster<'_, '_> {
    /// Brings every skinned and morphed entity to its current pose.
    pub(crate) fn show_poses(&self, mirror: &mut Mirror) {
        for entity in mirror.posed() {
            let Ok(item) = self.entities.get(entity) else { continue };
            let pose = mirror.pose_of(entity, item.transform, &self.meshes, &self.poses);
            if let Some((pose, _)) = pose {
                mirror.show_pose(entity, pose, &self.meshes);
            }
        }
    }
}

/// One ray on its way through the world.
struct Gathering<'a, 'w, 's> {
    caster: &'a Caster<'w, 's>,
    ray: Ray3d,
    world_ray: WorldRay,
    options: &'a CastOptions<'a>,
}

impl Gathering<'_, '_, '_> {
    /// Entities without a current tree. There are some only while trees are built.
    fn untreed(&self, mirror: &Mirror, candidates: &mut Vec<Candidate>) {
        for id in mirror.trees.stale() {
            let Some(tree) = mirror.trees.get(id) else { continue };
            if matches!(self.answer(mirror, id), Answer::Tree | Answer::Nothing) {
                continue;
            }
            for &entity in &tree.users {
                let Ok(item) = self.caster.entities.get(entity) else { continue };
                if item.is_visible(self.options.visibility)
                    && let Some(enter) = item.enter_box(self.ray)
                {
                    let target = Target::Untreed(id);
                    candidates.push(Candidate { enter: enter.into(), entity, target });
                }
            }
        }
    }

    fn answer(&self, mirror: &Mirror, id: AssetId<Mesh>) -> Answer {
        let Some(tree) = mirror.trees.get(id) else { return Answer::Nothing };
        if tree.is_current() {
            return tree.answer(None, 0);
        }
        let data = self.caster.meshes.get(id).and_then(|mesh| MeshData::new(mesh).ok());
        tree.answer(data.as_ref(), self.caster.settings.scan_limit)
    }

    /// The instances of the scene, without those that another list has.
    fn instances(&self, mirror: &Mirror, candidates: &mut Vec<Candidate>) {
        let slabs = Slabs::new(&self.world_ray);
        let query =
            QueryOptions { include_hidden: true, include_locked: true, ..QueryOptions::default() };
        let any_stale = mirror.trees.n_stale() > 0;
        let _: ControlFlow<()> = mirror.scene.visit(
            &query,
            |bounds| slabs.enter(bounds).is_some(),
            |id| {
                let entity = mirror.owner(id).expect("the traversal visits instances");
                let enter = mirror.scene.world_bounds(id).and_then(|bounds| slabs.enter(&bounds));
                let (Some(enter), Some(known), Ok(item)) =
                    (enter, mirror.get(entity), self.caster.entities.get(entity))
                else {
                    return ControlFlow::Continue(());
                };
                let has_tree =
                    !any_stale || matches!(self.answer(mirror, known.mesh), Answer::Tree);
                if has_tree && !known.is_posed() && item.is_visible(self.options.visibility) {
                    candidates.push(Candidate { enter, entity, target: Target::Instance(id) });
                }
                ControlFlow::Continue(())
            },
        );
    }

    /// Skinned and morphed entities. A box around the current pose comes from the joints, and only the
    /// entities whose box the ray enters move their vertices.
    fn posed(&self, mirror: &mut Mirror, candidates: &mut Vec<Candidate>) {
        let slabs = Slabs::new(&self.world_ray);
        let Caster { entities, meshes, poses, .. } = self.caster;
        for entity in mirror.posed() {
            let Ok(item) = entities.get(entity) else { continue };
            let Some(mesh) = mirror.get(entity).map(|known| known.mesh) else { continue };
            let has_tree = matches!(self.answer(mirror, mesh), Answer::Tree);
            if !has_tree || !item.is_visible(self.options.visibility) {
                continue;
            }
            if let Some((pose, bounds)) = mirror.pose_of(entity, item.transform, meshes, poses)
                && let Some(enter) = slabs.enter(&bounds)
            {
                candidates.push(Candidate { enter, entity, target: Target::Posed(pose) });
            }
        }
    }

    /// Appends the hits of a candidate.
    fn test(
        &self,
        mirror: &mut Mirror,
        candidate: Candidate,
        local_hits: &mut Vec<Hit>,
        hits: &mut Vec<HitscanHit>,
    ) {
        let Candidate { entity, target, enter } = candidate;
        let Ok(item) = self.caster.entities.get(entity) else { return };
        let (id, is_posed) = match target {
            Target::Untreed(mesh) => {
                hits.extend(self.test_untreed(mirror, entity, mesh, &item, enter as f32));
                return;
            }
            Target::Instance(id) => (id, false),
            Target::Posed(pose) => match mirror.show_pose(entity, pose, &self.caster.meshes) {
                Some(id) => (id, true),
                None => return,
            },
        };
        let Some(known) = mirror.get(entity) else { return };
        let mesh = mirror.scene.get(id).and_then(|instance| instance.mesh.as_deref());
        let local = mirror.scene.local_ray(id, &self.world_ray);
        let built = mirror.trees.get(known.mesh).and_then(|tree| tree.built.as_ref());
        let (Some(mesh), Some(local), Some(built), Some(placement)) =
            (mesh, local, built, mirror.scene.world_transform(id))
        else {
            return;
        };
        let both = if item.is_double_sided() { Faces::Both } else { Faces::Front };
        let faces = self.options.faces.unwrap_or(both);
        if self.options.lists_crossings {
            let options = HitOptions { faces, mode: HitMode::OncePerCrossing };
            mesh.bvh().all_hits_into(&local.ray, &options, local_hits);
        } else {
            local_hits.clear();
            local_hits.extend(mesh.bvh().closest_hit(&local.ray, faces));
        }
        let asset = self.caster.meshes.get(known.mesh);
        let hit_mesh = HitMesh { entity, mesh, placement, asset, is_posed };
        let length = self.world_ray.direction.length();
        hits.extend(local_hits.iter().map(|hit| {
            hit_mesh.describe(hit, built.number(hit.triangle), local.world_t(hit.t) * length)
        }));
    }

    fn test_untreed(
        &self,
        mirror: &Mirror,
        entity: Entity,
        id: AssetId<Mesh>,
        item: &CastableItem<'_, '_>,
        enter: f32,
    ) -> Option<HitscanHit> {
        let direction = *self.ray.direction;
        match self.answer(mirror, id) {
            Answer::Scan => {
                let mesh = self.caster.meshes.get(id)?;
                let is_two_sided = match self.options.faces {
                    Some(faces) => faces != Faces::Front,
                    None => item.is_double_sided(),
                };
                let backfaces = if is_two_sided { Backfaces::Include } else { Backfaces::Cull };
                let data = MeshData::new(mesh).ok()?;
                let hit = data.scan(mesh, &item.transform.affine(), self.ray, backfaces)?;
                let hit = HitscanHit::from_scan(entity, &hit, direction);
                (self.options.faces != Some(Faces::Back) || !hit.is_front).then_some(hit)
            }
            Answer::Box => {
                item.aabb?;
                let point = self.ray.get_point(enter);
                Some(HitscanHit::from_box(entity, point, enter, direction))
            }
            Answer::Tree | Answer::Nothing => None,
        }
    }
}

/// A ray prepared for tests against boxes in world space.
struct Slabs {
    origin: DVec3,
    reciprocal: DVec3,
    pad: f64,
}

impl Slabs {
    fn new(ray: &WorldRay) -> Self {
        // Finite, so that no product with a zero is NaN.
        const MAX_RECIPROCAL: f64 = 1e300;
        let reciprocal = (1.0 / ray.direction)
            .clamp(DVec3::splat(-MAX_RECIPROCAL), DVec3::splat(MAX_RECIPROCAL));
        // Many times the rounding of the differences below.
        let pad = ray.origin.abs().max_element() * 2f64.powi(-48);
        Self { origin: ray.origin, reciprocal, pad }
    }

    /// The `t` at which the ray enters a box; `None` if it misses.
    fn enter(&self, bounds: &WorldBox) -> Option<f64> {
        let to_min = (bounds.min - self.pad - self.origin) * self.reciprocal;
        let to_max = (bounds.max + self.pad - self.origin) * self.reciprocal;
        let enter = to_min.min(to_max).max_element().max(0.0);
        let exit = to_min.max(to_max).min_element();
        (enter <= exit).then_some(enter)
    }
}
