//! Which of these polygons does the ray meet first?
//!
//! `cargo run --example which_polygon`

use hitscan::glam::{Quat, Vec3};
use hitscan::primitives::generate::SplitMix64;
use hitscan::{BoxBvh, BuildQuality, Faces, PlanarPolygon, PolygonError, Ray};

fn main() -> Result<(), PolygonError> {
    // Ten squares, scattered and turned around the origin.
    let mut random = SplitMix64::new(3);
    let mut next = |size: f64| Vec3::from_array([0; 3].map(|_| random.range(-size, size) as f32));
    let polygons = (0..10).map(|_| {
        let (middle, turn) = (next(4.0), Quat::from_scaled_axis(next(2.0)));
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        PlanarPolygon::new(corners.map(|[x, y]| middle + turn * Vec3::new(x, y, 0.0)))
    });
    let polygons: Vec<PlanarPolygon> = polygons.collect::<Result<_, _>>()?;

    let boxes: Vec<_> = polygons.iter().map(PlanarPolygon::bounds).collect();
    let bvh = BoxBvh::build(&boxes, BuildQuality::Balanced);

    // A ray that turns around the vertical axis.
    for degrees in (0..360u16).step_by(30) {
        let angle = f32::from(degrees).to_radians();
        let ray = Ray::new([0.0; 3], [angle.cos(), 0.0, angle.sin()]);
        let test = |i: u32| polygons[i as usize].intersect(&ray, Faces::Both).map(|hit| hit.t);
        match bvh.closest_hit(&ray, test) {
            Some(hit) => println!("{degrees}°: polygon {} at {}", hit.index, ray.at(hit.t)),
            None => println!("{degrees}°: none"),
        }
        // The tree gives what a loop over all polygons gives.
        let by_loop = (0..10).filter_map(|i| test(i).map(|t| (t, i)));
        let nearest = by_loop.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, i)| i);
        assert_eq!(bvh.closest_hit(&ray, test).map(|hit| hit.index), nearest);
    }
    Ok(())
}
