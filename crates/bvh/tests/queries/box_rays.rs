//! Rays at objects of the caller.

use glam::Vec3;
use hitscan_bvh::{BoxBvh, BuildQuality, ObjectHit};
use hitscan_primitives::{Aabb, Faces, PlanarPolygon, Ray, Sphere, generate::SplitMix64};

use crate::support::{effort, grid_point, point};

/// Objects with a box and a test.
trait Object {
    fn bounds(&self) -> Aabb;
    fn t(&self, ray: &Ray) -> Option<f32>;
}

impl Object for Sphere {
    fn bounds(&self) -> Aabb {
        Self::bounds(self)
    }

    fn t(&self, ray: &Ray) -> Option<f32> {
        self.intersect(ray)
    }
}

impl Object for PlanarPolygon {
    fn bounds(&self) -> Aabb {
        Self::bounds(self)
    }

    fn t(&self, ray: &Ray) -> Option<f32> {
        self.intersect(ray, Faces::Both).map(|hit| hit.t)
    }
}

impl Object for Aabb {
    fn bounds(&self) -> Aabb {
        *self
    }

    fn t(&self, ray: &Ray) -> Option<f32> {
        self.intersect(ray).map(|(enter, _)| enter)
    }
}

fn by_loop(objects: &[Box<dyn Object>], ray: &Ray) -> Vec<ObjectHit> {
    if !ray.is_valid() {
        return vec![];
    }
    let hits = objects.iter().enumerate().filter_map(|(index, object)| {
        let t = object.t(ray).filter(|t| t.is_finite())?;
        Some(ObjectHit { index: index as u32, t: t + 0.0 })
    });
    let mut hits: Vec<ObjectHit> = hits.collect();
    hits.sort_by(ObjectHit::cmp_along_ray);
    hits
}

fn object(random: &mut SplitMix64, on_grid: bool) -> Box<dyn Object> {
    let at = if on_grid { grid_point(random) } else { 2.0 * point(random) };
    let size = [0.0, 0.25, 0.5, 1.0][random.below(4) as usize];
    match random.below(4) {
        0 => Box::new(Sphere::new(at, size)),
        1 => {
            // Flat on an axis or on all.
            let flat = Vec3::from_array([0; 3].map(|_| random.below(2) as f32));
            Box::new(Aabb::new(at - size * flat, at + size * flat))
        }
        2 => {
            // Bent by less than the tolerance.
            let bend = 0.9e-4 * random.range(-1.0, 1.0) as f32;
            let [u, v] =
                [[Vec3::X, Vec3::Y], [Vec3::Y, Vec3::Z], [Vec3::X, Vec3::new(0.0, 1.0, 1.0)]]
                    [random.below(3) as usize];
            let off = bend * u.cross(v);
            PlanarPolygon::new([at + off, at + u - off, at + u + v + off, at + v - off])
                .map_or_else(
                    |_| Box::new(Sphere::new(at, 0.5)) as _,
                    |polygon| Box::new(polygon) as _,
                )
        }
        _ => {
            let infinite = [f32::INFINITY, 1.0, 0.0][random.below(3) as usize];
            let min = Vec3::new(at.x - infinite, at.y, at.z - 0.25);
            Box::new(Aabb::new(min, Vec3::new(at.x, at.y + infinite, at.z)))
        }
    }
}

fn ray(random: &mut SplitMix64, on_grid: bool) -> Ray {
    let mut next = || if on_grid { grid_point(random) } else { 3.0 * point(random) };
    let (from, to) = (next(), next());
    let ray = match random.below(8) {
        0 => Ray::line(from, to - from),
        1 => Ray::segment(from, to),
        2 => Ray::new(
            from,
            -0.0 * (to - from) + [Vec3::X, -Vec3::Y, Vec3::Z][random.below(3) as usize],
        ),
        // From far away, and with a direction of any length.
        3 => Ray::new(to + 1e6 * (from - to), to - from),
        4 => Ray::new(from, 1e-30 * (to - from)),
        5 => Ray::new(from, 1e30 * (to - from)),
        _ => Ray::new(from, to - from),
    };
    match random.below(16) {
        0 => ray.with_range(1.0, 0.5),
        1 => Ray { direction: Vec3::ZERO, ..ray },
        2 => Ray { origin: Vec3::splat(f32::NAN), ..ray },
        3 => ray.with_range(0.5, 1.0),
        _ => ray,
    }
}

#[test]
fn rays_at_objects_equal_a_loop_over_them() {
    let mut random = SplitMix64::new(45);
    let mut n_hits = 0;
    for round in 0..effort(60) {
        let on_grid = round % 2 == 0;
        let n = [300, 9, 1, 0][round / 2 % 4];
        let objects: Vec<Box<dyn Object>> = (0..n).map(|_| object(&mut random, on_grid)).collect();
        let boxes: Vec<Aabb> = objects.iter().map(|object| object.bounds()).collect();
        let bvh = BoxBvh::build(&boxes, BuildQuality::ALL[round % 3]);
        for _ in 0..200 {
            let ray = ray(&mut random, on_grid);
            let expected = by_loop(&objects, &ray);
            let context = format!("round {round}: {ray:?}");
            let test = |index: u32| objects[index as usize].t(&ray);
            assert_eq!(bvh.all_hits(&ray, test), expected, "{context}");
            let closest = bvh.closest_hit(&ray, test);
            assert_eq!(closest, expected.first().copied(), "{context}");
            assert_eq!(bvh.is_occluded(&ray, test), !expected.is_empty(), "{context}");
            n_hits += expected.len();
        }
    }
    assert!(n_hits > effort(60) * 200, "{n_hits}");
}

#[test]
fn a_test_outside_the_interval_or_without_a_number_is_a_miss() {
    let bvh = BoxBvh::build(&[Aabb::new([-1.0; 3], [1.0; 3])], BuildQuality::Fast);
    let ray = Ray::new([0.0, 0.0, -5.0], [0.0, 0.0, 1.0]).with_range(0.0, 5.0);
    for t in [f32::NAN, f32::INFINITY, -0.5, 5.5] {
        assert_eq!(bvh.closest_hit(&ray, |_| Some(t)), None, "{t}");
        assert!(!bvh.is_occluded(&ray, |_| Some(t)), "{t}");
    }
    let hit = bvh.closest_hit(&ray, |_| Some(-0.0)).expect("zero is within the interval");
    assert_eq!(hit.t.to_bits(), 0.0f32.to_bits());
}

#[test]
fn the_nearest_boxes_are_tested_first() {
    let boxes: Vec<Aabb> = (0..4096u16)
        .map(|i| Aabb::new([f32::from(i), -1.0, -1.0], [f32::from(i) + 0.5, 1.0, 1.0]))
        .collect();
    let bvh = BoxBvh::build(&boxes, BuildQuality::Balanced);
    let ray = Ray::new([5000.0, 0.1, 0.2], [-1.0, 0.0, 0.0]);
    let mut n_tests = 0;
    let hit = bvh.closest_hit(&ray, |index| {
        n_tests += 1;
        boxes[index as usize].t(&ray)
    });
    assert_eq!(hit.map(|hit| hit.index), Some(4095));
    assert!(n_tests <= 32, "{n_tests} of 4096");
}
