//! What does a ray hit first, where, from which side, and with which normal?
//!
//! `cargo run --example first_hit [FILE.obj]`

use hitscan::{BuildOptions, Faces, LoadOptions, MeshBvh, Ray, ReadError, Side, load};

fn main() -> Result<(), ReadError> {
    let file = std::env::args().nth(1);
    let file = file.unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/cuboid.obj").into());
    let mesh = load(file, &LoadOptions::default())?.into_mesh()?;
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());

    // From a point to another: t runs from 0 to 1. `Ray::new` takes a direction and has no end.
    let ray = Ray::segment([4.0, -7.0, -4.0], [2.0, 3.0, 4.0]);
    match bvh.closest_hit(&ray, Faces::Both) {
        None => println!("nothing in the way"),
        Some(hit) => {
            let side = if hit.side == Side::Front { "front" } else { "back" };
            println!("triangle {} from its {side}, t = {}", hit.triangle, hit.t);
            // In f64, on the triangle.
            println!("at {}", mesh.point(&hit));
            // The normal goes by the winding; turn it by the side if you want the one that faces the
            // ray. A triangle of zero area has none.
            if let Some(normal) = mesh.unit_normal(hit.triangle) {
                println!("with normal {normal}");
            }
        }
    }
    Ok(())
}
