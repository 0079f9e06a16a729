//! Which sphere does the ray meet first, and which lie behind it?
//!
//! `cargo run --example which_sphere`

use hitscan::primitives::generate::SplitMix64;
use hitscan::{BoxBvh, BuildQuality, Ray, Sphere};

fn main() {
    let mut random = SplitMix64::new(1);
    let mut next = |size: f64| random.range(-size, size) as f32;
    let spheres: Vec<Sphere> = (0..10_000)
        .map(|_| Sphere::new([next(50.0), next(50.0), next(50.0)], 1.0 + next(0.5)))
        .collect();
    let boxes: Vec<_> = spheres.iter().map(Sphere::bounds).collect();
    let bvh = BoxBvh::build(&boxes, BuildQuality::Balanced);

    let ray = Ray::new([-100.0, 1.0, 2.0], [1.0, 0.0, 0.0]);
    let mut n_tests = 0;
    let hit = bvh.closest_hit(&ray, |i| {
        n_tests += 1;
        spheres[i as usize].intersect(&ray)
    });
    let hit = hit.expect("it passes many of the spheres");
    println!("sphere {} at t = {}, after {n_tests} of 10000 tests", hit.index, hit.t);

    let hits = bvh.all_hits(&ray, |i| spheres[i as usize].intersect(&ray));
    assert_eq!(hits.first(), Some(&hit));
    println!("{} spheres lie along the ray", hits.len());
}
