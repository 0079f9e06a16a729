//! Closest points, regions and insides in world space equal a loop over all triangles.

use hitscan::glam::{DAffine3, DVec3};
use hitscan::primitives::{
    ConvexRegion, closest_point_on_triangle, generate, glam::DMat3, triangle_overlaps_box,
};
use hitscan::scene::{
    Instance, InstanceId, Mesh, QueryOptions, Scene, SceneBruteForce, SceneTriangle, WorldBox,
    WorldRegion,
};
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
            scene.overlapping_into(&region, &options, &mut found);
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

/// A house of 4 m in metres of a map, which its instance moves home. Near 5e6, f32 has steps of 1/2 m.
#[test]
fn insides_and_distances_keep_f64_where_the_coordinates_of_the_mesh_are_large() {
    let cube = generate::cuboid(4.0, 4.0, 4.0, 0).expect("an ordinary size");
    let away = DVec3::new(5e6, 5e6, 0.0);
    let positions = cube.positions().iter().map(|&p| p + (away + 2.0).as_vec3());
    let mesh = cube.with_positions(positions).expect("they are finite");
    let mut scene = Scene::new();
    let mesh = std::sync::Arc::new(Mesh::new(mesh, &hitscan::BuildOptions::default()));
    let home = DAffine3::from_translation(-away);
    let id = scene.insert(Instance::new(mesh, home)).expect("it is invertible");
    let options = QueryOptions::default();
    let brute = SceneBruteForce::new(&scene);
    for (x, inside) in [(0.2, true), (-0.2, false), (3.9, true), (4.1, false), (1e-6, true)] {
        let point = [x, 2.0, 2.0];
        let around = scene.instances_containing(point, &options);
        assert_eq!(around, if inside { vec![id] } else { vec![] }, "{x}");
        assert_eq!(around, brute.instances_containing(point, &options), "{x}");
        let expected = (f64::max(-x, x - 4.0), scene.signed_distance(point, &options));
        let found = expected.1.expect("there is a surface");
        assert!((found - expected.0).abs() < 1e-8, "{x}: {found}");
    }
}

#[test]
fn insides_equal_the_loop_over_all_instances() {
    let (mut n_inside, mut n_asked) = (0, 0);
    for seed in 0..effort(20) {
        let mut rng = Rng::new(seed);
        let origin = if seed % 2 == 0 { DVec3::ZERO } else { DVec3::new(1e7, -1e7, 1e7) };
        let scene = random_scene(&mut rng, 40, origin);
        let brute = SceneBruteForce::new(&scene);
        let corners = world_corners_of_all(&scene);
        for _ in 0..60 {
            // Between two corners, in three of four cases near one.
            let [a, b] = [rng.pick(&corners), rng.pick(&corners)];
            let point = a.lerp(b, rng.pick(&[0.5, 1e-2, 1e-5, 1e-9]));
            for include_hidden in [false, true] {
                let options = QueryOptions { include_hidden, ..QueryOptions::default() };
                let around = scene.instances_containing(point, &options);
                assert_eq!(around, brute.instances_containing(point, &options), "{seed}, {point}");
                let distance = scene.signed_distance(point, &options);
                let is_negative = distance.is_some_and(|distance| distance < 0.0);
                let is_off = distance != Some(0.0);
                assert_eq!(is_negative, !around.is_empty() && is_off, "{seed}, {point}");
                n_inside += usize::from(is_negative);
                n_asked += 1;
            }
        }
    }
    assert!(!is_whole_effort() || n_inside > n_asked / 20, "{n_inside} of {n_asked}");
}

/// The corners of all triangles in world space.
fn world_corners_of_all(scene: &Scene) -> Vec<DVec3> {
    let corners = |(id, instance): (_, &Instance)| {
        let world = scene.world_transform(id).expect("it is there");
        let mesh = instance.mesh.as_ref().map(|mesh| mesh.tri_mesh().clone()).unwrap_or_default();
        let n = mesh.triangles().len() as u32;
        let corners: Vec<DVec3> =
            (0..n).flat_map(|i| mesh.corners(i)).map(|p| p.as_dvec3()).collect();
        corners.into_iter().map(move |corner| world.transform_point3(corner))
    };
    scene.iter().flat_map(corners).collect()
}

#[test]
fn insides_are_those_of_the_closed_mesh_under_any_transform() {
    use hitscan::primitives::brute_force;
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
