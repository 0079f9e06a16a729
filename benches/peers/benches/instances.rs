//! The scene of the bench `instances` of `hitscan-benches`, with parry3d.
//!
//! parry3d has a tree over the instance boxes. Its poses are rigid, so the meshes contain the scale. A ray
//! is transformed into the space of each mesh in f32.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use hitscan::glam::{Affine3A, Vec3};
use hitscan::primitives::generate::SplitMix64;
use hitscan::scene::{InstanceId, QueryOptions, Scene, WorldRay};
use hitscan_benches::crowd::{self, N_MESHES};
use parry3d::bounding_volume::Aabb;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::{Ray, RayCast};
use parry3d::shape::TriMesh;

#[derive(Clone)]
struct ParryScene {
    bvh: Bvh,
    meshes: Vec<Arc<TriMesh>>,
    inverses: Vec<Affine3A>,
}

/// The uniform scale of an instance.
fn scale(scene: &Scene, id: InstanceId) -> f32 {
    let transform = scene.world_transform(id).expect("it is in the scene");
    transform.matrix3.x_axis.length() as f32
}

fn bounds(scene: &Scene, id: InstanceId) -> Aabb {
    let bounds = scene.world_bounds(id).expect("it is in the scene");
    let [min, max] = [bounds.min, bounds.max].map(|corner| corner.as_vec3().to_array());
    Aabb::new(min.into(), max.into())
}

/// The transform from the world to the mesh that contains the scale.
fn inverse(scene: &Scene, id: InstanceId) -> Affine3A {
    let transform = scene.world_transform(id).expect("it is in the scene");
    let columns = transform.to_cols_array().map(|x| x as f32);
    let rigid = Affine3A::from_cols_array(&columns)
        * Affine3A::from_scale(Vec3::splat(1.0 / scale(scene, id)));
    rigid.inverse()
}

impl ParryScene {
    fn new(scene: &Scene, ids: &[InstanceId]) -> Self {
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

    /// Moves instance `i`.
    fn update(&mut self, i: usize, inverse: Affine3A, bounds: Aabb) {
        self.inverses[i] = inverse;
        self.bvh.insert(bounds, i as u32);
    }

    fn closest(&self, ray: &WorldRay) -> Option<f32> {
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

fn picking(c: &mut Criterion) {
    let (mut scene, ids) = crowd::scene();
    let rays = crowd::hover_rays();
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
                let i = crowd::move_one(&mut scene, &ids, &mut rng);
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

criterion_group!(benches, picking);
criterion_main!(benches);
