//! Long loops without the interpreter, which Ctrl-C ends and a number of threads bounds.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use pyo3::{PyResult, Python, exceptions::PyValueError};
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

/// The first and the largest number of items between two checks for signals.
#[derive(Clone, Copy)]
pub(crate) struct Steps {
    first: usize,
    max: usize,
}

impl Steps {
    /// For queries of some hundred nanoseconds.
    pub(crate) const RAYS: Self = Self { first: 1 << 16, max: 1 << 20 };
    /// For queries that may take a hundred times as long, or return long lists.
    pub(crate) const SLOW: Self = Self { first: 1 << 12, max: 1 << 16 };

    /// The number of items of the next step, from the time of the last one.
    fn next(self, last: usize, elapsed: Duration) -> usize {
        if elapsed < SHORT {
            (4 * last).min(self.max)
        } else if elapsed > LONG {
            (last / 4).max(MIN_STEP)
        } else {
            last
        }
    }
}

/// Steps that take less time grow.
const SHORT: Duration = Duration::from_millis(25);
/// Steps that take more time shrink. Four times as much is still well within a second.
const LONG: Duration = Duration::from_millis(150);
const MIN_STEP: usize = 16;

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
    let pool = threads.map(pool_of).transpose()?;
    let (mut first, mut step) = (0, steps.first);
    while first < n {
        let range = first..n.min(first + step);
        first = range.end;
        let start = Instant::now();
        py.detach(|| match &pool {
            Some(pool) => pool.install(|| f(range)),
            None => f(range),
        })?;
        py.check_signals()?;
        step = steps.next(step, start.elapsed());
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
    let pool = threads.map(pool_of).transpose()?;
    Ok(py.detach(|| match &pool {
        Some(pool) => pool.install(f),
        None => f(),
    }))
}

/// Runs `f` without the interpreter on `threads` threads. Sets its flag on Ctrl-C; `f` then returns soon.
///
/// # Errors
/// `KeyboardInterrupt` on Ctrl-C.
pub(crate) fn cancellable<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    f: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let pool = threads.map(pool_of).transpose()?;
    let cancel = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(1);
        let cancel = &cancel;
        scope.spawn(move || {
            let answer = match &pool {
                Some(pool) => pool.install(|| f(cancel)),
                None => f(cancel),
            };
            // The receiver waits until the end of the scope.
            sender.send(answer).ok();
        });
        let receiver = Mutex::new(receiver);
        let wait = || {
            let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.recv_timeout(PAUSE)
        };
        loop {
            match py.detach(wait) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(interrupt) = py.check_signals() {
                        cancel.store(true, Ordering::Relaxed);
                        return Err(interrupt);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(crate::errors::bug("a thread ended without an answer"));
                }
            }
        }
    })
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
