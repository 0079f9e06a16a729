//! From pixels to points and back, in every convention, near the origin and ten million units away.

use hitscan::picking::{Camera, PickOptions, Picker, Projection, Viewport};
use hitscan::primitives::glam::DVec3;
use hitscan::scene::QueryOptions;
use hitscan_testkit::Rng;

use crate::asking::effort;

use super::making::{Eye, STYLES, ids, part, scene, vector};

const ORIGINS: [DVec3; 2] = [DVec3::ZERO, DVec3::new(1e7, -0.7e7, 1.3e7)];

/// A surface point appears at the oracle's pixel, and the ray of that pixel hits its face there.
#[test]
fn a_surface_point_is_hit_through_its_own_pixel() {
    for seed in 0..effort(20) {
        for style in STYLES {
            for origin in ORIGINS {
                let mut rng = Rng::new(seed);
                let scene = scene(&mut rng, origin);
                let eye = Eye::random(&mut rng, style, origin, 700.0);
                for from_world in [false, true] {
                    check_points(&scene, &eye, from_world, &mut rng, seed);
                }
            }
        }
    }
}

fn check_points(
    scene: &hitscan::scene::Scene,
    eye: &Eye,
    from_world: bool,
    rng: &mut Rng,
    seed: u64,
) {
    let view = eye.view(from_world);
    // A matrix relative to the world's origin has lost 1e-9 units of the camera's position.
    let exact = if from_world { 1e-5 } else { 1e-6 };
    let ids = ids(scene);
    for _ in 0..20 {
        let id = rng.pick(&ids);
        let (mesh, world) = part(scene, id);
        let triangle = rng.below(mesh.triangles().len()) as u32;
        let [a, b, c] = mesh.corners(triangle).map(|p| world.transform_point3(p.as_dvec3()));
        let (u, v) = (f64::from(rng.unit()), f64::from(rng.unit()));
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        let point = a + u * (b - a) + v * (c - a);
        let at = eye.in_camera_space(point);
        // On the planes themselves rounding decides.
        if (at.z - eye.near).abs() < 1e-6 || (at.z - eye.far).abs() < 1e-6 {
            continue;
        }
        let told = format!("seed {seed}, {eye:?}, from_world {from_world}, {id} {triangle}");
        let Some(seen) = view.project(point) else {
            assert!(!eye.is_between_planes(at), "{told}: {at} is not seen");
            continue;
        };
        assert!(eye.is_between_planes(at), "{told}: {at} is seen");
        let pixel = eye.pixel(at);
        let bound = exact * (1.0 + pixel.length());
        assert!(seen.pixel.distance(pixel) <= bound, "{told}: {} is not {pixel}", seen.pixel);

        // At a grazing angle, or near an edge, one pixel shows many points.
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let ray = view.ray(seen.pixel);
        let cos = normal.dot(ray.direction).abs();
        let inner = u.min(v).min(1.0 - u - v);
        if cos < 0.05 || inner < 0.01 || mesh.is_degenerate(triangle) {
            continue;
        }
        let hits = scene.all_hits(&ray, &QueryOptions::default());
        let hit = hits.iter().find(|hit| hit.instance == id && hit.triangle() == triangle);
        let hit = hit.unwrap_or_else(|| panic!("{told}: not hit through {}", seen.pixel));
        assert!((hit.t - seen.distance).abs() < 1e-4, "{told}: {} is not {seen:?}", hit.t);
        assert!(ray.at(hit.t).distance(point) < 1e-4, "{told}");
    }
}

/// Depths at the planes follow the convention of the matrix: 0 and 1, 1 and 0, or -1 and 1.
#[test]
fn depth_runs_from_the_near_to_the_far_plane_as_the_convention_says() {
    for style in STYLES {
        let mut rng = Rng::new(3);
        let eye = Eye::random(&mut rng, style, DVec3::ZERO, 300.0);
        let view = eye.view(false);
        let depth_at = |z: f64| {
            let point = eye.position + z * eye.axes[2];
            view.project(point).expect("it is between the planes").depth
        };
        use super::making::Style::*;
        let (near, far) = match style {
            Wgpu | WgpuInfinite | Vulkan | LeftHanded | Orthographic => (0.0, 1.0),
            Reversed | ReversedInfinite | OrthographicReversed => (1.0, 0.0),
            OpenGl | ThreeJs | OrthographicGl => (-1.0, 1.0),
        };
        let last = if eye.far.is_finite() { eye.far * (1.0 - 1e-12) } else { 1e12 };
        assert!((depth_at(eye.near * (1.0 + 1e-12)) - near).abs() < 1e-9, "{style:?}");
        assert!((depth_at(last) - far).abs() < 1e-9, "{style:?}");
        let ray = view.ray(eye.viewport.center());
        let length = eye.far - eye.near;
        assert!(ray.t_max == length || (ray.t_max - length).abs() < 1e-6, "{style:?}: {ray:?}");
    }
}

/// The far plane must be finite without perspective; with it, nothing may be behind the eye.
#[test]
fn cameras_that_see_nothing_are_errors() {
    let viewport = Viewport::from_size(100.0, 50.0);
    let good = Camera::look_at([0.0, 0.0, 5.0], [0.0; 3]);
    assert!(good.view(viewport).is_ok());
    let parallel = Projection::Orthographic { height: 2.0 };
    for (bad, expected) in [
        (Camera { target: good.eye, ..good }, "no direction"),
        (Camera { up: DVec3::Z, ..good }, "no direction"),
        (Camera { near: 0.0, ..good }, "near is 0"),
        (Camera { far: 0.0, ..good }, "far is 0"),
        (Camera { projection: parallel, ..good }, "far is inf"),
        (
            Camera { projection: Projection::Perspective { fov_y_radians: 4.0 }, ..good },
            "between 0 and pi",
        ),
    ] {
        let error = bad.view(viewport).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
    let flat = good.view(Viewport::from_size(100.0, 0.0)).expect_err("no area").to_string();
    assert!(flat.contains("[100.0, 0.0]"), "{flat}");
}

/// A camera from numbers equals a camera from the matrix of the same numbers.
#[test]
fn a_camera_by_numbers_is_the_camera_by_its_matrix() {
    let mut rng = Rng::new(5);
    for _ in 0..100 {
        for style in [super::making::Style::WgpuInfinite, super::making::Style::Orthographic] {
            let eye = Eye::random(&mut rng, style, ORIGINS[1], 400.0);
            let projection = if style.is_parallel() {
                Projection::Orthographic { height: 2.0 * eye.half_height }
            } else {
                Projection::Perspective { fov_y_radians: 2.0 * eye.half_height.atan() }
            };
            let camera = Camera {
                eye: eye.position,
                target: eye.position + 3.0 * eye.axes[2],
                up: eye.axes[1],
                projection,
                near: eye.near,
                far: eye.far,
            };
            let (by_numbers, by_matrix) = (camera.view(eye.viewport).unwrap(), eye.view(false));
            let point = eye.position + 6.0 * eye.axes[2] + vector(&mut rng);
            let (a, b) = (by_numbers.project(point), by_matrix.project(point));
            assert_eq!(a.is_some(), b.is_some());
            if let (Some(a), Some(b)) = (a, b) {
                assert!(a.pixel.distance(b.pixel) < 1e-6 && (a.depth - b.depth).abs() < 1e-9);
            }
        }
    }
}

/// A pixel that is not finite picks nothing.
#[test]
fn a_pixel_that_is_not_finite_picks_nothing() {
    let mut rng = Rng::new(1);
    let scene = scene(&mut rng, DVec3::ZERO);
    let view = Eye::random(&mut rng, STYLES[0], DVec3::ZERO, 100.0).view(false);
    let picker = Picker::new(&scene, &view);
    let options = PickOptions { radius: 1e3, ..PickOptions::default() };
    for pixel in [[f64::NAN, 5.0], [5.0, f64::INFINITY]] {
        assert!(!view.ray(pixel).is_valid());
        assert_eq!(picker.pick(pixel, &options), None);
        assert!(picker.pick_all(pixel, &options).is_empty());
    }
}
