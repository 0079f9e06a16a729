//! A hit with its ray and its mesh, from which the formats take the fields.

use std::collections::HashMap;
use std::ptr;

use hitscan::glam::{DVec2, DVec3};
use hitscan::scene::{HitDetails, InstanceId, Scene, SceneContact, SceneHit};
use hitscan::{Hit, Material, Side, SphereContact, TriMesh, TriangleFeature};

use super::value::Value;
use crate::args::Field;
use crate::query::Found;

/// The surfaces that rays are cast at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Surface<'a> {
    Mesh(&'a TriMesh, &'a Colours),
    Scene(&'a Scene, &'a Colours),
}

/// The diffuse colours of materials, by the address of the mesh and the name of the material.
#[derive(Debug, Default)]
pub(crate) struct Colours(HashMap<usize, HashMap<String, [f32; 3]>>);

impl Colours {
    /// Adds the materials of a mesh. Of equal names the last counts.
    pub(crate) fn add(&mut self, mesh: &TriMesh, materials: &[Material]) {
        let of_mesh = self.0.entry(ptr::from_ref(mesh).addr()).or_default();
        for material in materials {
            if let Some(diffuse) = material.diffuse {
                of_mesh.insert(material.name.clone(), diffuse);
            }
        }
    }

    fn get(&self, mesh: &TriMesh, material: &str) -> Option<[f32; 3]> {
        self.0.get(&ptr::from_ref(mesh).addr())?.get(material).copied()
    }
}

/// A hit of a ray, or a contact of a ball.
pub(crate) struct HitRecord<'a> {
    surface: Surface<'a>,
    mesh: &'a TriMesh,
    /// The length of the direction of the ray.
    unit: f64,
    hit: &'a Found,
    /// The hit in the mesh. Of a contact: the triangle and the weights of its point, and nothing else.
    local: Hit,
    details: Option<HitDetails<'a>>,
}

impl<'a> HitRecord<'a> {
    /// `unit` is the length of the direction of the ray.
    ///
    /// # Panics
    /// If the hit is not one of the surface.
    pub(crate) fn new(surface: Surface<'a>, unit: f64, hit: &'a Found) -> Self {
        let (mesh, local, details) = match (surface, hit) {
            (Surface::Mesh(mesh, _), Found::Mesh(hit)) => (mesh, *hit, None),
            (Surface::Mesh(mesh, _), Found::Contact(contact)) => (mesh, at_contact(contact), None),
            (Surface::Scene(scene, _), Found::Scene(hit)) => {
                let details = scene.describe(hit).expect("the scene has what was hit in it");
                (details.mesh().tri_mesh(), hit.local, Some(details))
            }
            (Surface::Scene(scene, _), Found::SceneContact(found)) => {
                let &SceneContact { instance, insertion_order, contact } = found;
                let local = at_contact(&contact);
                let hit = SceneHit { t: contact.t, instance, insertion_order, local };
                let details = scene.describe(&hit).expect("the scene has what was touched in it");
                (details.mesh().tri_mesh(), local, Some(details))
            }
            _ => unreachable!("a mesh has hits of meshes, a scene has hits of scenes"),
        };
        Self { surface, mesh, unit, hit, local, details }
    }

    /// The value of a field.
    pub(crate) fn value(&self, field: Field) -> Value<'a> {
        let triangle = self.local.triangle;
        match field {
            Field::T => match self.hit {
                Found::Mesh(hit) => Value::F32(hit.t),
                Found::Scene(_) | Found::Contact(_) | Found::SceneContact(_) => {
                    Value::F64(self.hit.t())
                }
            },
            Field::Distance => Value::F64(self.hit.t() * self.unit),
            Field::Point => vector(Some(match (self.hit.contact(), &self.details) {
                (Some(contact), _) => contact.point,
                (None, Some(details)) => details.point(),
                (None, None) => self.mesh.point(&self.local),
            })),
            Field::Normal => vector(match (self.hit.contact(), &self.details) {
                (Some(contact), _) => Some(contact.normal),
                (None, Some(details)) => details.normal(),
                (None, None) => self.mesh.unit_normal(triangle),
            }),
            Field::InterpolatedNormal => vector(match &self.details {
                Some(details) => details.interpolated_normal(),
                None => self.interpolated_normal(),
            }),
            Field::Side if self.hit.contact().is_some() => Value::None,
            Field::Side => Value::Name(match self.local.side {
                Side::Front => "front",
                Side::Back => "back",
            }),
            Field::Feature => self
                .hit
                .contact()
                .map_or(Value::None, |contact| Value::Name(feature_name(contact.feature))),
            Field::W1 => Value::F32(self.local.u),
            Field::W2 => Value::F32(self.local.v),
            Field::Instance => match self.hit {
                Found::Mesh(_) | Found::Contact(_) => Value::None,
                Found::Scene(hit) => Value::Index(hit.insertion_order),
                Found::SceneContact(found) => Value::Index(found.insertion_order),
            },
            Field::Path => self.path(),
            Field::Triangle => Value::Index(triangle.into()),
            Field::Vertices => Value::Indices(self.mesh.triangles()[triangle as usize]),
            Field::Polygon => {
                self.polygon().map_or(Value::None, |polygon| Value::Index(polygon.into()))
            }
            Field::Line => {
                let line = self.mesh.records().zip(self.polygon());
                let line = line.and_then(|(records, polygon)| records.lines().get(polygon));
                line.map_or(Value::None, Value::Index)
            }
            Field::Object => self.name(hitscan::FaceRecords::object),
            Field::Group => self.name(hitscan::FaceRecords::group),
            Field::Material => self.name(hitscan::FaceRecords::material),
            Field::Colour => self.colour(),
            Field::Texture => {
                self.texture().map_or(Value::None, |uv| Value::Pair(uv.to_array().map(|x| x + 0.0)))
            }
        }
    }

    /// The weights of the second and third corner.
    pub(super) fn weights(&self) -> [f32; 2] {
        [self.local.u, self.local.v]
    }

    fn polygon(&self) -> Option<u32> {
        Some(self.mesh.records()?.polygon(self.local.triangle))
    }

    fn name(&self, name: fn(&'a hitscan::FaceRecords, u32) -> Option<&'a str>) -> Value<'a> {
        let named = self.mesh.records().zip(self.polygon());
        named.and_then(|(records, polygon)| name(records, polygon)).map_or(Value::None, Value::Name)
    }

    fn path(&self) -> Value<'a> {
        match (self.surface, self.hit) {
            (
                Surface::Scene(scene, _),
                Found::Scene(SceneHit { instance, .. })
                | Found::SceneContact(SceneContact { instance, .. }),
            ) => Value::Path(path_names(scene, *instance)),
            _ => Value::None,
        }
    }

    fn colour(&self) -> Value<'a> {
        let (Surface::Mesh(_, colours) | Surface::Scene(_, colours)) = self.surface;
        let Value::Name(material) = self.value(Field::Material) else { return Value::None };
        let colour = colours.get(self.mesh, material);
        colour.map_or(Value::None, |colour| Value::Vector(colour.map(f64::from)))
    }

    fn interpolated_normal(&self) -> Option<DVec3> {
        let normals = self.mesh.attributes().normals_of(self.local.triangle)?;
        let [a, b, c] = normals.map(|normal| normal.as_dvec3().normalize_or_zero());
        let (w1, w2) = (f64::from(self.local.u), f64::from(self.local.v));
        ((1.0 - w1 - w2) * a + w1 * b + w2 * c).try_normalize()
    }

    fn texture(&self) -> Option<DVec2> {
        let corners = self.mesh.attributes().uvs_of(self.local.triangle)?;
        let [a, b, c] = corners.map(|uv| uv.as_dvec2());
        Some(a + f64::from(self.local.u) * (b - a) + f64::from(self.local.v) * (c - a))
    }
}

/// The triangle of a contact and the weights of its point, as a hit. Its `t` and side mean nothing.
fn at_contact(contact: &SphereContact) -> Hit {
    let &SphereContact { triangle, t, u, v, .. } = contact;
    Hit { t: t as f32, u: u as f32, v: v as f32, triangle, side: Side::Front }
}

/// The name of the part of a triangle that a ball touches.
fn feature_name(feature: TriangleFeature) -> &'static str {
    match feature {
        TriangleFeature::Face => "face",
        TriangleFeature::Edge(0) => "edge 0",
        TriangleFeature::Edge(1) => "edge 1",
        TriangleFeature::Edge(_) => "edge 2",
        TriangleFeature::Vertex(0) => "vertex 0",
        TriangleFeature::Vertex(1) => "vertex 1",
        TriangleFeature::Vertex(_) => "vertex 2",
    }
}

/// The names from the outermost parent to the instance itself; `None` for a missing name.
pub(super) fn path_names(scene: &Scene, instance: InstanceId) -> Vec<Option<&str>> {
    let name = |id| scene.get(id).and_then(|instance| instance.name.as_deref());
    scene.path(instance).into_iter().map(name).collect()
}

/// A point or vector without negative zeros.
fn vector<'a>(v: Option<DVec3>) -> Value<'a> {
    v.map_or(Value::None, |v| Value::Vector(v.to_array().map(|x| x + 0.0)))
}
