//! The scene to render, with material colours and names.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use hitscan::glam::{DAffine3, DMat3, DVec3, Vec3};
use hitscan::primitives::Aabb;
use hitscan::scene::{InstanceId, Mesh, QueryOptions, Scene, SceneHit, WorldBox};
use hitscan::{FaceRecords, Faces, SectionPlane, TriMesh};

use crate::cut::Cut;
use crate::smooth_normals::SmoothNormals;
use crate::texture::Texture;

mod surface;
mod tracing;

/// A scene prepared for rendering: visible instances, material colours and names. A clone costs as
/// much as a clone of the scene.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The triangle sides that rays can hit.
    pub faces: Faces,
    scene: Scene,
    /// Visible instances, in the order of first insertion.
    instances: Vec<InstanceId>,
    /// Indexed by the slot of the instance.
    instance_data: Arc<[Option<InstanceData>]>,
    /// All names: first those of objects and materials in files, then those of instances.
    names: Arc<[String]>,
    /// Whether the scene has several instances, so that each counts as an object.
    has_instances: bool,
    /// World position that f32 positions are relative to.
    origin: DVec3,
    /// Exact bounds of the visible instances.
    world_bounds: WorldBox,
    /// The same, relative to `origin`.
    bounds: Aabb,
    /// Upper bound of all coordinates that f32 has rounded, as an absolute value in world units.
    max_abs_coordinate: f32,
    /// The plane of [`set_section`](Self::set_section), with the cut of the scene.
    cut: Option<Arc<Cut>>,
}

/// Data of an instance for shading.
#[derive(Clone, Debug)]
struct InstanceData {
    /// Index of the instance's name in all names.
    name: u32,
    mesh: Arc<Mesh>,
    /// The mesh that [`Subject::new`] saw; `mesh` may be a part of it.
    whole: Arc<Mesh>,
    /// Normals of `whole`, if its file has none.
    smooth_normals: Option<Arc<SmoothNormals>>,
    mesh_names: Arc<MeshNames>,
    /// Textures of the materials with the names in the records; empty if there are none.
    textures: Arc<[Option<Arc<Texture>>]>,
    to_world: DAffine3,
    /// Maps normals of the mesh to world space; the result is not normalised.
    to_world_normal: DMat3,
}

/// Data of a mesh, indexed by the names in its records.
#[derive(Debug, Default)]
struct MeshNames {
    /// Index of each name in all names.
    names: Vec<u32>,
    /// Colours of the materials with these names, in linear light.
    diffuse: Vec<Option<Vec3>>,
}

/// The kind of name that a mode colours by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    Object,
    Material,
}

impl Subject {
    /// Prepares a scene. `diffuse` returns the colour of a mesh's material by name: red, green and
    /// blue from 0 to 1 in linear light, or `None` for the default grey. Both sides of triangles are
    /// visible until [`faces`](Self::faces) changes.
    ///
    /// Calls `diffuse` once per mesh and name. Costs O(instances + names).
    pub fn new(scene: Scene, diffuse: impl Fn(&Arc<Mesh>, &str) -> Option<[f32; 3]>) -> Self {
        let mut names = Names::default();
        let mut instances: Vec<_> = scene
            .iter()
            .filter_map(|(id, instance)| {
                Some((scene.insertion_order(id)?, id, instance.mesh.as_ref()?))
            })
            .collect();
        instances.sort_unstable_by_key(|&(order, ..)| order);
        let mut mesh_names: HashMap<*const Mesh, Arc<MeshNames>> = HashMap::new();
        for (_, _, mesh) in &instances {
            mesh_names.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
                let own = mesh.tri_mesh().records().map_or(&[][..], |records| records.names());
                Arc::new(MeshNames {
                    names: own.iter().map(|name| names.index_of(name)).collect(),
                    diffuse: own.iter().map(|name| diffuse(mesh, name).map(Vec3::from)).collect(),
                })
            });
        }
        let n_slots = instances.iter().map(|(_, id, _)| id.index + 1).max().unwrap_or(0);
        let mut instance_data = vec![None; n_slots as usize];
        for (order, id, mesh) in &instances {
            let label = scene.get(*id).and_then(|instance| instance.name.as_deref());
            let label = label.map_or_else(|| format!("instance {order}"), str::to_owned);
            let to_world = scene.mesh_to_world(*id).unwrap_or_default();
            instance_data[id.index as usize] = Some(InstanceData {
                name: names.append(label),
                mesh: Arc::clone(mesh),
                whole: Arc::clone(mesh),
                smooth_normals: None,
                mesh_names: mesh_names[&Arc::as_ptr(mesh)].clone(),
                textures: Arc::default(),
                to_world,
                to_world_normal: to_world.matrix3.inverse().transpose(),
            });
        }
        let mut subject = Self {
            faces: Faces::Both,
            has_instances: instances.len() > 1,
            scene: Scene::new(),
            instances: vec![],
            instance_data: instance_data.into(),
            names: names.all.into(),
            origin: DVec3::ZERO,
            world_bounds: WorldBox::EMPTY,
            bounds: Aabb::EMPTY,
            max_abs_coordinate: 0.0,
            cut: None,
        };
        subject.set_scene(scene);
        subject
    }

    /// Multiplies the colours of materials by textures. `texture` returns that of a mesh's material
    /// by name; surfaces without texture coordinates show none. Calls `texture` once per mesh and
    /// name.
    pub fn set_textures(&mut self, texture: impl Fn(&Arc<Mesh>, &str) -> Option<Arc<Texture>>) {
        let mut by_mesh: HashMap<*const Mesh, Arc<[Option<Arc<Texture>>]>> = HashMap::new();
        let mut instance_data = self.instance_data.to_vec();
        for data in instance_data.iter_mut().flatten() {
            let whole = &data.whole;
            let textures = by_mesh.entry(Arc::as_ptr(whole)).or_insert_with(|| {
                let names = whole.tri_mesh().records().map_or(&[][..], FaceRecords::names);
                names.iter().map(|name| texture(whole, name)).collect()
            });
            data.textures.clone_from(textures);
        }
        self.instance_data = instance_data.into();
    }

    /// Shades meshes without corner normals as if their edges were round where the triangles meet at
    /// `max_degrees` or less. Costs O(n log n) in the triangles of these meshes, on rayon's current
    /// pool.
    pub fn smooth_edges(&mut self, max_degrees: f32) {
        let mut by_mesh: HashMap<*const Mesh, Option<Arc<SmoothNormals>>> = HashMap::new();
        let mut instance_data = self.instance_data.to_vec();
        for data in instance_data.iter_mut().flatten() {
            let normals = by_mesh.entry(Arc::as_ptr(&data.whole)).or_insert_with(|| {
                let mesh = data.whole.tri_mesh();
                let has_own = !mesh.attributes().normal_indices.is_empty();
                (!has_own).then(|| Arc::new(SmoothNormals::new(mesh, max_degrees)))
            });
            data.smooth_normals.clone_from(normals);
        }
        self.instance_data = instance_data.into();
    }

    /// Replaces the scene by an edited clone of it, for example one with other instances hidden or
    /// with a [part](TriMesh::part) of a mesh in its place. An instance that [`new`](Self::new) did
    /// not see has no name, no colours and no normals. A new mesh takes its colours from the old one,
    /// by the index of the name in the records. Costs O(instances).
    pub fn set_scene(&mut self, scene: Scene) {
        self.scene = scene;
        self.adopt_meshes();
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
        self.world_bounds = self.scene.bounds_of(&self.options());
        let WorldBox { min, max } = self.world_bounds;
        // f32 is too coarse far from the world's origin. Near it, a shifted origin gains nothing.
        let (center, extent) = (0.5 * (min + max), (max - min).max_element());
        let is_far = center.abs().max_element() > 1024.0 * extent;
        self.origin = if is_far { center } else { DVec3::ZERO };
        self.bounds = match self.world_bounds.is_empty() {
            true => Aabb::EMPTY,
            false => {
                let [min, max] = [min, max].map(|p| (p - self.origin).as_vec3().to_array());
                Aabb::new(min, max)
            }
        };
        let largest = instances.iter().map(|&id| max_abs_world_coordinate(&self.scene, id));
        let relative = if self.bounds.is_empty() { 0.0 } else { self.bounds.max_abs_coordinate() };
        self.max_abs_coordinate = largest.fold(relative, f32::max);
        self.instances = instances;
        self.set_section(self.cut.as_ref().map(|cut| cut.plane()));
    }

    /// Hides what lies below a plane, and fills the cut where the plane runs through the inside of closed meshes. `None` shows
    /// all. The hidden half throws no shadows. Costs a section of the scene, also in [`set_scene`](Self::set_scene).
    pub fn set_section(&mut self, plane: Option<SectionPlane>) {
        self.cut = plane.map(|plane| Arc::new(Cut::new(plane, &self.scene, &self.options())));
    }

    pub(crate) fn cut(&self) -> Option<&Cut> {
        self.cut.as_deref()
    }

    /// Takes over the meshes that the scene has replaced.
    fn adopt_meshes(&mut self) {
        let is_new = |data: &InstanceData, mesh: &Arc<Mesh>| !Arc::ptr_eq(&data.mesh, mesh);
        let replaced: Vec<(usize, Arc<Mesh>)> = (self.scene.iter())
            .filter_map(|(id, instance)| Some((id, instance.mesh.as_ref()?)))
            .filter(|(id, mesh)| self.data(*id).is_some_and(|data| is_new(data, mesh)))
            .map(|(id, mesh)| (id.index as usize, mesh.clone()))
            .collect();
        if replaced.is_empty() {
            return;
        }
        let mut instance_data = self.instance_data.to_vec();
        for (slot, mesh) in replaced {
            if let Some(data) = &mut instance_data[slot] {
                data.mesh = mesh;
            }
        }
        self.instance_data = instance_data.into();
    }

    /// The scene as given to [`new`](Self::new) or [`set_scene`](Self::set_scene).
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Visible instances, in the order of first insertion.
    pub fn instances(&self) -> &[InstanceId] {
        &self.instances
    }

    /// Total triangles of the visible instances. Costs O(instances).
    pub fn n_triangles(&self) -> usize {
        let meshes = self.instances.iter().filter_map(|&id| self.mesh(id));
        meshes.map(|mesh| mesh.triangles().len()).sum()
    }

    /// Whether any visible mesh has texture coordinates. Costs O(instances).
    pub fn has_uvs(&self) -> bool {
        let has = |mesh: &TriMesh| !mesh.attributes().uv_indices.is_empty();
        self.instances.iter().filter_map(|&id| self.mesh(id)).any(has)
    }

    /// Exact minimum and maximum of the visible instances in world space
    /// ([`Scene::bounds_of`]); `None` without triangles.
    pub fn world_bounds(&self) -> Option<[DVec3; 2]> {
        let WorldBox { min, max } = self.world_bounds;
        (!self.world_bounds.is_empty()).then_some([min, max])
    }

    pub(crate) fn mesh(&self, id: InstanceId) -> Option<&TriMesh> {
        Some(self.data(id)?.mesh.tri_mesh())
    }

    /// World position that f32 positions are relative to.
    pub(crate) fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Bounds of the visible instances, relative to [`origin`](Self::origin).
    pub(crate) fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Upper bound of all coordinates that f32 has rounded, as an absolute value in world units.
    pub(crate) fn max_abs_coordinate(&self) -> f32 {
        self.max_abs_coordinate
    }

    /// Query options of the picture. Locked instances are visible although picking skips them.
    fn options(&self) -> QueryOptions<'static> {
        QueryOptions { faces: self.faces, include_locked: true, ..QueryOptions::default() }
    }

    fn data(&self, id: InstanceId) -> Option<&InstanceData> {
        self.instance_data.get(id.index as usize)?.as_ref()
    }

    /// Index of the polygon that was hit, or of the triangle if the mesh has no polygon records.
    pub fn polygon(&self, hit: &SceneHit) -> u32 {
        self.mesh(hit.instance).map_or(hit.triangle(), |mesh| mesh.polygon_of(hit.triangle()))
    }

    /// Index in [`names`](Self::names) of the hit's name.
    pub(crate) fn name(&self, hit: &SceneHit, kind: NameKind) -> Option<u32> {
        let data = self.data(hit.instance)?;
        if kind == NameKind::Object && self.has_instances {
            return Some(data.name);
        }
        data.mesh_names.names.get(self.mesh_name_index(hit, kind)?).copied()
    }

    /// Colour of the hit's material and its texture, in linear light.
    pub(crate) fn diffuse(&self, hit: &SceneHit) -> Option<Vec3> {
        let data = self.data(hit.instance)?;
        let name = self.mesh_name_index(hit, NameKind::Material)?;
        let color = data.mesh_names.diffuse.get(name).copied().flatten();
        let texture = data.textures.get(name).and_then(Option::as_ref);
        let texel = texture.zip(data.mesh.uv(&hit.local)).map(|(texture, uv)| texture.at(uv));
        match (color, texel) {
            // Some programs write black beside a texture, which would hide it.
            (Some(color), Some(texel)) if color != Vec3::ZERO => Some(color * texel),
            (color, texel) => texel.or(color),
        }
    }

    /// Index of the hit's name in the records of its mesh.
    fn mesh_name_index(&self, hit: &SceneHit, kind: NameKind) -> Option<usize> {
        let records = self.mesh(hit.instance)?.records()?;
        let runs = match kind {
            NameKind::Object => records.objects(),
            NameKind::Material => records.materials(),
        };
        Some((*runs.get(records.polygon(hit.triangle()))?)? as usize)
    }

    /// All names, of files and instances.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}

/// Upper bound of the coordinates of an instance's mesh, scaled to world units.
fn max_abs_world_coordinate(scene: &Scene, id: InstanceId) -> f32 {
    let mesh = scene.get(id).and_then(|instance| instance.mesh.as_deref());
    let bounds = mesh.map(|mesh| mesh.tri_mesh().bounds()).filter(|bounds| !bounds.is_empty());
    let linear = scene.mesh_to_world(id).unwrap_or_default().matrix3;
    bounds.map_or(0.0, |bounds| {
        let largest = DVec3::splat(f64::from(bounds.max_abs_coordinate()));
        (linear.abs() * largest).max_element() as f32
    })
}

impl InstanceData {
    /// The index in the whole mesh of a triangle of the mesh.
    fn whole_triangle(&self, triangle: u32) -> u32 {
        if Arc::ptr_eq(&self.mesh, &self.whole) {
            return triangle;
        }
        // A part keeps the indices of its polygons, and all triangles of each.
        let (part, whole) = (self.mesh.tri_mesh(), self.whole.tri_mesh());
        let polygon = part.polygon_of(triangle);
        whole.triangles_of(polygon).start + (triangle - part.triangles_of(polygon).start)
    }
}

/// A list of names with a lookup by text.
#[derive(Default)]
struct Names {
    all: Vec<String>,
    indices: HashMap<String, u32>,
}

impl Names {
    /// Index of a name. Equal names share an index.
    fn index_of(&mut self, name: &str) -> u32 {
        if let Some(&index) = self.indices.get(name) {
            return index;
        }
        let index = self.append(name.to_owned());
        self.indices.insert(name.to_owned(), index);
        index
    }

    /// Appends a name without sharing and returns its index.
    fn append(&mut self, name: String) -> u32 {
        self.all.push(name);
        (self.all.len() - 1) as u32
    }
}
