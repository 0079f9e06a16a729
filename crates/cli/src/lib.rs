//! The program `hitscan`: triangle meshes, scenes and rays on the command line.
//!
//! Results go to standard output, everything else to standard error. The exit codes are:
//! - 0: a ray hit, or the command succeeded;
//! - 1: no ray hit, or `check` found a difference;
//! - 2: an error, which leaves no output file behind;
//! - 130: an interrupt while the command wrote a file, which also leaves no file behind.
//!
//! Tests and fuzz targets call the public readers of this library. Nothing here is a stable interface.
//!
//! Modules import one way, from left to right, with no cycle:
//! ```text
//! command → scene_file → loading → source_snapshot → model → args → rays
//! command → output → engine → args
//! command → camera → args::{picking, render, view} → args::{engine, limits} → rays
//! command → bench, check, distribution, surface
//! command, exit_code, loading → messages
//! ```
//! `command` also imports each module further right directly, and `exit_code` for its result.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod camera;
mod check;
mod command;
mod distribution;
mod engine;
mod exit_code;
mod loading;
mod messages;
mod model;
mod output;
pub mod rays;
pub mod scene_file;
mod source_snapshot;
mod surface;

use clap::Parser;

use args::Args;

/// Runs the program with the arguments of the process and returns its exit code.
pub fn main() -> std::process::ExitCode {
    exit_code::of(command::run(Args::parse()))
}
