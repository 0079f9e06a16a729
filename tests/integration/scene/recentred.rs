//! Files in coordinates that f32 cannot hold, as a mesh and in scenes.

use std::sync::Arc;

use hitscan::glam::{DAffine3, DQuat, DVec3};
use hitscan::scene::{Instance, Mesh, QueryOptions, Scene, SceneBruteForce, WorldRay};
use hitscan::{BuildOptions, Faces, Format, LoadOptions, TriMesh, parse};
use hitscan_testkit::Rng;

/// A cube of side 8 in UTM metres.
const HOUSE: &str = "v 507960.880 5039558.630 35.040\nv 507968.880 5039558.630 35.040
v 507960.880 5039566.630 35.040\nv 507968.880 5039566.630 35.040
v 507960.880 5039558.630 43.040\nv 507968.880 5039558.630 43.040
v 507960.880 5039566.630 43.040\nv 507968.880 5039566.630 43.040
f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
const CORNER: DVec3 = DVec3::new(507_960.88, 5_039_558.63, 35.04);
/// Twice the rounding of f32 within 8 units, and of f64 at the corner.
const TOLERANCE: f64 = 2e-6;

fn house() -> TriMesh {
    let loaded = parse(HOUSE.as_bytes(), "house.obj", Format::Obj, &LoadOptions::default());
    loaded.expect("it is an OBJ file").into_mesh().expect("it has one mesh")
}

fn built() -> Arc<Mesh> {
    Arc::new(Mesh::new(house(), &BuildOptions::default()))
}

/// A ray 0.1 inside the wall at the smallest x, and one 0.1 outside of it.
fn rays_beside_the_wall() -> [WorldRay; 2] {
    let down = |x: f64| WorldRay::new(CORNER + DVec3::new(x, 3.3, 108.0), [0.0, 0.0, -1.0]);
    [down(0.1), down(-0.1)]
}

#[test]
fn a_mesh_takes_rays_and_gives_points_in_the_coordinates_of_its_file() {
    let mesh = built();
    let [inside, outside] = rays_beside_the_wall();
    let hit_of = |ray: &WorldRay| {
        let local = mesh.local_ray(ray).expect("it is valid");
        let hit = mesh.bvh().closest_hit(&local.ray, Faces::Both)?;
        Some((local.world_t(hit.t), mesh.tri_mesh().offset() + mesh.tri_mesh().point(&hit)))
    };
    let (t, point) = hit_of(&inside).expect("the ray meets the roof");
    assert!((t - 100.0).abs() < TOLERANCE, "{t}");
    assert!(point.distance(inside.at(100.0)) < TOLERANCE, "{point}");
    assert_eq!(hit_of(&outside), None);
    assert!(mesh.local_ray(&WorldRay::new([f64::NAN; 3], [1.0, 0.0, 0.0])).is_none());
}

#[test]
fn an_instance_without_a_transform_stands_where_the_file_says() {
    let mut scene = Scene::new();
    let id = scene.insert(Instance::new(built(), DAffine3::IDENTITY)).expect("it is finite");
    assert_eq!(scene.world_transform(id), Some(DAffine3::IDENTITY));
    let [inside, outside] = rays_beside_the_wall();
    let options = QueryOptions::default();
    let hit = scene.closest_hit(&inside, &options).expect("the ray meets the roof");
    let details = scene.describe(&hit).expect("it is there");
    assert!(details.point().distance(inside.at(100.0)) < TOLERANCE);
    assert_eq!(details.normal(), Some(DVec3::Z));
    assert!(scene.closest_hit(&outside, &options).is_none());
    let bounds = scene.world_bounds(id).expect("it is there");
    assert!(bounds.min.distance(CORNER) < 0.01 && bounds.max.distance(CORNER + 8.0) < 0.01);
    // The scan of all triangles agrees, and so does the local ray.
    let scan = SceneBruteForce::new(&scene);
    assert_eq!(scan.closest_hit(&inside, &options), Some(hit));
    assert_eq!(built().local_ray(&inside), scene.local_ray(id, &inside));
}

#[test]
fn points_are_measured_in_the_coordinates_of_the_file() {
    let mut scene = Scene::new();
    scene.insert(Instance::new(built(), DAffine3::IDENTITY)).expect("it is finite");
    let options = QueryOptions::default();
    let from = CORNER + DVec3::new(-0.25, 3.0, 4.0);
    let nearest = scene.closest_point(from, f64::INFINITY, &options).expect("there is a wall");
    assert!((nearest.distance - 0.25).abs() < TOLERANCE, "{}", nearest.distance);
    assert!(nearest.point.distance(from + DVec3::X * 0.25) < TOLERANCE);
}

#[test]
fn children_are_relative_to_the_coordinates_of_the_file() {
    let mut scene = Scene::new();
    let turn = DAffine3::from_rotation_translation(DQuat::from_rotation_z(0.3), DVec3::X * 7.0);
    let house = scene.insert(Instance::new(built(), turn)).expect("it is finite");
    let local = DAffine3::from_translation(CORNER);
    let child = Instance { parent: Some(house), ..Instance::new(Arc::default(), local) };
    let child = scene.insert(child).expect("it is finite");
    assert_eq!(scene.world_transform(child), Some(turn * local));
    scene.set_world_transform(child, DAffine3::IDENTITY).expect("it is finite");
    let world = scene.world_transform(child).expect("it is there");
    assert!(world.translation.length() < 1e-8, "{world:?}");
    // A moved house takes the offset with it.
    scene.set_world_transform(house, DAffine3::from_translation(-CORNER)).expect("it is finite");
    let ray = WorldRay::new([4.0, 3.3, 108.0], [0.0, 0.0, -1.0]);
    let hit = scene.closest_hit(&ray, &QueryOptions::default()).expect("the ray meets the roof");
    assert!((hit.t - 100.0).abs() < TOLERANCE, "{}", hit.t);
}

#[test]
fn local_rays_of_a_mesh_are_those_of_an_instance_to_the_bit() {
    let (mesh, mut scene) = (built(), Scene::new());
    let id = scene.insert(Instance::new(mesh.clone(), DAffine3::IDENTITY)).expect("finite");
    let mut rng = Rng::new(72);
    let mut vector = || rng.in_cube().as_dvec3();
    for _ in 0..2_000 {
        let ray = WorldRay::new(CORNER + 4.0 + 300.0 * vector(), vector());
        assert_eq!(mesh.local_ray(&ray), scene.local_ray(id, &ray));
    }
}
