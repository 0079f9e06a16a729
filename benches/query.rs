//! Queries: closest, any and all hits, by scene, ray set and instruction set; one by one and in
//! batches.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use hitscan::{BuildOptions, Faces, HitOptions, Isa, MeshBvh};
use hitscan_benches::{RaySet, Scene, assert_equals_brute_force, ray_sets};
use rayon::ThreadPoolBuilder;

const SCENES: [&str; 5] = ["sphere", "city-60k", "kitchen", "bunny", "city-1m"];

/// The width of the image for the rays of an iteration.
const WIDTH: usize = 64;

fn one_by_one(c: &mut Criterion) {
    let mut group = group(c, "query");
    for (scene, bvh) in scenes() {
        let sets = ray_sets(&scene, &bvh, WIDTH);
        for isa in Isa::available() {
            let bvh = bvh.clone().with_isa(isa);
            for set in &sets {
                assert_equals_brute_force(&bvh, &scene.mesh, &set.rays);
                group.throughput(Throughput::Elements(set.rays.len() as u64));
                let parameter = format!("{}/{}/{}", scene.name, set.kind.name(), isa.name());
                if set.kind.asks_for_any_hit() {
                    bench_any(&mut group, &parameter, &bvh, set);
                } else {
                    bench_closest(&mut group, &parameter, &bvh, set);
                    bench_all(&mut group, &parameter, &bvh, set);
                }
            }
        }
    }
    group.finish();
}

fn bench_closest(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    bvh: &MeshBvh,
    set: &RaySet,
) {
    group.bench_function(BenchmarkId::new("closest", name), |b| {
        b.iter(|| {
            for ray in &set.rays {
                black_box(bvh.closest_hit(black_box(ray), Faces::Both));
            }
        });
    });
}

fn bench_any(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, bvh: &MeshBvh, set: &RaySet) {
    group.bench_function(BenchmarkId::new("any", name), |b| {
        b.iter(|| {
            for ray in &set.rays {
                black_box(bvh.is_occluded(black_box(ray), Faces::Both));
            }
        });
    });
}

fn bench_all(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, bvh: &MeshBvh, set: &RaySet) {
    let mut hits = Vec::new();
    group.bench_function(BenchmarkId::new("all", name), |b| {
        b.iter(|| {
            for ray in &set.rays {
                bvh.all_hits_into(black_box(ray), &HitOptions::default(), &mut hits);
                black_box(&hits);
            }
        });
    });
}

fn batches(c: &mut Criterion) {
    let mut group = group(c, "batch");
    for (scene, bvh) in scenes() {
        for set in ray_sets(&scene, &bvh, WIDTH) {
            assert_equals_brute_force(&bvh, &scene.mesh, &set.rays);
            group.throughput(Throughput::Elements(set.rays.len() as u64));
            for n_threads in [1, 2] {
                let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
                let pool = pool.expect("a machine can start threads");
                let name = format!("{}/{}/threads={n_threads}", scene.name, set.kind.name());
                if set.kind.asks_for_any_hit() {
                    let mut occluded = vec![false; set.rays.len()];
                    group.bench_function(BenchmarkId::new("any", name), |b| {
                        pool.install(|| {
                            b.iter(|| bvh.is_occluded_batch(&set.rays, Faces::Both, &mut occluded));
                        });
                    });
                } else {
                    let mut hits = vec![None; set.rays.len()];
                    group.bench_function(BenchmarkId::new("closest", name), |b| {
                        pool.install(|| {
                            b.iter(|| bvh.closest_hit_batch(&set.rays, Faces::Both, &mut hits));
                        });
                    });
                }
            }
        }
    }
    group.finish();
}

fn group<'a>(c: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(name);
    group.sample_size(20).warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(1));
    group
}

fn scenes() -> impl Iterator<Item = (Scene, MeshBvh)> {
    let scenes = Scene::load_available(&SCENES).expect("scenes that exist can be read");
    scenes.into_iter().map(|scene| {
        let bvh = MeshBvh::build(&scene.mesh, &BuildOptions::default());
        (scene, bvh)
    })
}

criterion_group!(benches, one_by_one, batches);
criterion_main!(benches);
