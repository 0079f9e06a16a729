//! The signals that the process handles from its start.

/// Turns a write beyond the file size limit (`ulimit -f`) into an error. By default SIGXFSZ ends the
/// process, which leaves an incomplete file behind.
///
/// # Errors
/// A handler that the system refuses.
pub(crate) fn handle_file_size_limit() -> anyhow::Result<()> {
    #[cfg(unix)]
    {
        use std::sync::Arc;

        use anyhow::Context;

        // The flag has no reader. With any handler, the write fails with EFBIG.
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())
            .context("cannot handle SIGXFSZ")?;
    }
    Ok(())
}
