//! How to undo and redo edits, and let another thread look at the scene meanwhile?
//!
//! `cargo run --example undo`

use std::error::Error;
use std::sync::Arc;

use hitscan::BuildOptions;
use hitscan::glam::{DAffine3, DVec3};
use hitscan::primitives::generate;
use hitscan::scene::{Instance, Mesh, QueryOptions, Scene, WorldRay};

fn main() -> Result<(), Box<dyn Error>> {
    let ball = Arc::new(Mesh::new(generate::sphere(1.0, 1000)?, &BuildOptions::default()));
    let mut scene = Scene::new();
    let mut ids = Vec::new();
    for x in 0..100 {
        let place = DAffine3::from_translation(DVec3::new(f64::from(x) * 3.0, 0.0, 0.0));
        ids.push(scene.insert(Instance::new(ball.clone(), place))?);
    }
    let ray = WorldRay::new([-10.0, 0.2, 0.1], [1.0, 0.0, 0.0]);
    let first =
        |scene: &Scene| scene.closest_hit(&ray, &QueryOptions::default()).map(|hit| hit.instance);

    // A snapshot before each edit: it shares all that the edit does not touch.
    let mut history = vec![scene.clone()];
    scene.remove(ids[0])?;
    println!("removed the first ball: the ray hits {:?}", first(&scene));
    history.push(scene.clone());
    scene.set_transform(ids[1], DAffine3::from_translation(DVec3::new(0.0, 50.0, 0.0)))?;
    println!("moved the second away: the ray hits {:?}", first(&scene));

    // A thread keeps asking a snapshot while the scene goes on.
    let snapshot = history[0].clone();
    let looking =
        std::thread::spawn(move || snapshot.count_crossings(&ray, &QueryOptions::default()));
    while let Some(before) = history.pop() {
        scene = before;
        println!("undone: the ray hits {:?}", first(&scene));
    }
    let crossings = looking.join().map_err(|_| "the thread ended early")?;
    println!("the thread saw all hundred balls: {crossings} crossings");

    // Without snapshots: what was removed can come back, under the same handle.
    let removed = scene.remove(ids[0])?;
    println!("removed {} again, still there: {}", removed.id(), scene.contains(ids[0]));
    scene.restore(&removed)?;
    println!("restored: the ray hits {:?}", first(&scene));
    Ok(())
}
