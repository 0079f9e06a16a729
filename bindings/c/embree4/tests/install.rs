//! The library installs under Embree's name, where a program in C finds it.

#![cfg(target_os = "linux")]

#[path = "../../tests/support/tools.rs"]
mod tools;

use std::{fs, process::Command};

use tools::{folder, has, libraries, root, run};

#[test]
fn a_program_in_c_links_and_finds_the_library_by_embrees_name() {
    if !has("gcc", "a program in C") {
        return;
    }
    let (built, prefix) = (folder("embree-built"), folder("embree-prefix"));
    libraries(&built, "libhitscan_embree4");
    // Another test looks at libhitscan.
    for name in ["libhitscan.so", "libhitscan.a"] {
        fs::write(built.join(name), "").expect("the folder can be written");
    }
    let install = root().join("../install.sh");
    run(Command::new(install).arg("--embree").arg(&prefix).env("HITSCAN_BUILT", &built));
    let (program, lib) = (prefix.join("first_hit"), prefix.join("lib"));
    let mut compile = Command::new("gcc");
    compile.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    compile.arg(root().join("tests/programs/first_hit.c")).arg("-o").arg(&program);
    run(compile.arg("-L").arg(&lib).args(["-lembree4", "-lm"]));
    let expected = "geometry 0, primitive 0 at 2, u 0.25, v 0.5, normal z 1, error 0\n";
    assert_eq!(run(Command::new(&program).env("LD_LIBRARY_PATH", &lib)), expected);
    let name = lib.join("libembree4.so.4");
    let calls = run(Command::new("nm").args(["-D", "--defined-only"]).arg(&name));
    let n_calls = calls.lines().filter(|line| line.contains(" T rtc")).count();
    assert_eq!(n_calls, 154, "the calls of Embree 4.4");
}
