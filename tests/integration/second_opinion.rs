//! tobj as a second opinion. For every file that tobj reads correctly, the reader of hitscan gives the same
//! polygons at the same positions, to the last bit.

use std::path::Path;

use hitscan::primitives::glam::Vec3;
use hitscan::{LoadOptions, Loaded, load};
use hitscan::{TriMesh, generate};

use crate::shared::{read_json, shared};

/// Files that tobj reads wrongly, and why.
const WRONG: [(&str, &str); 3] = [
    ("awkward/line-prim.obj", "line elements come as faces"),
    ("awkward/only_a_part_of_vertexcolors.obj", "an error: colours on some vertices only"),
    ("awkward/testmixed.obj", "line elements come as faces"),
];

#[test]
fn tobj_reads_our_files() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for (name, mesh) in [
        ("cuboid.obj", generate::cuboid(1.0, 2.0, 3.0, 3)),
        ("city.obj", generate::city(5000, 1)),
        ("terrain.obj", generate::terrain(5000, 2)),
    ] {
        let path = folder.path().join(name);
        let file = std::fs::File::create(&path).expect("the folder can be written");
        hitscan::obj::write(&mesh.expect("ordinary arguments"), file)
            .expect("room for a small file");
        assert_agreement(name, &path);
    }
}

#[test]
fn tobj_agrees_on_the_shared_meshes() {
    let Some(folder) = shared("meshes") else { return };
    let stats = read_json(&folder.join("stats.json"));
    for name in stats.as_object().expect("statistics by file name").keys() {
        if WRONG.iter().all(|(wrong, _)| wrong != name) {
            assert_agreement(name, &folder.join(name));
        }
    }
}

fn assert_agreement(name: &str, path: &Path) {
    let mesh = load(path, &LoadOptions::default()).and_then(Loaded::into_mesh);
    let mesh = mesh.unwrap_or_else(|error| panic!("{error}"));
    let (models, _) = tobj::load_obj(path, &tobj::LoadOptions::default())
        .unwrap_or_else(|error| panic!("{name}: tobj says {error}"));
    let theirs: Vec<Vec<[u32; 3]>> =
        models.iter().flat_map(|model| polygons(&model.mesh)).collect();
    let records = mesh.records().expect("they are on by default");
    assert_eq!(records.n_polygons(), theirs.len(), "{name}: polygons");
    for (polygon, theirs) in theirs.iter().enumerate() {
        let triangles = records.triangles_of(polygon as u32);
        assert_eq!(triangles.len(), theirs.len() - 2, "{name}: triangles of polygon {polygon}");
        assert_eq!(corners(&mesh, triangles), sorted(theirs.clone()), "{name}: polygon {polygon}");
        if let [a, b, c] = theirs[..] {
            let ours = mesh.corners(records.triangles_of(polygon as u32).start).map(bits);
            assert_eq!(ours, [a, b, c], "{name}: polygon {polygon}");
        }
    }
}

/// The corner positions of the faces of three corners or more.
fn polygons(mesh: &tobj::Mesh) -> Vec<Vec<[u32; 3]>> {
    let position = |&i: &u32| [0, 1, 2].map(|k| mesh.positions[3 * i as usize + k].to_bits());
    // Without arities, all faces are triangles.
    let n_faces =
        if mesh.face_arities.is_empty() { mesh.indices.len() / 3 } else { mesh.face_arities.len() };
    let mut rest = &mesh.indices[..];
    let faces = (0..n_faces).map(|face| {
        let arity = mesh.face_arities.get(face).map_or(3, |&arity| arity as usize);
        let (corners, after) = rest.split_at(arity);
        rest = after;
        corners.iter().map(position).collect()
    });
    faces.filter(|corners: &Vec<_>| corners.len() > 2).collect()
}

/// All distinct corner positions of some triangles.
fn corners(mesh: &TriMesh, triangles: std::ops::Range<u32>) -> Vec<[u32; 3]> {
    sorted(triangles.flat_map(|triangle| mesh.corners(triangle).map(bits)).collect())
}

fn sorted(mut corners: Vec<[u32; 3]>) -> Vec<[u32; 3]> {
    corners.sort_unstable();
    corners.dedup();
    corners
}

fn bits(p: Vec3) -> [u32; 3] {
    p.to_array().map(f32::to_bits)
}
