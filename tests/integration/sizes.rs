//! No file has more than 450 lines, and a function of more than 60 says why. No published source needs this package.

use std::fs;
use std::path::{Path, PathBuf};

const FOLDERS: [&str; 5] = ["benches", "bindings", "crates", "fuzz", "tests"];
const MAX_FILE: usize = 450;
const MAX_FUNCTION: usize = 60;
/// In the comment above a function.
const REASON: &str = "onger than 60 lines";

#[test]
fn no_file_is_long_and_each_long_function_has_its_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut faults = Vec::new();
    for path in sources(FOLDERS.map(|folder| root.join(folder)).into()) {
        let text = fs::read_to_string(&path).expect("a source");
        let name = path.strip_prefix(&root).expect("it is below").display().to_string();
        faults.extend(faults_of(&text).into_iter().map(|fault| format!("{name}{fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Users can run the unit tests of a published crate, and this package is not published.
#[test]
fn no_unit_test_of_a_crate_uses_the_testkit() {
    let mut sources = sources(vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")]);
    sources.retain(|path| path.iter().any(|part| part == "src"));
    assert!(sources.len() > 100, "{} sources", sources.len());
    for path in sources {
        let text = fs::read_to_string(&path).expect("a source");
        assert!(!text.contains("use hitscan_testkit"), "{}", path.display());
    }
}

#[test]
fn a_long_file_and_a_long_function_without_a_reason_are_faults() {
    let function = |n: usize| format!("/// Text.\nfn f(\n) {{\n{}}}\n", "    g();\n".repeat(n));
    assert_eq!(faults_of(&function(57)), Vec::<String>::new());
    assert_eq!(faults_of(&function(58)), [":2: the function f has 61 lines and no reason"]);
    assert_eq!(faults_of(&format!("// Longer than 60 lines: x.\n{}", function(58))), [""; 0]);
    assert_eq!(faults_of(&"\n".repeat(451)), [": 451 lines, expected at most 450"]);
}

/// The Rust files in these folders, and below.
fn sources(mut open: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let is_foreign =
                path.ends_with("target") || path.ends_with("node_modules") || path.is_symlink();
            if path.is_dir() && !is_foreign {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files.push(path);
            }
        }
    }
    files
}

fn faults_of(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut faults = Vec::new();
    if lines.len() > MAX_FILE {
        faults.push(format!(": {} lines, expected at most {MAX_FILE}", lines.len()));
    }
    for (i, line) in lines.iter().enumerate() {
        let Some(name) = function_of(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let mut ends = lines[i..].iter().filter(|line| line.ends_with(['{', ';', '}']));
        if !ends.next().is_some_and(|line| line.ends_with('{')) {
            continue;
        }
        let end = lines[i..].iter().position(|line| line.strip_prefix(indent) == Some("}"));
        let n_lines = end.map_or(1, |end| end + 1);
        let mut head = lines[..i].iter().rev().take_while(|line| {
            let line = line.trim_start();
            line.starts_with("//") || line.starts_with("#[")
        });
        if n_lines > MAX_FUNCTION && !head.any(|line| line.contains(REASON)) {
            faults
                .push(format!(":{}: the function {name} has {n_lines} lines and no reason", i + 1));
        }
    }
    faults
}

/// The name of a function that begins on a line.
fn function_of(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_declared = before.split_whitespace().all(|word| {
        word.starts_with("pub") || ["const", "unsafe", "async", "extern", "\"C\""].contains(&word)
    });
    is_declared.then(|| after.split(['(', '<']).next().unwrap_or(after))
}
