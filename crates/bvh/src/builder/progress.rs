//! Progress and cancellation of a build.

use std::ops::ControlFlow;
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// The caller's callback, which receives the fraction done.
pub(crate) type Report<'a> = &'a (dyn Fn(f32) -> ControlFlow<()> + Sync);

/// Counts the work of many threads and reports it.
pub(crate) struct Progress<'a> {
    report: Report<'a>,
    total: usize,
    /// Locked during the callback, so that the reports never fall.
    done: Mutex<usize>,
    cancelled: AtomicBool,
}

impl<'a> Progress<'a> {
    /// `total` is the amount of work, in units of the caller's choice.
    pub(crate) fn new(total: usize, report: Report<'a>) -> Self {
        Self { report, total, done: Mutex::new(0), cancelled: AtomicBool::new(false) }
    }

    /// Adds `units` of work done. Call it once per chunk of work, not per item.
    pub(crate) fn advance(&self, units: usize) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += units;
        let fraction = (*done as f32 / self.total.max(1) as f32).min(1.0);
        if !self.is_cancelled() && (self.report)(fraction).is_break() {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the callback asked to stop. The build may then return anything that is safe to drop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}
