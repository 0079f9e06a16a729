//! The errors of a device: kept for each thread, and told to the program.

use std::{
    cell::RefCell,
    collections::HashMap,
    ffi::{CString, c_char, c_void},
    sync::{Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
};

use crate::abi::{Callback, error};

/// Locks what no code leaves half done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The errors of a thread: the first code that was not asked for, and the last message.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    code: u32,
    message: CString,
}

impl Errors {
    pub(crate) fn keep(&mut self, code: u32, message: CString) {
        if self.code == error::NONE {
            self.code = code;
        }
        self.message = message;
    }

    pub(crate) fn take(&mut self) -> u32 {
        std::mem::replace(&mut self.code, error::NONE)
    }

    pub(crate) fn message(&self) -> *const c_char {
        self.message.as_ptr()
    }
}

thread_local! {
    /// The errors of calls without a valid handle.
    pub(crate) static NO_DEVICE: RefCell<Errors> = RefCell::default();
}

type Function = Callback<unsafe extern "C" fn(*mut c_void, u32, *const c_char)>;

/// What hears of the failures of a device.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    by_thread: Mutex<HashMap<ThreadId, Errors>>,
    function: Mutex<Function>,
}

impl Reports {
    /// Keeps a failure for the thread, and tells the program of it.
    pub(crate) fn fail(&self, code: u32, message: CString) {
        lock(&self.by_thread)
            .entry(thread::current().id())
            .or_default()
            .keep(code, message.clone());
        let Function { function, user } = *lock(&self.function);
        if let Some(function) = function {
            // SAFETY: the program registered the function for these arguments.
            unsafe { function(user.0, code, message.as_ptr()) };
        }
    }

    pub(crate) fn set_function(&self, function: Function) {
        *lock(&self.function) = function;
    }

    /// The first error of this thread that was not asked for.
    pub(crate) fn take(&self) -> u32 {
        let mut by_thread = lock(&self.by_thread);
        by_thread.get_mut(&thread::current().id()).map_or(error::NONE, Errors::take)
    }

    /// The text of the last error of this thread.
    pub(crate) fn message(&self) -> *const c_char {
        let by_thread = lock(&self.by_thread);
        by_thread.get(&thread::current().id()).map_or(c"".as_ptr(), Errors::message)
    }
}
