//! The state that all connections share.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::{Model, ShownModel};

/// The state that all connections share.
#[derive(Debug)]
pub(crate) struct ServerState {
    current: Mutex<CurrentModel>,
    /// Number of changes of `current`, so that tabs detect a change without locking.
    changes: AtomicU64,
    pub(crate) n_connections: AtomicUsize,
    pub(crate) n_tabs: AtomicUsize,
    is_ending: AtomicBool,
}

/// The model that tabs show.
#[derive(Clone, Debug)]
pub(crate) struct CurrentModel {
    pub(crate) shown: Arc<ShownModel>,
    /// Number of earlier models.
    pub(crate) version: u64,
    /// The reason why the changed file cannot be shown.
    pub(crate) problem: Option<String>,
}

impl ServerState {
    /// A server with this model and without connections.
    pub(crate) fn new(model: Model) -> Self {
        let shown = Arc::new(ShownModel::new(model));
        let current = CurrentModel { shown, version: 0, problem: None };
        Self {
            current: Mutex::new(current),
            changes: AtomicU64::new(0),
            n_connections: AtomicUsize::new(0),
            n_tabs: AtomicUsize::new(0),
            is_ending: AtomicBool::new(false),
        }
    }

    pub(crate) fn current(&self) -> CurrentModel {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut CurrentModel)) {
        change(&mut self.current.lock().unwrap_or_else(PoisonError::into_inner));
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// A counter that increases with each change.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// Asks the listener and all tabs to end.
    pub(crate) fn end(&self) {
        self.is_ending.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::SeqCst)
    }
}

/// A permit from a limited number; returned when dropped.
pub(crate) struct Permit {
    pub(crate) state: Arc<ServerState>,
    count: fn(&ServerState) -> &AtomicUsize,
}

impl Permit {
    pub(crate) fn acquire(
        state: &Arc<ServerState>,
        count: fn(&ServerState) -> &AtomicUsize,
        max: usize,
    ) -> Option<Self> {
        let add = |n: usize| (n < max).then_some(n + 1);
        count(state).fetch_update(Ordering::SeqCst, Ordering::SeqCst, add).ok()?;
        Some(Self { state: state.clone(), count })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        (self.count)(&self.state).fetch_sub(1, Ordering::SeqCst);
    }
}
