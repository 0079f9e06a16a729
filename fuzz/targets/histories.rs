//! Any bytes as a short history of a scene: edits, snapshots, undo, files. The scene equals its model, and no handle
//! and no insertion order belongs to two instances.

#![no_main]

use hitscan_fuzz::{ONE_THREAD, bounded, check_history};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The meshes need some memory of their own.
    bounded(data.len().max(1 << 12), || ONE_THREAD.install(|| check_history(data)));
});
