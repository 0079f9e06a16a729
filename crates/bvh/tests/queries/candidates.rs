//! Candidates along a ray, for a test of the caller.

use std::{collections::HashSet, ops::ControlFlow};

use glam::DVec3;
use hitscan_bvh::{CandidateRay, MeshBvh};
use hitscan_primitives::{
    TriMesh, brute_force,
    generate::{self, SplitMix64},
    {HitOptions, Ray},
};

use crate::support::{built, effort, needles, point, scaled_by, shapes, soup};

/// All candidates of a ray with their bounds, which must ascend.
fn candidates(bvh: &MeshBvh, ray: &CandidateRay) -> Vec<(u32, f64)> {
    let mut found: Vec<(u32, f64)> = vec![];
    let end: ControlFlow<()> = bvh.visit_candidates(ray, |triangle, bound| {
        found.push((triangle, bound));
        ControlFlow::Continue(f64::INFINITY)
    });
    assert!(end.is_continue());
    let key = |&(triangle, bound): &(u32, f64)| (bound, triangle);
    assert!(found.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])), "{found:?}");
    let distinct: HashSet<u32> = found.iter().map(|&(triangle, _)| triangle).collect();
    assert_eq!(distinct.len(), found.len(), "{found:?}");
    found
}

/// The test of Möller and Trumbore in f64, as a program may have it: it passes over slivers and triangles almost along the
/// ray, where its rounding has no bound.
fn own_test(corners: [DVec3; 3], ray: &CandidateRay) -> Option<f64> {
    let [a, b, c] = corners;
    let (ab, ac) = (b - a, c - a);
    let normal = ray.direction.cross(ac);
    let det = ab.dot(normal);
    if det.abs() <= 1e-6 * ray.direction.length() * ab.length() * ac.length() {
        return None;
    }
    let to_origin = ray.origin - a;
    let q = to_origin.cross(ab);
    let (u, v, t) = (to_origin.dot(normal) / det, ray.direction.dot(q) / det, ac.dot(q) / det);
    let is_hit = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && ray.t_min <= t && t <= ray.t_max;
    is_hit.then_some(t)
}

fn corners(mesh: &TriMesh, triangle: u32) -> [DVec3; 3] {
    mesh.corners(triangle).map(|corner| corner.as_dvec3())
}

/// Meshes of all shapes, with split triangles, and far from 1.
fn meshes(random: &mut SplitMix64) -> Vec<(String, TriMesh)> {
    let mut meshes = shapes(random);
    meshes.push(("soup".into(), soup(random, 300)));
    meshes.push(("needles".into(), needles(random, 400)));
    meshes.push(("city".into(), generate::city(3000, 7).expect("a size")));
    meshes.push(("tiny soup".into(), scaled_by(&soup(random, 200), -60)));
    meshes.push(("huge soup".into(), scaled_by(&soup(random, 200), 60)));
    meshes
}

/// A ray from beside the mesh towards a point of it.
fn aimed(random: &mut SplitMix64, mesh: &TriMesh, tolerance: f64) -> CandidateRay {
    let size = f64::from(mesh.bounds().max_abs_coordinate());
    let size = if size.is_finite() && size > 0.0 { size } else { 1.0 };
    let n = mesh.triangles().len() as u64;
    let target = match n {
        0 => DVec3::ZERO,
        n => corners(mesh, random.below(n) as u32).iter().sum::<DVec3>() / 3.0,
    };
    let origin = point(random).as_dvec3() * size * 2.0;
    let direction = (target - origin) * random.range(0.5, 2.0);
    let direction = if direction == DVec3::ZERO { DVec3::Z } else { direction };
    CandidateRay {
        origin,
        direction,
        t_min: 0.0,
        t_max: f64::INFINITY,
        tolerance: tolerance * size,
    }
}

#[test]
fn a_test_of_the_caller_finds_its_own_nearest_hit_to_the_last_bit() {
    let mut random = SplitMix64::new(47);
    let (mut n_hits, mut n_tests, mut n_rays) = (0, 0, 0);
    for round in 0..effort(6) {
        for (name, mesh) in meshes(&mut random) {
            let bvh = built(&mesh, round);
            for _ in 0..40 {
                let ray = aimed(&mut random, &mesh, 1e-9);
                let mut nearest = (f64::INFINITY, u32::MAX);
                let _: ControlFlow<()> = bvh.visit_candidates(&ray, |triangle, _| {
                    n_tests += 1;
                    if let Some(t) = own_test(corners(&mesh, triangle), &ray) {
                        nearest = if (t, triangle) < nearest { (t, triangle) } else { nearest };
                    }
                    ControlFlow::Continue(nearest.0)
                });
                let mut by_scan = (f64::INFINITY, u32::MAX);
                for triangle in 0..mesh.triangles().len() as u32 {
                    if let Some(t) = own_test(corners(&mesh, triangle), &ray) {
                        by_scan = if (t, triangle) < by_scan { (t, triangle) } else { by_scan };
                    }
                }
                assert_eq!(nearest, by_scan, "{name}: {ray:?}");
                n_hits += usize::from(nearest.1 != u32::MAX);
                n_rays += 1;
            }
        }
    }
    assert!(n_hits > n_rays / 2, "{n_hits} of {n_rays}");
    assert!(n_tests < 40 * n_rays, "{n_tests} tests of {n_rays} rays");
}

#[test]
fn every_triangle_within_the_tolerance_is_a_candidate_with_a_bound_below_its_hit() {
    let mut random = SplitMix64::new(48);
    for round in 0..effort(6) {
        for (name, mesh) in meshes(&mut random) {
            let bvh = built(&mesh, round);
            for _ in 0..20 {
                let ray = aimed(&mut random, &mesh, 1e-2);
                let found = candidates(&bvh, &ray);
                // Rays beside it, nearer than the tolerance, hit candidates only.
                for _ in 0..5 {
                    let shift = point(&mut random).as_dvec3().normalize_or_zero();
                    let shift = shift * ray.tolerance * random.range(0.0, 0.999);
                    let origin = (ray.origin + shift).as_vec3();
                    let beside = Ray::new(origin, ray.direction.as_vec3());
                    for hit in brute_force::all_hits(&mesh, &beside, &HitOptions::default()) {
                        let candidate =
                            found.iter().find(|(triangle, _)| *triangle == hit.triangle);
                        let bound = candidate.map(|&(_, bound)| bound);
                        // The hit has the accuracy of f32.
                        let below = f64::from(hit.t) * (1.0 + 1e-5) + 1e-5;
                        assert!(
                            bound.is_some_and(|bound| bound <= below),
                            "{name}: {hit:?} {bound:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn candidates_without_a_tolerance_are_little_more_than_the_hits() {
    let mesh = generate::sphere(3.0, 20_000).expect("a size");
    let bvh = built(&mesh, 0);
    let mut random = SplitMix64::new(49);
    let n: usize = (0..1000).map(|_| candidates(&bvh, &aimed(&mut random, &mesh, 0.0)).len()).sum();
    assert!((1000..2200).contains(&n), "{n} candidates of 1000 rays");
}

#[test]
fn a_break_ends_the_search_and_an_invalid_ray_has_no_candidates() {
    let mesh = generate::cuboid(2.0, 2.0, 2.0, 0).expect("a size");
    let bvh = built(&mesh, 0);
    let origin = DVec3::new(0.1, 0.2, 5.0);
    let ray =
        CandidateRay { origin, direction: DVec3::NEG_Z, t_min: 0.0, t_max: 9.0, tolerance: 1e-6 };
    assert_eq!(bvh.visit_candidates(&ray, |_, _| ControlFlow::Break(7)), ControlFlow::Break(7));
    assert_eq!(candidates(&bvh, &ray).len(), 2);
    assert_eq!(candidates(&bvh, &CandidateRay { t_max: 5.0, ..ray }).len(), 1);
    for invalid in [
        CandidateRay { origin: DVec3::NAN, ..ray },
        CandidateRay { direction: DVec3::ZERO, ..ray },
        CandidateRay { t_min: 1.0, t_max: 0.0, ..ray },
        CandidateRay { t_max: f64::NAN, ..ray },
        CandidateRay { tolerance: -1.0, ..ray },
        CandidateRay { tolerance: f64::INFINITY, ..ray },
    ] {
        assert_eq!(candidates(&bvh, &invalid), [], "{invalid:?}");
    }
}
