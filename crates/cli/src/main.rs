//! `hitscan`: triangle meshes, scenes and rays on the command line.
//!
//! Results go to standard output, everything else to standard error. The exit code is 0 when a ray
//! hit (or the command did what it is for), 1 when none did (or `check` found a difference), and 2
//! on an error, which also leaves no output file behind.

#![forbid(unsafe_code)]

mod args;
mod bench;
mod camera;
mod check;
mod command;
mod engine;
mod exit_code;
mod loading;
mod messages;
mod output;
mod rays;
mod render;
mod scene_file;
mod surface;

use clap::Parser;

use args::Args;

fn main() -> std::process::ExitCode {
    exit_code::of(command::run(Args::parse()))
}
