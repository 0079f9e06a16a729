//! Rays in a scene of ten thousand instances: a hover, an edit before it, and a snapshot before both.
//! The reference scans all instance boxes instead of the tree.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use hitscan::Faces;
use hitscan::primitives::generate::SplitMix64;
use hitscan::scene::{InstanceId, QueryOptions, Scene, SceneHit, WorldRay};
use hitscan_benches::crowd;

/// The closest hit without a tree over the instances: tests every box, then the meshes from near to far.
fn scan_boxes(scene: &Scene, ids: &[InstanceId], ray: &WorldRay) -> Option<SceneHit> {
    let reciprocal = ray.direction.recip();
    let mut boxes: Vec<(f64, InstanceId)> = Vec::new();
    for &id in ids {
        let bounds = scene.world_bounds(id).expect("it is in the scene");
        let (a, b) = (bounds.min - ray.origin, bounds.max - ray.origin);
        let (a, b) = (a * reciprocal, b * reciprocal);
        let enter = a.min(b).max_element().max(0.0);
        if enter <= a.max(b).min_element() {
            boxes.push((enter, id));
        }
    }
    boxes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut closest: Option<SceneHit> = None;
    for (enter, id) in boxes {
        if closest.is_some_and(|closest| closest.t < enter) {
            break;
        }
        let (mesh, local) = (scene.get(id)?.mesh.as_ref()?, scene.local_ray(id, ray)?);
        let Some(hit) = mesh.bvh().closest_hit(&local.ray, Faces::Both) else { continue };
        let order = scene.insertion_order(id)?;
        let hit =
            SceneHit { t: local.world_t(hit.t), instance: id, insertion_order: order, local: hit };
        if closest.is_none_or(|closest| hit.cmp_along_ray(&closest).is_lt()) {
            closest = Some(hit);
        }
    }
    closest
}

fn picking(c: &mut Criterion) {
    let (mut scene, ids) = crowd::scene();
    let rays = crowd::hover_rays();
    let options = QueryOptions::default();
    let mut n_hits = 0;
    for ray in rays.iter().take(500) {
        let found = scene.closest_hit(ray, &options);
        assert_eq!(found, scan_boxes(&scene, &ids, ray), "{ray:?}");
        n_hits += usize::from(found.is_some());
    }
    let n_triangles: usize = scene
        .iter()
        .filter_map(|(_, instance)| instance.mesh.as_ref())
        .map(|mesh| mesh.tri_mesh().triangles().len())
        .sum();
    eprintln!("{n_triangles} triangles, {n_hits} of 500 rays hit");

    let mut group = c.benchmark_group("instances");
    let mut next = rays.iter().cycle();
    group.bench_function("hover", |b| {
        b.iter(|| scene.closest_hit(black_box(next.next().expect("a cycle")), &options));
    });
    group.bench_function("hover, scan of all boxes", |b| {
        let mut next = rays.iter().cycle();
        b.iter(|| scan_boxes(&scene, &ids, black_box(next.next().expect("a cycle"))));
    });
    let mut rng = SplitMix64::new(3);
    group.bench_function("move one, hover", |b| {
        b.iter(|| {
            crowd::move_one(&mut scene, &ids, &mut rng);
            scene.closest_hit(black_box(next.next().expect("a cycle")), &options)
        });
    });
    group.bench_function("clone, move one, hover", |b| {
        b.iter_batched(
            || (),
            |()| {
                let snapshot = scene.clone();
                crowd::move_one(&mut scene, &ids, &mut rng);
                let hit = scene.closest_hit(black_box(next.next().expect("a cycle")), &options);
                // Returned, so that the snapshot outlives the query and its drop is not timed.
                (snapshot, hit)
            },
            BatchSize::PerIteration,
        );
    });
    // The tree must still answer correctly after hundreds of thousands of edits.
    for ray in rays.iter().take(500) {
        assert_eq!(scene.closest_hit(ray, &options), scan_boxes(&scene, &ids, ray), "{ray:?}");
    }
    group.bench_function("hover, after the edits", |b| {
        b.iter(|| scene.closest_hit(black_box(next.next().expect("a cycle")), &options));
    });
    group.finish();
}

criterion_group!(benches, picking);
criterion_main!(benches);
