//! The program `hitscan`. Its modules and their order are in `lib.rs`.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    hitscan_cli::main()
}
