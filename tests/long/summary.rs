//! The page that the repository keeps.

use std::fmt::Write;
use std::process::Command;

use xxhash_rust::xxh3::xxh3_64;

use crate::meshes::meshes;
use crate::state::State;
use crate::tally::Part;

/// The page: date and machines, and a row for each part.
pub(crate) fn text(parts: &[Part], state: &State, tested: &str) -> String {
    let date = said_by("date", &["-u", "+%Y-%m-%d"]).unwrap_or_else(|| "unknown day".to_owned());
    let machines: Vec<&str> = state.machines().collect();
    let mut text = format!(
        "# The long run of {date}\n\n\
         Written by `cargo test --release -p hitscan-testkit --test long`; see `tests/long`. The number \
         beside an instruction set counts the units that ran with it, if not all did.\n\n\
         - commit {}; hash of the tested code: {tested}\n\
         - {}\n\n\
         | part | promise | instruction sets | units | meshes | rays | that hit | wrong | worst error | minutes |\n\
         |---|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
        commit(),
        machines.join("; "),
    );
    for part in parts {
        let (name, tally) = (part.name, state.tally(part.name));
        let worst = if tally.worst > 0.0 {
            format!("{:.2}, {} beyond 2.5", tally.worst, tally.n_large)
        } else {
            "-".into()
        };
        writeln!(
            text,
            "| {name} | {} | {} | {} of {} | {} | {} | {} | {} | {worst} | {:.0} |",
            part.promise,
            state.isas(name),
            state.n_done(name),
            part.n_units,
            tally.n_meshes,
            tally.n_rays,
            tally.n_hits,
            tally.n_wrong,
            state.seconds(name) / 60.0,
        )
        .expect("a string takes anything");
        if let Some(wrong) = &tally.first_wrong {
            eprintln!("{name}: the first wrong answer: {wrong}");
        }
    }
    text
}

/// The commit of the repository.
fn commit() -> String {
    said_by("git", &["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_owned())
}

/// The suffix of [`what_is_tested`] for changed files.
pub(crate) const CHANGED: char = '+';

/// A hash of the tested code and of the tests themselves, from git. A run continues until one of these
/// files changes. The hash leaves out the readers and the cutting of polygons: they only choose the
/// meshes, whose sizes it includes. [`CHANGED`] marks uncommitted changes, or a machine without git.
pub(crate) fn what_is_tested() -> String {
    const PATHS: [&str; 11] = [
        ":(top)crates/primitives/src",
        ":(top,exclude)crates/primitives/src/polygons",
        ":(top)crates/bvh/src",
        ":(top)crates/oracle/src",
        ":(top)crates/scene/src",
        ":(top)tests/support",
        ":(top)tests/long",
        ":(top,exclude)tests/long/summary.rs",
        ":(top)tests/integration/asking.rs",
        ":(top)tests/integration/editing.rs",
        ":(top)tests/integration/scene/making.rs",
    ];
    let on_paths = |command: &[&str]| said_by("git", &[command, &["--"], &PATHS].concat());
    let Some(mut content) = on_paths(&["ls-files", "--stage"]) else {
        return format!("unknown{CHANGED}");
    };
    // The meshes number the units, and some lie outside of the repository.
    for (name, mesh) in meshes() {
        content += &format!("\n{name} {}", mesh.triangles().len());
    }
    let changes = on_paths(&["status", "--porcelain"]).unwrap_or_default();
    let content = format!("{:016x}", xxh3_64(content.as_bytes()));
    if changes.is_empty() { content } else { format!("{content}{CHANGED}") }
}

/// The processor, with the number of its threads.
pub(crate) fn machine() -> String {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name);
    format!("{name}, {} threads", rayon::current_num_threads())
}

fn said_by(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    let output = command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
