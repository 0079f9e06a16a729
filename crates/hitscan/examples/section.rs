//! Where does a plane cut the mesh?
//!
//! `cargo run --example section`

use std::collections::BTreeSet;

use hitscan::{BuildOptions, LoadOptions, MeshBvh, SectionPlane, load};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/cuboid.obj");
    let mesh = load(path, &LoadOptions::default())?.into_mesh()?;
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());

    // The cuboid is 10 by 12 by 4. The normal points to the side above the plane.
    let plane = SectionPlane::new([0.0, 0.0, 0.1], [0.0, 0.0, 1.0])?;
    let polylines = bvh.section(&plane);
    for polyline in &polylines {
        let polygons: BTreeSet<u32> =
            polyline.triangles.iter().map(|&triangle| mesh.polygon_of(triangle)).collect();
        println!(
            "a {} polyline of length {}, through {} triangles of {} polygons",
            if polyline.is_closed { "closed" } else { "open" },
            polyline.length(),
            polyline.triangles.len(),
            polygons.len()
        );
    }
    assert_eq!(polylines.len(), 1);
    assert!(polylines[0].is_closed && (polylines[0].length() - 44.0).abs() < 1e-9);

    // Slices of it, over all threads. The bottom face lies in the first plane, and so above it.
    let slices: Result<Vec<_>, _> = [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
        .map(|z| SectionPlane::new([0.0, 0.0, z], [0.0, 0.0, 1.0]))
        .into_iter()
        .collect();
    let n_polylines: Vec<usize> = bvh.section_batch(&slices?).iter().map(Vec::len).collect();
    println!("polylines of the slices: {n_polylines:?}");
    assert_eq!(n_polylines, [0, 1, 1, 1, 1, 0]);
    Ok(())
}
