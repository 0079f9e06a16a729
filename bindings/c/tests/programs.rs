//! Programs in C and C++: they compile without a warning, and have the bits of Rust.

#![cfg(target_os = "linux")]

mod support;
#[path = "support/tools.rs"]
mod tools;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use engine::{BuildOptions, Faces, MeshBvh};
use support::{c_ray, expected, meshes, rays};
use tools::{folder, has, libraries, root, run};

const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"];
/// What a program needs beside the static library.
const STATIC: [&str; 5] = ["-lpthread", "-ldl", "-lm", "-lrt", "-lgcc_s"];

/// A compiler with the standard of a language.
struct Compiler(&'static str, &'static str);

const C: [Compiler; 2] = [Compiler("gcc", "-std=c11"), Compiler("clang", "-std=c11")];
const CPP: [Compiler; 2] = [Compiler("g++", "-std=c++17"), Compiler("clang++", "-std=c++17")];

/// The program of a source, in a folder with the libraries.
fn compile(compiler: &Compiler, source: &str, flags: &[&str], folder: &Path) -> PathBuf {
    libraries(folder, "libhitscan");
    let program = folder.join("program");
    let mut command = Command::new(compiler.0);
    command.args([compiler.1, "-O1", "-g"]).args(WARNINGS).arg("-I").arg(root().join("include"));
    command.arg(root().join(source)).arg("-o").arg(&program).args(flags);
    command.arg("-L").arg(folder).arg(format!("-Wl,-rpath,{}", folder.display())).arg("-lhitscan");
    run(command.arg("-lm"));
    program
}

/// A mesh, rays and the answers of Rust, as queries.c reads them.
fn answers(folder: &Path, n_rays: usize) -> PathBuf {
    let (_, mesh) = &meshes()[1];
    let tree = MeshBvh::build(mesh, &BuildOptions::default());
    let rays: Vec<_> = rays(n_rays, 5).into_iter().filter(|ray| ray.is_valid()).collect();
    let mut bytes = Vec::new();
    for n in [mesh.positions().len(), mesh.triangles().len(), rays.len()] {
        bytes.extend((n as u64).to_ne_bytes());
    }
    bytes.extend(mesh.positions().iter().flat_map(|p| p.to_array()).flat_map(f32::to_ne_bytes));
    bytes.extend(mesh.triangles().as_flattened().iter().flat_map(|i| i.to_ne_bytes()));
    for ray in &rays {
        let ray_of_c = c_ray(ray);
        let numbers = ray_of_c.origin.into_iter().chain(ray_of_c.direction);
        let numbers = numbers.chain([ray_of_c.t_min, ray_of_c.t_max]);
        bytes.extend(numbers.flat_map(f32::to_ne_bytes));
        let hit = expected(tree.closest_hit(ray, Faces::Both));
        bytes.extend(hit.into_iter().flat_map(u32::to_ne_bytes));
    }
    let file = folder.join("answers");
    fs::write(&file, bytes).expect("the folder can be written");
    file
}

const QUERIES: &str = "tests/programs/queries.c";

#[test]
fn programs_of_c_compile_without_a_warning_and_have_the_bits_of_rust() {
    for compiler in C.iter().filter(|compiler| has(compiler.0, "programs of C")) {
        let folder = folder(&format!("c-{}", compiler.0));
        let program = compile(compiler, QUERIES, &[], &folder);
        assert_eq!(run(Command::new(program).arg(answers(&folder, 100_000))), "ok\n");
    }
}

#[test]
fn programs_of_cpp_own_their_handles_and_see_exceptions() {
    for compiler in CPP.iter().filter(|compiler| has(compiler.0, "programs of C++")) {
        let folder = folder(&format!("cpp-{}", compiler.0));
        let program = compile(compiler, "tests/programs/owners.cpp", &[], &folder);
        assert_eq!(run(Command::new(program).arg(&folder)), "ok\n");
        let flags = ["-fno-exceptions"];
        let program = compile(compiler, "tests/programs/status.cpp", &flags, &folder);
        assert_eq!(run(&mut Command::new(program)), "ok\n");
    }
}

#[test]
fn a_program_of_c_sharp_calls_the_library() {
    if !has("mcs", "the example in C#") || !has("mono", "the example in C#") {
        return;
    }
    let folder = folder("c-sharp");
    libraries(&folder, "libhitscan");
    let program = folder.join("FirstHit.exe");
    let mut compile = Command::new("mcs");
    compile.arg("-warnaserror").arg(format!("-out:{}", program.display()));
    run(compile.arg(root().join("examples/FirstHit.cs")));
    let mut start = Command::new("mono");
    let output = run(start.arg(program).env("LD_LIBRARY_PATH", &folder).current_dir(&folder));
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines[..2], ["triangle 0 at 5", "1 of 2 rays hit"]);
    let failed =
        "hitscan_bvh_closest_hit: ray: ray direction [0.0, 0.0, 0.0] is zero or not finite";
    assert_eq!(lines[2..], [failed]);
}

#[test]
fn a_program_links_statically() {
    if !has("gcc", "linking statically") {
        return;
    }
    let folder = folder("static");
    libraries(&folder, "libhitscan");
    let program = folder.join("program");
    let mut command = Command::new("gcc");
    command.args(["-std=c11", "-I"]).arg(root().join("include")).arg(root().join(QUERIES));
    command.arg(folder.join("libhitscan.a")).args(STATIC).arg("-o").arg(&program);
    run(&mut command);
    fs::remove_file(folder.join("libhitscan.so.0")).expect("it was copied");
    assert_eq!(run(Command::new(program).arg(answers(&folder, 1000))), "ok\n");
}

#[test]
fn sanitizers_find_nothing() {
    let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    if has("gcc", "the sanitizers") {
        let folder = folder("sanitizers");
        let program = compile(&C[0], QUERIES, &flags, &folder);
        assert_eq!(run(Command::new(program).arg(answers(&folder, 2000))), "ok\n");
        let program = compile(&CPP[0], "tests/programs/owners.cpp", &flags, &folder);
        assert_eq!(run(Command::new(program).arg(&folder)), "ok\n");
    }
}

#[test]
fn valgrind_finds_no_error_and_no_leak() {
    if !has("gcc", "the run in valgrind") || !has("valgrind", "the run in valgrind") {
        return;
    }
    let folder = folder("valgrind");
    let program = compile(&C[0], QUERIES, &[], &folder);
    let mut command = Command::new("valgrind");
    command.args([
        "-q",
        "--error-exitcode=9",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite",
    ]);
    command.arg(program).arg(answers(&folder, 300)).env("RAYON_NUM_THREADS", "2");
    assert_eq!(run(&mut command), "ok\n");
}
