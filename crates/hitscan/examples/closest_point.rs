//! Where is the surface nearest to a point, and how far am I outside or inside?
//!
//! `cargo run --example closest_point`

use std::sync::Arc;

use hitscan::primitives::generate;
use hitscan::{BuildOptions, MeshBvh, WindingTree};

fn main() -> Result<(), generate::GenerateError> {
    let torus = generate::torus(3.0, 1.0, 20_000)?;
    let bvh = Arc::new(MeshBvh::build(&torus, &BuildOptions::default()));

    let point = [5.0, 0.5, 0.0];
    let nearest = bvh.closest_point(point, f64::INFINITY).expect("a torus has a surface");
    println!("{:.3} from triangle {} at {:.3}", nearest.distance, nearest.triangle, nearest.point);
    // A search that need not look far.
    assert_eq!(bvh.closest_point(point, 0.5), None);

    // The sign needs to know what is inside, also if the surface has small holes.
    let solid = WindingTree::new(Arc::clone(&bvh));
    for point in [point, [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]] {
        let distance = solid.signed_distance(point).expect("a torus has a surface");
        let side = if distance < 0.0 { "inside" } else { "outside" };
        println!("{point:?} is {:.3} {side}", distance.abs());
    }
    assert!(solid.is_inside([3.0, 0.0, 0.0]) && !solid.is_inside([0.0, 0.0, 0.0]));
    Ok(())
}
