//! glTF 2.0: meshes, materials and node hierarchies.
//!
//! The reader takes what geometry, placement and base colours need. Everything else may be missing, unknown
//! or wrong: the report counts it, and no part that a ray cannot see refuses a file.

mod accessor;
mod buffers;
mod container;
mod deforming;
mod document;
mod extensions;
mod faults;
mod lenient;
mod materials;
mod nodes;
mod pose;
mod primitives;
mod textures;
mod transforms;

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use hitscan_files::{LoadOptions, ReadErrorKind};
use hitscan_primitives::TriMesh;

use crate::{
    LoadReport,
    error_at::{ErrorAt, Position, quoted},
    loaded::Parts,
    side_files::SideFiles,
};
use accessor::Source;
use buffers::Buffers;
use document::{Mesh, Root};
use lenient::{Index, printable};
use nodes::Hierarchy;
use pose::{Pose, PosedMesh, Skins};
use primitives::MeshReader;
use transforms::Worlds;

pub(crate) fn parse(
    bytes: &[u8],
    side_files: SideFiles<'_>,
    options: &LoadOptions,
) -> Result<Parts, ErrorAt> {
    let mut report = LoadReport::default();
    let container::Chunks { json, binary } = container::split(bytes, &mut report)?;
    let text = String::from_utf8_lossy(json);
    let is_mended = matches!(text, Cow::Owned(_));
    report.add_as("texts that are not UTF-8", "read without the invalid bytes", is_mended.into());
    let root = root(&text)?;
    extensions::check(&root, &mut report)?;
    let buffers = Buffers::read(&root, binary, side_files, options, &mut report);
    let source = Source { root: &root, buffers: &buffers, options };
    let Hierarchy { mut instances, mut nodes, posed } = nodes::hierarchy(source, &mut report)?;
    let (meshes, index_of_posed) = meshes(source, &posed, &mut report)?;
    let in_nodes = nodes.iter_mut().filter_map(|node| node.mesh.as_mut());
    for mesh in instances.iter_mut().map(|instance| &mut instance.mesh).chain(in_nodes) {
        *mesh = index_of_posed[*mesh];
    }
    let materials = (0..root.materials.len()).filter(|_| options.materials);
    let materials = materials.map(|index| materials::read(&root, index)).collect();
    let textures = match options.materials {
        true => textures::embedded(source, &mut report),
        false => vec![],
    };
    count_what_is_left_out(&root, &mut report);
    let files = buffers.into_files();
    Ok(Parts { meshes, instances, nodes, materials, embedded_textures: textures, files, report })
}

/// Parses the JSON, and checks the version.
fn root(text: &str) -> Result<Root<'_>, ErrorAt> {
    if !text.trim_start().starts_with('{') {
        let found = format!("invalid glTF ({})", quoted(text.as_bytes()));
        return Err(Position::Line(1).error(ReadErrorKind::syntax(found, "an object of JSON")));
    }
    let root: Root<'_> = serde_json::from_str(text).map_err(|error| {
        if is_version_1(text) {
            return container::version_1().into();
        }
        // Without the line, which the error has.
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        let found = format!("invalid glTF ({})", printable(what));
        Position::Line(error.line() as u64).error(ReadErrorKind::syntax(found, "glTF 2.0"))
    })?;
    let asset = root.asset.0.as_ref();
    // Some other JSON would be a scene of nothing.
    let n_elements = root.scenes.len() + root.nodes.len() + root.meshes.len();
    if asset.is_none() && n_elements == 0 {
        let found = "invalid glTF (no `asset`, `scenes`, `nodes` or `meshes`)";
        return Err(Position::Line(1).error(ReadErrorKind::syntax(found, "glTF 2.0")));
    }
    let version = asset.and_then(|asset| asset.version.0.as_deref()).unwrap_or("2.0");
    let needed = asset.and_then(|asset| asset.min_version.0.as_deref()).unwrap_or("2.0");
    if is_version_1(text) {
        return Err(container::version_1().into());
    }
    let number = |version: &str| version.trim().parse::<f64>().ok();
    for (name, version, limit) in
        [("version", version, 3.0), ("minVersion", needed, 2.0f64.next_up())]
    {
        if number(version).is_some_and(|version| version >= limit) {
            let found = format!("asset.{name}: {}", printable(version));
            return Err(ReadErrorKind::syntax(found, "2.0").into());
        }
    }
    Ok(root)
}

/// Reads each mesh once for each of its poses. Equal meshes without a pose become one. Returns the meshes in
/// the order of the file, and the index of each of `posed`.
fn meshes(
    source: Source<'_>,
    posed: &[PosedMesh],
    report: &mut LoadReport,
) -> Result<(Vec<TriMesh>, Vec<usize>), ReadErrorKind> {
    let mut reader = MeshReader::new(source);
    let (mut skins, mut worlds) = (Skins::default(), Worlds::new(source.root));
    let (mut meshes, mut index_of_posed) = (Vec::new(), vec![0; posed.len()]);
    let mut poses_of_mesh = vec![Vec::new(); source.root.meshes.len()];
    for (index, posed) in posed.iter().enumerate() {
        poses_of_mesh[posed.mesh].push(index);
    }
    let mut indices: HashMap<MeshKey<'_>, usize> = HashMap::new();
    for (index, poses) in poses_of_mesh.into_iter().enumerate() {
        let mesh = source.root.meshes.get(Index(index), "");
        if poses.is_empty() {
            // No ray sees it, so it may be wrong. An empty mesh keeps the indices of the others.
            let mesh = mesh.and_then(|mesh| match mesh_key(mesh) {
                Some(key) if indices.contains_key(&key) => Ok(None),
                key => {
                    let read = reader.read(index, mesh, &Pose::default(), report)?;
                    indices.extend(key.map(|key| (key, meshes.len())));
                    Ok(Some(read))
                }
            });
            match reader.faults.tolerate(mesh)? {
                Some(Some(mesh)) => meshes.push(mesh),
                Some(None) => {}
                None => meshes.push(TriMesh::default()),
            }
            continue;
        }
        let mesh = mesh?;
        for of_posed in poses {
            let posed = &posed[of_posed];
            let key = mesh_key(mesh).filter(|_| posed.is_plain());
            if let Some(&known) = key.as_ref().and_then(|key| indices.get(key)) {
                index_of_posed[of_posed] = known;
                continue;
            }
            let pose = skins.pose(posed, source, &mut worlds)?;
            index_of_posed[of_posed] = meshes.len();
            indices.extend(key.map(|key| (key, meshes.len())));
            meshes.push(reader.read(index, mesh, &pose, report)?);
        }
    }
    reader.faults.report(report);
    Ok((meshes, index_of_posed))
}

/// The name of a mesh, and the parts of each primitive that its triangles depend on.
type MeshKey<'a> = (Option<&'a str>, Vec<(usize, [Option<Index>; 5])>);

/// The key of a mesh; `None` if a primitive is invalid.
fn mesh_key<'a>(mesh: &'a Mesh<'_>) -> Option<MeshKey<'a>> {
    let primitives = (0..mesh.primitives.len()).map(|i| {
        let primitive = mesh.primitives.get(Index(i), "").ok()?;
        let attribute = |name| primitive.attributes.get(name);
        let accessors = [
            attribute("POSITION"),
            attribute("NORMAL"),
            attribute("TEXCOORD_0"),
            primitive.indices,
            primitive.material.0,
        ];
        Some((primitive.mode.map_or(4, |mode| mode.0), accessors))
    });
    Some((mesh.name.0.as_deref(), primitives.collect::<Option<_>>()?))
}

fn count_what_is_left_out(root: &Root<'_>, report: &mut LoadReport) {
    let used: HashSet<usize> =
        root.nodes.iter().filter_map(|(_, node)| Some(node.mesh?.0)).collect();
    if !used.is_empty() {
        let n_unused = (0..root.meshes.len()).filter(|mesh| !used.contains(mesh)).count();
        report.add_as("meshes without a node in the file", "not placed", n_unused as u64);
    }
    let primitives = || {
        root.meshes
            .iter()
            .flat_map(|(_, mesh)| mesh.primitives.iter())
            .map(|(_, primitive)| primitive)
    };
    for name in primitives().flat_map(|primitive| primitive.attributes.0.keys()) {
        let is_read = matches!(&**name, "POSITION" | "NORMAL" | "TEXCOORD_0")
            || name.starts_with("JOINTS_")
            || name.starts_with("WEIGHTS_");
        if !is_read {
            report.add(&format!("attributes \"{}\"", printable(name)), 1);
        }
    }
    let n_targets = primitives().map(|primitive| primitive.targets.as_ref().map_or(0, Vec::len));
    report.add_as("morph targets", "read in the rest pose", n_targets.sum::<usize>() as u64);
    report.add("animations", root.animations.0);
    report.add("cameras", root.cameras.0);
    textures::count_what_is_left_out(root, report);
}

/// Whether a document has the dictionaries of glTF 1.0 instead of lists.
fn is_version_1(text: &str) -> bool {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Dictionaries<'a> {
        #[serde(borrow)]
        asset: Option<lenient::Lenient<document::Asset<'a>>>,
        #[serde(borrow)]
        meshes: Option<&'a serde_json::value::RawValue>,
        #[serde(borrow)]
        buffer_views: Option<&'a serde_json::value::RawValue>,
    }
    let Ok(root) = serde_json::from_str::<Dictionaries<'_>>(text) else { return false };
    let asset = root.asset.and_then(|asset| asset.0);
    let version = asset.and_then(|asset| asset.version.0);
    let mut lists = [root.meshes, root.buffer_views].into_iter().flatten();
    version.is_some_and(|version| version.starts_with("1"))
        || lists.any(|list| list.get().starts_with('{'))
}
