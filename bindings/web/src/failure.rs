//! Errors that JavaScript throws: their texts, panics, and memory that cannot grow.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    error::Error,
    panic,
};
#[cfg(feature = "threads")]
use std::{
    hint,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::statics::{Kept, PerThread};

thread_local! {
    static TEXT: Kept<String> = const { Kept::new(String::new()) };
    /// The size of the last request that the system refused, until [`refused_bytes`] reads it.
    static REFUSED: Cell<usize> = const { Cell::new(0) };
}

/// Stores the text of an error and returns 0, the handle of no object.
pub(crate) fn fail(text: impl Into<String>) -> u32 {
    TEXT.set(text.into());
    0
}

/// [`fail`] with the text of an error and of its sources.
pub(crate) fn fail_with(error: &dyn Error) -> u32 {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        source = error.source();
    }
    fail(text)
}

/// The address of the text of the last error.
#[unsafe(no_mangle)]
extern "C" fn error_address() -> usize {
    TEXT.with_borrow(|text| text.as_ptr().addr())
}

/// The length of that text, in bytes.
#[unsafe(no_mangle)]
extern "C" fn error_length() -> usize {
    TEXT.with_borrow(String::len)
}

/// The size of the request of memory that failed since the last call, or 0.
#[unsafe(no_mangle)]
extern "C" fn refused_bytes() -> usize {
    REFUSED.replace(0)
}

/// Keeps the text of a panic for JavaScript. The first call of the module.
#[unsafe(no_mangle)]
extern "C" fn start() {
    panic::set_hook(Box::new(|info| {
        TEXT.set(info.to_string());
    }));
}

/// The system's allocator, which also records refused requests. Without the record an abort for lack of
/// memory looks like any other.
struct Recording;

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Recording {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        recorded(alone(|| unsafe { System.alloc(layout) }), layout.size())
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        recorded(alone(|| unsafe { System.alloc_zeroed(layout) }), layout.size())
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        alone(|| unsafe { System.dealloc(memory, layout) });
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        recorded(alone(|| unsafe { System.realloc(memory, layout, size) }), size)
    }
}

/// Runs a call of the allocator while no other thread is in it. A thread that waits for the allocator's own lock
/// sleeps, which the main thread of a page must not; this one tries again.
#[cfg(feature = "threads")]
#[inline]
fn alone<T>(call: impl FnOnce() -> T) -> T {
    static IS_BUSY: AtomicBool = AtomicBool::new(false);
    while IS_BUSY.swap(true, Ordering::Acquire) {
        hint::spin_loop();
    }
    let result = call();
    IS_BUSY.store(false, Ordering::Release);
    result
}

#[cfg(not(feature = "threads"))]
#[inline]
fn alone<T>(call: impl FnOnce() -> T) -> T {
    call()
}

#[inline]
fn recorded(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        REFUSED.set(size);
    }
    memory
}

#[global_allocator]
static ALLOCATOR: Recording = Recording;

/// Whether this much memory can be had in one piece. The request fails without an abort, so a large
/// operation asks before it starts, and leaves nothing behind if the answer is no.
pub(crate) fn has_room_for(n_bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(n_bytes).is_ok()
}

/// Stores the error of an operation for which there is no memory, and returns 0.
pub(crate) fn fail_for_memory(what: &str, n_bytes: usize) -> u32 {
    REFUSED.set(0);
    let megabytes = n_bytes.div_ceil(1 << 20);
    fail(format!(
        "{what}: out of memory, {megabytes} MB are needed; dispose() of meshes and trees that are no \
         longer in use"
    ))
}
