//! Which object, group, material and line of the file was hit, and what did the reader skip?
//!
//! `cargo run --example names [FILE.obj]`

use hitscan::{
    BuildOptions, Faces, HitMode, HitOptions, LoadOptions, MeshBvh, Ray, ReadError, load,
};

fn main() -> Result<(), ReadError> {
    let file = std::env::args().nth(1);
    let file = file.unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/house.obj").into());
    let loaded = load(file, &LoadOptions::default())?;
    // Prints one line per kind of skipped or repaired part, and nothing for most files.
    eprint!("{}", loaded.report);
    let mesh = &loaded.meshes[0];
    let bvh = MeshBvh::build(mesh, &BuildOptions::default());
    let bounds = bvh.bounds();

    // Through the middle of the bounds, from above.
    let ray = Ray::new(
        bounds.center() + bounds.extent() * 2.0 * hitscan::glam::Vec3::Y,
        [0.0, -1.0, 0.0],
    );
    let each_crossing = HitOptions { faces: Faces::Both, mode: HitMode::OncePerCrossing };
    for hit in bvh.all_hits(&ray, &each_crossing) {
        let Some(records) = mesh.records() else { continue };
        let polygon = records.polygon(hit.triangle);
        println!(
            "polygon {polygon} on line {}: object {}, group {}, material {}",
            records.lines().get(polygon).unwrap_or(0),
            records.object(polygon).unwrap_or("-"),
            records.group(polygon).unwrap_or("-"),
            records.material(polygon).unwrap_or("-"),
        );
        let material = records.material(polygon).and_then(|name| loaded.material(name));
        if let Some(color) = material.and_then(|material| material.diffuse) {
            println!("  its colour is {color:?}");
        }
    }
    Ok(())
}
