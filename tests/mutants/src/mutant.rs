//! A mutant, and files of them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// As `cargo mutants --list --json` has it, and a number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Mutant {
    /// From 1 on; 0 is the code as it is.
    #[serde(default)]
    pub(crate) id: u32,
    /// With file, line and column.
    pub(crate) name: String,
    pub(crate) package: String,
    pub(crate) file: String,
    pub(crate) genre: String,
    pub(crate) replacement: String,
    pub(crate) span: Span,
    /// Whether it is in the woven sources. In a constant, it cannot be.
    #[serde(default)]
    pub(crate) is_woven: bool,
}

/// From the first character to the one after the last.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Span {
    pub(crate) start: Place,
    pub(crate) end: Place,
}

/// Line and column, both from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

pub(crate) fn text_of(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}

pub(crate) fn read<T: DeserializeOwned>(path: &str) -> Result<T, String> {
    serde_json::from_str(&text_of(path)?).map_err(|error| format!("{path}: {error}"))
}

pub(crate) fn write(path: &str, value: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string_pretty(value).expect("plain numbers and strings");
    std::fs::write(path, text + "\n").map_err(|error| format!("{path}: {error}"))
}
