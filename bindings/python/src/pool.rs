//! The threads of this process.
//!
//! A forked child has only the thread that forked. If that thread waits for another, it waits for ever. So all work runs
//! in pools that belong to one process, and never in rayon's global pool, which a child would inherit without its
//! threads. Locks are the other danger: what a thread holds while another one forks stays locked in the child. All
//! locks here are taken and released with the interpreter's lock, which the forking thread holds. For longer work,
//! [`NoFork`] makes `os.fork` wait.

use std::{
    cell::OnceCell,
    collections::HashMap,
    mem, process,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A number of threads; 0 for rayon's default, all cores.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Threads(usize);

impl Threads {
    /// The calling thread alone.
    pub(crate) const ONE: Self = Self(1);

    /// The number that a caller wants.
    pub(crate) fn new(threads: Option<usize>) -> PyResult<Self> {
        match threads {
            Some(threads @ 1..=1024) => Ok(Self(threads)),
            Some(threads) => {
                let text = format!("threads is {threads}, expected a number from 1 to 1024");
                Err(PyValueError::new_err(text))
            }
            None => Ok(Self(0)),
        }
    }

    /// The pool of this process for them. To be asked for with the interpreter's lock, and again after every moment
    /// at which Python code may have forked.
    pub(crate) fn pool(self) -> PyResult<Pool> {
        if self == Self::ONE
            && let Some(pool) = pool_of_this_thread()
        {
            return Ok(pool);
        }
        shared_pool(self)
    }
}

/// Threads to run on. All loops of rayon stay on them in its `install`.
pub(crate) type Pool = Arc<ThreadPool>;

/// The pool whose only thread is the calling one, so that work begins without a call to another thread.
///
/// rayon keeps some kilobytes for ever for each thread that was once a pool. So only the first threads get one.
fn pool_of_this_thread() -> Option<Pool> {
    const MOST: usize = 256;
    static N_MADE: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static POOL: OnceCell<Option<Pool>> = const { OnceCell::new() });
    let make = || {
        if N_MADE.fetch_add(1, Ordering::Relaxed) >= MOST {
            return None;
        }
        ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().map(Arc::new).ok()
    };
    POOL.with(|pool| pool.get_or_init(make).clone())
}

/// The pool of a number of threads; each is made once in a process. Its threads wait for work, so that the calling one
/// can wait for signals.
pub(crate) fn shared_pool(threads: Threads) -> PyResult<Pool> {
    static POOLS: Mutex<Option<(u32, HashMap<usize, Pool>)>> = Mutex::new(None);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let (process, pools) = pools.get_or_insert_with(|| (process::id(), HashMap::new()));
    if *process != process::id() {
        // The pools of the parent, whose threads do not exist here. They leak, because their destructors would take
        // locks that a thread of the parent may have held at the fork.
        mem::forget(mem::take(pools));
        *process = process::id();
    }
    if let Some(pool) = pools.get(&threads.0) {
        return Ok(pool.clone());
    }
    let builder = ThreadPoolBuilder::new().num_threads(threads.0);
    let pool = builder.thread_name(|index| format!("hitscan-{index}")).build();
    let pool = Arc::new(pool.map_err(|error| crate::errors::value_error(&error))?);
    pools.insert(threads.0, pool.clone());
    Ok(pool)
}

/// Work that must be whole in a forked child, such as the refit of a tree. `os.fork` in another thread waits for its
/// end. It must neither need the interpreter nor last long.
pub(crate) struct NoFork(());

/// The pieces of such work that run now.
static N_BUSY: AtomicUsize = AtomicUsize::new(0);
/// The threads that are about to fork.
static N_FORKING: AtomicUsize = AtomicUsize::new(0);

impl NoFork {
    pub(crate) fn new() -> Self {
        loop {
            wait_until(|| N_FORKING.load(Ordering::SeqCst) == 0);
            N_BUSY.fetch_add(1, Ordering::SeqCst);
            if N_FORKING.load(Ordering::SeqCst) == 0 {
                return Self(());
            }
            N_BUSY.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl Drop for NoFork {
    fn drop(&mut self) {
        N_BUSY.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Waits without a lock of the system, which a child might inherit locked.
fn wait_until(holds: impl Fn() -> bool) {
    while !holds() {
        thread::sleep(Duration::from_micros(100));
    }
}

#[pyfunction]
fn before_fork(py: Python<'_>) {
    N_FORKING.fetch_add(1, Ordering::SeqCst);
    py.detach(|| wait_until(|| N_BUSY.load(Ordering::SeqCst) == 0));
}

#[pyfunction]
fn after_fork_in_parent() {
    N_FORKING.fetch_sub(1, Ordering::SeqCst);
}

#[pyfunction]
fn after_fork_in_child() {
    N_BUSY.store(0, Ordering::SeqCst);
    N_FORKING.store(0, Ordering::SeqCst);
}

/// Makes `os.fork` wait for [`NoFork`].
pub(crate) fn register_at_fork(py: Python<'_>) -> PyResult<()> {
    let os = py.import("os")?;
    // Systems without `fork` do not have it.
    let Ok(register) = os.getattr("register_at_fork") else { return Ok(()) };
    let hooks = PyDict::new(py);
    hooks.set_item("before", wrap_pyfunction!(before_fork, py)?)?;
    hooks.set_item("after_in_parent", wrap_pyfunction!(after_fork_in_parent, py)?)?;
    hooks.set_item("after_in_child", wrap_pyfunction!(after_fork_in_child, py)?)?;
    register.call((), Some(&hooks))?;
    Ok(())
}
