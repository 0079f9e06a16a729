//! Any bytes as edits of a small mesh. The tree that follows answers like brute force, and a refused edit changes nothing.

#![no_main]

use hitscan_fuzz::{ONE_THREAD, bounded, check_edits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // A small mesh needs some memory of its own.
    bounded(data.len().max(1 << 12), || ONE_THREAD.install(|| check_edits(data)));
});
