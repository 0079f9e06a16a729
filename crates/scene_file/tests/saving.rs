//! A scene that is saved and read again has the same instances, order and answers.

use std::fs;
use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3};
use hitscan_bvh::BuildOptions;
use hitscan_primitives::generate;
use hitscan_scene::{Instance, InstanceId, KeepTransform, Mesh, QueryOptions, Scene, WorldRay};
use hitscan_scene_file::{
    LoadedScene, MeshFile, SceneMesh, SceneOptions, load, parse, save, to_text,
};

/// The facts of an instance, by its number.
fn facts(scene: &Scene) -> Vec<(u64, String, Vec<u64>)> {
    let order = |id: InstanceId| scene.insertion_order(id).expect("it is in the scene");
    let mut facts: Vec<_> = scene
        .depth_first()
        .into_iter()
        .map(|id| {
            let instance = scene.get(id).expect("it is in the scene");
            let Instance { transform, parent, name, layers, hidden, locked, mesh } = instance;
            let children: Vec<u64> = scene.children(id).map(order).collect();
            let n = mesh.as_ref().map(|mesh| mesh.tri_mesh().triangles().len());
            let rest = (parent.map(order), name, layers, hidden, locked, n, children);
            let bits = transform.to_cols_array().map(f64::to_bits).to_vec();
            (order(id), format!("{rest:?}"), bits)
        })
        .collect();
    facts.sort();
    facts
}

/// A scene after edits: removed instances, new parents, equal names, odd numbers.
fn edited() -> (Scene, [Arc<Mesh>; 2]) {
    let cube =
        Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0).expect("a size"), &BuildOptions::default());
    let ball = Mesh::new(generate::sphere(1.0, 50).expect("a size"), &BuildOptions::default());
    let meshes = [Arc::new(cube), Arc::new(ball)];
    let mut scene = Scene::new();
    let mut ids = Vec::new();
    for i in 0..6 {
        let turn = DMat3::from_rotation_y(0.1 * f64::from(i))
            * DMat3::from_diagonal(DVec3::new(-1.5, 1.0, 0.3));
        let translation = DVec3::new(1e7 + 0.1 * f64::from(i), -0.0, 1.0 / 3.0);
        let transform = DAffine3 { matrix3: turn, translation };
        let mesh = meshes[i as usize % 2].clone();
        let name = Some(if i % 2 == 0 { "a \"quoted\"\nname" } else { "b" }.into());
        ids.push(
            scene.insert(Instance { name, ..Instance::new(mesh, transform) }).expect("it fits"),
        );
    }
    let group = Instance { layers: 1 << 31 | 5, locked: true, ..Instance::default() };
    let group = scene.insert(group).expect("it fits");
    // The parent comes after its children.
    for id in [ids[4], ids[1]] {
        scene.reparent(id, Some(group), KeepTransform::World).expect("both are in the scene");
    }
    scene.remove(ids[2]).expect("it is in the scene");
    scene.set_hidden(ids[3], true).expect("it is in the scene");
    scene.set_layers(ids[0], 0).expect("it is in the scene");
    (scene, meshes)
}

#[test]
fn a_saved_scene_has_the_same_instances_and_answers() {
    let (scene, meshes) = edited();
    let file_of = |mesh: &Mesh| {
        let index = meshes.iter().position(|other| std::ptr::eq(&**other, mesh));
        Some(MeshFile { path: "meshes.glb".into(), mesh: index })
    };
    let text = to_text(&scene, file_of).expect("every mesh has a file");
    let again = parse(&text, "saved", &mut |file| {
        Ok(meshes[file.mesh.expect("all are of one file")].clone())
    });
    let again = again.expect("what we write is right");
    assert_eq!(facts(&again), facts(&scene), "{text}");
    // Ties are decided as before.
    let options = QueryOptions { include_locked: true, ..QueryOptions::default() };
    for i in 0..50 {
        let x = 1e7 - 2.0 + 0.1 * f64::from(i);
        let ray = WorldRay::new([x, 0.2, 9.0], [0.01, -0.02, -1.0]);
        let hit = |scene: &Scene| {
            let hit = scene.closest_hit(&ray, &options)?;
            Some((hit.t.to_bits(), hit.insertion_order, hit.local.to_bits()))
        };
        assert_eq!(hit(&again), hit(&scene));
    }
}

#[test]
fn a_scene_with_files_is_saved_and_loaded_by_path() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    fs::write(folder.path().join("a.obj"), obj).expect("the folder is writable");
    let (options, path) = (SceneOptions::default(), folder.path().join("s.toml"));
    let mut loaded = load(folder.path().join("a.obj"), &options).expect("a mesh is a scene");
    loaded.save(&path).expect("the folder is writable");
    let before = facts(&loaded.scene);
    let again = load(&path, &options).expect("what we write is right");
    assert_eq!(facts(&again.scene), before);
    assert_eq!(again.files.len(), 2);
    assert_eq!(again.meshes[0].file, MeshFile::new("a.obj"));

    // A new mesh needs a file.
    let mesh = Arc::new(Mesh::default());
    loaded.scene.insert(Instance::new(mesh.clone(), DAffine3::IDENTITY)).expect("it fits");
    let error = loaded.save(&path).expect_err("the mesh has no file").to_string();
    assert!(error.contains("the mesh of instance 1 has no file; write it to one"), "{error}");
    assert_eq!(facts(&load(&path, &options).expect("the old file is whole").scene), before);
    let file = MeshFile::new("b.obj");
    loaded.meshes.push(SceneMesh { mesh, file, materials: [].into() });
    loaded.save(&path).expect("every mesh has a file");
    let error = load(&path, &options).expect_err("there is no b.obj").to_string();
    assert!(error.contains("s.toml, line 3: mesh `b`: b.obj: cannot read the file"), "{error}");
}

#[test]
fn errors_name_the_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = folder.path().join("no.toml");
    let error = load(&missing, &SceneOptions::default()).expect_err("it is missing").to_string();
    assert!(error.starts_with(&missing.display().to_string()), "{error}");
    let error = save(&Scene::new(), folder.path().join("no/s.toml"), |_| None);
    assert!(error.is_err());
    assert_eq!(LoadedScene::default().scene.len(), 0);
}
