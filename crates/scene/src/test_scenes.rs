//! Random scenes for tests.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DQuat, DVec3};
use hitscan_primitives::generate::{self, SplitMix64};

use crate::{Instance, InstanceId, Mesh, Scene};

pub(crate) fn vector(rng: &mut SplitMix64, limit: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| rng.range(-limit, limit)))
}

/// Overlapping, mirrored, nested and equal instances, so that hits tie.
pub(crate) fn scene(rng: &mut SplitMix64, origin: DVec3) -> (Scene, Vec<InstanceId>) {
    let mesh = |mesh| Arc::new(Mesh::new(mesh, &Default::default()));
    let meshes = [
        mesh(generate::sphere(1.0, 2000).unwrap()),
        mesh(generate::cuboid(2.0, 1.0, 2.0, 0).unwrap()),
        mesh(generate::grid(6.0, 6.0, 20).unwrap()),
    ];
    let mut scene = Scene::new();
    let mut ids: Vec<InstanceId> = vec![];
    for i in 0..12 {
        let turn = DQuat::from_xyzw(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), 0.3, 1.0);
        let mirror = DVec3::new(if rng.below(2) == 0 { -1.0 } else { 1.0 }, 1.0, 1.3);
        let matrix3 = DMat3::from_quat(turn.normalize()) * DMat3::from_diagonal(mirror);
        let translation = origin + vector(rng, 3.0);
        let mut instance = Instance {
            hidden: rng.below(9) == 0,
            ..Instance::new(meshes[i % 3].clone(), DAffine3 { matrix3, translation })
        };
        if let (0, Some(&parent)) = (rng.below(3), ids.last()) {
            instance.parent = Some(parent);
            instance.transform = DAffine3::IDENTITY;
        }
        ids.push(scene.insert(instance).unwrap());
    }
    (scene, ids)
}
