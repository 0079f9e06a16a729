//! Runs the program and checks its outcome.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

/// The outcome of a run of the program.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    /// Standard output as text.
    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.stdout).expect("the program writes UTF-8")
    }

    /// Standard output as JSON, one value per line.
    pub(crate) fn json_lines(&self) -> Vec<serde_json::Value> {
        self.text()
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line is JSON"))
            .collect()
    }

    /// Asserts the exit code and returns the run.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.text(), self.stderr);
        self
    }

    /// Asserts an error with all of `parts`: exit code 2 and no panic.
    #[track_caller]
    pub(crate) fn expect_error(&self, parts: &[&str]) {
        assert_eq!(self.code, Some(2), "{:?}", self.stderr);
        assert!(self.stderr.starts_with("error: "), "{:?}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{:?}", self.stderr);
        for part in parts {
            assert!(self.stderr.contains(part), "no {part:?} in {:?}", self.stderr);
        }
    }
}

/// Runs the program with arguments separated by blanks.
pub(crate) fn hitscan(args: &str) -> Run {
    hitscan_in(Path::new("."), args, b"")
}

/// Runs the program in a folder, with `input` on standard input.
pub(crate) fn hitscan_in(folder: &Path, args: &str, input: &[u8]) -> Run {
    let mut child = command(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = input.to_vec();
    // A thread writes, so that neither side waits for the other. The program may ignore its input.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let mut stderr = child.stderr.take().expect("it is piped");
    let errors = std::thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).expect("messages are UTF-8");
        text
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("it cannot panic");
    let stderr = errors.join().expect("it did not panic");
    Run { code: output.status.code(), stdout: output.stdout, stderr }
}

/// The command of the program with arguments separated by blanks.
pub(crate) fn command(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hitscan"));
    command.args(args.split_whitespace());
    command
}

/// The cuboid of the seed, written by the program into a folder that outlives the tests.
pub(crate) fn cuboid() -> &'static str {
    static FILE: LazyLock<(TempDir, String)> = LazyLock::new(|| {
        let folder = folder();
        let file = path(folder.path(), "c.obj");
        hitscan(&format!("make cuboid 10 12 4 --level 4 -o {file}")).expect_code(0);
        (folder, file)
    });
    &FILE.1
}

pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

pub(crate) fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("temporary paths are UTF-8").to_owned()
}

/// Writes a file into a folder and returns its path.
pub(crate) fn file(folder: &Path, name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = path(folder, name);
    fs::write(&path, contents).expect("the folder is writable");
    path
}

/// The names of the files in a folder, sorted.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("it is a folder")
        .map(|entry| entry.expect("it is readable").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The instruction sets of this machine, as the program lists them.
pub(crate) fn isas() -> Vec<String> {
    let run = hitscan(&format!("info {} --json", cuboid())).expect_code(0);
    let info: serde_json::Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
    let names = info["tree"]["isas"].as_array().expect("it is a list");
    names.iter().map(|name| name.as_str().expect("names are text").to_owned()).collect()
}

/// A path in the folder `shared` next to the repository, if it exists.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name);
    path.exists().then_some(path)
}
