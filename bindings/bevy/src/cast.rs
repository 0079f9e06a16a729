//! Rays through the world: entities nearest first, each with its hits.

use std::{cell::Cell, ops::ControlFlow};

use hitscan::{
    Faces, Hit, HitMode, HitOptions,
    scene::{InstanceId, QueryOptions, SlabRay, WorldRay},
};

use crate::{
    bevy_api::{
        AssetId, Assets, Backfaces, Entity, Mesh, MeshData, Query, Ray3d, RayCastVisibility, Res,
        SystemParam,
    },
    build::BuiltMesh,
    castable::{Castable, CastableItem},
    convert,
    follow::HasMesh,
    hit::{Attributes, HitTriangle, HitscanHit},
    mirror::{HitscanWorld, Mirror, Owner, Place},
    settings::HitscanSettings,
    trees::Answer,
};

/// Everything that rays need from the world, read-only, so that systems cast side by side.
#[derive(SystemParam)]
pub(crate) struct Caster<'w, 's> {
    pub(crate) world: Res<'w, HitscanWorld>,
    settings: Res<'w, HitscanSettings>,
    pub(crate) meshes: Res<'w, Assets<Mesh>>,
    entities: Query<'w, 's, Castable, HasMesh>,
}

thread_local! {
    /// The lists of the last cast of the thread. A cast takes them out, so that a rule of the caller may cast.
    static LISTS: Cell<Lists> = const { Cell::new(Lists::new()) };
}

/// The lists of a cast, kept for the next one.
#[derive(Default)]
struct Lists {
    entered: Vec<InstanceId>,
    candidates: Vec<Candidate>,
    local_hits: Vec<Hit>,
    found: Vec<Found>,
}

impl Lists {
    const fn new() -> Self {
        Self { entered: vec![], candidates: vec![], local_hits: vec![], found: vec![] }
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
    /// Whether a hit counts. The ray goes on through one that does not.
    pub(crate) accept_hit: Option<&'a dyn Fn(&HitscanHit) -> bool>,
    /// Whether to list every crossing of an entity's surface, or the nearest hit alone.
    pub(crate) lists_crossings: bool,
}

/// An entity whose box the ray enters.
#[derive(Debug)]
struct Candidate {
    /// The distance at which the ray enters the box.
    enter: f64,
    entity: Entity,
    target: Target,
    is_double_sided: bool,
}

#[derive(Debug)]
enum Target {
    Instance(InstanceId),
    Posed,
    /// The entity has no current tree.
    Untreed(AssetId<Mesh>),
}

/// A hit before its details are known.
struct Found {
    distance: f32,
    surface: Surface,
}

enum Surface {
    Tree {
        place: Place,
        hit: Hit,
        /// The corners of the triangle, read early because the reads of their attributes wait for it.
        vertices: [u32; 3],
    },
    /// Without a tree. In a box, so that the others are small to sort.
    Untreed(Box<HitscanHit>),
}

/// The asset of a hit.
#[derive(Clone, Copy)]
struct HitAsset<'a> {
    id: AssetId<Mesh>,
    attributes: Attributes<'a>,
    built: &'a BuiltMesh,
}

impl Caster<'_, '_> {
    /// Casts a ray. The hits are sorted by distance and end with the first hit that blocks.
    pub(crate) fn cast(&self, ray: Ray3d, options: &CastOptions<'_>, hits: &mut Vec<HitscanHit>) {
        hits.clear();
        let world_ray = convert::world_ray(ray);
        if !world_ray.is_valid() {
            return;
        }
        let mut lists = LISTS.take();
        Gathering { caster: self, ray, world_ray, options }.cast(
            &self.world.mirror,
            &mut lists,
            hits,
        );
        LISTS.set(lists);
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
    fn cast(&self, mirror: &Mirror, lists: &mut Lists, hits: &mut Vec<HitscanHit>) {
        let Lists { entered, candidates, local_hits, found } = lists;
        candidates.clear();
        found.clear();
        self.untreed(mirror, candidates);
        self.instances(mirror, entered, candidates);
        self.posed(mirror, candidates);
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
            if !(self.options.filter)(entity) {
                continue;
            }
            let first = found.len();
            self.test(mirror, &candidate, local_hits, found);
            if let Some(nearest) =
                found[first..].iter().map(|hit| hit.distance).min_by(f32::total_cmp)
                && nearest < nearest_blocking
                && (self.options.blocks)(entity)
            {
                nearest_blocking = nearest;
            }
        }
        found.retain(|hit| hit.distance <= nearest_blocking);
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        self.describe(mirror, found, hits);
    }

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
                    candidates.push(Candidate {
                        enter: enter.into(),
                        entity,
                        target: Target::Untreed(id),
                        is_double_sided: item.is_double_sided(),
                    });
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
    fn instances(
        &self,
        mirror: &Mirror,
        entered: &mut Vec<InstanceId>,
        candidates: &mut Vec<Candidate>,
    ) {
        let slabs = SlabRay::new(&self.world_ray);
        let query =
            QueryOptions { include_hidden: true, include_locked: true, ..QueryOptions::default() };
        entered.clear();
        let _: ControlFlow<()> = mirror.scene.visit(
            &query,
            |bounds| slabs.entry(bounds).is_some(),
            |id| {
                entered.push(id);
                ControlFlow::Continue(())
            },
        );
        let any_stale = mirror.trees.n_stale() > 0;
        for id in entered.drain(..) {
            let owner = mirror.owner_in_scene(id);
            let has_tree = !any_stale || matches!(self.answer(mirror, owner.mesh), Answer::Tree);
            if has_tree
                && let Some(bounds) = mirror.scene.culling_box(id)
                && let Some(enter) = slabs.entry(&bounds)
                && let Ok(item) = self.caster.entities.get(owner.entity)
                && item.is_visible(self.options.visibility)
            {
                candidates.push(Candidate {
                    enter,
                    entity: owner.entity,
                    target: Target::Instance(id),
                    is_double_sided: item.is_double_sided(),
                });
            }
        }
    }

    /// Skinned and morphed entities. Only those whose box the ray enters move their vertices.
    fn posed(&self, mirror: &Mirror, candidates: &mut Vec<Candidate>) {
        let slabs = SlabRay::new(&self.world_ray);
        for (entity, posed) in mirror.posed() {
            if let Some(enter) = posed.bounds().and_then(|bounds| slabs.entry(bounds))
                && let Some(mesh) = mirror.get(entity).map(|known| known.mesh)
                && matches!(self.answer(mirror, mesh), Answer::Tree)
                && let Ok(item) = self.caster.entities.get(entity)
                && item.is_visible(self.options.visibility)
            {
                let is_double_sided = item.is_double_sided();
                candidates.push(Candidate {
                    enter,
                    entity,
                    target: Target::Posed,
                    is_double_sided,
                });
            }
        }
    }

    /// Appends the hits of a candidate.
    fn test(
        &self,
        mirror: &Mirror,
        candidate: &Candidate,
        local_hits: &mut Vec<Hit>,
        found: &mut Vec<Found>,
    ) {
        let &Candidate { entity, ref target, is_double_sided, .. } = candidate;
        let both = if is_double_sided { Faces::Both } else { Faces::Front };
        let faces = self.options.faces.unwrap_or(both);
        let place = match *target {
            Target::Untreed(mesh) => {
                let enter = candidate.enter as f32;
                if let Some(hit) = self.test_untreed(mirror, entity, mesh, faces, enter) {
                    let (distance, hit) = (hit.distance, Box::new(hit));
                    found.push(Found { distance, surface: Surface::Untreed(hit) });
                }
                return;
            }
            Target::Instance(id) => Place::Instance(id),
            Target::Posed if mirror.show(entity, &self.caster.meshes).is_none() => return,
            Target::Posed => Place::Posed(entity),
        };
        let Some((scene, id)) = mirror.scene_of(place) else { return };
        let mesh = scene.get(id).and_then(|instance| instance.mesh.as_deref());
        let (Some(mesh), Some(local)) = (mesh, scene.local_ray(id, &self.world_ray)) else {
            return;
        };
        let length = self.world_ray.direction.length();
        let triangles = mesh.tri_mesh().triangles();
        let found_at = |hit: Hit| Found {
            distance: (local.world_t(hit.t) * length) as f32,
            surface: Surface::Tree { place, hit, vertices: triangles[hit.triangle as usize] },
        };
        let accepts = |hit: &Hit| {
            let Some(accept) = self.options.accept_hit else { return true };
            let triangle = self.triangle(mirror, &found_at(*hit), &mut None);
            triangle.is_some_and(|triangle| accept(&triangle.describe(&triangle.corners())))
        };
        local_hits.clear();
        if self.options.lists_crossings {
            let options = HitOptions { faces, mode: HitMode::OncePerCrossing };
            mesh.bvh().all_hits_into(&local.ray, &options, local_hits);
            local_hits.retain(accepts);
        } else if self.options.accept_hit.is_some() {
            local_hits.extend(mesh.bvh().closest_hit_where(&local.ray, faces, accepts));
        } else {
            local_hits.extend(mesh.bvh().closest_hit(&local.ray, faces));
        }
        found.extend(local_hits.iter().map(|&hit| found_at(hit)));
    }

    /// Appends the hits with their details.
    ///
    /// The loop over all hits is cut in three. The reads of one loop do not wait for each other, so the
    /// memory answers several at a time.
    fn describe(&self, mirror: &Mirror, found: &mut Vec<Found>, hits: &mut Vec<HitscanHit>) {
        let mut last = None;
        let triangles: Vec<_> =
            found.iter().map(|hit| self.triangle(mirror, hit, &mut last)).collect();
        let corners: Vec<_> =
            triangles.iter().map(|triangle| triangle.as_ref().map(HitTriangle::corners)).collect();
        let details = triangles
            .iter()
            .zip(&corners)
            .map(|(triangle, corners)| Some(triangle.as_ref()?.describe(corners.as_ref()?)));
        hits.extend(found.drain(..).zip(details).filter_map(
            |(found, details)| match found.surface {
                Surface::Untreed(hit) => Some(*hit),
                Surface::Tree { .. } => details,
            },
        ));
    }

    /// The triangle of a hit; `None` for a hit without a tree. `last` is the asset of the hit before, which
    /// many entities share.
    fn triangle<'a>(
        &'a self,
        mirror: &'a Mirror,
        found: &Found,
        last: &mut Option<HitAsset<'a>>,
    ) -> Option<HitTriangle<'a>> {
        let Surface::Tree { place, hit, vertices } = found.surface else { return None };
        let (scene, instance) = mirror.scene_of(place)?;
        let (entity, id) = match place {
            Place::Instance(id) => {
                let &Owner { entity, mesh } = mirror.owner_in_scene(id);
                (entity, mesh)
            }
            Place::Posed(entity) => (entity, mirror.get(entity)?.mesh),
        };
        let is_posed = matches!(place, Place::Posed(_));
        let asset = match last {
            Some(last) if last.id == id => *last,
            _ => *last.insert(HitAsset {
                id,
                attributes: self.caster.meshes.get(id).map(Attributes::new).unwrap_or_default(),
                built: mirror.trees.get(id)?.built.as_ref()?,
            }),
        };
        let tri_mesh = scene.get(instance)?.mesh.as_deref()?.tri_mesh();
        Some(HitTriangle {
            entity,
            tri_mesh,
            placement: scene.mesh_to_world(instance)?,
            attributes: if is_posed { asset.attributes.posed() } else { asset.attributes },
            hit,
            number: asset.built.number(hit.triangle),
            distance: found.distance,
            vertices,
        })
    }

    fn test_untreed(
        &self,
        mirror: &Mirror,
        entity: Entity,
        id: AssetId<Mesh>,
        faces: Faces,
        enter: f32,
    ) -> Option<HitscanHit> {
        let direction = *self.ray.direction;
        match self.answer(mirror, id) {
            Answer::Scan => {
                let item = self.caster.entities.get(entity).ok()?;
                let mesh = self.caster.meshes.get(id)?;
                let data = MeshData::new(mesh).ok()?;
                let backfaces = match faces {
                    Faces::Front => Backfaces::Cull,
                    Faces::Back | Faces::Both => Backfaces::Include,
                };
                self.scan(&data, mesh, entity, &item, (faces, backfaces))
            }
            Answer::Box => {
                self.caster.entities.get(entity).ok()?.aabb?;
                let point = self.ray.get_point(enter);
                Some(HitscanHit::from_box(entity, point, enter, direction))
            }
            Answer::Tree | Answer::Nothing => None,
        }
    }
    /// The nearest hit that counts, by Bevy's own scan of all triangles.
    fn scan(
        &self,
        data: &MeshData<'_>,
        mesh: &Mesh,
        entity: Entity,
        item: &CastableItem<'_, '_>,
        (faces, backfaces): (Faces, Backfaces),
    ) -> Option<HitscanHit> {
        /// A ray through more holes than that ends.
        const MAX_HOLES: usize = 64;
        let mut passed = 0.0;
        for _ in 0..MAX_HOLES {
            let ray = Ray3d { origin: self.ray.get_point(passed), ..self.ray };
            let mut hit = data.scan(mesh, &item.transform.affine(), ray, backfaces)?;
            hit.distance += passed;
            let hit = HitscanHit::from_scan(entity, &hit, *self.ray.direction);
            let counts = (faces != Faces::Back || !hit.is_front)
                && self.options.accept_hit.is_none_or(|accept| accept(&hit));
            if counts {
                return Some(hit);
            }
            // Beyond the hit, by more than the rounding of its distance.
            passed = hit.distance + 1e-5 * hit.distance.max(1e-3);
        }
        None
    }
}
