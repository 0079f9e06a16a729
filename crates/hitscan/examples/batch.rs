//! How to cast a million rays at once?
//!
//! `cargo run --release --example batch`

use std::time::Instant;

use hitscan::primitives::generate;
use hitscan::{BuildOptions, Faces, HitOptions, MeshBvh, Ray};

fn main() -> Result<(), generate::GenerateError> {
    let mesh = generate::terrain(100_000, 1)?;
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let bounds = bvh.bounds();

    // Straight down on a grid of points.
    const SIDE: usize = 1000;
    let point = |i: usize| (i as f32 + 0.5) / SIDE as f32;
    let rays: Vec<Ray> = (0..SIDE * SIDE)
        .map(|i| {
            let share = hitscan::glam::Vec3::new(point(i % SIDE), 2.0, point(i / SIDE));
            Ray::new(bounds.min + share * bounds.extent(), [0.0, -1.0, 0.0])
        })
        .collect();

    // The answers go into a slice that you provide, one per ray, on all threads (feature `parallel`).
    // They are those of `closest_hit`, to the bit. Neighbours that start and go alike are fastest.
    let mut hits = vec![None; rays.len()];
    let start = Instant::now();
    bvh.closest_hit_batch(&rays, Faces::Both, &mut hits);
    let elapsed = start.elapsed();
    let n_hits = hits.iter().flatten().count();
    println!("{n_hits} of {} rays hit, {elapsed:.1?}", rays.len());
    assert!(n_hits > 0);

    // Also: only whether, how often, and all hits.
    let mut occluded = vec![false; rays.len()];
    bvh.is_occluded_batch(&rays, Faces::Both, &mut occluded);
    let mut crossings = vec![0; rays.len()];
    bvh.count_crossings_batch(&rays, Faces::Both, &mut crossings);
    let lists = bvh.all_hits_batch(&rays[..1000], &HitOptions::default());
    println!("ray 500 hits {} triangles", lists.of(500).len());
    Ok(())
}
