//! What the last commit of a scene has made: nothing changes it, and queries read it without a lock.

use std::sync::Arc;

use engine::{
    Aabb, BoxBvh, BuildQuality, Ray,
    glam::{DAffine3, DVec3, Vec3},
    scene::{Instance, QueryOptions, Scene, SceneHit, WorldRay},
};

use crate::{
    abi::scene_flag,
    call::report,
    device::Device,
    error::{Failure, Outcome, not_now},
    geometry::{Geometry, Kind, Placed, State},
    handle::Handle,
    query::Query,
    surface::{BuildPlan, Surface},
    users::{Users, meets, union},
};

/// A committed scene.
#[derive(Debug)]
pub(crate) struct Committed {
    /// Whether there is nothing but a surface without filters.
    pub(crate) is_plain: bool,
    pub(crate) surface: Surface,
    pub(crate) users: Users,
    pub(crate) instances: Instances,
    pub(crate) bounds: Aabb,
    /// By their numbers.
    pub(crate) geometries: Vec<Option<Arc<Geometry>>>,
    pub(crate) device: Arc<Device>,
}

impl Committed {
    /// A picture of these geometries.
    pub(crate) fn new(
        geometries: Vec<Option<Arc<Geometry>>>,
        plan: &BuildPlan<'_>,
        old: Option<&Self>,
    ) -> Outcome<Self> {
        let (mut meshes, mut users, mut instances) = (vec![], vec![], vec![]);
        for (geom_id, geometry) in (0u32..).zip(&geometries) {
            let Some(geometry) = geometry.as_ref().filter(|geometry| geometry.is_enabled()) else {
                continue;
            };
            let state: State = geometry.state();
            if !state.is_committed {
                return Err(not_now(format_args!("geometry {geom_id} is not committed")));
            }
            let of_kind = match geometry.kind {
                Kind::Triangles | Kind::Quads => &mut meshes,
                Kind::User => &mut users,
                Kind::Instance | Kind::InstanceArray => &mut instances,
            };
            of_kind.push((geom_id, geometry.clone(), state));
        }
        let scene_allows_argument = plan.flags & scene_flag::FILTER_FUNCTION_IN_ARGUMENTS != 0;
        let surface = Surface::new(meshes, plan, old.map(|old| &old.surface))?;
        let users = Users::new(users, scene_allows_argument)?;
        let instances = Instances::new(&instances)?;
        let parts = [surface.bvh().bounds(), users.tree.bounds(), instances.bounds()];
        Ok(Self {
            is_plain: users.is_empty()
                && instances.items.is_empty()
                && surface.is_without_filters(),
            bounds: union(parts.into_iter()),
            surface,
            users,
            instances,
            geometries,
            device: plan.device.clone(),
        })
    }

    /// Casts the ray of a query at everything. A hit is written to the ray; with `ANY` the answer alone says it.
    pub(crate) fn cast<const ANY: bool>(&self, query: &Query<ANY>) -> bool {
        let mut is_hit = self.surface.cast(query);
        if !(ANY && is_hit) {
            is_hit |= self.users.cast(query);
        }
        if !(ANY && is_hit) {
            is_hit |= self.instances.cast(query);
        }
        is_hit
    }
}

/// The instances of a scene.
#[derive(Debug)]
pub(crate) struct Instances {
    pub(crate) items: Vec<Item>,
    pub(crate) boxes: Vec<Aabb>,
    /// Over the boxes of all items, for point queries and user geometries.
    pub(crate) tree: BoxBvh,
    /// The surfaces of the items, whose rays it brings to them in f64.
    scene: Scene,
    /// The item of each of its instances.
    item_of: Vec<u32>,
    /// A ray that shares a bit with it shares one with every part of every item.
    common_mask: u32,
    has_users: bool,
}

/// An instance of a scene.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) geom_id: u32,
    pub(crate) prim_id: u32,
    mask: u32,
    pub(crate) inner: Arc<Committed>,
    pub(crate) to_outer: DAffine3,
    pub(crate) to_inner: DAffine3,
}

impl Instances {
    pub(crate) fn new(geometries: &[(u32, Arc<Geometry>, State)]) -> Outcome<Self> {
        let mut scene = Scene::new();
        let (mut items, mut item_of, mut boxes) = (vec![], vec![], vec![]);
        for (geom_id, geometry, state) in geometries {
            for placed in state.instances(geometry.kind) {
                let item = Item::new(*geom_id, geometry.kind, state.mask, &placed)?;
                let surface = &item.inner.surface;
                if !surface.is_empty() {
                    let instance = Instance {
                        layers: state.mask,
                        ..Instance::new(surface.mesh.clone(), item.to_outer)
                    };
                    let id = scene.insert(instance).map_err(|error| {
                        not_now(format_args!("instance {geom_id}, {}: {error}", placed.prim_id))
                    })?;
                    assert_eq!(id.index as usize, item_of.len(), "a new scene counts from 0");
                    item_of.push(items.len() as u32);
                }
                boxes.push(placed_box(&item.to_outer, item.inner.bounds));
                items.push(item);
            }
        }
        let common_mask = items
            .iter()
            .filter(|item| !item.inner.surface.is_empty())
            .fold(u32::MAX, |mask, item| mask & item.inner.surface.common_mask);
        let has_users = items.iter().any(|item| !item.inner.users.is_empty());
        let tree = BoxBvh::build(&boxes, BuildQuality::Balanced);
        Ok(Self { items, boxes, tree, scene, item_of, common_mask, has_users })
    }

    pub(crate) fn bounds(&self) -> Aabb {
        union(self.boxes.iter().copied())
    }

    /// Casts the ray of a query that is in no instance.
    pub(crate) fn cast<const ANY: bool>(&self, query: &Query<ANY>) -> bool {
        if self.items.is_empty() {
            return false;
        }
        if query.is_in_instance() {
            let reports = self.items[0].inner.device.reports();
            report(Some(reports), "rtcIntersect or rtcOccluded", &too_deep());
            return false;
        }
        let ray = query.lane.ray();
        let is_hit = if self.item_of.is_empty() { false } else { self.cast_surfaces(query, &ray) };
        if self.has_users && !(ANY && is_hit) {
            return self.cast_users(query) || is_hit;
        }
        is_hit
    }

    fn cast_surfaces<const ANY: bool>(&self, query: &Query<ANY>, ray: &Ray) -> bool {
        let mask = query.lane.mask();
        let ray = WorldRay::from(*ray);
        let options = QueryOptions { layers: mask, ..QueryOptions::default() };
        let asks = || self.items.iter().any(|item| item.inner.surface.asks(query));
        if self.common_mask & mask == 0 || asks() {
            return self.cast_filtered(query, &ray, &options);
        }
        if ANY {
            return self.scene.is_occluded(&ray, &options);
        }
        let hit = self.scene.closest_hit(&ray, &options);
        if let Some(hit) = &hit {
            self.write(query, hit);
        }
        hit.is_some()
    }

    #[inline(always)]
    fn item(&self, hit: &SceneHit) -> &Item {
        &self.items[self.item_of[hit.instance.index as usize] as usize]
    }

    fn write<const ANY: bool>(&self, query: &Query<ANY>, hit: &SceneHit) {
        let item = self.item(hit);
        let surface = &item.inner.surface;
        let part = surface.part(hit.local.triangle);
        query.lane.set_t_far(hit.t as f32);
        query.lane.set_hit(&surface.words(part, &hit.local, item.name()));
    }

    fn cast_filtered<const ANY: bool>(
        &self,
        query: &Query<ANY>,
        ray: &WorldRay,
        options: &QueryOptions<'_>,
    ) -> bool {
        let mask = query.lane.mask();
        let line = [ray.origin, ray.direction];
        let mut best: Option<SceneHit> = None;
        let accept = |hit: &SceneHit| {
            // The candidates of an instance may come after hits of others that are nearer by less than rounding.
            if best.as_ref().is_some_and(|best| best.cmp_along_ray(hit).is_le()) {
                return false;
            }
            let item = self.item(hit);
            let surface = &item.inner.surface;
            let part = surface.part(hit.local.triangle);
            if part.mask & mask == 0 {
                return false;
            }
            if surface.asks(query) {
                let words = surface.words(part, &hit.local, item.name());
                let asked = || query.accepts(&part.filters, &words, hit.t as f32);
                if !query.in_instance(item.name(), item.line(line), asked) {
                    return false;
                }
            } else if !ANY {
                self.write(query, hit);
            }
            best = Some(*hit);
            true
        };
        if ANY {
            return self.scene.is_occluded_where(ray, options, accept);
        }
        self.scene.closest_hit_where(ray, options, accept).is_some()
    }

    /// Casts the ray at the user geometries of all items whose boxes it meets.
    fn cast_users<const ANY: bool>(&self, query: &Query<ANY>) -> bool {
        let (lane, ray) = (query.lane, query.lane.ray());
        let line = [ray.origin.as_dvec3(), ray.direction.as_dvec3()];
        let mask = lane.mask();
        let test = |index: u32| {
            let item = &self.items[index as usize];
            let current = Ray { t_max: lane.t_far(), ..ray };
            if item.mask & mask == 0
                || item.inner.users.is_empty()
                || !meets(&self.boxes[index as usize], &current)
            {
                return None;
            }
            let cast = || item.inner.users.cast(query);
            let is_hit = query.in_instance(item.name(), item.line(line), cast);
            let t = if ANY { ray.t_min.max(f32::MIN).min(ray.t_max) } else { lane.t_far() };
            is_hit.then_some(t)
        };
        if ANY {
            self.tree.is_occluded(&ray, test)
        } else {
            self.tree.closest_hit(&ray, test).is_some()
        }
    }
}

fn too_deep() -> Failure {
    not_now("an instance in an instance: there is one level, as in Embree's releases")
}

impl Item {
    fn new(geom_id: u32, kind: Kind, mask: u32, placed: &Placed) -> Outcome<Self> {
        let Placed { scene, prim_id, transform } = placed;
        let inner = scene.committed().and_then(|inner| inner.downcast::<Committed>().ok());
        let Some(inner) = inner else {
            return Err(not_now(format_args!("instance {geom_id}: its scene is not committed")));
        };
        if !inner.instances.items.is_empty() {
            return Err(too_deep());
        }
        let to_inner = transform.inverse();
        if !transform.is_finite() || !to_inner.is_finite() {
            let reason = "its transform is singular or not finite";
            return Err(not_now(format_args!("instance {geom_id}, {prim_id}: {reason}")));
        }
        // The one of a geometry that is no array has the number 0.
        let prim_id = if kind == Kind::InstanceArray { *prim_id } else { 0 };
        Ok(Self { geom_id, prim_id, mask, inner, to_outer: *transform, to_inner })
    }

    /// The numbers that hits have.
    pub(crate) fn name(&self) -> [u32; 2] {
        [self.geom_id, self.prim_id]
    }

    /// A line in the space of the inner scene.
    fn line(&self, [origin, direction]: [DVec3; 2]) -> [Vec3; 2] {
        [
            self.to_inner.transform_point3(origin).as_vec3(),
            self.to_inner.transform_vector3(direction).as_vec3(),
        ]
    }
}

/// A box around a transformed box, wider than all rounding.
fn placed_box(transform: &DAffine3, inner: Aabb) -> Aabb {
    if inner.is_empty() {
        return Aabb::EMPTY;
    }
    if !inner.min.is_finite() || !inner.max.is_finite() {
        return Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    }
    let (min, max) = (inner.min.as_dvec3(), inner.max.as_dvec3());
    let center = transform.transform_point3(0.5 * (min + max));
    let half = transform.matrix3.abs() * (0.5 * (max - min));
    let far = transform.matrix3.abs() * min.abs().max(max.abs()) + transform.translation.abs();
    let half = half + far * 2f64.powi(-40);
    Aabb {
        min: (center - half).as_vec3().map(f32::next_down),
        max: (center + half).as_vec3().map(f32::next_up),
    }
}
