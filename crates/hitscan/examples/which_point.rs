//! Which point of a cloud does the ray meet first?
//!
//! `cargo run --example which_point`

use hitscan::glam::Vec3;
use hitscan::primitives::generate;
use hitscan::{BoxBvh, BuildQuality, Ray, Sphere};

fn main() -> Result<(), generate::GenerateError> {
    // Points have no size, so each gets one: the radius at which it is drawn.
    let cloud: Vec<Vec3> = generate::torus(3.0, 1.0, 20_000)?.positions().to_vec();
    let radius = 0.02;
    let boxes: Vec<_> = cloud.iter().map(|&p| Sphere::new(p, radius).bounds()).collect();
    let bvh = BoxBvh::build(&boxes, BuildQuality::Fast);

    let ray = Ray::new([10.0, 0.3, 0.4], [-1.0, 0.0, 0.0]);
    let drawn = |i: u32| Sphere::new(cloud[i as usize], radius).intersect(&ray);
    match bvh.closest_hit(&ray, drawn) {
        Some(hit) => println!("point {} at {}", hit.index, cloud[hit.index as usize]),
        None => println!("the ray passes between the points"),
    }

    // The point nearest to the line of sight, among those within a cone of one degree: a pick with tolerance.
    let slope = 1f32.to_radians().tan();
    let off_axis = |i: u32| {
        let to = cloud[i as usize] - ray.origin;
        let along = to.dot(ray.direction);
        (along, (to - along * ray.direction).length())
    };
    let widened: Vec<_> =
        cloud.iter().map(|&p| Sphere::new(p, slope * ray.origin.distance(p)).bounds()).collect();
    let bvh = BoxBvh::build(&widened, BuildQuality::Fast);
    let in_cone = bvh.all_hits(&ray, |i| {
        let (along, off) = off_axis(i);
        (off <= slope * along).then_some(along)
    });
    let nearest = in_cone.iter().min_by(|a, b| off_axis(a.index).1.total_cmp(&off_axis(b.index).1));
    println!(
        "{} points in the cone; {:?} is nearest to its axis",
        in_cone.len(),
        nearest.map(|hit| hit.index)
    );
    assert!(nearest.is_some());
    Ok(())
}
