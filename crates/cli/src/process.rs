//! The process: its exit code, its threads and its signals.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;

use crate::args::ThreadsArg;
use crate::messages;

/// The outcome of a command without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A ray hit something, or the command succeeded: exit code 0.
    Done,
    /// No ray hit anything, or a check found a difference: exit code 1.
    Nothing,
}

/// The exit code of a result. Prints an error, whose code is 2.
pub(crate) fn exit_code(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Nothing) => ExitCode::from(1),
        // The reader of our output has closed the pipe, as in `hitscan cast ... | head`.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            messages::error(&error);
            ExitCode::from(2)
        }
    }
}

/// Prints the help, the version or the error of a command line, and returns the exit code.
pub(crate) fn exit_code_of_command_line(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(cause) if !error.use_stderr() => {
            exit_code(Err(anyhow::Error::new(cause).context("standard output: cannot write")))
        }
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io_errors = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    io_errors.into_iter().any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Sets the number of threads. Call it once, before any work.
///
/// # Errors
/// Threads that the system cannot start.
pub(crate) fn set_threads(arg: ThreadsArg) -> anyhow::Result<()> {
    let Some(threads) = arg.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(threads))
        .build_global()
        .with_context(|| format!("--threads: cannot start {threads} threads"))
}

/// Turns a write beyond the file size limit (`ulimit -f`) into an error. By default SIGXFSZ ends the
/// process, which leaves an incomplete file behind.
///
/// # Errors
/// A handler that the system refuses.
pub(crate) fn handle_file_size_limit() -> anyhow::Result<()> {
    #[cfg(unix)]
    {
        use std::sync::Arc;

        // The flag has no reader. With any handler, the write fails with EFBIG.
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())
            .context("cannot handle SIGXFSZ")?;
    }
    Ok(())
}
