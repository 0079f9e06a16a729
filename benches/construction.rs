//! Building and refitting: by quality, size and threads.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hitscan::glam::Vec3;
use hitscan::{BuildOptions, BuildQuality, MeshBvh, TriMesh};
use hitscan_benches::{Scene, assert_equals_brute_force, ray_sets};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Sizes for the growth of the build: the triangles that remain when a scene is thinned.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

fn build(c: &mut Criterion) {
    let mut group = c.benchmark_group("build");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    for scene in scenes(&["sphere", "city-60k", "kitchen", "city-1m"]) {
        let n_triangles = scene.mesh.triangles().len();
        group.throughput(Throughput::Elements(n_triangles as u64));
        for quality in BuildQuality::ALL {
            let options = BuildOptions { quality, ..BuildOptions::default() };
            check(&scene, &MeshBvh::build(&scene.mesh, &options));
            for n_threads in [1, 2] {
                let pool = pool(n_threads);
                let name = format!("{quality:?}/threads={n_threads}");
                group.bench_function(BenchmarkId::new(name, scene.name), |b| {
                    pool.install(|| b.iter(|| MeshBvh::build(black_box(&scene.mesh), &options)));
                });
            }
        }
    }
    group.finish();
}

fn build_by_size(c: &mut Criterion) {
    let mut group = c.benchmark_group("build by size");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    let pool = pool(1);
    let options = BuildOptions::default();
    for n in SIZES {
        let mesh = hitscan::generate::terrain(n, 1).expect("these sizes are within bounds");
        group.throughput(Throughput::Elements(mesh.triangles().len() as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            pool.install(|| b.iter(|| MeshBvh::build(black_box(&mesh), &options)));
        });
    }
    group.finish();
}

fn refit(c: &mut Criterion) {
    let mut group = c.benchmark_group("refit");
    group.sample_size(20).measurement_time(Duration::from_secs(3));
    for scene in scenes(&["sphere", "city-1m"]) {
        let bent = Scene { mesh: bent(&scene.mesh), ..scene.clone() };
        let mut bvh = MeshBvh::build(&scene.mesh, &BuildOptions::default());
        bvh.refit(&bent.mesh).expect("the triangles are the same");
        check(&bent, &bvh);
        group.throughput(Throughput::Elements(scene.mesh.triangles().len() as u64));
        for n_threads in [1, 2] {
            let pool = pool(n_threads);
            let name = format!("threads={n_threads}");
            group.bench_function(BenchmarkId::new(name, scene.name), |b| {
                pool.install(|| b.iter(|| bvh.refit(black_box(&bent.mesh))));
            });
        }
    }
    group.finish();
}

/// The mesh in another pose: every point moves by a tenth of its height along a wave.
fn bent(mesh: &TriMesh) -> TriMesh {
    let size = (mesh.bounds().max - mesh.bounds().min).length();
    let bend = |p: &Vec3| *p + Vec3::new((p.z / size).sin() * 0.1 * size, 0.0, 0.0);
    mesh.with_positions(mesh.positions().iter().map(bend)).expect("the same number of positions")
}

fn check(scene: &Scene, bvh: &MeshBvh) {
    for set in ray_sets(scene, bvh, 16) {
        assert_equals_brute_force(bvh, &scene.mesh, &set.rays);
    }
}

fn scenes(names: &[&str]) -> Vec<Scene> {
    Scene::load_available(names).expect("scenes that exist can be read")
}

fn pool(n_threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(n_threads).build().expect("a machine can start threads")
}

criterion_group!(benches, build, build_by_size, refit);
criterion_main!(benches);
