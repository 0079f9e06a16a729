//! Any bytes as a glTF or GLB file: an error, or meshes that fit their instances and have one answer.

#![no_main]

use hitscan::Format;
use hitscan_fuzz::{ONE_THREAD, bounded, check_format};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    bounded(data.len(), || ONE_THREAD.install(|| check_format(data, Format::Gltf)));
});
