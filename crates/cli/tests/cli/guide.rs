//! The commands that README and the guide show print what they show.

use std::fs;
use std::path::Path;

use crate::support::{file, folder, hitscan_in};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn each_command_of_the_guide_prints_what_the_guide_shows() {
    let folder = folder();
    for entry in fs::read_dir(Path::new(ROOT).join("assets")).expect("the meshes") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let name = path.file_name().expect("it has one").to_owned();
            fs::copy(&path, folder.path().join(name)).expect("a copy");
        }
    }
    let mut n_commands = 0;
    for session in page("docs/guide/command-line.md").split("```console\n$ ").skip(1) {
        let (session, _) = session.split_once("\n```").expect("the block ends");
        for step in session.split("\n$ ") {
            let (command, shown) = step.split_once('\n').unwrap_or((step, ""));
            if let Some(text) = command.strip_prefix("printf '") {
                let (text, name) = text.split_once("' > ").expect("it writes a file");
                file(folder.path(), name, text.replace("\\n", "\n"));
            } else {
                let args = command.strip_prefix("hitscan ").expect("a command of hitscan");
                let run = hitscan_in(folder.path(), args, b"").expect_code(0);
                assert_eq!(run.text().trim_end(), shown, "{command}");
                n_commands += 1;
            }
        }
    }
    assert!(n_commands >= 8, "{n_commands}");
}

#[test]
fn the_first_command_of_readme_prints_what_readme_shows() {
    let readme = page("README.md");
    let (_, rest) = readme.split_once("cargo run --release -- ").expect("the command");
    let (args, rest) = rest.split_once("\n```\n\n```text\n").expect("its output follows");
    let (shown, _) = rest.split_once("\n```").expect("the output ends");
    let run = hitscan_in(Path::new(ROOT), args, b"").expect_code(0);
    assert_eq!(run.text().trim_end(), shown);
}

fn page(name: &str) -> String {
    let page = fs::read_to_string(Path::new(ROOT).join(name)).expect("the page is there");
    page.replace("\r\n", "\n")
}
