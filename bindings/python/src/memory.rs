//! Requests for more memory than there is, as exceptions.
//!
//! Linux grants nearly every request, and ends the process that then uses its memory.

use pyo3::{PyResult, exceptions::PyMemoryError};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// Smaller requests are not checked, because a check takes some tens of microseconds.
const CHECKED_BYTES: u64 = 1 << 27;

/// Checks that the machine, and the container if there is one, has room for `bytes` more.
///
/// # Errors
/// `MemoryError` with `what`, the bytes that it takes and the bytes that are available.
pub(crate) fn check(what: &str, bytes: u64) -> PyResult<()> {
    if bytes < CHECKED_BYTES {
        return Ok(());
    }
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(memory);
    let in_container = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    // Zero where the system does not say.
    let available = match system.available_memory().min(in_container) {
        0 => u64::MAX,
        available => available,
    };
    if bytes <= available {
        return Ok(());
    }
    let text = format!(
        "{what}: {bytes} bytes do not fit into the {available} bytes of memory that are available; use \
         smaller batches"
    );
    Err(PyMemoryError::new_err(text))
}
