//! Ctrl-C while an output is not complete: what is written so far goes away.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process;
use std::sync::{Mutex, Once, PoisonError};

use tempfile::NamedTempFile;

/// What a shell gives for a program that SIGINT ended.
const INTERRUPTED: i32 = 130;

/// Files of this process that are not complete. One that is complete has another name by now, and names do
/// not come back.
static INCOMPLETE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is removed if the process is asked to end, which it does with exit code 130.
///
/// # Errors
/// Those of `create`.
pub(super) fn removes(
    create: impl FnOnce() -> io::Result<NamedTempFile>,
) -> io::Result<NamedTempFile> {
    static HANDLER: Once = Once::new();
    // Held while the file is made: there is no moment at which the handler does not know of it.
    let mut incomplete = INCOMPLETE.lock().unwrap_or_else(PoisonError::into_inner);
    HANDLER.call_once(|| {
        // Without a handler the process ends as well, and leaves the file.
        ctrlc::set_handler(end).ok();
    });
    let file = create()?;
    incomplete.push(file.path().to_owned());
    Ok(file)
}

fn end() {
    for file in INCOMPLETE.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // It may be complete.
        fs::remove_file(file).ok();
    }
    process::exit(INTERRUPTED);
}
