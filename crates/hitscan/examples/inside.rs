//! Is a point inside a closed mesh?
//!
//! `cargo run --example inside`

use hitscan::primitives::generate;
use hitscan::{BuildOptions, Faces, MeshBvh, Ray};

/// A ray from inside leaves the surface once more than it enters it, whatever its direction: also
/// through edges and vertices, because each crossing is counted once.
fn is_inside(bvh: &MeshBvh, point: [f32; 3]) -> bool {
    bvh.count_crossings(&Ray::new(point, [1.0, 0.0, 0.0]), Faces::Both) % 2 == 1
}

fn main() -> Result<(), generate::GenerateError> {
    let torus = generate::torus(3.0, 1.0, 10_000)?;
    let bvh = MeshBvh::build(&torus, &BuildOptions::default());
    for point in [[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [9.0, 0.0, 0.0]] {
        let inside = is_inside(&bvh, point);
        println!("{point:?} is {}", if inside { "inside" } else { "outside" });
    }
    assert!(is_inside(&bvh, [3.0, 0.0, 0.0]));
    // In the hole of the ring: the ray crosses the tube twice.
    assert!(!is_inside(&bvh, [0.0, 0.0, 0.0]));
    Ok(())
}
