//! Which triangles touch a box, a ball, a view frustum, or a shape of my own?
//!
//! `cargo run --example overlap`

use std::ops::ControlFlow;

use hitscan::primitives::generate;
use hitscan::{Aabb, BuildOptions, ConvexRegion, MeshBvh, Sphere};

fn main() -> Result<(), generate::GenerateError> {
    let mesh = generate::torus(3.0, 1.0, 20_000)?;
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let mut triangles = vec![];

    bvh.overlapping_box_into(&Aabb::new([2.0, -1.0, -1.0], [5.0, 1.0, 1.0]), &mut triangles);
    println!("{} triangles touch the box", triangles.len());
    bvh.overlapping_sphere_into(&Sphere::new([4.0, 0.0, 0.0], 0.5), &mut triangles);
    println!("{} triangles touch the ball", triangles.len());

    // Planes point inwards: what lies between x = 1 and x = 2, above y = 0.
    let region = ConvexRegion::from_coefficients([
        [1.0, 0.0, 0.0, -1.0],
        [-1.0, 0.0, 0.0, 2.0],
        [0.0, 1.0, 0.0, 0.0],
    ]);
    bvh.overlapping_convex_into(&region, &mut triangles);
    println!("{} triangles touch the slab", triangles.len());
    assert!(bvh.overlaps_convex(&region) && !bvh.is_within_convex(&region));

    // A custom shape: a cylinder of radius 2.5 about the y axis. Its test of a box may say yes too
    // often, never too seldom.
    let radius = |x: f32, z: f32| x.hypot(z);
    let mut within = vec![];
    let _: ControlFlow<()> = bvh.visit(
        |bounds| {
            let x = 0f32.clamp(bounds.min.x, bounds.max.x);
            let z = 0f32.clamp(bounds.min.z, bounds.max.z);
            radius(x, z) <= 2.5
        },
        |triangle| {
            if mesh.corners(triangle).iter().all(|corner| radius(corner.x, corner.z) <= 2.5) {
                within.push(triangle);
            }
            ControlFlow::Continue(())
        },
    );
    println!("{} triangles lie within the cylinder", within.len());
    assert!(!within.is_empty());
    Ok(())
}
