//! Loading OBJ text with hitscan on one and two threads, and with raw tobj. A generated file has a
//! million triangles with texture coordinates and normals.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hitscan::{Format, LoadOptions, TriMesh, generate};
use rayon::ThreadPoolBuilder;

const N_TRIANGLES: usize = 1_000_000;

fn load(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder for temporary files can be written to");
    let path = folder.path().join("terrain.obj");
    let text = obj_text(N_TRIANGLES);
    fs::write(&path, &text).expect("a temporary file can be written");
    let options = LoadOptions::default();
    assert_same_mesh(
        &hitscan::load(&path, &options).expect("we read what we wrote").meshes[0],
        &tobj_mesh(&path),
    );

    let mut group = c.benchmark_group("load OBJ");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("tobj, raw", |b| b.iter(|| tobj_mesh(black_box(&path))));
    for n_threads in [1, 2] {
        let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
        let pool = pool.expect("a machine can start threads");
        group.bench_function(format!("hitscan, threads={n_threads}"), |b| {
            pool.install(|| b.iter(|| hitscan::load(black_box(&path), &options)));
        });
        group.bench_function(format!("hitscan from memory, threads={n_threads}"), |b| {
            let bytes = text.as_bytes();
            pool.install(|| {
                b.iter(|| hitscan::parse(black_box(bytes), "terrain.obj", Format::Obj, &options));
            });
        });
    }
    group.finish();
}

/// tobj without triangulation and without a single index, which is its fastest configuration.
fn tobj_mesh(path: &Path) -> tobj::Mesh {
    let options =
        tobj::LoadOptions { triangulate: false, single_index: false, ..Default::default() };
    let (mut models, _) = tobj::load_obj(path, &options).expect("tobj reads what we wrote");
    assert_eq!(models.len(), 1, "the file has one object");
    models.remove(0).mesh
}

/// A terrain in the form that exporters write: six decimals, a texture coordinate and a normal per
/// vertex.
fn obj_text(n_triangles: usize) -> String {
    use std::fmt::Write as _;
    let mesh = generate::terrain(n_triangles, 1).expect("the size is within bounds");
    let mut text = String::from("# a generated terrain\n");
    let written = "a string can be written to";
    let size = (mesh.bounds().max - mesh.bounds().min).max_element();
    for p in mesh.positions() {
        writeln!(text, "v {:.6} {:.6} {:.6}", p.x, p.y, p.z).expect(written);
    }
    for p in mesh.positions() {
        writeln!(text, "vt {:.6} {:.6}", p.x / size + 0.5, p.z / size + 0.5).expect(written);
    }
    let mut normals = vec![hitscan::glam::DVec3::ZERO; mesh.positions().len()];
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        for &corner in corners {
            normals[corner as usize] += mesh.unit_normal(triangle as u32).unwrap_or_default();
        }
    }
    for n in normals.into_iter().map(|n| n.normalize_or_zero()) {
        writeln!(text, "vn {:.6} {:.6} {:.6}", n.x, n.y, n.z).expect(written);
    }
    for [a, b, c] in mesh.triangles().iter().map(|corners| corners.map(|corner| corner + 1)) {
        writeln!(text, "f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}").expect(written);
    }
    text
}

/// Every corner of every triangle, bit for bit, because each reader numbers vertices differently.
fn assert_same_mesh(ours: &TriMesh, theirs: &tobj::Mesh) {
    assert_eq!(3 * ours.triangles().len(), theirs.indices.len(), "the number of corners");
    let value = |values: &[f32], index: u32, axis: usize, n: usize| {
        values[n * index as usize + axis].to_bits()
    };
    for triangle in 0..ours.triangles().len() as u32 {
        let positions = ours.corners(triangle);
        let normals = ours.attributes().normals_of(triangle).expect("every corner has a normal");
        let uvs = ours.attributes().uvs_of(triangle).expect("every corner has a uv");
        for corner in 0..3 {
            let at = 3 * triangle as usize + corner;
            for axis in 0..3 {
                let position = value(&theirs.positions, theirs.indices[at], axis, 3);
                assert_eq!(positions[corner][axis].to_bits(), position, "triangle {triangle}");
                let normal = value(&theirs.normals, theirs.normal_indices[at], axis, 3);
                assert_eq!(normals[corner][axis].to_bits(), normal, "normal of {triangle}");
            }
            for axis in 0..2 {
                let uv = value(&theirs.texcoords, theirs.texcoord_indices[at], axis, 2);
                assert_eq!(uvs[corner][axis].to_bits(), uv, "uv of {triangle}");
            }
        }
    }
}

criterion_group!(benches, load);
criterion_main!(benches);
