//! How to save a scene and read it back, with the numbers of its instances?
//!
//! `cargo run --features scene-files --example saved_scene`

use std::error::Error;
use std::sync::Arc;

use hitscan::cache::{BuiltScene, load_scene, save_scene};
use hitscan::glam::DAffine3;
use hitscan::primitives::generate;
use hitscan::scene::{Instance, Mesh, Scene};
use hitscan::scene_file::{MeshFile, SceneOptions, load, save};
use hitscan::{BuildOptions, obj};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join("hitscan-saved-scene");
    std::fs::create_dir_all(&folder)?;

    // The mesh has a file, to which the scene refers.
    let ball = generate::sphere(1.0, 1000)?;
    obj::write(&ball, std::fs::File::create(folder.join("ball.obj"))?)?;
    let ball = Arc::new(Mesh::new(ball, &BuildOptions::default()));
    let mut scene = Scene::new();
    let mut ids = Vec::new();
    for x in [0.0, 3.0, 6.0] {
        let transform = DAffine3::from_translation([x, 0.0, 1e7].into());
        ids.push(scene.insert(Instance::new(ball.clone(), transform))?);
    }
    scene.remove(ids[1])?;
    // An editor stores this number, for example in a selection.
    let number = scene.insertion_order(ids[2]).ok_or("it is in the scene")?;

    // As text, beside the mesh files.
    save(&scene, folder.join("balls.toml"), |_| Some(MeshFile::new("ball.obj")))?;
    let again = load(folder.join("balls.toml"), &SceneOptions::default())?.scene;
    let ball = again.by_insertion_order(number).ok_or("it is in the file")?;
    println!(
        "instance {number} stands at {:?}",
        again.world_transform(ball).map(|t| t.translation)
    );

    // As one file with the meshes and their trees, which takes no time to build.
    save_scene(&BuiltScene::new(scene), folder.join("balls.hitscan"))?;
    let again = load_scene(folder.join("balls.hitscan"))?.scene;
    println!("{} instances, {} in the text", again.len(), 2);
    assert!(again.by_insertion_order(number).is_some());
    Ok(())
}
