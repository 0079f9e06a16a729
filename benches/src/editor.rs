//! The scene of an editor: a crowd of one mesh under a parent, seen from above one side.

use std::sync::Arc;

use hitscan::BuildOptions;
use hitscan::glam::{DAffine3, DQuat, DVec3};
use hitscan::picking::{Camera, View, Viewport};
use hitscan::primitives::generate::{self, SplitMix64};
use hitscan::scene::{Instance, Mesh, Scene};

/// The number of instances with a mesh.
pub const N_INSTANCES: usize = 5000;

/// The number of triangles of the mesh.
pub const N_TRIANGLES: u32 = 5832;

/// The width and depth of the crowd, in units; an instance is about two units wide.
const WIDTH: f64 = 130.0;

/// The scene.
///
/// # Panics
/// Never: the sizes and transforms are fixed, and valid.
pub fn scene() -> Scene {
    let torus = generate::torus(0.7, 0.3, N_TRIANGLES as usize).expect("an ordinary size");
    assert_eq!(torus.triangles().len(), N_TRIANGLES as usize);
    let mesh = Arc::new(Mesh::new(torus, &BuildOptions::default()));
    let mut scene = Scene::new();
    let parent = scene.insert(Instance::default()).expect("it is a group");
    let mut rng = SplitMix64::new(1);
    for _ in 0..N_INSTANCES {
        let half = 0.5 * WIDTH;
        let translation =
            DVec3::new(rng.range(-half, half), rng.range(-5.0, 5.0), rng.range(-half, half));
        let mut number = || rng.range(-1.0, 1.0);
        let rotation = DQuat::from_xyzw(number(), number(), number(), 1.0).normalize();
        let transform = DAffine3::from_rotation_translation(rotation, translation);
        let instance = Instance { parent: Some(parent), ..Instance::new(mesh.clone(), transform) };
        scene.insert(instance).expect("a rotation has an inverse");
    }
    scene
}

/// A window of 2560 by 1440 pixels that shows most of the scene.
///
/// # Panics
/// Never: the camera is fixed, and valid.
pub fn view() -> View {
    let camera = Camera::look_at([0.0, 0.4 * WIDTH, 0.75 * WIDTH], [0.0; 3]);
    camera.view(Viewport::from_size(2560.0, 1440.0)).expect("the camera looks at the scene")
}
