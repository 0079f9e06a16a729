//! How to put meshes at places in a world, and ask what a ray hits there and all about it?
//!
//! `cargo run --example scene`

use std::error::Error;
use std::sync::Arc;

use hitscan::glam::{DAffine3, DQuat, DVec3};
use hitscan::primitives::generate;
use hitscan::scene::{Instance, Mesh, QueryOptions, Scene, WorldRay};
use hitscan::{BuildOptions, Faces, HitMode};

fn main() -> Result<(), Box<dyn Error>> {
    let options = BuildOptions::default();
    let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 2)?, &options));
    let wheel = Arc::new(Mesh::new(generate::torus(0.6, 0.2, 800)?, &options));

    // Ten million units from the origin, where f32 would be off by a unit.
    let mut scene = Scene::new();
    let place = DAffine3::from_translation(DVec3::new(1e7, 0.0, -2e7));
    let cart = scene.insert(Instance {
        name: Some("cart".into()),
        transform: place,
        ..Instance::default()
    })?;
    let body = DAffine3::from_scale(DVec3::new(1.0, 0.4, 2.0));
    scene.insert(Instance {
        name: Some("body".into()),
        parent: Some(cart),
        ..Instance::new(cube, body)
    })?;
    for (x, name) in [(-1.2_f64, "left wheel"), (1.2, "right wheel")] {
        // Mirrored on the left: outside stays outside.
        let turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let mirror = DAffine3::from_scale(DVec3::new(1.0, x.signum(), 1.0));
        let transform =
            DAffine3::from_rotation_translation(turn, DVec3::new(x, -0.6, 0.0)) * mirror;
        let wheel = Instance::new(wheel.clone(), transform);
        scene.insert(Instance { name: Some(name.into()), parent: Some(cart), ..wheel })?;
    }

    let ray = WorldRay::new(place.transform_point3(DVec3::new(-8.0, -0.5, 0.5)), [1.0, 0.0, 0.0]);
    let seen = QueryOptions {
        faces: Faces::Front,
        mode: HitMode::OncePerCrossing,
        ..QueryOptions::default()
    };
    for hit in scene.all_hits(&ray, &seen) {
        let details = scene.describe(&hit).ok_or("the scene has not changed")?;
        let path: Vec<_> =
            details.path().into_iter().filter_map(|id| scene.get(id)?.name.as_deref()).collect();
        println!("{} at {}", path.join(" / "), details.point());
        println!("  nearest vertex {:.3} away", details.nearest_vertex().distance);
        // A triangle of zero area has no normal.
        if let Some(normal) = details.normal() {
            // A ray that starts here does not meet this surface again.
            let safe = details.safe_origin(normal);
            println!("  normal {normal:.3}, {:.1e} off the surface is safe", safe.offset);
        }
    }
    let nearest = scene.closest_point(ray.origin, 100.0, &seen).ok_or("the cart is that near")?;
    println!("the surface is {:.4} from the eye", nearest.distance);
    Ok(())
}
