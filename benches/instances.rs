//! Picking in a scene of ten thousand instances over fifty meshes, about ten million triangles: a
//! hover, an edit and a hover, a snapshot in between; beside a scan of all instance boxes, and with
//! the feature `peers` beside parry3d.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use hitscan::glam::{DAffine3, DQuat, DVec3};
use hitscan::primitives::generate::{self, SplitMix64};
use hitscan::scene::{Instance, InstanceId, Mesh, QueryOptions, Scene, SceneHit, WorldRay};
use hitscan::{BuildOptions, Faces};

const N_INSTANCES: usize = 10_000;
const N_MESHES: usize = 50;

/// Fifty meshes of about a thousand triangles and a few units in size.
fn meshes() -> Vec<Arc<Mesh>> {
    let mesh = |i: usize| {
        let (n, size) = (400 + 24 * i, 0.5 + 0.05 * i as f32);
        let mesh = match i % 4 {
            0 => generate::sphere(size, n),
            1 => generate::torus(size, 0.3 * size, n),
            2 => generate::cuboid(size, 2.0 * size, size, 3),
            _ => generate::city(n, i as u64),
        };
        Arc::new(Mesh::new(mesh.expect("ordinary sizes"), &BuildOptions::default()))
    };
    (0..N_MESHES).map(mesh).collect()
}

fn random_transform(rng: &mut SplitMix64) -> DAffine3 {
    let mut number = |reach: f64| rng.range(-reach, reach);
    let turn = DQuat::from_xyzw(number(1.0), number(1.0), number(1.0), number(1.0));
    let place = DVec3::new(number(200.0), number(20.0), number(200.0));
    DAffine3::from_rotation_translation(turn.normalize(), place)
}

fn scene() -> (Scene, Vec<InstanceId>) {
    let mut rng = SplitMix64::new(1);
    let meshes = meshes();
    let mut scene = Scene::new();
    let ids = (0..N_INSTANCES).map(|i| {
        // A city is some hundred units wide: all are made about as large.
        let mesh = &meshes[i % N_MESHES];
        let extent = mesh.tri_mesh().bounds().extent().max_element();
        let shrunk = DAffine3::from_scale(DVec3::splat(4.0 / f64::from(extent)));
        let instance = Instance::new(mesh.clone(), random_transform(&mut rng) * shrunk);
        scene.insert(instance).expect("a turn can be undone")
    });
    let ids = ids.collect();
    (scene, ids)
}

/// Rays through the pixels of a picture from above one corner, in a random order.
fn hover_rays() -> Vec<WorldRay> {
    let mut rng = SplitMix64::new(2);
    let eye = DVec3::new(-260.0, 60.0, -260.0);
    let ray = |_| {
        let target = DVec3::new(rng.range(-200.0, 200.0), 0.0, rng.range(-200.0, 200.0));
        WorldRay::new(eye, target - eye)
    };
    (0..4096).map(ray).collect()
}

/// What an editor without a hierarchy over its instances does: every box, near ones first.
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
        let order = scene.order(id)?;
        let hit = SceneHit { t: local.world_t(hit.t), instance: id, order, local: hit };
        if closest.is_none_or(|closest| hit.cmp_along_ray(&closest).is_lt()) {
            closest = Some(hit);
        }
    }
    closest
}

fn picking(c: &mut Criterion) {
    let (mut scene, ids) = scene();
    let rays = hover_rays();
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
    let mut edit = |scene: &mut Scene| {
        let id = ids[rng.below(N_INSTANCES as u64) as usize];
        let transform = scene.world_transform(id).expect("it is in the scene");
        let step = DVec3::new(rng.range(-5.0, 5.0), 0.0, rng.range(-5.0, 5.0));
        let moved = DAffine3::from_translation(step) * transform;
        scene.set_transform(id, moved).expect("it is invertible");
    };
    group.bench_function("move one, hover", |b| {
        b.iter(|| {
            edit(&mut scene);
            scene.closest_hit(black_box(next.next().expect("a cycle")), &options)
        });
    });
    group.bench_function("clone, move one, hover", |b| {
        b.iter_batched(
            || (),
            |()| {
                let snapshot = scene.clone();
                edit(&mut scene);
                let hit = scene.closest_hit(black_box(next.next().expect("a cycle")), &options);
                // The snapshot is alive until here; it is dropped outside of the timing.
                (snapshot, hit)
            },
            BatchSize::PerIteration,
        );
    });
    // After some hundred thousand edits the tree must still be good.
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
