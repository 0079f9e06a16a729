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

/// The same scene in parry3d: its hierarchy over instance boxes, its triangle meshes with the scale
/// written into them, as its poses are rigid, and a ray turned into the space of each mesh in f32.
#[cfg(feature = "peers")]
mod parry {
    use hitscan::glam::{Affine3A, Vec3};
    use parry3d::bounding_volume::Aabb;
    use parry3d::partitioning::{Bvh, BvhBuildStrategy};
    use parry3d::query::{Ray, RayCast};
    use parry3d::shape::TriMesh;

    use super::*;

    #[derive(Clone)]
    pub(super) struct ParryScene {
        bvh: Bvh,
        meshes: Vec<Arc<TriMesh>>,
        inverses: Vec<Affine3A>,
    }

    /// The scale of an instance, which is that of its mesh.
    fn scale(scene: &Scene, id: InstanceId) -> f32 {
        let transform = scene.world_transform(id).expect("it is in the scene");
        transform.matrix3.x_axis.length() as f32
    }

    fn bounds(scene: &Scene, id: InstanceId) -> Aabb {
        let bounds = scene.world_bounds(id).expect("it is in the scene");
        let [min, max] = [bounds.min, bounds.max].map(|corner| corner.as_vec3().to_array());
        Aabb::new(min.into(), max.into())
    }

    /// From the world to the mesh with the scale in it.
    fn inverse(scene: &Scene, id: InstanceId) -> Affine3A {
        let transform = scene.world_transform(id).expect("it is in the scene");
        let columns = transform.to_cols_array().map(|x| x as f32);
        let rigid = Affine3A::from_cols_array(&columns)
            * Affine3A::from_scale(Vec3::splat(1.0 / scale(scene, id)));
        rigid.inverse()
    }

    impl ParryScene {
        pub(super) fn new(scene: &Scene, ids: &[InstanceId]) -> Self {
            let mesh = |id: &InstanceId| {
                let mesh = scene.get(*id).and_then(|instance| instance.mesh.clone());
                let (mesh, scale) = (mesh.expect("all have one"), scale(scene, *id));
                let positions = mesh.tri_mesh().positions().iter();
                let positions = positions.map(|&p| (p * scale).to_array().into()).collect();
                let triangles = mesh.tri_mesh().triangles().to_vec();
                Arc::new(TriMesh::new(positions, triangles).expect("there are triangles"))
            };
            let first: Vec<Arc<TriMesh>> = ids[..N_MESHES].iter().map(mesh).collect();
            let bounds: Vec<Aabb> = ids.iter().map(|&id| bounds(scene, id)).collect();
            Self {
                bvh: Bvh::from_leaves(BvhBuildStrategy::Binned, &bounds),
                meshes: (0..ids.len()).map(|i| first[i % N_MESHES].clone()).collect(),
                inverses: ids.iter().map(|&id| inverse(scene, id)).collect(),
            }
        }

        /// Follows an instance that moved.
        pub(super) fn update(&mut self, i: usize, inverse: Affine3A, bounds: Aabb) {
            self.inverses[i] = inverse;
            self.bvh.insert(bounds, i as u32);
        }

        pub(super) fn closest(&self, ray: &WorldRay) -> Option<f32> {
            let (origin, direction) = (ray.origin.as_vec3(), ray.direction.as_vec3());
            let world = Ray::new(origin.to_array().into(), direction.to_array().into());
            let hit = self.bvh.cast_ray(&world, f32::MAX, |instance, limit| {
                let inverse = &self.inverses[instance as usize];
                let origin = inverse.transform_point3(origin).to_array();
                let direction = inverse.transform_vector3(direction).to_array();
                let local = Ray::new(origin.into(), direction.into());
                self.meshes[instance as usize].cast_local_ray(&local, limit, false)
            });
            hit.map(|(_, t)| t)
        }
    }

    pub(super) fn picking(c: &mut Criterion) {
        let (mut scene, ids) = scene();
        let rays = hover_rays();
        let mut parry = ParryScene::new(&scene, &ids);
        let n_same = rays.iter().filter(|ray| {
            let ours = scene.closest_hit(ray, &QueryOptions::default());
            match (ours, parry.closest(ray)) {
                (Some(hit), Some(t)) => (hit.t - f64::from(t)).abs() < 1e-4,
                (ours, theirs) => ours.is_none() && theirs.is_none(),
            }
        });
        let n_same = n_same.count();
        eprintln!("parry3d: the same t for {n_same} of {} rays", rays.len());
        assert!(n_same * 100 > rays.len() * 98, "it is not the same scene");

        let mut group = c.benchmark_group("instances, parry3d");
        let mut next = rays.iter().cycle();
        group.bench_function("hover", |b| {
            b.iter(|| parry.closest(black_box(next.next().expect("a cycle"))));
        });
        let mut rng = SplitMix64::new(3);
        group.bench_function("move one, hover", |b| {
            b.iter_batched(
                || {
                    let i = rng.below(N_INSTANCES as u64) as usize;
                    let transform = scene.world_transform(ids[i]).expect("it is in the scene");
                    let step = DVec3::new(rng.range(-5.0, 5.0), 0.0, rng.range(-5.0, 5.0));
                    let moved = DAffine3::from_translation(step) * transform;
                    scene.set_transform(ids[i], moved).expect("it is invertible");
                    (i, inverse(&scene, ids[i]), bounds(&scene, ids[i]))
                },
                |(i, inverse, bounds)| {
                    parry.update(i, inverse, bounds);
                    parry.closest(black_box(next.next().expect("a cycle")))
                },
                BatchSize::PerIteration,
            );
        });
        group.bench_function("clone, hover", |b| {
            b.iter_batched(
                || (),
                |()| (parry.clone(), parry.closest(next.next().expect("a cycle"))),
                BatchSize::PerIteration,
            );
        });
        group.finish();
    }
}

#[cfg(not(feature = "peers"))]
criterion_group!(benches, picking);
#[cfg(feature = "peers")]
criterion_group!(benches, picking, parry::picking);
criterion_main!(benches);
