//! Where does a rolling ball stop, and what does it touch?
//!
//! `cargo run --example rolling_ball`

use std::sync::Arc;

use hitscan::glam::{DAffine3, DVec3};
use hitscan::scene::{Instance, Mesh, QueryOptions, Scene, WorldRay};
use hitscan::{SphereCast, TriangleFeature, generate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let crate_of_wood = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    let crate_of_wood = Arc::new(Mesh::new(crate_of_wood, &Default::default()));
    let mut scene = Scene::new();
    let place = |x: f64, y: f64| DAffine3::from_translation(DVec3::new(x, y, 1.0));
    let left = scene.insert(Instance::new(crate_of_wood.clone(), place(10.0, 2.5)))?;
    scene.insert(Instance::new(crate_of_wood, place(10.0, -2.6)))?;

    // The floor is z = 0, and the ball rolls on it along x. A ray would pass between the crates.
    let way = WorldRay::new([0.0, 0.0, 2.0], [1.0, 0.0, 0.0]);
    let options = QueryOptions::default();
    assert_eq!(scene.closest_hit(&way, &options), None);

    let ball = SphereCast::new(way, 2.0)?;
    let first = scene.sphere_cast(&ball, &options).expect("the gap is 3.1 wide");
    let contact = first.contact;
    println!(
        "the centre stops at {}, because the ball touches {}",
        way.at(contact.t),
        contact.point
    );
    assert_eq!(first.instance, left);
    assert!(matches!(contact.feature, TriangleFeature::Vertex(_)));

    // It may go on along the surface: without the part of its velocity that points into the crate.
    let velocity = way.direction - way.direction.dot(contact.normal) * contact.normal;
    println!("it slides on with the velocity {velocity}");

    // A smaller ball fits through.
    assert!(!scene.sphere_cast_any(&SphereCast::new(way, 1.4)?, &options));
    println!("a ball with a radius of 1.4 rolls through");
    Ok(())
}
