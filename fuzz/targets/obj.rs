//! Any bytes as an OBJ file: reading in parts gives the result of reading as a whole. The mesh can be
//! written and read back, and has one answer.

#![no_main]

use std::io::ErrorKind;

use hitscan::obj::write;
use hitscan::{Format, LoadOptions, Loaded, ReadError, parse};
use hitscan_fuzz::{FOUR_THREADS, ONE_THREAD, bounded, check_mesh, seed_of};
use libfuzzer_sys::fuzz_target;

/// Only few small meshes answer rays, because the parser needs the time.
const MOST_TRIANGLES: usize = 100;

fuzz_target!(|data: &[u8]| bounded(data.len(), || check(data)));

fn check(data: &[u8]) {
    let options = LoadOptions { max_polygon_corners: 1000, ..Default::default() };
    let read = || parse(data, "x.obj", Format::Obj, &options);
    let whole = ONE_THREAD.install(read);
    let in_parts = FOUR_THREADS.install(read);
    assert!(is_same(&whole, &in_parts), "{whole:?}, in parts {in_parts:?}");
    let mesh = match whole {
        Ok(loaded) => {
            let _ = loaded.report.to_string();
            let n_triangles = loaded.report.obj.as_ref().map(|report| report.n_triangles as usize);
            assert_eq!(n_triangles, Some(loaded.meshes[0].triangles().len()));
            loaded.into_mesh().expect("an OBJ file has one mesh")
        }
        Err(error) => return assert!(error.to_string().starts_with("x.obj")),
    };
    let records = mesh.records().expect("they are on by default");
    assert_eq!(records.n_triangles(), mesh.triangles().len());

    let mut text = Vec::new();
    match write(&mesh, &mut text) {
        // The reader accepts a name with a tab, and the writer refuses it.
        Err(error) => assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}"),
        Ok(()) => {
            let again =
                parse(&text, "again.obj", Format::Obj, &options).and_then(Loaded::into_mesh);
            let again = again.expect("our own text is right");
            let bits = |mesh: &hitscan::TriMesh| -> Vec<[u32; 3]> {
                mesh.positions().iter().map(|p| p.to_array().map(f32::to_bits)).collect()
            };
            assert_eq!(bits(&again), bits(&mesh));
            assert_eq!(again.triangles(), mesh.triangles());
            let names = |mesh: &hitscan::TriMesh| -> Vec<String> {
                let records = mesh.records().expect("they are on by default");
                let of = |triangle| {
                    let polygon = records.polygon(triangle);
                    let names = [records.object(polygon), records.group(polygon)];
                    format!("{names:?} {:?}", records.material(polygon))
                };
                (0..mesh.triangles().len() as u32).map(of).collect()
            };
            assert_eq!(names(&again), names(&mesh));
        }
    }
    let seed = seed_of(data);
    if mesh.triangles().len() <= MOST_TRIANGLES && seed.is_multiple_of(16) {
        ONE_THREAD.install(|| check_mesh(mesh, seed));
    }
}

fn is_same(a: &Result<Loaded, ReadError>, b: &Result<Loaded, ReadError>) -> bool {
    match (a, b) {
        // Compares the text only if attributes may hold a NaN, because the comparison is slow.
        (Ok(a), Ok(b)) => a == b || format!("{a:?}") == format!("{b:?}"),
        (Err(a), Err(b)) => a.to_string() == b.to_string(),
        _ => false,
    }
}
