//! OBJ and MTL files: their meshes, their errors, and the same files read by tobj.

mod errors;
mod libraries;
mod recentring;
mod report;
mod round_trip;
mod second_opinion;
mod shared;
mod speed;
mod texts;

use hitscan_obj::{LoadOptions, ObjModel, parse};

fn load_text(text: &str) -> ObjModel {
    parse(text.as_bytes(), "t.obj", &LoadOptions::default())
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn error_of(text: impl AsRef<[u8]>) -> String {
    match parse(text.as_ref(), "t.obj", &LoadOptions::default()) {
        Ok(loaded) => panic!("loaded: {loaded:?}"),
        Err(error) => error.to_string(),
    }
}
