//! The details of a hit: names, polygons, vertices, edges, texture coordinates, holes; and meshes that
//! move.

use std::sync::Arc;

use hitscan::glam::{DAffine3, DQuat, DVec2, DVec3};
use hitscan::primitives::{brute_force, generate};
use hitscan::scene::{Instance, Mesh, QueryOptions, Scene, SceneError, WorldRay};
use hitscan::{AlphaMask, BuildOptions, Format, LoadOptions, MeshError, parse};
use hitscan_testkit::Rng;

use super::making::{bits, moved_by, vector};

/// A square of side 4 as one polygon with a triangle beside it, and every record that a file can have.
const SIGN: &[u8] = b"o board
v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 6 2 0
vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1
vn 0 0 1\nvn 1 0 1\nvn 1 0 1\nvn 0 0 1
g face
usemtl paint
f 1/1/1 2/2/2 3/3/3 4/4/4
o tip
g end
usemtl wood
f 2 5 3
";

fn sign() -> Mesh {
    let loaded = parse(SIGN, "sign.obj", Format::Obj, &LoadOptions::default());
    let mesh = loaded.expect("it is an OBJ file").into_mesh().expect("it has one mesh");
    Mesh::new(mesh, &BuildOptions::default())
}

#[test]
fn a_hit_has_names_polygon_vertex_edge_and_normals() {
    let mut scene = Scene::new();
    let group = Instance { name: Some("street".into()), ..Instance::default() };
    let group = scene.insert(group).expect("a group");
    // Stretched twofold along x, mirrored, rotated and moved.
    let turn = DQuat::from_rotation_y(0.5);
    let transform = DAffine3::from_rotation_translation(turn, DVec3::new(5.0, 6.0, 7.0))
        * DAffine3::from_scale(DVec3::new(-2.0, 1.0, 1.0));
    let instance = Instance { parent: Some(group), ..Instance::new(Arc::new(sign()), transform) };
    let id = scene.insert(instance).expect("it is invertible");

    // At (1, 3.5) of the square: near the upper edge, and nearer to the diagonal of the fan.
    let at = |x: f64, y: f64| {
        let target = transform.transform_point3(DVec3::new(x, y, 0.0));
        let from = transform.transform_vector3(DVec3::new(0.0, 0.0, 3.0));
        let ray = WorldRay::new(target + from, -from);
        let hit = scene.closest_hit(&ray, &QueryOptions::default()).expect("it is aimed at");
        (scene.describe(&hit).expect("it is there"), target)
    };
    let (details, target) = at(2.0, 2.4);
    assert_eq!(details.path(), [group, id]);
    assert!(details.point().distance(target) < 1e-6);
    assert_eq!((details.polygon(), details.object()), (Some(0), Some("board")));
    assert_eq!((details.group(), details.material()), (Some("face"), Some("paint")));
    assert_eq!(details.line(), Some(17));
    assert!(details.uv().expect("it has some").distance(DVec2::new(0.5, 0.6)) < 1e-6);
    // The edges of the square are 1.6 away or more. The diagonal, 0.3 away, is not an edge. Distances
    // are those of the world, where x counts twice.
    let edge = details.nearest_edge().expect("a square has edges");
    assert_eq!(edge.vertices, [2, 3]);
    assert!((edge.distance - 1.6).abs() < 1e-6, "{}", edge.distance);
    // Both upper corners are equally near in the mesh and in the world: the first one counts.
    let (details, _) = at(1.9, 3.0);
    assert_eq!(details.nearest_vertex().vertex, 3);
    assert!((details.nearest_vertex().distance - 3.8_f64.hypot(1.0)).abs() < 1e-6);

    let (details, _) = at(2.0, 2.4);
    // By the inverse transpose: the interpolated normal (1/2, 0, 1) before the stretch, up to length.
    let front = turn * DVec3::Z;
    let normal = details.normal().expect("it has an area");
    assert!(normal.distance(front) < 1e-9, "{normal}");
    let (a, b) = (DVec3::Z, DVec3::new(1.0, 0.0, 1.0).normalize());
    let mean = (a + b) * 0.5;
    let expected = turn * (mean * DVec3::new(-0.5, 1.0, 1.0)).normalize();
    let found = details.interpolated_normal().expect("it has some");
    assert!(found.distance(expected) < 1e-6, "{found} {expected}");

    let (details, _) = at(5.0, 2.0);
    assert_eq!((details.polygon(), details.object()), (Some(1), Some("tip")));
    assert_eq!((details.material(), details.line()), (Some("wood"), Some(21)));
    assert_eq!((details.uv(), details.interpolated_normal()), (None, None));
    assert_eq!(details.alpha(), 255);

    let ray = WorldRay::new([5.0, 8.0, 20.0], [0.0, 0.0, -1.0]);
    let hit = scene.closest_hit(&ray, &QueryOptions::default()).expect("it is aimed at");
    scene.remove(id).expect("it is there");
    assert!(scene.describe(&hit).is_none(), "what it hit is gone");
}

#[test]
fn holes_let_rays_through() {
    let mut rng = Rng::new(1);
    let texels: Vec<u8> = (0..64).map(|_| rng.pick(&[0, 100, 255])).collect();
    let mask = Arc::new(AlphaMask::new(8, 8, texels).expect("64 texels"));
    let mesh = sign().with_alpha_masks(|name| (name == "paint").then(|| mask.clone()));
    let mesh = Arc::new(mesh);
    let mut scene = Scene::new();
    for z in 0..5 {
        let transform = moved_by(DVec3::new(0.3, 0.1, f64::from(z)));
        scene.insert(Instance::new(mesh.clone(), transform)).expect("it is invertible");
    }
    let options = QueryOptions::default();
    let mut counts = [0, 0, 0];
    for _ in 0..2000 {
        let origin = DVec3::new(3.0, 2.0, 10.0) + vector(&mut rng) * DVec3::new(3.0, 2.0, 1.0);
        let direction = DVec3::new(0.0, 0.0, -1.0) + 0.2 * vector(&mut rng);
        let ray = WorldRay::new(origin, direction);
        let all = scene.all_hits(&ray, &options);
        // The opacity at the point where the ray meets the plane of the sign.
        let is_solid = |hit: &&hitscan::scene::SceneHit| {
            let details = scene.describe(hit).expect("it is there");
            let local = details.point() - DVec3::new(0.3, 0.1, 0.0);
            local.x > 4.0 || mask.at(DVec2::new(local.x, local.y) / 4.0) >= 128
        };
        let expected = all.iter().find(is_solid).map(bits);
        let found = scene.closest_hit_where(&ray, &options, |hit| scene.is_opaque(hit, 128));
        assert_eq!(found.as_ref().map(bits), expected, "{ray:?}");
        counts[0] += usize::from(all.is_empty());
        counts[1] += usize::from(found.is_some());
        counts[2] += usize::from(found.as_ref().map(bits) != all.first().map(bits));
    }
    assert!(counts[1] > 500 && counts[2] > 300, "{counts:?}");
}

#[test]
fn a_moved_mesh_answers_like_one_built_there() {
    let flat = generate::grid(10.0, 10.0, 800).expect("an ordinary size");
    let mesh = Arc::new(Mesh::new(flat.clone(), &BuildOptions::default()));
    let mut scene = Scene::new();
    let moving = scene.insert(Instance::new(mesh.clone(), DAffine3::IDENTITY)).expect("good");
    let still = scene.insert(Instance::new(mesh, moved_by(DVec3::X * 20.0))).expect("good");
    let options = QueryOptions::default();
    let mut rng = Rng::new(2);
    let mut n_hits = 0;
    for step in 1..5 {
        let before = scene.clone();
        let positions = flat.positions();
        // Out of its old box, so that the tree must follow.
        let wave = positions.iter().map(|p| [p.x, step as f32 * (1.0 + p.x.sin()), p.z]);
        let moved = flat.with_positions(wave.clone()).expect("they are finite");
        scene.refit(moving, wave).expect("the same number of positions");
        for _ in 0..100 {
            let target = vector(&mut rng) * 5.0;
            let ray =
                WorldRay::new(target + DVec3::Y * 30.0, DVec3::NEG_Y + 0.1 * vector(&mut rng));
            let found = scene.closest_hit(&ray, &options).filter(|hit| hit.instance == moving);
            let local = scene.local_ray(moving, &ray).expect("it fits");
            let expected = brute_force::closest_hit(&moved, &local.ray, hitscan::Faces::Both);
            let to_bits = |hit: Option<hitscan::Hit>| hit.map(|hit| hit.to_bits());
            assert_eq!(to_bits(found.map(|hit| hit.local)), to_bits(expected), "step {step}");
            n_hits += usize::from(found.is_some());
            // Neither the snapshot nor the other instance moved.
            let other = WorldRay { origin: ray.origin + DVec3::X * 20.0, ..ray };
            if let Some(hit) = scene.closest_hit(&other, &options).filter(|h| h.instance == still) {
                let point = scene.describe(&hit).expect("it is there").point();
                assert!(point.y.abs() < 1e-9, "step {step}: {point}");
            }
            if step == 1
                && let Some(hit) = before.closest_hit(&ray, &options)
            {
                let point = before.describe(&hit).expect("it is there").point();
                assert!(point.y.abs() < 1e-9, "a snapshot moved: {point}");
            }
        }
    }
    assert!(n_hits > 300, "{n_hits}");

    let few = scene.refit(moving, [[0.0; 3]; 3]);
    let source = MeshError::PositionCount { found: 3, expected: flat.positions().len() };
    assert_eq!(few.err(), Some(SceneError::Mesh { instance: moving, source }));
    let group = scene.insert(Instance::default()).expect("a group");
    assert_eq!(scene.refit(group, [[0.0; 3]]).err(), Some(SceneError::NoMesh(group)));
}
