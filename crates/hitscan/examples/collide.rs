//! Do these two parts collide, and how far apart are they? Does one intersect itself?
//!
//! `cargo run --example collide`

use std::error::Error;

use hitscan::glam::{DAffine3, DVec3, Vec3};
use hitscan::primitives::generate;
use hitscan::{BuildOptions, MeshBvh, MeshPair};

fn main() -> Result<(), Box<dyn Error>> {
    // A ring, and a pin that moves along its axis and then off it.
    let mut ring_mesh = generate::torus(3.0, 1.0, 20_000)?;
    let pin_mesh = generate::cuboid(2.0, 8.0, 2.0, 3)?;
    let mut ring = MeshBvh::build(&ring_mesh, &BuildOptions::default());
    let pin = MeshBvh::build(&pin_mesh, &BuildOptions::default());

    for x in [0.0, 0.5, 1.5, 5.5] {
        // The transform takes the pin into the space of the ring.
        let pair = MeshPair::new(&ring, &pin, DAffine3::from_translation(DVec3::X * x))?;
        if pair.overlaps() {
            let (triangles, crossings) = (pair.overlapping_triangles(), pair.crossings());
            let length: f64 = crossings
                .iter()
                .map(|crossing| crossing.segment[0].distance(crossing.segment[1]))
                .sum();
            println!("at {x}: {} pairs of triangles collide, along {length:.3}", triangles.len());
        } else {
            let nearest = pair.distance(f64::INFINITY)?.expect("both have triangles");
            let [on_ring, on_pin] = nearest.points;
            println!("at {x}: {:.3} apart, from {on_ring:.3} to {on_pin:.3}", nearest.distance);
        }
    }

    // A clearance of 0.75: is anything nearer? A maximum makes the search short.
    let pair = MeshPair::new(&ring, &pin, DAffine3::IDENTITY)?;
    assert!(pair.distance(0.75)?.is_some() && pair.distance(0.5)?.is_none());

    // No part intersects itself. Both as one mesh do, where the pin goes through the ring.
    assert!(!ring.has_self_intersections() && !pin.has_self_intersections());
    let first = ring_mesh.positions().len() as u32;
    let moved = pin_mesh.positions().iter().map(|&p| p + Vec3::X * 1.5);
    let triangles: Vec<[u32; 3]> =
        pin_mesh.triangles().iter().map(|triangle| triangle.map(|i| first + i)).collect();
    let edit = ring_mesh.append(moved, &triangles)?;
    ring.update(&ring_mesh, &edit)?;
    println!("as one mesh: {} pairs of triangles", ring.self_intersections().len());
    Ok(())
}
