//! glTF 2.0: meshes, materials and node hierarchies.

mod accessor;
mod buffers;
mod container;
mod materials;
mod mending;
mod nodes;
mod primitives;
mod textures;

use std::collections::{HashMap, hash_map::Entry};

use gltf::{Document, Semantic, json::validation::Checked};
use hitscan_files::{LoadOptions, ReadErrorKind};

use crate::{
    LoadReport,
    error_at::{ErrorAt, Position},
    loaded::Parts,
    side_files::SideFiles,
};
use buffers::Buffers;
use nodes::Hierarchy;
use primitives::MeshReader;

pub(crate) fn parse(
    bytes: &[u8],
    side_files: SideFiles<'_>,
    options: &LoadOptions,
) -> Result<Parts, ErrorAt> {
    let container::Chunks { json, binary } = container::split(bytes)?;
    let mut report = LoadReport::default();
    let document = document(json, &mut report)?;
    let buffers = Buffers::read(&document, binary, side_files, options)?;
    let mut reader = MeshReader::new(&buffers, options);
    let (mut meshes, mut index_of_mesh) = (Vec::new(), Vec::new());
    // Equal meshes become one.
    let mut indices: HashMap<MeshKey<'_>, usize> = HashMap::new();
    for mesh in document.meshes() {
        let index = match indices.entry(mesh_key(&mesh)) {
            Entry::Occupied(index) => *index.get(),
            Entry::Vacant(entry) => {
                meshes.push(reader.read(&mesh, &mut report)?);
                *entry.insert(meshes.len() - 1)
            }
        };
        index_of_mesh.push(index);
    }
    let Hierarchy { mut instances, mut nodes } = nodes::hierarchy(&document, &mut report)?;
    let in_nodes = nodes.iter_mut().filter_map(|node| node.mesh.as_mut());
    for mesh in instances.iter_mut().map(|instance| &mut instance.mesh).chain(in_nodes) {
        *mesh = index_of_mesh[*mesh];
    }
    let materials = document.materials().filter(|_| options.materials);
    let materials = materials.map(|material| materials::read(&material)).collect();
    let textures = match options.materials {
        true => textures::embedded(&document, &buffers, options, &mut report),
        false => vec![],
    };
    count_what_is_left_out(&document, &mut report);
    let files = buffers.into_files();
    Ok(Parts { meshes, instances, nodes, materials, embedded_textures: textures, files, report })
}

/// The name of a mesh, and the parts of each primitive that its triangles depend on.
type MeshKey<'a> = (Option<&'a str>, Vec<(u32, [Option<usize>; 5], usize)>);

fn mesh_key<'a>(mesh: &gltf::Mesh<'a>) -> MeshKey<'a> {
    let primitives = mesh.primitives().map(|primitive| {
        let attribute = |semantic| primitive.get(&semantic).map(|accessor| accessor.index());
        let accessors = [
            attribute(Semantic::Positions),
            attribute(Semantic::Normals),
            attribute(Semantic::TexCoords(0)),
            primitive.indices().map(|indices| indices.index()),
            primitive.material().index(),
        ];
        (primitive.mode().as_gl_enum(), accessors, primitive.morph_targets().count())
    });
    (mesh.name(), primitives.collect())
}

/// Parses, mends and checks the JSON. The crate `gltf` panics at invalid indices of POSITION and at
/// incomplete images, so this function checks them first.
fn document(json: &[u8], report: &mut LoadReport) -> Result<Document, ErrorAt> {
    // Not the generic `from_slice`, which would compile the whole parser again in this crate.
    let mut root = gltf::json::Root::from_slice(json)
        .map_err(|error| wrong_json(&gltf::Error::Deserialize(error)))?;
    let n_accessors = root.accessors.len();
    let positions = Checked::Valid(Semantic::Positions);
    let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let mut accessors = primitives.filter_map(|primitive| primitive.attributes.get(&positions));
    if let Some(index) = accessors.find(|index| index.value() >= n_accessors) {
        let found = format!("POSITION in accessor {}", index.value());
        return Err(ReadErrorKind::syntax(found, format!("less than {n_accessors}")).into());
    }
    for (index, image) in root.images.iter().enumerate() {
        let (found, expected) = match (&image.uri, &image.buffer_view, &image.mime_type) {
            (_, Some(_), None) => ("`bufferView` but no `mimeType`", "both"),
            (None, None, _) => ("neither `uri` nor `bufferView`", "one of them"),
            _ => continue,
        };
        return Err(ReadErrorKind::syntax(format!("image {index} with {found}"), expected).into());
    }
    mending::mend(&mut root, report);
    Document::from_json(root).map_err(|error| wrong_json(&error))
}

/// The error for invalid JSON, or JSON that breaks the rules of glTF. It has a line if the crate
/// reports one.
fn wrong_json(error: &gltf::Error) -> ErrorAt {
    let text: String = error.to_string().chars().take(400).filter(|c| !c.is_control()).collect();
    let kind = ReadErrorKind::syntax(format!("invalid glTF ({text})"), "glTF 2.0");
    match error {
        gltf::Error::Deserialize(error) => Position::Line(error.line() as u64).error(kind),
        _ => kind.into(),
    }
}

fn count_what_is_left_out(document: &Document, report: &mut LoadReport) {
    report.add("skins", document.skins().count() as u64);
    report.add("animations", document.animations().count() as u64);
    report.add("cameras", document.cameras().count() as u64);
    textures::count_what_is_left_out(document, report);
}
