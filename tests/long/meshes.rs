//! Large meshes: those of the shared folder if it exists, and generated ones.

use hitscan::{LoadOptions, Loaded, load};
use hitscan::{TriMesh, generate};
use hitscan_testkit::closed_shapes;

use crate::shared::{read_json, shared};

/// All meshes with their names, in a fixed order.
pub(crate) fn meshes() -> Vec<(String, TriMesh)> {
    let generated = [
        ("generated city", generate::city(50_000, 2)),
        ("generated terrain", generate::terrain(50_000, 1)),
        ("generated soup", generate::soup(20_000, 3)),
    ];
    let generated = generated.map(|(name, mesh)| (name.to_owned(), mesh.expect("ordinary sizes")));
    files(false).into_iter().chain(generated).chain(closed_generated()).collect()
}

/// Closed meshes with their names.
pub(crate) fn closed_meshes() -> Vec<(String, TriMesh)> {
    files(true).into_iter().chain(closed_generated()).collect()
}

fn closed_generated() -> impl Iterator<Item = (String, TriMesh)> {
    closed_shapes(50_000).into_iter().map(|shape| (shape.name, shape.mesh))
}

fn files(closed: bool) -> Vec<(String, TriMesh)> {
    let Some(folder) = shared("meshes") else { return Vec::new() };
    let stats = read_json(&folder.join("stats.json"));
    let stats = stats.as_object().expect("statistics by file name");
    let wanted = stats.iter().filter(|(_, stats)| {
        let is_closed = stats["closed"] == true && stats["edge_manifold"] == true;
        stats["triangles"].as_u64() > Some(300) && (is_closed || !closed)
    });
    let loaded = wanted.map(|(name, _)| {
        let mesh = load(folder.join(name), &LoadOptions::default()).and_then(Loaded::into_mesh);
        (name.clone(), mesh.unwrap_or_else(|error| panic!("{error}")))
    });
    loaded.collect()
}
