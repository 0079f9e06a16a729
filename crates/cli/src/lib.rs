//! The program `hitscan`: triangle meshes, scenes and rays on the command line.
//!
//! Results go to standard output, everything else to standard error. The exit codes are:
//! - 0: a ray hit, or the command succeeded;
//! - 1: no ray hit, `check` found a difference, or `bench --baseline` found something slower;
//! - 2: an error, which leaves no output file behind;
//! - 130: an interrupt while the command wrote a file, which also leaves no file behind.
//!
//! Tests and fuzz targets call the public readers of this library. Nothing here is a stable interface.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `command` | the subcommands, one file each | `args`, `bench`, `check`, `info`, `load`, `messages`, `output`, `points`, `process`, `query`, `rays`, `resolved`, `table` |
//! | `process` | exit codes 0, 1, 2 and 130; the number of threads; the file size limit | `args`, `messages` |
//! | `resolved` | the flags of a command as checked values: rays and query, points, camera and eye, style, the format of an output | `args`, `load`, `points`, `query`, `rays`, `table` |
//! | `info` | the reports of `info`: numbers of a mesh, its tree and a scene; open edges and other faults; spreads; triangles far from the rest | `args`, `load`, `messages`, `output` |
//! | `check` | comparison of meshes and scenes with brute force: rays, and points, regions and filters (`mesh_places`, `scene_places`) | `args`, `load`, `messages`, `query` |
//! | `bench` | timings with their spread, and the comparison of two runs | `messages`, `query` |
//! | `load` | files as meshes and scenes with their trees: notes, progress, checksums of the sources, free memory, textures, standard input | `args`, `messages`, `output` |
//! | `points` | points from files and standard input, their closest surface points, and the results | `args`, `output`, `table` |
//! | `rays` | rays from files and standard input | `table` |
//! | `output` | results as text, NDJSON, CSV or NPZ: `writer` is the same for rays and points, `record` takes the fields from a hit, `columns` collects arrays; files appear whole or not at all | `args`, `messages`, `query` |
//! | `query` | queries with many rays, of whatever rays are cast at: a tree, a scene, or a scan (`caster`) | |
//! | `messages` | everything on standard error | |
//! | `args` | the grammar of the command line, the fields of results, and hints for frequent mistakes | `table` |
//! | `table` | rows of numbers in CSV, NDJSON or NPY, which rays and points share | |
#![forbid(unsafe_code)]

mod args;
mod bench;
mod check;
mod command;
mod info;
mod load;
mod messages;
mod output;
pub mod points;
mod process;
mod query;
pub mod rays;
mod resolved;
pub mod table;

use args::Args;

/// Runs the program with the arguments of the process and returns its exit code.
pub fn main() -> std::process::ExitCode {
    if let Err(error) = process::handle_file_size_limit() {
        return process::exit_code(Err(error));
    }
    match Args::from_command_line(std::env::args_os().collect()) {
        Ok(args) => process::exit_code(command::run(args)),
        Err(error) => process::exit_code_of_command_line(&error),
    }
}
