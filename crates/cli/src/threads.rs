//! The number of threads of the process.

use anyhow::Context;

use crate::args::ThreadsArg;

/// Sets the number of threads. Call it once, before any work.
///
/// # Errors
/// Threads that the system cannot start.
pub(crate) fn set(arg: ThreadsArg) -> anyhow::Result<()> {
    let Some(threads) = arg.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(threads))
        .build_global()
        .with_context(|| format!("--threads: cannot start {threads} threads"))
}
