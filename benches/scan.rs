//! One ray against three million triangles: by brute force on all cores and on one, and through the BVH.
//! The requirement is 40 ms for brute force on all cores.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hitscan::brute_force::BruteForce;
use hitscan::{BuildOptions, Faces, Hit, MeshBvh, Ray, generate};
use rayon::prelude::*;

const N_TRIANGLES: usize = 3_000_000;

/// Triangles that one task tests.
const CHUNK: usize = 1 << 14;

/// The hit with the smallest `(t, triangle)`, found by testing every triangle on rayon's current pool.
fn parallel_scan(mesh: &BruteForce<'_>, ray: &Ray, faces: Faces) -> Option<Hit> {
    let n = mesh.n_triangles();
    (0..n.div_ceil(CHUNK))
        .into_par_iter()
        .filter_map(|chunk| {
            let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(n);
            mesh.closest_hit_among(range, ray, faces)
        })
        .min_by(Hit::cmp_along_ray)
}

fn three_million(c: &mut Criterion) {
    let mesh = generate::terrain(N_TRIANGLES, 1).expect("the size is within bounds");
    let (min, max) = (mesh.bounds().min, mesh.bounds().max);
    // From above one corner to below the middle: the ray crosses many boxes and meets the ground.
    let ray = Ray::segment(
        [min.x, min.y, 2.0 * max.z - min.z],
        [(min.x + max.x) / 2.0, (min.y + max.y) / 2.0, 2.0 * min.z - max.z],
    );
    let all = BruteForce::new(&mesh);
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let expected = all.closest_hit(&ray, Faces::Both);
    assert!(expected.is_some(), "the ray meets the ground");
    for found in [parallel_scan(&all, &ray, Faces::Both), bvh.closest_hit(&ray, Faces::Both)] {
        let bits = |hit: Option<Hit>| hit.map(|hit| hit.to_bits());
        assert_eq!(bits(found), bits(expected), "{found:?}, {expected:?}");
    }

    let mut group = c.benchmark_group("scan");
    group.sample_size(20).throughput(Throughput::Elements(mesh.triangles().len() as u64));
    group.bench_function("brute force, all cores", |b| {
        b.iter(|| parallel_scan(black_box(&all), black_box(&ray), Faces::Both));
    });
    group.bench_function("brute force, one core", |b| {
        b.iter(|| black_box(&all).closest_hit(black_box(&ray), Faces::Both));
    });
    group.bench_function("one query of the BVH", |b| {
        b.iter(|| black_box(&bvh).closest_hit(black_box(&ray), Faces::Both));
    });
    group.finish();
}

criterion_group!(benches, three_million);
criterion_main!(benches);
