//! Cache files of a terrain: the time to load a mesh with its tree, with all checks, and to answer the
//! first ray. Throughput counts the bytes of the file, which is in the system's page cache.

use std::{fs, hint::black_box};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hitscan::cache::{self, BuiltMesh};
use hitscan::{BuildOptions, Faces, Hit, Layout, MeshBvh, Ray};
use hitscan_benches::Scene;

fn bench(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let mut group = criterion.benchmark_group("reload");
    group.sample_size(10);
    for n_triangles in [100_000, 1_000_000, 4_000_000] {
        let scene = Scene::terrain(n_triangles).expect("a terrain can be of that many triangles");
        let bounds = scene.mesh.bounds();
        let ray = Ray::segment(scene.camera.eye.as_vec3(), bounds.center());
        for layout in Layout::ALL {
            let options = BuildOptions { layout, ..Default::default() };
            let bvh = MeshBvh::build(&scene.mesh, &options);
            let expected = bvh.closest_hit(&ray, Faces::Both).map(|hit: Hit| hit.to_bits());
            let path = folder.path().join("terrain.hitscan");
            cache::save(&BuiltMesh::new(scene.mesh.clone(), bvh), &path).expect("there is room");
            let bytes = fs::metadata(&path).expect("it was just written").len();
            group.throughput(Throughput::Bytes(bytes));
            for n_threads in [1, rayon::current_num_threads()] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build();
                let pool = pool.expect("threads can be had");
                let first_hit = || {
                    let built = cache::load(&path).expect("it is whole");
                    let hit = built.bvh.closest_hit(black_box(&ray), Faces::Both);
                    (hit.map(|hit| hit.to_bits()), built)
                };
                assert_eq!(pool.install(|| first_hit().0), expected);
                let name = format!("{n_triangles} {layout:?}, {n_threads} threads");
                let id = BenchmarkId::from_parameter(name);
                group.bench_function(id, |bencher| {
                    pool.install(|| bencher.iter_with_large_drop(first_hit));
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
