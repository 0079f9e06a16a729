//! `unsafe` stands only where ARCHITECTURE.md says, and every block has its reason.

use std::fs;
use std::path::{Path, PathBuf};

/// Where `unsafe` may stand, from the folder `crates`.
const ROOMS: [&str; 2] = ["bvh/src/simd", "bvh/src/large_pages.rs"];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}")) {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Whether a line of code asks for `unsafe`: a block, a function, an implementation, an attribute.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.into_iter().any(|word| word == "unsafe")
}

#[test]
fn unsafe_stands_only_in_its_rooms_and_gives_its_reasons() {
    let root = crates();
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    assert!(paths.len() > 100, "{} sources", paths.len());
    let mut n_reasons = 0;
    for path in paths {
        let name =
            path.strip_prefix(&root).expect("it was found there").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("sources are UTF-8");
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in
            lines.iter().enumerate().filter(|(_, line)| !is_comment(line) && is_unsafe(line))
        {
            let place = format!("{name}:{}: {}", at + 1, line.trim());
            assert!(ROOMS.iter().any(|room| name.starts_with(room)), "{place}");
            // A declaration says what its callers must keep; a block, or a promise, why it holds.
            let reasons = if line.contains("unsafe fn") { "# Safety" } else { "SAFETY:" };
            // The reason is the comment above the statement, or above the attributes of the item.
            let mut n_lines_of_code = 0;
            let above = lines[..at].iter().rev().take_while(|line| {
                n_lines_of_code += usize::from(!is_comment(line));
                n_lines_of_code <= 3
            });
            let is_given = above.into_iter().any(|line| is_comment(line) && line.contains(reasons));
            assert!(is_given, "{place} has no {reasons}");
            n_reasons += 1;
        }
    }
    assert!(n_reasons > 10, "{n_reasons} reasons: the search finds too little");
}

#[test]
fn every_other_crate_forbids_it() {
    for entry in fs::read_dir(crates()).expect("the folder can be read") {
        let source = entry.expect("the folder can be read").path().join("src");
        for root in ["lib.rs", "main.rs"] {
            let Ok(text) = fs::read_to_string(source.join(root)) else { continue };
            let is_bvh = source.ends_with("bvh/src");
            let attribute =
                if is_bvh { "#![deny(unsafe_code)]" } else { "#![forbid(unsafe_code)]" };
            assert!(text.contains(attribute), "{source:?}/{root} lacks {attribute}");
        }
    }
}
