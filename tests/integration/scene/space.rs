//! Closest points, regions and insides in world space equal a loop over all triangles.

use hitscan::glam::DVec3;
use hitscan::primitives::{
    ConvexRegion, closest_point_on_triangle, glam::DMat3, triangle_overlaps_box,
};
use hitscan::scene::{InstanceId, QueryOptions, Scene, SceneTriangle, WorldBox, WorldRegion};
use hitscan_testkit::Rng;

use super::making::{random_point, random_scene, sees, vector};
use crate::asking::{effort, is_whole_effort};

/// The triangles that a query includes, by instance in order of insertion, with their corners relative
/// to a point.
fn triangles(
    scene: &Scene,
    options: &QueryOptions<'_>,
    origin: DVec3,
) -> Vec<(SceneTriangle, [DVec3; 3])> {
    let mut ids: Vec<InstanceId> =
        scene.iter().map(|(id, _)| id).filter(|&id| sees(scene, id, options)).collect();
    ids.sort_by_key(|&id| scene.insertion_order(id));
    let mut triangles = Vec::new();
    for instance in ids {
        let Some(mesh) = scene.get(instance).and_then(|instance| instance.mesh.as_ref()) else {
            continue;
        };
        let world = scene.world_transform(instance).expect("it is there");
        for triangle in 0..mesh.tri_mesh().triangles().len() as u32 {
            let corners = mesh
                .tri_mesh()
                .corners(triangle)
                .map(|corner| world.matrix3 * corner.as_dvec3() + (world.translation - origin));
            triangles.push((SceneTriangle { instance, triangle }, corners));
        }
    }
    triangles
}

#[test]
fn the_closest_point_equals_the_minimum_over_all_triangles() {
    let mut n_found = 0;
    for seed in 0..effort(60) {
        let mut rng = Rng::new(seed);
        let far = if rng.one_in(2) { DVec3::ZERO } else { vector(&mut rng) * 1e7 };
        let scene = random_scene(&mut rng, 15, far);
        let options = QueryOptions { include_locked: rng.one_in(2), ..QueryOptions::default() };
        for _ in 0..15 {
            let point = random_point(&scene, &mut rng);
            let max_distance =
                if rng.one_in(2) { f64::INFINITY } else { f64::from(rng.power_of_two(-8.0, 6.0)) };
            let mut expected: Option<(f64, SceneTriangle)> = None;
            for (triangle, corners) in triangles(&scene, &options, point) {
                let distance = closest_point_on_triangle(corners, DVec3::ZERO).distance_squared;
                if distance <= max_distance * max_distance
                    && expected.is_none_or(|(other, _)| distance < other)
                {
                    expected = Some((distance, triangle));
                }
            }
            let found = scene.closest_point(point, max_distance, &options);
            n_found += usize::from(found.is_some());
            let found = found.map(|found| {
                let off = found.point.distance(point) - found.distance;
                assert!(off.abs() <= 1e-14 * (point.length() + found.distance), "seed {seed}");
                (found.distance, found.instance, found.triangle)
            });
            let expected =
                expected.map(|(squared, found)| (squared.sqrt(), found.instance, found.triangle));
            assert_eq!(found, expected, "seed {seed}, {point}, {max_distance}");
        }
    }
    assert!(n_found as u64 > 5 * effort(60), "too little is near: {n_found}");
}

#[test]
fn a_point_that_is_not_finite_is_near_nothing() {
    let scene = random_scene(&mut Rng::new(1), 10, DVec3::ZERO);
    let options = QueryOptions::default();
    for (point, max_distance) in
        [(f64::NAN, 1.0), (f64::INFINITY, f64::INFINITY), (0.0, -1.0), (0.0, f64::NAN)]
    {
        assert_eq!(scene.closest_point([point, 0.0, 0.0], max_distance, &options), None);
    }
    assert_eq!(Scene::new().closest_point([0.0; 3], f64::INFINITY, &options), None);
}

fn random_region(scene: &Scene, rng: &mut Rng) -> WorldRegion {
    let center = random_point(scene, rng);
    let size = f64::from(rng.power_of_two(-4.0, 7.0));
    match rng.below(3) {
        0 => {
            let half = (vector(rng) * size).abs();
            WorldRegion::Box(WorldBox { min: center - half, max: center + half })
        }
        1 => WorldRegion::Sphere { center, radius: size },
        _ => {
            let planes = (0..3 + rng.below(4)).map(|_| {
                let normal = rng.direction().as_dvec3();
                [normal.x, normal.y, normal.z, size - normal.dot(center)]
            });
            WorldRegion::Convex(ConvexRegion::from_coefficients(planes))
        }
    }
}

#[test]
fn regions_contain_the_triangles_that_a_loop_finds() {
    let (mut n_touched, mut n_within) = (0, 0);
    for seed in 0..effort(100) {
        let mut rng = Rng::new(seed);
        let scene = random_scene(&mut rng, 15, DVec3::ZERO);
        let options = QueryOptions { include_hidden: rng.one_in(2), ..QueryOptions::default() };
        let all = triangles(&scene, &options, DVec3::ZERO);
        for _ in 0..15 {
            let region = random_region(&scene, &mut rng);
            let overlaps = |corners: [DVec3; 3]| match &region {
                WorldRegion::Box(b) => triangle_overlaps_box(corners, b.min, b.max),
                WorldRegion::Sphere { center, radius } => {
                    let nearest = closest_point_on_triangle(corners, *center);
                    nearest.distance_squared <= radius * radius
                }
                WorldRegion::Convex(convex) => convex.overlaps_triangle(corners),
            };
            let contains = |p: DVec3| match &region {
                WorldRegion::Box(b) => p.cmpge(b.min).all() && p.cmple(b.max).all(),
                WorldRegion::Sphere { center, radius } => {
                    p.distance_squared(*center) <= radius * radius
                }
                WorldRegion::Convex(convex) => convex.contains(p),
            };
            let expected: Vec<SceneTriangle> =
                all.iter().filter(|(_, corners)| overlaps(*corners)).map(|&(t, _)| t).collect();
            let mut found = vec![];
            scene.triangles_overlapping_into(&region, &options, &mut found);
            assert_eq!(found, expected, "seed {seed}, {region:?}");

            let mut touched: Vec<InstanceId> = expected.iter().map(|t| t.instance).collect();
            touched.dedup();
            assert_eq!(scene.instances_overlapping(&region, &options), touched, "seed {seed}");

            let is_outside = |corners: &[DVec3; 3]| !corners.iter().all(|&p| contains(p));
            let within: Vec<InstanceId> = touched
                .iter()
                .copied()
                .filter(|&id| !all.iter().any(|(t, c)| t.instance == id && is_outside(c)))
                .collect();
            let found = scene.instances_within(&region, &options);
            assert_eq!(found, within, "seed {seed}, {region:?}");
            (n_touched, n_within) = (n_touched + touched.len(), n_within + within.len());
        }
    }
    assert!(
        !is_whole_effort() || (n_touched > 1000 && n_within > 100),
        "{n_touched} touched, {n_within} within"
    );
}

#[test]
fn insides_are_those_of_the_closed_mesh_under_any_transform() {
    use hitscan::primitives::{brute_force, generate};
    use hitscan::scene::{Instance, Mesh};
    let torus = generate::torus(2.0, 0.7, 400).expect("an ordinary torus");
    let mesh = std::sync::Arc::new(Mesh::new(torus, &hitscan::BuildOptions::default()));
    let mut rng = Rng::new(31);
    let mut counts = [0, 0];
    for seed in 0..effort(40) {
        let mut transform = super::making::random_transform(&mut rng, 10.0);
        if seed % 2 == 0 {
            transform.matrix3 *= DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0));
        }
        let mut scene = Scene::new();
        let instance = Instance::new(mesh.clone(), transform);
        let id = scene.insert(instance).expect("it is invertible");
        for _ in 0..20 {
            let local = (vector(&mut rng) * DVec3::new(3.0, 1.0, 3.0)).as_vec3();
            let point = transform.transform_point3(local.as_dvec3());
            let expected = brute_force::is_inside(mesh.tri_mesh(), local);
            let options = QueryOptions::default();
            let around = scene.instances_containing(point, &options);
            assert_eq!(around, if expected { vec![id] } else { vec![] }, "{seed}, {local}");
            let distance = scene.signed_distance(point, &options).expect("there is a surface");
            assert_eq!(distance < 0.0, expected, "{seed}, {local}");
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(!is_whole_effort() || counts.iter().all(|&n| n > 50), "{counts:?}");
}
