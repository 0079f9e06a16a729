//! Any bytes as a file of any format, compressed or not: an error that names the file, or one that is as long
//! as the limit allows.

#![no_main]

use hitscan::{LoadOptions, parse_any};
use hitscan_fuzz::{ONE_THREAD, bounded};
use libfuzzer_sys::fuzz_target;

/// The limit of the uncompressed bytes.
const MOST_BYTES: u64 = 1 << 20;

/// A Zstandard frame may ask for a window of 128 MiB.
const WINDOW: usize = 128 << 20;

fuzz_target!(|data: &[u8]| {
    let n_bytes = data.len() + (MOST_BYTES as usize) + WINDOW / 64;
    bounded(n_bytes, || ONE_THREAD.install(|| check(data)));
});

fn check(data: &[u8]) {
    let options = LoadOptions {
        max_file_bytes: MOST_BYTES,
        max_vertices: 1 << 16,
        max_polygon_corners: 1000,
        ..Default::default()
    };
    match parse_any(data, "x", &options) {
        Ok(loaded) => assert!(loaded.instances.iter().all(|i| i.mesh < loaded.meshes.len())),
        Err(error) => assert!(error.to_string().starts_with("x"), "{error}"),
    }
}
