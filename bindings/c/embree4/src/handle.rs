//! Handles: pointers to counted objects that know their kind.

use std::{
    mem::ManuallyDrop,
    ptr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    error::{Failure, Outcome, invalid},
    reports::Reports,
};

/// The first word of an object that is no more.
const RELEASED: u64 = u64::from_le_bytes(*b"released");

/// The first word of an object, by which a handle of another kind is found out.
#[derive(Debug)]
pub(crate) struct Magic(AtomicU64);

impl Magic {
    pub(crate) fn of<H: Handle>() -> Self {
        Self(AtomicU64::new(H::MAGIC))
    }
}

impl Drop for Magic {
    fn drop(&mut self) {
        self.0.store(RELEASED, Ordering::Relaxed);
    }
}

/// A kind of object behind a handle.
///
/// # Safety
/// The type is `repr(C)`, and its first field is a [`Magic`]. Handles point only to objects in an [`Arc`].
pub(crate) unsafe trait Handle: Sized + Send + Sync {
    /// The name of the handle in Embree's headers.
    const NAME: &'static str;
    /// The first word of its objects.
    const MAGIC: u64;

    /// What hears of failures: that of its device.
    fn reports(&self) -> &Reports;
}

/// The object of a handle. The program promises that the handle lives during the call.
#[inline(always)]
pub(crate) fn get<'a, H: Handle>(handle: *const H) -> Outcome<&'a H> {
    if handle.is_null() || !handle.is_aligned() {
        return Err(wrong::<H>("NULL or a misaligned pointer"));
    }
    // SAFETY: not NULL and aligned; Embree's rules let programs pass nothing but handles, which begin with a word.
    let magic = unsafe { (*handle.cast::<Magic>()).0.load(Ordering::Relaxed) };
    if magic != H::MAGIC {
        return Err(wrong::<H>("a released handle or one of another kind"));
    }
    // SAFETY: the word says that an object of this kind is there.
    Ok(unsafe { &*handle })
}

#[cold]
#[inline(never)]
fn wrong<H: Handle>(found: &str) -> Failure {
    invalid(H::NAME, found, "a handle")
}

/// A new handle, which counts as one reference.
pub(crate) fn give<H: Handle>(object: Arc<H>) -> *mut H {
    Arc::into_raw(object).cast_mut()
}

/// A reference to the object, counted.
pub(crate) fn share<H: Handle>(object: &H) -> Arc<H> {
    // SAFETY: handles point only to objects in an `Arc`, and the count of the handle itself is left alone.
    let handle = ManuallyDrop::new(unsafe { Arc::from_raw(ptr::from_ref(object)) });
    Arc::clone(&handle)
}

/// Counts one more handle.
pub(crate) fn retain<H: Handle>(object: &H) {
    let _ = give(share(object));
}

/// Counts one handle less.
pub(crate) fn release<H: Handle>(object: *const H) {
    // SAFETY: a caller of this module has got the object by `get`, so it is in an `Arc`, and gives up one count.
    drop(unsafe { Arc::from_raw(object) });
}
