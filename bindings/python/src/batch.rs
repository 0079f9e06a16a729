//! Long loops without the interpreter, which Ctrl-C ends and a number of threads bounds.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use pyo3::{PyResult, Python, exceptions::PyValueError};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Items between two checks for signals: some hundredths of a second for rays.
const STEP: usize = 1 << 17;

/// Calls `f` with consecutive ranges of `0..n` on `threads` threads, all cores by default.
///
/// # Errors
/// `KeyboardInterrupt` on Ctrl-C, between two ranges; the error of `f`.
pub(crate) fn in_steps(
    py: Python<'_>,
    n: usize,
    threads: Option<usize>,
    f: impl FnMut(Range<usize>) -> PyResult<()> + Send,
) -> PyResult<()> {
    in_steps_of(py, STEP, n, threads, f)
}

/// [`in_steps`] of `step` items, for items that take longer than rays.
pub(crate) fn in_steps_of(
    py: Python<'_>,
    step: usize,
    n: usize,
    threads: Option<usize>,
    mut f: impl FnMut(Range<usize>) -> PyResult<()> + Send,
) -> PyResult<()> {
    let pool = threads.map(pool_of).transpose()?;
    for first in (0..n).step_by(step) {
        let range = first..(first + step).min(n);
        py.detach(|| match &pool {
            Some(pool) => pool.install(|| f(range)),
            None => f(range),
        })?;
        py.check_signals()?;
    }
    Ok(())
}

/// Runs `f` without the interpreter on `threads` threads.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    f: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let pool = threads.map(pool_of).transpose()?;
    Ok(py.detach(|| match &pool {
        Some(pool) => pool.install(f),
        None => f(),
    }))
}

/// The pool of a number of threads; each is made once.
fn pool_of(threads: usize) -> PyResult<Arc<ThreadPool>> {
    static POOLS: Mutex<Option<HashMap<usize, Arc<ThreadPool>>>> = Mutex::new(None);
    if !(1..=1024).contains(&threads) {
        let text = format!("threads is {threads}, expected a number from 1 to 1024");
        return Err(PyValueError::new_err(text));
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    if let Some(pool) = pools.get(&threads) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(pool.map_err(|error| crate::errors::value_error(&error))?);
    pools.insert(threads, pool.clone());
    Ok(pool)
}
