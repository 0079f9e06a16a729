//! Progress and cancellation of a selection.

use std::ops::ControlFlow;
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// The callback of a selection, and whether it asked to stop.
pub(crate) struct Progress<'a> {
    callback: &'a (dyn Fn(f32) -> ControlFlow<()> + Sync),
    /// The largest report. Locked during the callback, so that the reports never fall.
    reported: Mutex<f32>,
    is_cancelled: AtomicBool,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(callback: &'a (dyn Fn(f32) -> ControlFlow<()> + Sync)) -> Self {
        Self { callback, reported: Mutex::new(0.0), is_cancelled: AtomicBool::new(false) }
    }

    /// Whether the callback asked to stop. The selection may then have any elements, which the caller drops.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// The part of the work between two shares of the whole.
    pub(crate) fn stage(&self, from: f32, to: f32) -> Stage<'_> {
        Stage { progress: self, from, to }
    }
}

/// A part of the work.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    progress: &'a Progress<'a>,
    from: f32,
    to: f32,
}

impl Stage<'_> {
    /// Reports that `done` of `total` units are done. Returns whether the work goes on.
    pub(crate) fn goes_on(&self, done: usize, total: usize) -> bool {
        let Progress { callback, reported, is_cancelled } = self.progress;
        let mut reported = reported.lock().unwrap_or_else(PoisonError::into_inner);
        let share = (done as f32 / total.max(1) as f32).min(1.0);
        *reported = reported.max(self.from + share * (self.to - self.from));
        if !self.progress.is_cancelled() && callback(*reported).is_break() {
            is_cancelled.store(true, Ordering::Relaxed);
        }
        !self.progress.is_cancelled()
    }

    /// The part of this stage between two shares of it.
    pub(crate) fn part(&self, from: f32, to: f32) -> Self {
        let at = |share: f32| self.from + share * (self.to - self.from);
        Self { progress: self.progress, from: at(from), to: at(to) }
    }
}
