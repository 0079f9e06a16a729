//! Scene files with meshes whose coordinates f32 cannot hold.

use std::fs;

use hitscan_primitives::glam::DVec3;
use hitscan_scene::{QueryOptions, Scene, WorldRay};
use hitscan_scene_file::{SceneOptions, load};

/// A roof of side 8 in UTM metres, at the height of 43.04.
const HOUSE: &str = "v 507960.880 5039558.630 43.040\nv 507968.880 5039558.630 43.040
v 507968.880 5039566.630 43.040\nv 507960.880 5039566.630 43.040\nf 1 2 3 4\n";
const CORNER: DVec3 = DVec3::new(507_960.88, 5_039_558.63, 43.04);
/// Twice the rounding of f32 within 8 units, and of f64 at the corner.
const TOLERANCE: f64 = 2e-6;

/// A ray 0.1 inside the edge at the smallest x, and one 0.1 outside of it.
fn rays_beside_the_edge() -> [WorldRay; 2] {
    let down = |x: f64| WorldRay::new(CORNER + DVec3::new(x, 3.3, 100.0), [0.0, 0.0, -1.0]);
    [down(0.1), down(-0.1)]
}

#[test]
fn scene_files_compose_their_transform_with_the_offset() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("house.obj"), HOUSE).expect("the folder is writable");
    let path = folder.path().join("two.toml");
    let text = "meshes.house = \"house.obj\"\n[[instances]]\nmesh = \"house\"\n\
                [[instances]]\nmesh = \"house\"\ntranslation = [20.0, 0.0, 0.5]\n";
    fs::write(&path, text).expect("the folder is writable");
    let options = SceneOptions::default();
    let loaded = load(&path, &options).expect("a valid scene");
    let again = folder.path().join("again.toml");
    loaded.save(&again).expect("the folder is writable");
    let again = load(&again, &options).expect("a valid scene").scene;
    let as_mesh = load(folder.path().join("house.obj"), &options);
    let as_mesh = as_mesh.expect("a valid mesh").scene;
    let query = QueryOptions::default();
    let t = |scene: &Scene, ray: &WorldRay| scene.closest_hit(ray, &query).map(|hit| hit.t);
    let [inside, outside] = rays_beside_the_edge();
    for scene in [&loaded.scene, &again, &as_mesh] {
        let t = t(scene, &inside).expect("the ray meets the roof");
        assert!((t - 100.0).abs() < TOLERANCE, "{t}");
        assert_eq!(scene.closest_hit(&outside, &query), None);
    }
    let beside = WorldRay { origin: inside.origin + DVec3::X * 20.0, ..inside };
    for scene in [&loaded.scene, &again] {
        let t = t(scene, &beside).expect("the ray meets the second roof");
        assert!((t - 99.5).abs() < TOLERANCE, "{t}");
    }
}
