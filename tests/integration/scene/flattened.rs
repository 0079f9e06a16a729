//! A scene answers like the mesh of all its triangles in the world. Normals and sides are those of f64
//! geometry, and the picks far from the origin are the same.

use hitscan::Side;
use hitscan::glam::{DVec3, Vec3};
use hitscan::primitives::WatertightRay;
use hitscan::scene::{InstanceId, Mesh, QueryOptions, Scene, SceneHit, WorldRay};
use hitscan_testkit::Rng;

use super::making::{moved_by, random_scene, random_triangle, vector, world_corners};
use crate::asking::effort;

/// Where a ray meets the plane of a triangle, in f64: `t`, the weights of the corners, and the cosine
/// of direction and normal.
fn meet_plane([a, b, c]: [DVec3; 3], ray: &WorldRay) -> (f64, [f64; 3], f64) {
    let normal = (b - a).cross(c - a);
    let t = (a - ray.origin).dot(normal) / ray.direction.dot(normal);
    // The weights of the point, moved to the triangle to keep them exact.
    let to_point = (ray.origin - a) + t * ray.direction;
    let squared = normal.length_squared();
    let v = (b - a).cross(to_point).dot(normal) / squared;
    let u = to_point.cross(c - a).dot(normal) / squared;
    (t, [1.0 - u - v, u, v], ray.direction.normalize().dot(normal.normalize()))
}

/// All included triangles that the ray meets in f64, by `t`. `None` if it passes so near an edge, or so
/// flat over a triangle, that f32 in the mesh's space may decide otherwise.
fn flattened_hits(
    scene: &Scene,
    triangles: &[(InstanceId, u32, [DVec3; 3])],
    ray: &WorldRay,
) -> Option<Vec<(f64, InstanceId, u32)>> {
    let mut hits = Vec::new();
    for &(id, triangle, corners) in triangles {
        let (t, weights, cosine) = meet_plane(corners, ray);
        if !t.is_finite() {
            continue;
        }
        let least = weights.into_iter().fold(f64::INFINITY, f64::min);
        // The distance from an edge, in world units, that f32 cannot resolve: a share of the instance's
        // size.
        let bounds = scene.world_bounds(id)?;
        let size = bounds.extent().length();
        let heights = [(0, 1, 2), (1, 2, 0), (2, 0, 1)].map(|(i, j, k)| {
            let edge = corners[k] - corners[j];
            weights[i].abs() * (corners[i] - corners[j]).cross(edge).length() / edge.length()
        });
        let nearest_edge = heights.into_iter().fold(f64::INFINITY, f64::min);
        let margin = 2e-6 * size / cosine.abs().max(1e-9);
        let is_near = least > -0.5 && nearest_edge < margin;
        let may_start_on = (t - ray.t_min).abs() * ray.direction.length() < margin;
        if is_near || (least > -1e-3 && (cosine.abs() < 1e-3 || may_start_on)) {
            return None;
        }
        if least > 0.0 && t >= ray.t_min && t <= ray.t_max {
            hits.push((t, id, triangle));
        }
    }
    hits.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(hits)
}

fn world_triangles(scene: &Scene) -> Vec<(InstanceId, u32, [DVec3; 3])> {
    let mut triangles = Vec::new();
    for (id, instance) in scene.iter() {
        let Some(mesh) = &instance.mesh else { continue };
        for triangle in 0..mesh.tri_mesh().triangles().len() as u32 {
            if !mesh.tri_mesh().is_degenerate(triangle) {
                triangles.push((id, triangle, world_corners(scene, id, triangle)));
            }
        }
    }
    triangles
}

const EVERYTHING: QueryOptions<'static> = QueryOptions {
    faces: hitscan::Faces::Both,
    mode: hitscan::HitMode::EveryTriangle,
    layers: u32::MAX,
    ignore: &[],
    include_hidden: true,
    include_locked: true,
};

#[test]
fn a_scene_equals_its_flattened_mesh() {
    let (mut n_rays, mut n_checked, mut n_hits) = (0, 0, 0);
    for seed in 0..effort(100) {
        let mut rng = Rng::new(seed);
        // Scenes of closed meshes and cubes, because soups have triangles that f32 itself cannot
        // resolve.
        let scene = ordinary_scene(&mut rng, 12, DVec3::ZERO);
        let triangles = world_triangles(&scene);
        for _ in 0..100 {
            let Some((id, triangle)) = random_triangle(&scene, &mut rng) else { continue };
            let [a, b, c] = world_corners(&scene, id, triangle);
            let (u, v) = (f64::from(rng.unit()), f64::from(rng.unit()));
            let target = a + u * (b - a) + v * (c - a);
            let direction = rng.direction().as_dvec3();
            let distance = 10f64.powf(f64::from(rng.between(-1.0, 3.0)));
            let ray = WorldRay::new(target - distance * direction, direction);
            n_rays += 1;
            let Some(expected) = flattened_hits(&scene, &triangles, &ray) else { continue };
            n_checked += 1;
            n_hits += expected.len();
            let found = scene.all_hits(&ray, &EVERYTHING);
            let context = format!("seed {seed}, {ray:?}: {found:?}, {expected:?}");
            assert_eq!(found.len(), expected.len(), "{context}");
            // Neighbours closer than rounding may come in another order.
            for hit in &found {
                let same = |&&(_, id, triangle): &&(f64, InstanceId, u32)| {
                    (id, triangle) == (hit.instance, hit.triangle())
                };
                let (t, ..) = *expected.iter().find(same).expect(&context);
                let scale = t.abs() + scene.bounds().extent().max_element();
                let slope = local_slope(&scene, &ray, hit);
                assert!((hit.t - t).abs() <= 1e-6 * scale / slope, "{slope}, {context}");
                check_details(&scene, &ray, hit, &context);
            }
            if let (Some(first), [(t0, ..), (t1, ..), ..]) = (found.first(), &expected[..])
                && t1 - t0 > 1e-5 * (1.0 + t0.abs())
            {
                assert_eq!((first.instance, first.triangle()), (expected[0].1, expected[0].2));
            }
        }
    }
    assert!(n_checked * 10 > n_rays * 7, "{n_checked} of {n_rays} rays are far from every edge");
    assert!(n_hits > n_checked, "{n_hits} hits of {n_checked} rays");
}

/// The cosine of direction and normal in the mesh's own space, where rounding happens. There the error
/// along a grazing ray is larger by the inverse of this cosine.
fn local_slope(scene: &Scene, ray: &WorldRay, hit: &SceneHit) -> f64 {
    let local = scene.local_ray(hit.instance, ray).expect("it hits").ray;
    let mesh = scene.get(hit.instance).and_then(|instance| instance.mesh.as_ref());
    let normal = mesh.expect("it was hit").tri_mesh().unit_normal(hit.triangle());
    let normal = normal.expect("closed shapes have no triangle of zero area");
    local.direction.as_dvec3().normalize().dot(normal).abs()
}

/// A random scene without its soups.
fn ordinary_scene(rng: &mut Rng, n: usize, origin: DVec3) -> Scene {
    let mut scene = random_scene(rng, n, origin);
    let ids: Vec<InstanceId> = scene.iter().map(|(id, _)| id).collect();
    for id in ids {
        let mesh = scene.get(id).and_then(|instance| instance.mesh.clone());
        let is_soup = |mesh: &Mesh| {
            let extent = mesh.tri_mesh().bounds();
            extent.extent().max_element() < extent.max_abs_coordinate() * 0.5
                || mesh.tri_mesh().positions().len() == 3 * mesh.tri_mesh().triangles().len()
        };
        if mesh.is_some_and(|mesh| is_soup(&mesh)) {
            scene.set_mesh(id, None).expect("it is there");
        }
    }
    scene
}

/// Compares point, normal and side of a hit with the triangle in the world.
fn check_details(scene: &Scene, ray: &WorldRay, hit: &SceneHit, context: &str) {
    let details = scene.describe(hit).expect(context);
    let [a, b, c] = world_corners(scene, hit.instance, hit.triangle());
    let is_mirrored =
        scene.world_transform(hit.instance).expect(context).matrix3.determinant() < 0.0;
    // In a mirrored instance the corners have the other orientation, and outside stays outside.
    let sign = if is_mirrored { -1.0 } else { 1.0 };
    let normal = sign * (b - a).cross(c - a).normalize();
    let found = details.normal().expect(context);
    assert!(found.distance(normal) < 1e-5, "{normal}, {found}, {context}");
    let side = if ray.direction.dot(normal) < 0.0 { Side::Front } else { Side::Back };
    assert_eq!(details.side(), side, "{context}");
    let (t, weights, _) = meet_plane([a, b, c], ray);
    let point = ray.at(t);
    let size = scene.world_bounds(hit.instance).expect(context).extent().length();
    let slope = ray.direction.normalize().dot(normal).abs();
    assert!(details.point().distance(point) <= 2e-5 * size / slope, "{point}, {context}");
    // On the plane of the triangle, as exactly as f64 allows.
    let off_plane = (details.point() - a).dot(normal).abs();
    assert!(off_plane <= 1e-9 * (size + point.length()), "{off_plane}, {context}");
    if weights.iter().all(|&weight| weight > 0.01) {
        let nearest = details.nearest_vertex();
        assert!([a, b, c].iter().any(|p| p.distance(details.point()) >= nearest.distance));
    }
}

#[test]
fn the_same_scene_ten_million_units_away_gives_the_same_picks() {
    // The offset, and every position up to it, is exact in f64.
    let offset = DVec3::new(1e7, -2e7, 3e7);
    let mut n_hits = 0;
    for seed in 0..effort(60) {
        let mut rng = Rng::new(seed);
        let near = ordinary_scene(&mut rng, 20, DVec3::ZERO);
        // Transforms with few enough digits that the offset rounds nothing away.
        let (near, far) = (rounded_scene(&near, DVec3::ZERO), rounded_scene(&near, offset));
        for _ in 0..100 {
            let Some((id, triangle)) = random_triangle(&near, &mut rng) else { continue };
            let target = world_corners(&near, id, triangle)[0] + 0.1 * vector(&mut rng);
            let origin = (target - 8.0 * rng.direction().as_dvec3()).as_vec3();
            let origin = short(origin.as_dvec3());
            let direction = short(target - origin);
            if direction == DVec3::ZERO {
                continue;
            }
            let ray = WorldRay::new(origin, direction);
            let far_ray = WorldRay::new(origin + offset, direction);
            let (found, expected) =
                (far.closest_hit(&far_ray, &EVERYTHING), near.closest_hit(&ray, &EVERYTHING));
            assert_eq!(found, expected, "seed {seed}, {ray:?}");
            if let Some(hit) = found {
                n_hits += 1;
                let point = |scene: &Scene| scene.describe(&hit).expect("it is there").point();
                let distance = (point(&far) - offset).distance(point(&near));
                assert!(distance < 1e-7, "seed {seed}: {distance}");
            }
        }
    }
    assert!(n_hits as u64 > 30 * effort(60), "the rays hit too little: {n_hits}");
}

/// A vector with 20 bits behind the point.
fn short(v: DVec3) -> DVec3 {
    const SCALE: f64 = (1 << 20) as f64;
    (v * SCALE).round() / SCALE
}

/// The same instances without parents, their transforms rounded, moved by `offset`.
fn rounded_scene(scene: &Scene, offset: DVec3) -> Scene {
    let mut rounded = Scene::new();
    for (id, instance) in scene.iter() {
        let mut transform = scene.world_transform(id).expect("it is there");
        transform.translation = short(transform.translation);
        let instance = hitscan::scene::Instance {
            transform: moved_by(offset) * transform,
            parent: None,
            ..instance.clone()
        };
        rounded.insert(instance).expect("it is invertible");
    }
    rounded
}

#[test]
fn a_hit_from_very_far_is_as_exact_as_one_from_near() {
    let mut n_hits = 0;
    for seed in 0..effort(100) {
        let mut rng = Rng::new(seed);
        let scene = ordinary_scene(&mut rng, 6, DVec3::ZERO);
        let Some((id, triangle)) = random_triangle(&scene, &mut rng) else { continue };
        let [a, b, c] = world_corners(&scene, id, triangle);
        let (target, direction) = ((a + b + c) / 3.0, rng.direction().as_dvec3());
        for distance in [1.0, 1e3, 1e6, 1e9] {
            let ray = WorldRay::new(target - distance * direction, direction);
            for hit in scene.all_hits(&ray, &EVERYTHING) {
                let point = scene.describe(&hit).expect("it is there").point();
                let size = scene.world_bounds(hit.instance).expect("it is there").extent().length();
                let normal = scene.describe(&hit).expect("it is there").normal();
                let slope = normal.map_or(0.0, |normal| normal.dot(direction).abs());
                if slope > 0.1 {
                    n_hits += 1;
                    let off_ray = (point - ray.origin).cross(direction).length();
                    let slope = local_slope(&scene, &ray, &hit);
                    let allowed = 1e-5 * size / slope + 1e-14 * distance;
                    assert!(off_ray < allowed, "seed {seed}, {distance}: {off_ray}, {size}");
                }
            }
        }
    }
    assert!(n_hits as u64 > effort(100), "the rays hit too little: {n_hits}");
}

#[test]
fn a_ray_from_a_safe_origin_does_not_hit_its_surface_again() {
    let (mut n_unsafe, mut n_rays, mut n_flat) = (0, 0, 0);
    // Triangles of zero area are rare: fewer scenes might have none.
    for seed in 0..effort(100).max(100) {
        let mut rng = Rng::new(seed);
        let far = if rng.one_in(2) { DVec3::ZERO } else { vector(&mut rng) * 1e7 };
        let scene = random_scene(&mut rng, 10, far);
        for _ in 0..100 {
            let ray = super::making::random_ray(&scene, &mut rng);
            let Some(hit) = scene.closest_hit(&ray, &EVERYTHING) else { continue };
            let details = scene.describe(&hit).expect("it is there");
            if details.mesh().tri_mesh().query_scale() != 1.0 {
                continue;
            }
            let direction = rng.direction().as_dvec3();
            let safe = details.safe_origin(direction);
            assert!(safe.offset.is_finite() && safe.offset > 0.0, "seed {seed}: {safe:?}");
            assert!(safe.point.distance(details.point()) <= 1.2 * safe.offset, "seed {seed}");
            n_flat += usize::from(details.normal().is_none());
            let again = |origin: DVec3| {
                let ray = WorldRay::new(origin, direction);
                let is_same = |other: &SceneHit| {
                    (other.instance, other.triangle()) == (hit.instance, hit.triangle())
                };
                scene.is_occluded_where(&ray, &EVERYTHING, is_same)
            };
            n_rays += 1;
            n_unsafe += usize::from(again(details.point()));
            assert!(!again(safe.point), "seed {seed}, {ray:?}, {direction}");
        }
    }
    assert!(n_unsafe * 10 > n_rays, "the point itself is met {n_unsafe} times of {n_rays}");
    assert!(n_flat > 0, "no triangle of zero area was met");
}

#[test]
fn the_hits_of_an_instance_are_those_of_its_local_ray() {
    // The same rule in other words: a hit is one of the reference test on the local ray.
    let mut rng = Rng::new(21);
    let scene = random_scene(&mut rng, 20, DVec3::ZERO);
    let mut n_hits = 0;
    for _ in 0..500 {
        let ray = super::making::random_ray(&scene, &mut rng);
        let Some(hit) = scene.closest_hit(&ray, &EVERYTHING) else { continue };
        let local = scene.local_ray(hit.instance, &ray).expect("it hits");
        let mesh = scene.get(hit.instance).and_then(|instance| instance.mesh.clone());
        let mesh = mesh.expect("it was hit");
        if mesh.tri_mesh().query_scale() != 1.0 {
            continue;
        }
        let corners: [Vec3; 3] = mesh.tri_mesh().corners(hit.triangle());
        let found = WatertightRay::new(&local.ray).and_then(|ray| ray.intersect(corners));
        assert_eq!(found.map(|found| found.t), Some(hit.local.t));
        assert_eq!(local.world_t(hit.local.t), hit.t);
        n_hits += 1;
    }
    assert!(n_hits > 200, "{n_hits}");
}
