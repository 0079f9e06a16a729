//! glTF 2.0: meshes, materials and node hierarchies.

mod accessor;
mod buffers;
mod container;
mod materials;
mod nodes;
mod primitives;

use gltf::{Document, Semantic, json::validation::Checked};
use hitscan_files::{LoadOptions, ReadErrorKind};

use crate::{
    LoadReport,
    error_at::{ErrorAt, Position},
    loaded::Parts,
    side_files::SideFiles,
};
use buffers::Buffers;
use primitives::MeshReader;

pub(crate) fn parse(
    bytes: &[u8],
    side_files: SideFiles<'_>,
    options: &LoadOptions,
) -> Result<Parts, ErrorAt> {
    let container::Chunks { json, binary } = container::split(bytes)?;
    let document = document(json)?;
    let buffers = Buffers::read(&document, binary, side_files, options)?;
    let mut report = LoadReport::default();
    let mut reader = MeshReader::new(&buffers, options);
    let meshes = document.meshes().map(|mesh| reader.read(&mesh, &mut report));
    let meshes = meshes.collect::<Result<Vec<_>, _>>()?;
    let instances = nodes::instances(&document, &mut report)?;
    let materials = document.materials().filter(|_| options.materials);
    let materials = materials.map(|material| materials::read(&material)).collect();
    count_what_is_left_out(&document, &mut report);
    Ok(Parts { meshes, instances, materials, files: buffers.into_files(), report })
}

/// Parses and checks the JSON. The crate `gltf` panics at invalid indices of POSITION and at
/// incomplete images, so this function checks them first.
fn document(json: &[u8]) -> Result<Document, ErrorAt> {
    let root: gltf::json::Root = gltf::json::deserialize::from_slice(json)
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
}
