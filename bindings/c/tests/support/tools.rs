//! Compilers and other programs that tests run.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Whether a tool is there. Without it a test is skipped with a word, or fails in CI.
pub(crate) fn has(tool: &str, what: &str) -> bool {
    let found =
        Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        let text = format!("skipped: {tool} is missing; {what}");
        assert!(env::var("CI").as_deref() != Ok("true"), "{text}");
        println!("{text}");
    }
    found
}

/// Runs a command, and returns its output.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let [out, err] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    out
}

/// The folder of this package.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A new folder for a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// Puts the library that cargo has built beside the tests into a folder, by the names that linkers look for.
pub(crate) fn libraries(folder: &Path, name: &str) {
    let test = env::current_exe().expect("the test has a path");
    let built = test.parent().expect("it is in a folder");
    for (from, to) in [("so", "so"), ("so", "so.0"), ("a", "a")] {
        fs::copy(built.join(format!("{name}.{from}")), folder.join(format!("{name}.{to}")))
            .expect("cargo builds the libraries with the tests");
    }
}
