//! Cache files of scenes: the same scene, or an error.

use std::sync::Arc;

use glam::DAffine3;
use hitscan_bvh::{BuildOptions, BuildQuality};
use hitscan_cache::{
    BuiltScene, CacheErrorKind, SceneMaterials, is_cache, is_cache_file, is_scene_cache_file,
    load_scene, read, read_scene, save_scene, write_scene,
};
use hitscan_primitives::{Material, generate};
use hitscan_scene::{Instance, Mesh, QueryOptions, Scene, WorldRay};
use hitscan_testkit::{Rng, effort};

/// Two meshes, a group, equal names, a removed instance, and materials.
fn sample() -> BuiltScene {
    let mesh = |mesh| Arc::new(Mesh::new(mesh, &BuildOptions::default()));
    let ball = mesh(generate::sphere(1.0, 60).expect("an ordinary size"));
    let cube = mesh(generate::cuboid(1.0, 1.0, 1.0, 0).expect("an ordinary size"));
    let mut scene = Scene::new();
    let group = Instance { name: Some("group".into()), hidden: true, ..Instance::default() };
    let group = scene.insert(group).expect("it fits");
    let mut ids = Vec::new();
    for (i, mesh) in [&ball, &cube, &ball, &ball].into_iter().enumerate() {
        let transform = DAffine3::from_translation([3.0 * i as f64, 0.1, 1e7].into());
        let parent = (i == 3).then_some(group);
        let instance =
            Instance { parent, name: Some("it".into()), ..Instance::new(mesh.clone(), transform) };
        ids.push(scene.insert(instance).expect("it fits"));
    }
    scene.remove(ids[0]).expect("it is in the scene");
    let mut built = BuiltScene::new(scene);
    assert_eq!(built.meshes.len(), 2);
    built.meshes[0].materials = Some(0);
    built.meshes[1].name = "ball.obj".to_owned();
    built.materials.push(SceneMaterials {
        file: None,
        materials: vec![Material { name: "red".to_owned(), ..Material::default() }],
        embedded_textures: vec![(0, [1, 2, 3].into())],
    });
    built.remarks.push("one thing left out".to_owned());
    built.n_ignored = 1;
    built
}

fn bytes_of(built: &BuiltScene) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_scene(built, &mut bytes).expect("memory takes all of it");
    bytes
}

fn facts(built: &BuiltScene) -> Vec<String> {
    let scene = &built.scene;
    let order = |id| scene.insertion_order(id);
    let of = |id| {
        let instance = scene.get(id).expect("it is in the scene");
        let Instance { transform, parent, name, layers, hidden, locked, mesh } = instance;
        let mesh = mesh.as_ref().map(|mesh| mesh.tri_mesh().positions().to_vec());
        let rest = (parent.and_then(order), name, layers, hidden, locked);
        format!("{:?} {transform:?} {rest:?} {mesh:?}", order(id))
    };
    scene.depth_first().into_iter().map(of).collect()
}

#[test]
fn a_scene_comes_back_with_its_meshes_materials_and_numbers() {
    let built = sample();
    let bytes = bytes_of(&built);
    assert!(is_cache(&bytes));
    let again = read_scene(&bytes, "s").expect("what we write is right");
    assert_eq!(facts(&again), facts(&built));
    let mesh =
        |built: &BuiltScene, i: usize| (built.meshes[i].name.clone(), built.meshes[i].materials);
    assert_eq!([mesh(&again, 0), mesh(&again, 1)], [mesh(&built, 0), mesh(&built, 1)]);
    assert_eq!(again.meshes[0].quality, BuildQuality::default());
    assert_eq!(again.materials[0].materials, built.materials[0].materials);
    assert_eq!(again.materials[0].embedded_textures, built.materials[0].embedded_textures);
    assert_eq!((again.n_ignored, &again.remarks), (1, &built.remarks));
    let ray = WorldRay::new([3.1, 0.2, 1e7 + 5.0], [0.0, 0.0, -1.0]);
    let hit = |built: &BuiltScene| {
        let hit = built.scene.closest_hit(&ray, &QueryOptions::default()).expect("a cube is ahead");
        (hit.t.to_bits(), hit.insertion_order, hit.local.to_bits())
    };
    assert_eq!(hit(&again), hit(&built));
    // The second write is the first, byte for byte.
    assert!(bytes_of(&again) == bytes);
}

#[test]
fn files_of_scenes_and_of_meshes_are_told_apart() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("s.bin");
    save_scene(&sample(), &path).expect("the folder is writable");
    assert!(is_cache_file(&path) && is_scene_cache_file(&path));
    assert_eq!(facts(&load_scene(&path).expect("it is whole")), facts(&sample()));
    let error = read(&bytes_of(&sample()), "s").expect_err("it is a scene");
    assert!(matches!(error.kind, CacheErrorKind::IsAScene), "{error}");
    assert_eq!(error.to_string(), "s: holds a scene; expected a mesh");
    let error = read_scene(b"v 0 0 0\n", "s").expect_err("it is no cache file");
    assert!(matches!(error.kind, CacheErrorKind::NotACache { .. }), "{error}");
}

#[test]
fn a_mesh_that_the_scene_does_not_list_is_an_error() {
    let mut built = sample();
    built.meshes.pop();
    let error = write_scene(&built, Vec::new()).expect_err("a mesh is missing").to_string();
    assert!(error.contains("has a mesh that is not among those of the scene"), "{error}");
}

/// Every byte has a checksum, and every length is checked first.
#[test]
fn damaged_scenes_are_errors() {
    let original = bytes_of(&sample());
    let mut rng = Rng::new(3);
    for _ in 0..effort(2000) {
        let mut bytes = original.clone();
        let at = if rng.one_in(2) { rng.below(300) } else { rng.below(bytes.len()) };
        match rng.below(3) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes.truncate(at),
            _ => bytes.insert(at, rng.bits() as u8),
        }
        if bytes != original {
            let error = read_scene(&bytes, "s").expect_err("it is damaged").to_string();
            assert!(error.starts_with("s: "), "{error}");
        }
    }
}
