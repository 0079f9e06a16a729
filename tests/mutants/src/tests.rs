//! The binaries of tests, in the order in which they are asked.

use serde_json::Value;

use crate::mutant::text_of;

/// Tests that are not asked: those that read the code fail in woven sources by themselves, the others take
/// longer than all the rest.
const NOT_ASKED: [&str; 5] = [
    "inlining",
    "unsafe_code",
    "large_soups_have_one_answer",
    "degenerate_input_is_built_in_bounded_time_and_depth",
    "the_shared_",
];

/// Tests of a package: their folder, binary and arguments.
pub(crate) struct Tests {
    pub(crate) package: String,
    pub(crate) folder: String,
    pub(crate) program: String,
    pub(crate) arguments: Vec<String>,
}

/// Prints what cargo built: a line for each binary.
pub(crate) fn list(build: &str) -> Result<(), String> {
    let text = text_of(build)?;
    for line in text.lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        let (Some(program), Some(manifest)) =
            (message["executable"].as_str(), message["manifest_path"].as_str())
        else {
            continue;
        };
        let name = message["target"]["name"].as_str().unwrap_or_default();
        if message["profile"]["test"] != true || NOT_ASKED.contains(&name) {
            continue;
        }
        let folder = manifest.trim_end_matches("/Cargo.toml");
        let package = match folder.rsplit('/').next() {
            Some("tests") | None => "testkit",
            Some(last) => last,
        };
        let skipped: String = NOT_ASKED.iter().map(|name| format!(" --skip {name}")).collect();
        println!("hitscan-{package} {folder} {program}{skipped}");
    }
    Ok(())
}

/// Reads what [`list`] has printed.
pub(crate) fn read(path: &str) -> Result<Vec<Tests>, String> {
    let tests = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        Some(Tests {
            package: words.next()?,
            folder: words.next()?,
            program: words.next()?,
            arguments: words.collect(),
        })
    };
    text_of(path)?
        .lines()
        .map(tests)
        .collect::<Option<_>>()
        .ok_or_else(|| format!("{path} is no list of tests"))
}
