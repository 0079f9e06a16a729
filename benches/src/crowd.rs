//! A crowd: ten thousand instances of fifty meshes, about ten million triangles, and rays to hover over it.

use std::sync::Arc;

use hitscan::BuildOptions;
use hitscan::glam::{DAffine3, DQuat, DVec3};
use hitscan::primitives::generate::{self, SplitMix64};
use hitscan::scene::{Instance, InstanceId, Mesh, Scene, WorldRay};

/// The number of instances.
pub const N_INSTANCES: usize = 10_000;

/// The number of meshes; instance `i` has mesh `i % N_MESHES`.
pub const N_MESHES: usize = 50;

/// The scene, and its instances in the order of their insertion. Every transform is a rotation, a
/// translation and a uniform scale.
///
/// # Panics
/// Never: the sizes and transforms are fixed, and valid.
pub fn scene() -> (Scene, Vec<InstanceId>) {
    let mut rng = SplitMix64::new(1);
    let meshes = meshes();
    let mut scene = Scene::new();
    let ids = (0..N_INSTANCES).map(|i| {
        // A city is some hundred units wide; the scale gives all meshes about the same size.
        let mesh = &meshes[i % N_MESHES];
        let extent = mesh.tri_mesh().bounds().extent().max_element();
        let scale = DAffine3::from_scale(DVec3::splat(4.0 / f64::from(extent)));
        let instance = Instance::new(mesh.clone(), random_pose(&mut rng) * scale);
        scene.insert(instance).expect("a rotation has an inverse")
    });
    let ids = ids.collect();
    (scene, ids)
}

/// Rays from a point above one corner to random points of the ground.
pub fn hover_rays() -> Vec<WorldRay> {
    let mut rng = SplitMix64::new(2);
    let eye = DVec3::new(-260.0, 60.0, -260.0);
    let ray = |_| {
        let target = DVec3::new(rng.range(-200.0, 200.0), 0.0, rng.range(-200.0, 200.0));
        WorldRay::new(eye, target - eye)
    };
    (0..4096).map(ray).collect()
}

/// Moves a random instance by up to five units and returns its index in `ids`.
///
/// # Panics
/// If an instance of `ids` is not in the scene.
pub fn move_one(scene: &mut Scene, ids: &[InstanceId], rng: &mut SplitMix64) -> usize {
    let i = rng.below(ids.len() as u64) as usize;
    let transform = scene.world_transform(ids[i]).expect("it is in the scene");
    let step = DVec3::new(rng.range(-5.0, 5.0), 0.0, rng.range(-5.0, 5.0));
    let moved = DAffine3::from_translation(step) * transform;
    scene.set_transform(ids[i], moved).expect("it is invertible");
    i
}

/// Fifty meshes of about a thousand triangles each.
///
/// # Panics
/// Never: the sizes are fixed, and valid.
pub fn meshes() -> Vec<Arc<Mesh>> {
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

fn random_pose(rng: &mut SplitMix64) -> DAffine3 {
    let mut number = |limit: f64| rng.range(-limit, limit);
    let rotation = DQuat::from_xyzw(number(1.0), number(1.0), number(1.0), number(1.0));
    let translation = DVec3::new(number(200.0), number(20.0), number(200.0));
    DAffine3::from_rotation_translation(rotation.normalize(), translation)
}
