//! Removes incomplete output files on Ctrl-C.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process;
use std::sync::{Mutex, Once, PoisonError};

use tempfile::NamedTempFile;

/// The exit code that a shell reports for a program that SIGINT ended.
const INTERRUPTED: i32 = 130;

/// The temporary files of this process. A complete file has another name by now, and no name is used twice.
static INCOMPLETE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Creates a temporary file. On SIGINT and SIGTERM the process removes it and ends with exit code 130.
///
/// # Errors
/// The errors of `create`.
pub(super) fn removed_on_interrupt(
    create: impl FnOnce() -> io::Result<NamedTempFile>,
) -> io::Result<NamedTempFile> {
    static HANDLER: Once = Once::new();
    // Hold the lock during the creation, so that the handler knows every file.
    let mut incomplete = INCOMPLETE.lock().unwrap_or_else(PoisonError::into_inner);
    HANDLER.call_once(|| {
        // Without a handler the process also ends, but leaves the file behind.
        ctrlc::set_handler(end).ok();
    });
    let file = create()?;
    incomplete.push(file.path().to_owned());
    Ok(file)
}

fn end() {
    for file in INCOMPLETE.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // Ignore the error: the file may already be complete and renamed.
        fs::remove_file(file).ok();
    }
    process::exit(INTERRUPTED);
}
