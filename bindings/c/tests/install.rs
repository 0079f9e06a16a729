//! The library installs into a prefix, where pkg-config and CMake find it, and builds in a CMake project.

#![cfg(target_os = "linux")]

#[path = "support/tools.rs"]
mod tools;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tools::{folder, has, libraries, root, run};

const PROJECT: &str = "cmake_minimum_required(VERSION 3.18)\nproject(first LANGUAGES C CXX)\n\
    set(CMAKE_CXX_STANDARD 17)\nset(CMAKE_C_STANDARD 11)\n";

/// A prefix with the library, and an empty folder beside it with a mesh.
fn installed(name: &str) -> (PathBuf, PathBuf) {
    let (folder, built) = (folder(name), folder(&format!("{name}-built")));
    libraries(&built, "libhitscan");
    let prefix = folder.join("prefix");
    run(Command::new(root().join("install.sh")).arg(&prefix).env("HITSCAN_BUILT", &built));
    let empty = folder.join("empty");
    fs::create_dir(&empty).expect("the folder can be written");
    let mesh = root().join("../../assets/cuboid.obj");
    fs::copy(mesh, empty.join("cuboid.obj")).expect("the mesh is there");
    (prefix, empty)
}

fn output(program: &Path, folder: &Path) -> String {
    run(Command::new(program).current_dir(folder))
}

const FIRST_HIT: &str = "triangle 2889 at 0.25\n";

#[test]
fn examples_compile_by_pkg_config_in_an_empty_folder() {
    if !has("pkg-config", "pkg-config")
        || !has("g++", "the examples")
        || !has("gcc", "the examples")
    {
        return;
    }
    let (prefix, empty) = installed("pkg-config");
    let flags = run(Command::new("pkg-config")
        .args(["--cflags", "--libs", "hitscan"])
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
    for (example, expected) in [
        ("first_hit.c", FIRST_HIT),
        ("first_hit.cpp", FIRST_HIT),
        ("filter.c", "triangle 2889 at 0.25\nthrough it, triangle "),
        ("batch.cpp", " of 1000000 pixels show the mesh\n"),
        ("candidates.cpp", "triangle 2889 at 0.25, after fewer than 20 tests: 1\n"),
        ("picking.cpp", "right at z = 2, normal z 1\n2 before, 1 now\n"),
    ] {
        let program = empty.join(example.replace('.', "_"));
        let compiler =
            if example.ends_with(".c") { ("gcc", "-std=c11") } else { ("g++", "-std=c++17") };
        let mut command = Command::new(compiler.0);
        command.args([compiler.1, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]);
        command.arg(root().join("examples").join(example)).arg("-o").arg(&program);
        command.args(flags.split_whitespace());
        run(command.arg(format!("-Wl,-rpath,{}", prefix.join("lib").display())));
        let found = output(&program, &empty);
        assert!(found.contains(expected), "{example}: {found}");
    }
}

/// Configures and builds a project whose targets link `library`.
fn cmake(empty: &Path, find: &str, library: &str, arguments: &[String]) {
    let source = root().join("examples/first_hit");
    let sources = format!(
        "add_executable(c {0}.c)\nadd_executable(cpp {0}.cpp)\n\
         target_link_libraries(c PRIVATE {library})\ntarget_link_libraries(cpp PRIVATE {library})\n",
        source.display()
    );
    fs::write(empty.join("CMakeLists.txt"), format!("{PROJECT}{find}\n{sources}"))
        .expect("the folder can be written");
    run(Command::new("cmake").args(["-S", ".", "-B", "build"]).args(arguments).current_dir(empty));
    run(Command::new("cmake").args(["--build", "build"]).current_dir(empty));
    for program in ["build/c", "build/cpp"] {
        assert_eq!(output(&empty.join(program), empty), FIRST_HIT);
    }
}

#[test]
fn find_package_finds_the_shared_and_the_static_library() {
    if has("cmake", "find_package") {
        let (prefix, empty) = installed("cmake");
        let prefix = format!("-DCMAKE_PREFIX_PATH={}", prefix.display());
        for library in ["hitscan::hitscan", "hitscan::static"] {
            cmake(
                &empty,
                "find_package(hitscan 0.1 REQUIRED)",
                library,
                std::slice::from_ref(&prefix),
            );
        }
    }
}

#[test]
fn add_subdirectory_builds_the_library_from_a_checkout() {
    if has("cmake", "add_subdirectory") {
        let (_, empty) = installed("subdirectory");
        let find = format!("add_subdirectory({} hitscan)", root().display());
        // The folder in which `.ci/c` has built already.
        let target =
            Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is in the target folder");
        let target = format!("-DHITSCAN_TARGET_DIR={}", target.display());
        cmake(&empty, &find, "hitscan::hitscan", &[target]);
    }
}

#[test]
fn the_first_hits_of_the_readme_are_the_examples() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the page is there");
    for (language, example, n_lines) in [("c", "first_hit.c", 15), ("cpp", "first_hit.cpp", 8)] {
        let start = format!("```{language}\n");
        let shown = readme.split(&start).nth(1).and_then(|rest| rest.split("```").next());
        let shown = shown.expect("the page has the program");
        let example =
            fs::read_to_string(root().join("examples").join(example)).expect("it is there");
        assert!(example.ends_with(shown), "{shown}");
        assert!(shown.lines().count() <= n_lines, "{shown}");
    }
}
