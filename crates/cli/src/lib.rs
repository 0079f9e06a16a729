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
//! | `command` | the subcommands, one file each | `args`, `bench`, `check`, `check_scene`, `check_space`, `comparison`, `exit_code`, `field`, `loaded_scene`, `loading`, `mesh_facts`, `mesh_faults`, `mesh_output`, `messages`, `model`, `output`, `points`, `query`, `rays`, `reduced_scene`, `resolved`, `scene_file`, `scene_info`, `stdin`, `table`, `threads` |
//! | `exit_code`, `signals` | 0, 1, 2 and 130; the file size limit | `messages` |
//! | `scene_info` | the report of `info` about a scene | `args`, `loaded_scene`, `mesh_facts`, `mesh_faults`, `messages`, `output` |
//! | `mesh_facts` | the numbers of `info` about a mesh and its tree | `distribution`, `far_triangles`, `mesh_faults`, `messages`, `output` |
//! | `scene_file` | reads scenes: TOML, glTF, cache files, or one mesh | `args`, `loaded_scene`, `loading`, `messages`, `model`, `source_snapshot`, `textures` |
//! | `loaded_scene`, `textures` | a scene with its materials and files; the textures of materials | `messages`, `output` |
//! | `reduced_scene` | a scene without the faces that `--ignore-faces` names | `args` |
//! | `resolved` | the flags of a command as checked values: rays and query, points, camera and eye, style, the format of an output | `args`, `field`, `points`, `query`, `rays`, `stdin`, `table` |
//! | `mesh_output` | meshes in any format | `messages`, `output` |
//! | `points` | points as streams, their closest surface points, and the results | `args`, `field`, `output`, `table` |
//! | `output` | results as text, NDJSON, CSV or NPZ: `record` takes the fields from a hit, `columns` collects arrays; files appear whole or not at all | `args`, `field`, `query` |
//! | `check_scene`, `check_space`, `check`, `bench` | comparison of scenes and meshes with brute force, `check_space` about points, regions and filters; timings with their spread, and the comparison of two runs | `comparison`, `messages` |
//! | `comparison` | counts of answers and differences by query | |
//! | `mesh_faults`, `distribution`, `far_triangles`, `threads` | the open edges and other faults of a mesh, in numbers and lists; the spreads that `info` prints; triangles far from the rest; the number of threads | `args` |
//! | `loading`, `memory` | loads a mesh and builds its tree, with progress; refuses builds that would make the machine swap | `args`, `messages`, `model`, `source_snapshot`, `stdin` |
//! | `source_snapshot`, `model` | a mesh with the checksums of its files; a mesh in memory, with its report and tree | `args` |
//! | `messages`, `stdin` | everything on standard error; a mesh on standard input | |
//! | `query` | the queries of many rays, by a tree, by brute force or in a scene | |
//! | `args` | the grammar of the command line, and hints for frequent mistakes | `field`, `table` |
//! | `field` | the facts about a hit: their names in flags and formats, and their values | |
//! | `rays` | rays from files and standard input, as streams | `table` |
//! | `table` | rows of numbers in CSV, NDJSON or NPY, which rays and points share | |
#![forbid(unsafe_code)]

mod args;
mod bench;
mod check;
mod check_scene;
mod check_space;
mod command;
mod comparison;
mod distribution;
mod exit_code;
mod far_triangles;
mod field;
mod loaded_scene;
mod loading;
mod memory;
mod mesh_facts;
mod mesh_faults;
mod mesh_output;
mod messages;
mod model;
mod output;
pub mod points;
mod query;
pub mod rays;
mod reduced_scene;
mod resolved;
mod scene_file;
mod scene_info;
mod signals;
mod source_snapshot;
mod stdin;
pub mod table;
mod textures;
mod threads;

use args::Args;

/// Runs the program with the arguments of the process and returns its exit code.
pub fn main() -> std::process::ExitCode {
    if let Err(error) = signals::handle_file_size_limit() {
        return exit_code::of(Err(error));
    }
    match Args::from_command_line(std::env::args_os().collect()) {
        Ok(args) => exit_code::of(command::run(args)),
        Err(error) => exit_code::of_command_line(&error),
    }
}
