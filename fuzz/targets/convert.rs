//! Any bytes as a mesh, written in every format and read again: the triangles keep their order, and their
//! corners keep their bits.

#![no_main]

use std::io::ErrorKind;

use hitscan::formats::write;
use hitscan::{Format, LoadOptions, Loaded, TriMesh, parse, parse_any};
use hitscan_fuzz::{ONE_THREAD, bounded};
use libfuzzer_sys::fuzz_target;

/// Larger meshes cost time and show nothing new.
const MOST_TRIANGLES: usize = 1000;

fuzz_target!(|data: &[u8]| bounded(data.len(), || ONE_THREAD.install(|| check(data))));

fn check(data: &[u8]) {
    let options =
        LoadOptions { max_vertices: 1 << 14, max_polygon_corners: 100, ..Default::default() };
    let Ok(mut loaded) = parse_any(data, "x", &options) else { return };
    let materials = std::mem::take(&mut loaded.materials);
    let Ok(mesh) = loaded.into_mesh() else { return };
    if mesh.triangles().len() > MOST_TRIANGLES {
        return;
    }
    for format in [Format::Obj, Format::Stl, Format::Ply, Format::Gltf] {
        let mut bytes = Vec::new();
        match write(&mesh, &materials, format, &mut bytes) {
            // OBJ text cannot hold every name.
            Err(error) => assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}"),
            Ok(_) => {
                let again = parse(&bytes, "x", format, &LoadOptions::default());
                let again = again.and_then(Loaded::into_mesh).expect("what we write is right");
                assert_eq!(corners(&again, format), corners(&mesh, format), "{format:?}");
            }
        }
    }
}

fn corners(mesh: &TriMesh, format: Format) -> Vec<[u32; 9]> {
    // STL makes -0 and 0 one.
    let zero = if format == Format::Stl { 0.0 } else { -0.0 };
    let of = |triangle| {
        let [a, b, c] = mesh.corners(triangle).map(|corner| (corner + zero).to_array());
        let mut bits = [0; 9];
        for (bits, number) in bits.iter_mut().zip([a, b, c].as_flattened()) {
            *bits = number.to_bits();
        }
        bits
    };
    (0..mesh.triangles().len() as u32).map(of).collect()
}
