//! `hitscan`: triangle meshes, scenes and rays on the command line.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    hitscan_cli::main()
}
