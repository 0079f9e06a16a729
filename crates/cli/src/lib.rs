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
//! Modules import one way, from left to right, with no cycle:
//! ```text
//! command → scene_file → loaded_scene → textures → messages
//! command → scene_file → loading → source_snapshot → model → args → table
//! command → resolved → points, args, query, rays, table
//! points → output, args, table
//! rays → table
//! command → output → query, args
//! command, loading, resolved → stdin
//! command → mesh_output → output
//! command → reduced_scene → args
//! command → bench, check, threads
//! command → check_scene, check_space → comparison
//! command → scene_info → mesh_facts → distribution, far_triangles, mesh_faults
//! command, exit_code, loading, mesh_output → messages
//! ```
//! `command` also imports each module further right directly, and `exit_code` for its result.
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
