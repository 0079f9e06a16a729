//! The module of the readers: a file in memory becomes arrays, which JavaScript hands to the engine.

use std::cell::RefCell;

use hitscan_cache::records_to_bytes;
use hitscan_formats::{LoadOptions, parse_any};
use hitscan_primitives::TriMesh;

use crate::{
    failure::{fail_for_memory, fail_with, has_room_for},
    output, staging,
};

/// The memory that a reader takes, per byte of a file.
const READER_FACTOR: usize = 4;

thread_local! {
    /// The mesh of the last file.
    static MESH: RefCell<Option<TriMesh>> = const { RefCell::new(None) };
}

/// Reads a staged file with a staged name. Returns 1, or 0 and an error. Numbers 0 to 3 are the addresses and the
/// lengths of positions and triangles. The answer's bytes are the report of the reader and, if there are any,
/// the records of the polygons; numbers 4 and 5 are their lengths, and 6 to 8 the offset of the positions.
#[unsafe(no_mangle)]
extern "C" fn read_mesh() -> u32 {
    let (bytes, name) = (staging::bytes(), staging::name());
    let name = String::from_utf8_lossy(&name);
    let needed = bytes.len() * READER_FACTOR;
    if !has_room_for(needed) {
        return fail_for_memory(&name, needed);
    }
    let loaded = match parse_any(&bytes, &name, &LoadOptions::default()) {
        Ok(loaded) => loaded,
        Err(error) => return fail_with(&error),
    };
    drop(bytes);
    let mut answer = loaded.report.to_string().into_bytes();
    let n_report = answer.len();
    match loaded.into_mesh() {
        Ok(mesh) => {
            if let Some(records) = mesh.records() {
                answer.extend(records_to_bytes(records));
            }
            let n_records = answer.len() - n_report;
            output::put_bytes(answer);
            let (positions, triangles) = (mesh.positions(), mesh.triangles());
            let arrays = [positions.as_ptr().addr(), positions.len()];
            output::write(0, &arrays.map(|number| number as f64));
            let arrays = [triangles.as_ptr().addr(), triangles.len(), n_report, n_records];
            output::write(2, &arrays.map(|number| number as f64));
            output::write(6, &mesh.offset().to_array());
            MESH.set(Some(mesh));
            1
        }
        Err(error) => fail_with(&error),
    }
}
