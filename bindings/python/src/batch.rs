//! Long loops without the interpreter, which Ctrl-C ends and a number of threads bounds.

use std::{
    ops::Range,
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use pyo3::{PyResult, Python, exceptions::PyRuntimeError};
use rayon::prelude::*;

use crate::pool::{NoFork, Threads, shared_pool};

/// The first and the largest number of items between two checks for signals.
///
/// A loop cannot know what an item costs: a ray may meet nothing, or thousands of triangles. So it begins with few, and
/// measures.
#[derive(Clone, Copy)]
pub(crate) struct Steps {
    first: usize,
    max: usize,
}

impl Steps {
    /// For queries of some hundred nanoseconds.
    pub(crate) const RAYS: Self = Self { first: 1 << 8, max: 1 << 20 };
    /// For queries that may take a hundred times as long, or return long lists.
    pub(crate) const SLOW: Self = Self { first: 1 << 6, max: 1 << 16 };

    /// The number of items that take as long as [`AIM`], if the last step was like all.
    fn next(self, last: usize, elapsed: Duration) -> usize {
        let factor = AIM.as_secs_f64() / elapsed.as_secs_f64().max(1e-9);
        ((last as f64 * factor.min(MAX_GROWTH)) as usize).clamp(1, self.max)
    }
}

/// The time of a step. Ten times as much is still within a second.
const AIM: Duration = Duration::from_millis(60);
/// The next items may take longer than the last ones, so steps grow slower than the time allows.
const MAX_GROWTH: f64 = 16.0;

/// The number of items that the calling thread answers alone, before another thread has woken up.
pub(crate) const FEW: usize = 1 << 8;

/// The time between two checks for signals during work that has no steps.
const PAUSE: Duration = Duration::from_millis(50);

/// Calls `f` with consecutive ranges of `0..n` on `threads` threads, all cores by default.
///
/// # Errors
/// `KeyboardInterrupt` on Ctrl-C, between two ranges; the error of `f`.
pub(crate) fn in_steps(
    py: Python<'_>,
    steps: Steps,
    n: usize,
    threads: Option<usize>,
    mut f: impl FnMut(Range<usize>) -> PyResult<()> + Send,
) -> PyResult<()> {
    let threads = Threads::new(threads)?;
    let (mut first, mut step) = (0, steps.first);
    while first < n {
        let range = first..n.min(first + step);
        first = range.end;
        let (start, n_items) = (Instant::now(), range.len());
        // A handler of a signal may have forked since the last step.
        let pool = if n_items <= FEW { Threads::ONE } else { threads }.pool()?;
        py.detach(|| {
            // A query may store the winding numbers of a mesh for all later ones.
            let _whole = NoFork::new();
            pool.install(|| f(range))
        })?;
        py.check_signals()?;
        step = steps.next(n_items, start.elapsed());
    }
    Ok(())
}

/// The minimum number of slow queries that one thread answers at a time.
pub(crate) const MIN_SLOW: usize = 64;

/// Calls `answer` with each item and the slot of its answer, on `threads` threads.
///
/// # Errors
/// `KeyboardInterrupt` on Ctrl-C.
pub(crate) fn answer_each<I: Sync, T: Send>(
    py: Python<'_>,
    items: &[I],
    answers: &mut [T],
    threads: Option<usize>,
    answer: impl Fn(&I, &mut T) + Sync,
) -> PyResult<()> {
    in_steps(py, Steps::SLOW, items.len(), threads, |range| {
        let pairs = items[range.clone()].par_iter().zip(&mut answers[range]);
        pairs.with_min_len(MIN_SLOW).for_each(|(item, slot)| answer(item, slot));
        Ok(())
    })
}

/// Runs `f` without the interpreter on `threads` threads.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    f: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let pool = Threads::new(threads)?.pool()?;
    Ok(py.detach(|| pool.install(f)))
}

/// Runs `f` without the interpreter on `threads` threads. Sets its flag on Ctrl-C; `f` then ends soon, and its answer
/// is dropped.
///
/// # Errors
/// `KeyboardInterrupt` on Ctrl-C. `RuntimeError` in a child that the handler of a signal has forked meanwhile.
pub(crate) fn cancellable<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    f: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> PyResult<T> {
    let pool = shared_pool(Threads::new(threads)?)?;
    let cancel = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = mpsc::sync_channel(1);
    let flag = cancel.clone();
    // The receiver is gone after an interrupt.
    thread::spawn(move || sender.send(pool.install(|| f(&flag))).ok());
    let process = process::id();
    loop {
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(PAUSE)) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    cancel.store(true, Ordering::Relaxed);
                    return Err(interrupt);
                }
                if process::id() != process {
                    let text =
                        "the process was forked during this call, which only the parent ends";
                    return Err(PyRuntimeError::new_err(text));
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(crate::errors::bug("a thread ended without an answer"));
            }
        }
    }
}
