//! The section about a scene: its meshes, materials and instances.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3};
use hitscan_scene::{Instance, InstanceId, Scene, SceneError};

use crate::{
    BuiltScene, BuiltSceneMesh, CacheErrorKind, SceneMaterials, Source,
    built_scene::indices,
    materials, source,
    wire::{Reader, Writer},
};

/// The index that stands for none.
const NONE: u32 = u32::MAX;

/// The contents of the section.
#[derive(Debug)]
pub(crate) struct About {
    pub(crate) meshes: Vec<MeshEntry>,
    pub(crate) materials: Vec<SceneMaterials>,
    pub(crate) instances: Vec<InstanceEntry>,
    pub(crate) n_ignored: u64,
    pub(crate) remarks: Vec<String>,
    pub(crate) source: Option<Source>,
}

/// A mesh that follows the section.
#[derive(Debug)]
pub(crate) struct MeshEntry {
    /// The number of bytes.
    pub(crate) len: u64,
    pub(crate) name: String,
    pub(crate) materials: Option<u32>,
}

/// An instance, whose parent precedes it.
#[derive(Debug)]
pub(crate) struct InstanceEntry {
    order: u64,
    name: Option<String>,
    mesh: Option<u32>,
    /// The index of the parent in the list.
    parent: Option<u32>,
    transform: [f64; 12],
    layers: u32,
    hidden: bool,
    locked: bool,
}

pub(crate) fn encode(built: &BuiltScene, lengths: &[u64]) -> Result<Vec<u8>, CacheErrorKind> {
    let mut writer = Writer::default();
    writer.u64(lengths.len() as u64);
    for (mesh, &len) in built.meshes.iter().zip(lengths) {
        writer.u64(len);
        writer.text(&mesh.name);
        writer.u32(mesh.materials.unwrap_or(NONE));
    }
    writer.u64(built.materials.len() as u64);
    for SceneMaterials { file, materials, embedded_textures } in &built.materials {
        writer.u32(file.unwrap_or(NONE));
        writer.blob(&materials::encode(materials));
        writer.u64(embedded_textures.len() as u64);
        for (material, bytes) in embedded_textures {
            writer.u32(*material);
            writer.blob(bytes);
        }
    }
    encode_instances(built, &mut writer)?;
    writer.u64(built.n_ignored);
    writer.texts(&built.remarks);
    writer.bool(built.source.is_some());
    if let Some(source) = &built.source {
        source::encode(source, &mut writer);
    }
    Ok(writer.bytes)
}

fn encode_instances(built: &BuiltScene, writer: &mut Writer) -> Result<(), CacheErrorKind> {
    let (scene, meshes) = (&built.scene, indices(&built.meshes));
    let ids = scene.depth_first();
    writer.u64(ids.len() as u64);
    let mut positions = std::collections::HashMap::new();
    for (position, &id) in (0u32..).zip(&ids) {
        positions.insert(id, position);
        let instance = scene.get(id).expect("the instance is in the scene");
        let mesh = match &instance.mesh {
            None => NONE,
            Some(mesh) => *meshes.get(&Arc::as_ptr(mesh)).ok_or_else(|| {
                let reason =
                    format!("instance {id} has a mesh that is not among those of the scene");
                CacheErrorKind::invalid("section about the scene", reason)
            })?,
        };
        let order = scene.insertion_order(id).expect("the instance is in the scene");
        if order > Scene::MAX_INSERTION_ORDER {
            let reason = SceneError::LargeOrder { instance: id, order };
            return Err(CacheErrorKind::invalid("section about the scene", reason));
        }
        writer.u64(order);
        writer.bool(instance.name.is_some());
        writer.text(instance.name.as_deref().unwrap_or_default());
        writer.u32(mesh);
        writer.u32(instance.parent.map_or(NONE, |parent| positions[&parent]));
        let DAffine3 { matrix3, translation } = instance.transform;
        for number in matrix3.to_cols_array().into_iter().chain(translation.to_array()) {
            writer.u64(number.to_bits());
        }
        writer.u32(instance.layers);
        writer.bool(instance.hidden);
        writer.bool(instance.locked);
    }
    Ok(())
}

pub(crate) fn decode(bytes: &[u8]) -> Result<About, String> {
    /// The minimum sizes of a mesh, of materials, of a texture and of an instance, in bytes.
    const SHORTEST: [usize; 4] = [28, 28, 20, 144];
    let mut reader = Reader::new(bytes);
    let meshes = reader.list(SHORTEST[0], |reader| {
        let (len, name) = (reader.u64()?, reader.text()?);
        Ok(MeshEntry { len, name, materials: index(reader)? })
    })?;
    let sets = reader.list(SHORTEST[1], |reader| {
        let file = index(reader)?;
        let materials = materials::decode(reader.blob()?)?;
        let texture = |reader: &mut Reader<'_>| Ok((reader.u32()?, reader.blob()?.into()));
        let embedded_textures = reader.list(SHORTEST[2], texture)?;
        Ok(SceneMaterials { file, materials, embedded_textures })
    })?;
    let instances = reader.list(SHORTEST[3], instance)?;
    let about = About {
        meshes,
        materials: sets,
        instances,
        n_ignored: reader.u64()?,
        remarks: reader.texts()?,
        source: if reader.bool()? { Some(source::decode(&mut reader)?) } else { None },
    };
    reader.end()?;
    about.check_indices()?;
    Ok(about)
}

impl About {
    fn check_indices(&self) -> Result<(), String> {
        let n_files = self.source.as_ref().map_or(0, |source| source.files.len());
        let sets = self.materials.len();
        let of_mesh = |mesh: &MeshEntry| mesh.materials.is_none_or(|set| (set as usize) < sets);
        let of_set = |set: &SceneMaterials| set.file.is_none_or(|file| (file as usize) < n_files);
        match self.meshes.iter().all(of_mesh) && self.materials.iter().all(of_set) {
            true => Ok(()),
            false => Err(format!("an index beyond {sets} materials or {n_files} files")),
        }
    }
}

/// An index, which may be absent.
fn index(reader: &mut Reader<'_>) -> Result<Option<u32>, String> {
    Ok(Some(reader.u32()?).filter(|&index| index != NONE))
}

/// The order of the fields is that of `encode_instances`.
fn instance(reader: &mut Reader<'_>) -> Result<InstanceEntry, String> {
    let order = reader.u64()?;
    if order > Scene::MAX_INSERTION_ORDER {
        return Err(format!("an instance of order {order}, expected less than 2^63"));
    }
    let name = reader.optional(Reader::text)?;
    let (mesh, parent) = (index(reader)?, index(reader)?);
    let mut transform = [0.0; 12];
    for number in &mut transform {
        *number = f64::from_bits(reader.u64()?);
    }
    Ok(InstanceEntry {
        order,
        name,
        mesh,
        parent,
        transform,
        layers: reader.u32()?,
        hidden: reader.bool()?,
        locked: reader.bool()?,
    })
}

/// The scene of the instances.
pub(crate) fn place(
    entries: Vec<InstanceEntry>,
    meshes: &[BuiltSceneMesh],
) -> Result<Scene, String> {
    let mut scene = Scene::new();
    let mut ids: Vec<InstanceId> = Vec::with_capacity(entries.len());
    let mut orders = std::collections::HashMap::new();
    for entry in entries {
        let none_at = |what, index| format!("instance {} with {what} {index}", ids.len());
        let mesh = entry.mesh.map(|index| {
            let mesh = meshes.get(index as usize);
            mesh.map(|mesh| mesh.mesh.clone()).ok_or_else(|| none_at("mesh", index))
        });
        let parent = entry
            .parent
            .map(|index| ids.get(index as usize).copied().ok_or_else(|| none_at("parent", index)));
        let [linear @ .., x, y, z] = entry.transform;
        let id = scene.insert(Instance {
            mesh: mesh.transpose()?,
            transform: DAffine3 {
                matrix3: DMat3::from_cols_array(&linear),
                translation: DVec3::new(x, y, z),
            },
            parent: parent.transpose()?,
            name: entry.name.map(Into::into),
            layers: entry.layers,
            hidden: entry.hidden,
            locked: entry.locked,
        });
        let id = id.map_err(|error| error.to_string())?;
        ids.push(id);
        orders.insert(id, entry.order);
    }
    scene.renumber(|id| orders[&id]).map_err(|error| error.to_string())?;
    Ok(scene)
}
