//! Instructions per ray, counted by callgrind: the same on every run, whatever else the machine does.
//!
//!     cargo bench -p hitscan-benches --bench instructions                    # a table
//!     cargo bench -p hitscan-benches --bench instructions -- --json          # one object per line
//!
//! It runs itself under `valgrind --tool=callgrind` for each scene and ray set, and counts what happens
//! within [`trace`]. Single rays, on the fastest instruction set that valgrind emulates, which has no
//! AVX-512.
//!
//! Instructions are not time: a ray is a chain of loads and predictions. They show a change that a timing
//! would hide in its noise.

use std::error::Error;
use std::hint::black_box;
use std::process::{Command, ExitCode};

use hitscan::{BuildOptions, Faces, MeshBvh};
use hitscan_benches::{RayKind, RaySet, Scene, SceneError, assert_equals_brute_force, ray_sets};

const SCENES: [&str; 2] = ["bunny", "kitchen"];

/// The width of the image for the rays.
const WIDTH: usize = 64;

/// The argument with which the program runs itself: a scene and the name of a ray set follow.
const COUNT: &str = "--count";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match &arguments[..] {
        [count, scene, kind] if count == COUNT => count_in_process(scene, kind),
        // `cargo test` passes no argument, and a machine may have no valgrind.
        _ if !arguments.iter().any(|argument| argument == "--bench") => Ok(()),
        _ => print_all(arguments.iter().any(|argument| argument == "--json")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The function whose instructions count.
#[inline(never)]
fn trace(bvh: &MeshBvh, set: &RaySet) {
    for ray in &set.rays {
        if set.kind.asks_for_any_hit() {
            black_box(bvh.is_occluded(ray, Faces::Both));
        } else {
            black_box(bvh.closest_hit(ray, Faces::Both));
        }
    }
}

fn count_in_process(scene: &str, kind: &str) -> Result<(), Box<dyn Error>> {
    let (bvh, sets) = prepared(&Scene::load(scene)?);
    let set = sets.iter().find(|set| set.kind.name() == kind).ok_or("no such ray set")?;
    trace(&bvh, set);
    Ok(())
}

fn prepared(scene: &Scene) -> (MeshBvh, Vec<RaySet>) {
    let bvh = MeshBvh::build(&scene.mesh, &BuildOptions::default());
    let sets = ray_sets(scene, &bvh, WIDTH);
    (bvh, sets)
}

fn print_all(as_json: bool) -> Result<(), Box<dyn Error>> {
    if !as_json {
        println!("{:10} {:10} {:>8} {:>12}", "scene", "rays", "number", "instructions");
    }
    for name in SCENES {
        let scene = match Scene::load(name) {
            Err(missing @ SceneError::Missing { .. }) => {
                eprintln!("{missing}: skipped");
                continue;
            }
            scene => scene?,
        };
        let (bvh, sets) = prepared(&scene);
        for set in &sets {
            assert_equals_brute_force(&bvh, &scene.mesh, &set.rays[..set.rays.len() / 16]);
            let (kind, n) = (set.kind.name(), set.rays.len());
            let per_ray = instructions(name, set.kind)? as f64 / n as f64;
            if as_json {
                println!(
                    "{{\"scene\":\"{name}\",\"rays\":\"{kind}\",\"instructions_per_ray\":{per_ray:.1}}}"
                );
            } else {
                println!("{name:10} {kind:10} {n:8} {per_ray:12.1}");
            }
        }
    }
    Ok(())
}

/// The instructions of [`trace`] for a ray set, by callgrind.
fn instructions(scene: &str, kind: RayKind) -> Result<u64, Box<dyn Error>> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=instructions::trace*")
        .arg(std::env::current_exe()?)
        .args([COUNT, scene, kind.name()])
        .output()
        .map_err(|error| format!("valgrind: {error}; install valgrind"))?;
    // It ends with "Collected : N".
    let report = String::from_utf8_lossy(&output.stderr);
    let collected = report.lines().find_map(|line| line.split_once("Collected :"));
    let n = collected.and_then(|(_, n)| n.trim().parse().ok()).filter(|&n| n > 0);
    n.ok_or_else(|| format!("valgrind counted nothing; its report was:\n{report}").into())
}
