//! The program `hitscan`: triangle meshes, scenes and rays on the command line.
//!
//! Results go to standard output, everything else to standard error. The exit code is 0 when a ray
//! hit (or the command did what it is for), 1 when none did (or `check` found a difference), and 2
//! on an error, which also leaves no output file behind; likewise 130 when a command that writes one is
//! interrupted.
//!
//! A library only so that tests and fuzz targets can hand bytes to its readers: nothing here is
//! promised to anybody else.

#![forbid(unsafe_code)]

mod args;
mod bench;
mod camera;
mod check;
mod command;
mod distribution;
mod engine;
mod exit_code;
mod keyed;
mod loading;
mod messages;
mod output;
pub mod rays;
pub mod scene_file;
mod surface;

use clap::Parser;

use args::Args;

/// Runs the program with the arguments of the process.
pub fn main() -> std::process::ExitCode {
    exit_code::of(command::run(Args::parse()))
}
