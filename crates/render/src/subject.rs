//! What a picture is of, and what rays hit of it.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use hitscan::glam::{DAffine3, DMat3, DVec3, Vec3};
use hitscan::primitives::{Aabb, Triangle};
use hitscan::scene::{InstanceId, Mesh, QueryOptions, Scene, SceneHit, WorldRay};
use hitscan::{Faces, TriMesh};

/// A scene with the colours of its materials: what a picture is of. A clone costs what a clone of the
/// scene does.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Which sides of the triangles are seen.
    pub faces: Faces,
    scene: Scene,
    /// The instances that are seen, in the order of first insertion.
    instances: Vec<InstanceId>,
    /// By the slot of the instance.
    looks: Arc<[Option<Look>]>,
    /// All names: those of objects and materials in the files, then those of instances.
    names: Arc<[String]>,
    /// Whether there are several instances, so that each is an object.
    has_instances: bool,
    /// What positions in f32 are relative to.
    origin: DVec3,
    /// Around what is seen, relative to `origin`.
    bounds: Aabb,
    /// The largest coordinate that f32 has rounded, in size and in world units.
    reach: f32,
}

/// What is drawn of an instance beside its triangles.
#[derive(Clone, Debug)]
struct Look {
    /// Of the instance itself, as a place among all names.
    name: u32,
    mesh: Arc<Mesh>,
    colors: Arc<MeshColors>,
    to_world: DAffine3,
    /// From normals of the mesh to those of the world, of any length.
    to_world_normal: DMat3,
}

/// By the places of names in the records of a mesh.
#[derive(Debug, Default)]
struct MeshColors {
    /// The same names as places among all names.
    names: Vec<u32>,
    /// Colours of materials.
    diffuse: Vec<Option<Vec3>>,
}

/// By which names something is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    Object,
    Material,
}

/// So many instances are asked one after the other, each about all rays of a tile at once; more are
/// asked ray by ray.
const FEW: usize = 8;

impl Subject {
    /// A scene to be drawn; `diffuse` knows the colour of a material of a mesh by its name, in linear
    /// light. Both sides of triangles are seen.
    pub fn new(scene: Scene, diffuse: impl Fn(&Arc<Mesh>, &str) -> Option<[f32; 3]>) -> Self {
        let mut names = Names::default();
        let mut instances: Vec<_> = scene
            .iter()
            .filter_map(|(id, instance)| {
                Some((scene.insertion_order(id)?, id, instance.mesh.as_ref()?))
            })
            .collect();
        instances.sort_unstable_by_key(|&(order, ..)| order);
        let mut colors: HashMap<*const Mesh, Arc<MeshColors>> = HashMap::new();
        for (_, _, mesh) in &instances {
            colors.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
                let own = mesh.tri_mesh().records().map_or(&[][..], |records| &records.names);
                Arc::new(MeshColors {
                    names: own.iter().map(|name| names.number(name)).collect(),
                    diffuse: own.iter().map(|name| diffuse(mesh, name).map(Vec3::from)).collect(),
                })
            });
        }
        let n_slots = instances.iter().map(|(_, id, _)| id.index + 1).max().unwrap_or(0);
        let mut looks = vec![None; n_slots as usize];
        for (order, id, mesh) in &instances {
            let label = scene.get(*id).and_then(|instance| instance.name.as_deref());
            let label = label.map_or_else(|| format!("instance {order}"), str::to_owned);
            let to_world = scene.world_transform(*id).unwrap_or_default();
            looks[id.index as usize] = Some(Look {
                name: names.append(label),
                mesh: Arc::clone(mesh),
                colors: colors[&Arc::as_ptr(mesh)].clone(),
                to_world,
                to_world_normal: to_world.matrix3.inverse().transpose(),
            });
        }
        let mut subject = Self {
            faces: Faces::Both,
            has_instances: instances.len() > 1,
            scene: Scene::new(),
            instances: vec![],
            looks: looks.into(),
            names: names.all.into(),
            origin: DVec3::ZERO,
            bounds: Aabb::EMPTY,
            reach: 0.0,
        };
        subject.set_scene(scene);
        subject
    }

    /// Draws another state of the scene, in which instances may be hidden that were not, or seen again.
    pub fn set_scene(&mut self, scene: Scene) {
        self.scene = scene;
        let mut instances = vec![];
        let _: ControlFlow<()> = self.scene.visit(
            &self.options(),
            |_| true,
            |id| {
                instances.push(id);
                ControlFlow::Continue(())
            },
        );
        instances.sort_unstable_by_key(|&id| self.scene.insertion_order(id));
        let corners = instances.iter().flat_map(|&id| world_corners(&self.scene, id));
        let (min, max) = corners
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), p| (min.min(p), max.max(p)));
        // Far from the origin of the world f32 is too coarse; near it, nothing is gained.
        let (center, extent) = (0.5 * (min + max), (max - min).max_element());
        let is_far = center.abs().max_element() > 1024.0 * extent;
        self.origin = if is_far { center } else { DVec3::ZERO };
        self.bounds = match instances.is_empty() {
            true => Aabb::EMPTY,
            false => {
                let [min, max] = [min, max].map(|p| (p - self.origin).as_vec3().to_array());
                Aabb::new(min, max)
            }
        };
        let reaches = instances.iter().map(|&id| reach_of(&self.scene, id));
        let relative = if self.bounds.is_empty() { 0.0 } else { self.bounds.max_abs_coordinate() };
        self.reach = reaches.fold(relative, f32::max);
        self.instances = instances;
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The instances that are seen, in the order of first insertion.
    pub fn instances(&self) -> &[InstanceId] {
        &self.instances
    }

    /// The number of triangles of all instances that are seen.
    pub fn n_triangles(&self) -> usize {
        let meshes = self.instances.iter().filter_map(|&id| self.mesh(id));
        meshes.map(|mesh| mesh.triangles().len()).sum()
    }

    /// Whether a texture lies on any mesh that is seen.
    pub fn has_uvs(&self) -> bool {
        let has = |mesh: &TriMesh| !mesh.attributes().uv_indices.is_empty();
        self.instances.iter().filter_map(|&id| self.mesh(id)).any(has)
    }

    pub(crate) fn mesh(&self, id: InstanceId) -> Option<&TriMesh> {
        Some(self.look(id)?.mesh.tri_mesh())
    }

    /// What positions in f32 are relative to.
    pub(crate) fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Around what is seen, relative to [`origin`](Self::origin).
    pub(crate) fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The largest coordinate that f32 has rounded on the way to the world, in size and in its units.
    pub(crate) fn reach(&self) -> f32 {
        self.reach
    }

    /// What the picture sees: locked instances too, as they cannot be picked and yet are there.
    fn options(&self) -> QueryOptions<'static> {
        QueryOptions { faces: self.faces, include_locked: true, ..QueryOptions::default() }
    }

    /// What a ray hits first.
    pub(crate) fn hit(&self, ray: &WorldRay) -> Option<SceneHit> {
        self.scene.closest_hit(ray, &self.options())
    }

    /// The first `n` hits of a ray.
    pub(crate) fn nearest_hits(&self, ray: &WorldRay, n: usize, hits: &mut Vec<SceneHit>) {
        self.scene.nearest_hits(ray, &self.options(), hitscan::HitMode::Closed, n, hits);
    }

    /// What each ray hits first, as [`Scene::closest_hit`] has it. Neighbours walk together.
    pub(crate) fn hits(&self, rays: &[WorldRay]) -> Vec<Option<SceneHit>> {
        let mut hits: Vec<Option<SceneHit>> = vec![None; rays.len()];
        if self.instances.len() > FEW {
            self.scene.closest_hits(rays, &self.options(), &mut hits);
            return hits;
        }
        for &instance in &self.instances {
            let Some((mesh, order)) = self.asked(instance) else { continue };
            let (places, rays) = self.local_rays(instance, rays, |_| true);
            let local_rays: Vec<_> = rays.iter().map(|local| local.ray).collect();
            let mut found = vec![None; rays.len()];
            mesh.bvh().closest_hits(&local_rays, self.faces, &mut found);
            for ((place, local), found) in places.into_iter().zip(rays).zip(found) {
                let Some(found) = found else { continue };
                let hit = SceneHit {
                    t: local.world_t(found.t),
                    instance,
                    insertion_order: order,
                    local: found,
                };
                if hits[place].is_none_or(|closest| hit.cmp_along_ray(&closest).is_lt()) {
                    hits[place] = Some(hit);
                }
            }
        }
        hits
    }

    /// Whether each ray hits anything on these sides of the triangles.
    pub(crate) fn are_occluded(&self, rays: &[WorldRay], faces: Faces) -> Vec<bool> {
        let mut occluded = vec![false; rays.len()];
        if self.instances.len() > FEW {
            let options = QueryOptions { faces, ..self.options() };
            self.scene.are_occluded(rays, &options, &mut occluded);
            return occluded;
        }
        for &instance in &self.instances {
            let Some((mesh, _)) = self.asked(instance) else { continue };
            let (places, rays) = self.local_rays(instance, rays, |place| !occluded[place]);
            let rays: Vec<_> = rays.iter().map(|local| local.ray).collect();
            let mut found = vec![false; rays.len()];
            mesh.bvh().are_occluded(&rays, faces, &mut found);
            for (place, found) in places.into_iter().zip(found) {
                occluded[place] |= found;
            }
        }
        occluded
    }

    /// The nodes and blocks that a ray tests; of several instances those of each, asked alone, whose
    /// box it meets.
    pub fn work(&self, ray: &WorldRay) -> u32 {
        let mut sum = 0;
        for &instance in &self.instances {
            let Some((mesh, _)) = self.asked(instance) else { continue };
            if let Some(local) = self.scene.local_ray(instance, ray) {
                let (_, work) = mesh.bvh().closest_hit_with_work(&local.ray, self.faces);
                sum += work.nodes + work.blocks;
            }
        }
        sum
    }

    fn asked(&self, id: InstanceId) -> Option<(&Mesh, u64)> {
        Some((self.scene.get(id)?.mesh.as_deref()?, self.scene.insertion_order(id)?))
    }

    /// The rays that count in the space of an instance, and their places.
    fn local_rays(
        &self,
        id: InstanceId,
        rays: &[WorldRay],
        counts: impl Fn(usize) -> bool,
    ) -> (Vec<usize>, Vec<hitscan::scene::LocalRay>) {
        let (mut places, mut local) =
            (Vec::with_capacity(rays.len()), Vec::with_capacity(rays.len()));
        for (place, ray) in rays.iter().enumerate().filter(|&(place, _)| counts(place)) {
            if let Some(ray) = self.scene.local_ray(id, ray) {
                places.push(place);
                local.push(ray);
            }
        }
        (places, local)
    }

    fn look(&self, id: InstanceId) -> Option<&Look> {
        self.looks.get(id.index as usize)?.as_ref()
    }

    /// The polygon that was hit; the triangle itself if nothing is known of polygons.
    pub fn polygon(&self, hit: &SceneHit) -> u32 {
        self.mesh(hit.instance).map_or(hit.triangle(), |mesh| mesh.polygon_of(hit.triangle()))
    }

    /// The geometric unit normal by winding. A triangle of zero area has none: then the
    /// [interpolated](Self::interpolated_normal) one, and without that the way back along the ray, so that
    /// the triangle is lit as if it faced the camera.
    pub(crate) fn normal(&self, hit: &SceneHit, ray: &WorldRay) -> DVec3 {
        let corners = self.mesh(hit.instance).map(|mesh| mesh.corners(hit.triangle()));
        self.surface(hit, ray, corners.unwrap_or_default()).1
    }

    /// The point of the hit of each ray, relative to [`origin`](Self::origin), and
    /// [`normal`](Self::normal) there. As `HitDetails` has them.
    pub(crate) fn surfaces(&self, rays: &[WorldRay], hits: &[SceneHit]) -> Vec<(Vec3, DVec3)> {
        // One loop for each step: memory far away is then asked for many hits at a time. In a single loop
        // the arithmetic of one hit keeps the next from asking, and the normals of a city of 1 M triangles
        // took 8 % longer.
        let vertices = |hit: &SceneHit| {
            self.mesh(hit.instance).map_or([0; 3], |mesh| mesh.triangles()[hit.triangle() as usize])
        };
        let vertices: Vec<[u32; 3]> = hits.iter().map(vertices).collect();
        let corners = |(hit, vertices): (&SceneHit, [u32; 3])| {
            let positions = self.mesh(hit.instance).map_or(&[][..], TriMesh::positions);
            vertices.map(|vertex| positions.get(vertex as usize).copied().unwrap_or_default())
        };
        let corners: Vec<[Vec3; 3]> = hits.iter().zip(vertices).map(corners).collect();
        let surface = |((hit, ray), corners)| self.surface(hit, ray, corners);
        hits.iter().zip(rays).zip(corners).map(surface).collect()
    }

    /// The point of a hit and the normal there, by the corners of the triangle.
    fn surface(&self, hit: &SceneHit, ray: &WorldRay, corners: [Vec3; 3]) -> (Vec3, DVec3) {
        let Some(look) = self.look(hit.instance) else { return (Vec3::ZERO, DVec3::ZERO) };
        let triangle = Triangle::from(corners);
        let point = triangle.point(hit.local.u, hit.local.v);
        let normal = triangle
            .unit_normal()
            .and_then(|normal| (look.to_world_normal * normal).try_normalize())
            .or_else(|| self.interpolated_normal(hit).map(Vec3::as_dvec3))
            .unwrap_or_else(|| -ray.direction.normalize_or_zero());
        let point = look.to_world.transform_point3(point) - self.origin;
        (point.as_vec3(), normal)
    }

    /// The unit normal between those that the mesh has at the corners of the triangle.
    pub(crate) fn interpolated_normal(&self, hit: &SceneHit) -> Option<Vec3> {
        let local = hit.local;
        let normals = self.mesh(hit.instance)?.attributes().normals_of(local.triangle)?;
        let [a, b, c] = normals;
        let normal = (a + local.u * (b - a) + local.v * (c - a)).as_dvec3();
        (self.look(hit.instance)?.to_world_normal * normal).as_vec3().try_normalize()
    }

    /// The name of what was hit as a place in [`names`](Self::names).
    pub(crate) fn name(&self, hit: &SceneHit, naming: Naming) -> Option<u32> {
        let look = self.look(hit.instance)?;
        if naming == Naming::Object && self.has_instances {
            return Some(look.name);
        }
        Some(look.colors.names[self.own_name(hit, naming)?])
    }

    /// The colour of the material that was hit, in linear light.
    pub(crate) fn diffuse(&self, hit: &SceneHit) -> Option<Vec3> {
        let colors = &self.look(hit.instance)?.colors;
        colors.diffuse[self.own_name(hit, Naming::Material)?]
    }

    /// The name of what was hit as a place among those of its mesh.
    fn own_name(&self, hit: &SceneHit, naming: Naming) -> Option<usize> {
        let records = self.mesh(hit.instance)?.records()?;
        let runs = match naming {
            Naming::Object => &records.objects,
            Naming::Material => &records.materials,
        };
        Some((*runs.get(records.polygon(hit.triangle()))?)? as usize)
    }

    /// All names.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}

/// The largest coordinate of an instance's mesh, in size, as long as it is in the world.
fn reach_of(scene: &Scene, id: InstanceId) -> f32 {
    let mesh = scene.get(id).and_then(|instance| instance.mesh.as_deref());
    let bounds = mesh.map(|mesh| mesh.tri_mesh().bounds()).filter(|bounds| !bounds.is_empty());
    let linear = scene.world_transform(id).unwrap_or_default().matrix3;
    bounds.map_or(0.0, |bounds| {
        let largest = DVec3::splat(f64::from(bounds.max_abs_coordinate()));
        (linear.abs() * largest).max_element() as f32
    })
}

/// The corners of the box of an instance's mesh, in the world.
fn world_corners(scene: &Scene, id: InstanceId) -> impl Iterator<Item = DVec3> {
    let mesh = scene.get(id).and_then(|instance| instance.mesh.as_deref());
    let bounds = mesh.map(|mesh| mesh.tri_mesh().bounds()).filter(|bounds| !bounds.is_empty());
    let world = scene.world_transform(id).unwrap_or_default();
    bounds.into_iter().flat_map(move |bounds| {
        let ends = [bounds.min.as_dvec3(), bounds.max.as_dvec3()];
        (0..8).map(move |corner: usize| {
            let end = |axis: usize| ends[corner >> axis & 1][axis];
            world.transform_point3(DVec3::new(end(0), end(1), end(2)))
        })
    })
}

/// Names, each with a number.
#[derive(Default)]
struct Names {
    all: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    /// The number of a name, the same for equal ones.
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.append(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The number of one more name.
    fn append(&mut self, name: String) -> u32 {
        self.all.push(name);
        (self.all.len() - 1) as u32
    }
}

#[cfg(test)]
mod tests {
    use hitscan::glam::DQuat;
    use hitscan::scene::Instance;
    use hitscan::{BuildOptions, CornerAttributes};

    use super::*;

    #[test]
    fn surfaces_lie_where_the_scene_describes_them() {
        let torus = hitscan::generate::torus(2.0, 0.7, 500).unwrap();
        let mesh = Arc::new(Mesh::new(torus, &BuildOptions::default()));
        let center = DVec3::new(3e7, -2e5, 7.0);
        let turn = DQuat::from_euler(hitscan::glam::EulerRot::XYZ, 0.4, -1.1, 2.0);
        let mut scene = Scene::new();
        // One of them is a mirror image, and none keeps right angles.
        for (scale, x) in [(DVec3::new(1.0, 2.0, 0.5), -3.0), (DVec3::new(-1.5, 0.7, 1.0), 3.0)] {
            let place = DAffine3::from_translation(center + DVec3::new(x, 0.0, 0.0))
                * DAffine3::from_quat(turn)
                * DAffine3::from_scale(scale);
            scene.insert(Instance::new(mesh.clone(), place)).unwrap();
        }
        let subject = Subject::new(scene, |_, _| None);
        let eye = center + DVec3::new(0.0, 1.0, 12.0);
        let ray = |n: i32| {
            let towards =
                DVec3::new(f64::from(n % 40 - 20) / 3.0, f64::from(n / 40 - 10) / 3.0, 0.0);
            WorldRay::new(eye, center + towards - eye)
        };
        let rays: Vec<WorldRay> = (0..800).map(ray).collect();
        let hits = rays.iter().copied().zip(subject.hits(&rays));
        let (rays, hits): (Vec<_>, Vec<_>) =
            hits.filter_map(|(ray, hit)| Some((ray, hit?))).unzip();
        assert!(hits.iter().any(|hit| hit.instance != hits[0].instance));
        let surfaces = subject.surfaces(&rays, &hits);
        assert_eq!(surfaces.len(), hits.len());
        for ((ray, hit), (point, normal)) in rays.iter().zip(&hits).zip(surfaces) {
            let details = subject.scene().describe(hit).unwrap();
            let expected = (details.point() - subject.origin()).as_vec3();
            assert!(point.distance(expected) < 1e-5, "{point} {expected}");
            let expected = details.normal().unwrap();
            assert!(normal.distance(expected) < 1e-9, "{normal} {expected}");
            assert_eq!(subject.normal(hit, ray), normal);
        }
    }

    #[test]
    fn a_triangle_of_zero_area_is_lit_by_its_corner_normals_or_faces_the_ray() {
        let corners = [[0.0, 0.0, 0.0], [0.3, 0.1, 0.7], [0.6, 0.2, 1.4]];
        let bare = TriMesh::new(corners, vec![[0, 1, 2]]).unwrap();
        assert!(bare.is_degenerate(0));
        let attributes = CornerAttributes {
            normals: vec![Vec3::new(0.0, 2.0, 0.0)],
            normal_indices: vec![[0; 3]],
            ..CornerAttributes::default()
        };
        let with_normals = bare.clone().with_attributes(attributes).unwrap();
        let ray = WorldRay::new([0.0, 0.0, 9.0], [3.0, 0.0, -4.0]);
        let local =
            hitscan::Hit { t: 1.0, u: 0.25, v: 0.5, triangle: 0, side: hitscan::Side::Back };
        let towards_eye = DVec3::new(-0.6, 0.0, 0.8);
        for (mesh, expected) in [(bare, towards_eye), (with_normals, DVec3::Y)] {
            let mesh = Arc::new(Mesh::new(mesh, &BuildOptions::default()));
            let mut scene = Scene::new();
            let instance = scene.insert(Instance::new(mesh, DAffine3::IDENTITY)).unwrap();
            let subject = Subject::new(scene, |_, _| None);
            let hit = SceneHit { t: 1.0, instance, insertion_order: 0, local };
            let normal = subject.normal(&hit, &ray);
            assert!(normal.distance(expected) < 1e-12, "{normal} {expected}");
            assert_eq!(subject.surfaces(&[ray], &[hit])[0].1, normal);
        }
    }
}
