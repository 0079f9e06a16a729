//! Writing glTF as one GLB file.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use glam::{DVec3, Vec3};
use hitscan_primitives::{CornerAttributes, Material, TriMesh};
use serde_json::{Value, json};

use super::{
    losses::{self, Kept},
    vertices::Vertices,
    write_report::WriteReport,
};

/// Component types and targets of glTF.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

pub(super) fn write(
    mesh: &TriMesh,
    materials: &[Material],
    out: &mut impl Write,
    report: &mut WriteReport,
) -> io::Result<()> {
    let objects = objects(mesh);
    let kept = Kept {
        attributes: true,
        names: true,
        groups: false,
        // Several objects share no vertices in the file.
        unused_vertices: objects.len() == 1,
    };
    losses::count(mesh, kept, report);
    let vertices = Vertices::of(mesh, report);
    let materials = Materials::new(mesh, materials, report);
    let offset = mesh.offset();
    let mut file = File::default();
    let (mut meshes, mut nodes) = (Vec::new(), Vec::new());
    for object in &objects {
        let mut node = json!({"mesh": meshes.len()});
        if offset != DVec3::ZERO {
            node["translation"] = json!(offset.to_array());
        }
        let mut mesh = json!({"primitives": file.add_object(object, &vertices, &materials, objects.len() == 1)});
        if let Some(name) = object.name {
            (node["name"], mesh["name"]) = (name.into(), name.into());
        }
        nodes.push(node);
        meshes.push(mesh);
    }
    let File { mut binary, accessors, views } = file;
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut root = json!({"asset": {"version": "2.0", "generator": "hitscan"}});
    // Empty lists are invalid, so a mesh without triangles has no scene.
    if !nodes.is_empty() {
        let indices: Vec<usize> = (0..nodes.len()).collect();
        root["scene"] = 0.into();
        root["scenes"] = json!([{"nodes": indices}]);
    }
    for (key, list) in [
        ("nodes", nodes),
        ("meshes", meshes),
        ("materials", materials.json),
        ("accessors", accessors),
        ("bufferViews", views),
    ] {
        if !list.is_empty() {
            root[key] = list.into();
        }
    }
    if !binary.is_empty() {
        root["buffers"] = json!([{"byteLength": binary.len()}]);
    }
    write_chunks(&root, &binary, out)
}

/// Writes the header and the chunks of a GLB file.
fn write_chunks(root: &Value, binary: &[u8], out: &mut impl Write) -> io::Result<()> {
    let mut json = serde_json::to_vec(root)?;
    json.resize(json.len().next_multiple_of(4), b' ');
    let of_binary = if binary.is_empty() { 0 } else { 8 + binary.len() };
    let len = 12 + 8 + json.len() + of_binary;
    let len = u32::try_from(len).map_err(|_| {
        let text = format!("GLB with {len} bytes; expected at most {}", u32::MAX);
        io::Error::new(io::ErrorKind::InvalidInput, text)
    })?;
    out.write_all(b"glTF\x02\0\0\0")?;
    out.write_all(&len.to_le_bytes())?;
    // Shorter than the file, whose length fits.
    out.write_all(&(json.len() as u32).to_le_bytes())?;
    out.write_all(b"JSON")?;
    out.write_all(&json)?;
    if !binary.is_empty() {
        out.write_all(&(binary.len() as u32).to_le_bytes())?;
        out.write_all(b"BIN\0")?;
        out.write_all(binary)?;
    }
    Ok(())
}

/// Consecutive triangles of one object.
struct Object<'m> {
    name: Option<&'m str>,
    runs: Vec<Run<'m>>,
}

/// Consecutive triangles that make one primitive.
struct Run<'m> {
    first: usize,
    end: usize,
    kind: Kind<'m>,
}

/// The properties that the triangles of a primitive share.
#[derive(Clone, Copy, PartialEq)]
struct Kind<'m> {
    object: Option<&'m str>,
    material: Option<&'m str>,
    has_normals: bool,
    has_uvs: bool,
}

/// The objects of a mesh, in the order of its triangles.
fn objects(mesh: &TriMesh) -> Vec<Object<'_>> {
    let attributes = mesh.attributes();
    let is_complete = |indices: &[[u32; 3]], triangle: usize| {
        indices.get(triangle).is_some_and(|corners| !corners.contains(&CornerAttributes::NONE))
    };
    let mut objects: Vec<Object<'_>> = Vec::new();
    for triangle in 0..mesh.triangles().len() {
        let records = mesh.records().map(|records| (records, records.polygon(triangle as u32)));
        let kind = Kind {
            object: records.and_then(|(records, polygon)| records.object(polygon)),
            material: records.and_then(|(records, polygon)| records.material(polygon)),
            has_normals: is_complete(&attributes.normal_indices, triangle),
            has_uvs: is_complete(&attributes.uv_indices, triangle),
        };
        if objects.last().is_none_or(|object| object.name != kind.object) {
            objects.push(Object { name: kind.object, runs: Vec::new() });
        }
        let Some(object) = objects.last_mut() else { continue };
        match object.runs.last_mut() {
            Some(run) if run.kind == kind => run.end = triangle + 1,
            _ => object.runs.push(Run { first: triangle, end: triangle + 1, kind }),
        }
    }
    objects
}

/// The binary chunk, and the JSON that describes it.
#[derive(Default)]
struct File {
    binary: Vec<u8>,
    accessors: Vec<Value>,
    views: Vec<Value>,
}

impl File {
    /// Adds the vertices and triangles of an object, and returns its primitives.
    fn add_object(
        &mut self,
        object: &Object<'_>,
        vertices: &Vertices,
        materials: &Materials,
        is_alone: bool,
    ) -> Value {
        let triangles =
            || object.runs.iter().flat_map(|run| &vertices.triangles[run.first..run.end]);
        // The vertices of the object in their order. An object that is alone keeps all.
        let mut used: Vec<u32> = match is_alone {
            true => (0..vertices.positions.len() as u32).collect(),
            false => triangles().flatten().copied().collect(),
        };
        used.sort_unstable();
        used.dedup();
        let of_used = |list: &[Vec3]| -> Vec<Vec3> {
            used.iter().filter_map(|&vertex| list.get(vertex as usize)).copied().collect()
        };
        let positions = of_used(&vertices.positions);
        let bounds = bounds(&positions);
        let positions = self.add_floats("VEC3", positions.iter().map(Vec3::to_array), bounds);
        let normals = of_used(&vertices.normals);
        let is_needed = |of_run: fn(&Kind<'_>) -> bool| object.runs.iter().any(|r| of_run(&r.kind));
        let normals = is_needed(|kind| kind.has_normals)
            .then(|| self.add_floats("VEC3", normals.iter().map(Vec3::to_array), None));
        let uvs = is_needed(|kind| kind.has_uvs).then(|| {
            // In glTF v grows downwards.
            let uvs = used.iter().filter_map(|&vertex| vertices.uvs.get(vertex as usize));
            self.add_floats("VEC2", uvs.map(|uv| [uv.x, 1.0 - uv.y]), None)
        });
        let primitives = object.runs.iter().map(|run| {
            let mut attributes = json!({"POSITION": positions});
            if run.kind.has_normals {
                attributes["NORMAL"] = normals.into();
            }
            if run.kind.has_uvs {
                attributes["TEXCOORD_0"] = uvs.into();
            }
            let corners = vertices.triangles[run.first..run.end].as_flattened();
            let indices = match is_alone {
                true => self.add_indices(corners.iter().copied()),
                false => self.add_indices(
                    corners.iter().map(|corner| used.partition_point(|used| used < corner) as u32),
                ),
            };
            let mut primitive = json!({"attributes": attributes, "indices": indices});
            if let Some(material) = run.kind.material.and_then(|name| materials.indices.get(name)) {
                primitive["material"] = (*material).into();
            }
            primitive
        });
        primitives.collect()
    }

    /// Adds an accessor and returns its index.
    fn add_floats<const N: usize>(
        &mut self,
        kind: &str,
        values: impl Iterator<Item = [f32; N]>,
        bounds: Option<[Vec3; 2]>,
    ) -> usize {
        let start = self.binary.len();
        self.binary.extend(values.flatten().flat_map(f32::to_le_bytes));
        let count = (self.binary.len() - start) / (4 * N);
        let mut accessor = json!({"componentType": FLOAT, "count": count, "type": kind});
        if let Some([min, max]) = bounds {
            accessor["min"] = min.to_array().to_vec().into();
            accessor["max"] = max.to_array().to_vec().into();
        }
        self.add_accessor(accessor, start, ARRAY_BUFFER)
    }

    fn add_indices(&mut self, indices: impl Iterator<Item = u32>) -> usize {
        let start = self.binary.len();
        self.binary.extend(indices.flat_map(u32::to_le_bytes));
        let count = (self.binary.len() - start) / 4;
        let accessor = json!({"componentType": UNSIGNED_INT, "count": count, "type": "SCALAR"});
        self.add_accessor(accessor, start, ELEMENT_ARRAY_BUFFER)
    }

    fn add_accessor(&mut self, mut accessor: Value, start: usize, target: u32) -> usize {
        accessor["bufferView"] = self.views.len().into();
        self.accessors.push(accessor);
        let len = self.binary.len() - start;
        self.views
            .push(json!({"buffer": 0, "byteOffset": start, "byteLength": len, "target": target}));
        self.accessors.len() - 1
    }
}

fn bounds(positions: &[Vec3]) -> Option<[Vec3; 2]> {
    let first = *positions.first()?;
    Some(positions.iter().fold([first; 2], |[min, max], &p| [min.min(p), max.max(p)]))
}

/// The materials in the file, and the index of each name.
struct Materials {
    json: Vec<Value>,
    indices: HashMap<String, usize>,
}

impl Materials {
    /// The given materials, and those that only the records name.
    fn new(mesh: &TriMesh, materials: &[Material], report: &mut WriteReport) -> Self {
        let json = materials.iter().map(material).collect();
        // Of equal names the last counts.
        let indices = materials.iter().enumerate().map(|(i, m)| (m.name.clone(), i)).collect();
        let mut of_file = Self { json, indices };
        if let Some(records) = mesh.records() {
            let names = records.materials().iter().filter_map(|(_, &name)| name);
            for name in names.map(|name| &records.names()[name as usize]) {
                if !of_file.indices.contains_key(name) {
                    of_file.indices.insert(name.clone(), of_file.json.len());
                    of_file.json.push(json!({"name": name}));
                }
            }
        }
        let n_more = materials.iter().filter(|&material| *material != kept(material)).count();
        report.add("materials with textures or other properties", "those left out", n_more as u64);
        of_file
    }
}

/// The properties that the file holds.
fn kept(material: &Material) -> Material {
    Material {
        name: material.name.clone(),
        diffuse: material.diffuse,
        emissive: material.emissive,
        opacity: material.opacity,
        ..Material::default()
    }
}

fn material(material: &Material) -> Value {
    // MTL allows any number, glTF those from 0 to 1.
    let part = |number: f32| if number.is_nan() { 1.0 } else { number.clamp(0.0, 1.0) };
    let [r, g, b] = material.diffuse.unwrap_or([1.0; 3]).map(part);
    let alpha = part(material.opacity.unwrap_or(1.0));
    let mut json = json!({
        "name": material.name,
        "pbrMetallicRoughness": {"baseColorFactor": [r, g, b, alpha], "metallicFactor": 0.0},
    });
    if let Some(emissive) = material.emissive {
        json["emissiveFactor"] = emissive.map(part).to_vec().into();
    }
    if material.opacity.is_some() {
        json["alphaMode"] = "BLEND".into();
    }
    json
}
