//! Real meshes: loaded from files, counted, and hit by rays whose answers the brute-force oracle has
//! too.

use std::path::{Path, PathBuf};

use hitscan::obj::write;
use hitscan::primitives::glam::Vec3;
use hitscan::{Format, LoadOptions, Loaded, load, parse};
use hitscan::{Ray, TriMesh, generate};
use hitscan_testkit::{RayKind, Rng, Shape, aimed_ray};
use serde_json::Value;

use crate::asking::{check_everything, effort, with_threads};
use crate::shared::{number, read_json, shared, vector};
use crate::watertight::assert_no_leak;

#[test]
fn generated_meshes_read_back_from_a_file_have_one_answer() {
    let mut rng = Rng::new(81);
    let meshes = [
        ("cuboid", generate::cuboid(10.0, 12.0, 4.0, 4)),
        ("terrain", generate::terrain(20_000, 1)),
        ("city", generate::city(20_000, 2)),
        ("soup", generate::soup(5_000, 3)),
        ("torus", generate::torus(3.0, 1.0, 10_000)),
        ("grid", generate::grid(10.0, 10.0, 2_000)),
    ];
    for (name, mesh) in meshes {
        let mesh = mesh.expect("ordinary arguments");
        let mut text = Vec::new();
        write(&mesh, &mut text).expect("memory takes anything");
        let options = LoadOptions::default();
        let read = parse(&text, name, Format::Obj, &options).expect("our own text");
        for n_threads in [1, 2, 4] {
            let again = with_threads(n_threads, || parse(&text, name, Format::Obj, &options));
            assert_eq!(again.expect("our own text"), read, "{name}, {n_threads} threads");
        }
        assert_eq!(read.meshes[0].positions(), mesh.positions(), "{name}");
        assert_eq!(read.meshes[0].triangles(), mesh.triangles(), "{name}");
        assert_eq!(read.report.n_ignored(), 0, "{name}: {}", read.report);
        check_mesh(name, read.into_mesh().expect("one mesh"), effort(200) as usize, &mut rng);
    }
}

#[test]
fn the_shared_meshes_have_the_counts_and_bounds_of_their_statistics() {
    for (name, path, stats) in shared_meshes() {
        let loaded = loaded(&path);
        let report = loaded.report.obj.clone().expect("the format is OBJ");
        let mesh = loaded.into_mesh().expect("one mesh");
        let counts = [
            ("vertices", mesh.positions().len()),
            ("triangles", mesh.triangles().len()),
            ("vt", mesh.attributes().uvs.len()),
            ("vn", mesh.attributes().normals.len()),
        ];
        for (what, count) in counts {
            assert_eq!(stats[what], count, "{name}: {what}");
        }
        let records = mesh.records().expect("they are on by default");
        assert_eq!(stats["faces"], records.n_polygons(), "{name}");
        let counts = [
            ("vertices", report.n_vertices),
            ("triangles", report.n_triangles),
            ("vt", report.n_texture_coordinates),
            ("vn", report.n_normals),
            ("faces", report.n_polygons),
        ];
        for (what, count) in counts {
            assert_eq!(stats[what], count, "{name}: {what} of the report");
        }
        if mesh.triangles().is_empty() {
            continue;
        }
        assert_eq!(mesh.bounds().min.to_array(), vector(&stats["bbox_min"]), "{name}");
        assert_eq!(mesh.bounds().max.to_array(), vector(&stats["bbox_max"]), "{name}");
    }
}

#[test]
fn the_shared_meshes_have_one_answer() {
    let mut rng = Rng::new(82);
    for (name, path, _) in shared_meshes() {
        check_mesh(
            &name,
            loaded(&path).into_mesh().expect("one mesh"),
            effort(200) as usize,
            &mut rng,
        );
    }
}

#[test]
fn the_shared_closed_meshes_do_not_leak() {
    for (name, path, stats) in shared_meshes() {
        let is_small = number(&stats["triangles"]) < 14_000.0;
        if stats["closed"] != true || stats["edge_manifold"] != true || !is_small {
            continue;
        }
        let mesh = loaded(&path).into_mesh().expect("one mesh");
        assert_no_leak(&name, &mesh, effort(1), 83);
        let size = mesh.bounds().extent().max_element();
        let far = Vec3::new(148_376.0, 1_234.0, -223_423.0) * 1e-3 * size;
        let moved = mesh.positions().iter().map(|&p| p + far);
        let moved = mesh.with_positions(moved).expect("finite stays finite here");
        assert_no_leak(&format!("{name}, moved"), &moved, effort(1), 84);
    }
}

/// Half of the rays are hard ones aimed at the mesh, half are plain rays through its box.
fn check_mesh(name: &str, mesh: TriMesh, n_rays: usize, rng: &mut Rng) {
    let mut rays: Vec<Ray> = (0..n_rays).map(|_| aimed_ray(&mesh, rng)).collect();
    rays.extend((0..n_rays).map(|_| RayKind::AtFace.ray(&mesh, rng)));
    check_everything(&Shape { name: name.into(), mesh }, &rays, 82);
}

fn shared_meshes() -> Vec<(String, PathBuf, Value)> {
    let Some(folder) = shared("meshes") else { return Vec::new() };
    let stats = read_json(&folder.join("stats.json"));
    let stats = stats.as_object().expect("statistics by file name");
    assert!(stats.len() >= 33);
    stats.iter().map(|(name, stats)| (name.clone(), folder.join(name), stats.clone())).collect()
}

fn loaded(path: &Path) -> Loaded {
    load(path, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}
