//! The answers far from the origin that the tests of Python and the web package expect, in one file.
//!
//! `HITSCAN_WRITE_EXPECTED=1 cargo test -p hitscan-testkit --test integration recentred_bindings` writes it anew.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use hitscan::glam::{DAffine3, DVec3};
use hitscan::primitives::generate;
use hitscan::scene::{Instance, Mesh, QueryOptions, Scene, SceneHit, WorldRay};
use hitscan::{BuildOptions, Format, HitMode, LoadOptions, Side, parse};
use hitscan_testkit::Rng;
use serde_json::{Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../bindings/recentred.json");
/// A place in UTM metres, where f32 has steps of 0.5.
const CENTER: DVec3 = DVec3::new(507_964.88, 5_039_562.63, 39.04);
const RADIUS: f64 = 4.0;
const N_RAYS: usize = 64;
const N_POINTS: usize = 16;

/// A ball in millimetres.
fn ball() -> String {
    let mesh = generate::sphere(1.0, 120).expect("the size is small");
    let mut obj = String::new();
    for position in mesh.positions() {
        let [x, y, z] = (CENTER + RADIUS * position.as_dvec3()).to_array();
        writeln!(obj, "v {x:.3} {y:.3} {z:.3}").expect("a string takes everything");
    }
    for [a, b, c] in mesh.triangles().iter().map(|corners| corners.map(|index| index + 1)) {
        writeln!(obj, "f {a} {b} {c}").expect("a string takes everything");
    }
    obj
}

/// Rays from nearby, from inside, at vertices, and from a million units away.
fn rays(mesh: &Mesh) -> Vec<WorldRay> {
    let mut rng = Rng::new(42);
    let vertices = mesh.tri_mesh().positions().len();
    let ray = |i: usize| {
        let mut vector = || rng.in_cube().as_dvec3();
        let from = CENTER + [12.0, 1.0, 9.0, 1e6][i % 4] * vector();
        let to = match i % 3 {
            0 => mesh.tri_mesh().file_position((7 * i % vertices) as u32),
            _ => CENTER + 3.0 * vector(),
        };
        let longest = [1.0, 0.75, 1e9][i % 5 % 3];
        WorldRay::new(from, to - from).with_range([0.0, -2.0][i / 4 % 2], longest)
    };
    (0..N_RAYS).map(ray).collect()
}

fn hit(scene: &Scene, hit: &SceneHit) -> Value {
    let point = scene.describe(hit).expect("the instance is there").point();
    let SceneHit { t, local, .. } = hit;
    json!({
        "t": t, "u": f64::from(local.u), "v": f64::from(local.v), "triangle": local.triangle,
        "front": local.side == Side::Front, "point": point.to_array(),
    })
}

/// The answers as the command line gives them: rays through a scene, points relative to the offset.
fn expected() -> Value {
    let obj = ball();
    let loaded = parse(obj.as_bytes(), "ball.obj", Format::Obj, &LoadOptions::default());
    let mesh = loaded.expect("it is an OBJ file").into_mesh().expect("it has one mesh");
    let mesh = Arc::new(Mesh::new(mesh, &BuildOptions::default()));
    let mut scene = Scene::new();
    scene.insert(Instance::new(mesh.clone(), DAffine3::IDENTITY)).expect("it is finite");
    let options = QueryOptions::default();
    let once = QueryOptions { mode: HitMode::OncePerCrossing, ..options };
    let rays = rays(&mesh);
    let of_each = |answer: &dyn Fn(&WorldRay) -> Value| rays.iter().map(answer).collect::<Value>();
    let list = |hits: Vec<SceneHit>| hits.iter().map(|one| hit(&scene, one)).collect::<Value>();
    let mut rng = Rng::new(43);
    let points: Vec<DVec3> =
        (0..N_POINTS).map(|_| CENTER + 8.0 * rng.in_cube().as_dvec3()).collect();
    let offset = mesh.tri_mesh().offset();
    let nearest = points.iter().map(|&point| {
        let local = (point - offset).as_vec3();
        let found = mesh.bvh().closest_point(local, f64::INFINITY).expect("there is a surface");
        json!({
            "distance": found.distance, "point": (found.point + offset).to_array(),
            "u": f64::from(found.u), "v": f64::from(found.v), "triangle": found.triangle,
        })
    });
    json!({
        "offset": offset.to_array(),
        "bounds": mesh.tri_mesh().file_bounds().expect("it has triangles").map(|corner| corner.to_array()),
        "rays": rays.iter().map(|ray| {
            let [x, y, z] = ray.origin.to_array();
            let [dx, dy, dz] = ray.direction.to_array();
            json!([x, y, z, dx, dy, dz, ray.t_min, ray.t_max])
        }).collect::<Value>(),
        "closest": of_each(&|ray| scene.closest_hit(ray, &options).map(|one| hit(&scene, &one)).into()),
        "all": of_each(&|ray| list(scene.all_hits(ray, &options))),
        "once": of_each(&|ray| list(scene.all_hits(ray, &once))),
        "occluded": of_each(&|ray| scene.is_occluded(ray, &options).into()),
        "crossings": of_each(&|ray| scene.count_crossings(ray, &options).into()),
        "points": points.iter().map(|point| json!(point.to_array())).collect::<Value>(),
        "nearest": nearest.collect::<Value>(),
        "inside": points.iter().map(|&point| {
            Value::from(mesh.winding_tree().is_inside((point - offset).as_vec3()))
        }).collect::<Value>(),
        "obj": obj,
    })
}

#[test]
fn the_expectations_of_the_bindings_are_the_answers_of_a_scene() {
    let expected = expected();
    assert!(
        expected["closest"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|hit| hit.is_object())
            .count()
            > 30
    );
    let text = serde_json::to_string(&expected).expect("it has finite numbers") + "\n";
    let file = Path::new(FILE);
    if std::env::var_os("HITSCAN_WRITE_EXPECTED").is_some() {
        std::fs::write(file, &text).expect("the folder is there");
    }
    let found = std::fs::read_to_string(file).expect("bindings/recentred.json is committed");
    assert!(found == text, "bindings/recentred.json differs; see the head of this test");
}
