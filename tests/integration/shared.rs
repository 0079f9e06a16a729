//! The folder `shared` beside the repository, which some machines lack.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A file or folder of `shared`; `None`, with a note that the test covers less, if it is missing.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared").join(name);
    if root.exists() {
        return Some(root);
    }
    eprintln!("no ../shared/{name}: only the cases of this repository are tested");
    None
}

/// A JSON file.
pub(crate) fn read_json(path: &Path) -> Value {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A number, or one of the strings for numbers that JSON lacks.
pub(crate) fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("nan") => f64::NAN,
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        _ => value.as_f64().unwrap_or_else(|| panic!("{value} is not a number")),
    }
}

/// Three numbers, each rounded to f32.
pub(crate) fn vector(value: &Value) -> [f32; 3] {
    [0, 1, 2].map(|i| number(&value[i]) as f32)
}
