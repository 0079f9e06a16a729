//! The border that no panic crosses: failures go to the device of the call.

use std::{
    any::Any,
    ffi::CString,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::{
    abi::error,
    error::{Failure, Outcome, failure},
    handle::{self, Handle},
    reports::{NO_DEVICE, Reports},
};

/// Runs the body of a call with a handle. A failure goes to the device of the handle, and the call returns `T::default()`.
pub(crate) fn call<H: Handle, T: Default>(
    function: &'static str,
    handle: *const H,
    body: impl FnOnce(&H) -> Outcome<T>,
) -> T {
    call_or(function, handle, T::default(), body)
}

/// [`call`] with what the call returns if it fails.
#[inline(always)]
pub(crate) fn call_or<H: Handle, T>(
    function: &'static str,
    handle: *const H,
    failed: T,
    body: impl FnOnce(&H) -> Outcome<T>,
) -> T {
    match handle::get(handle) {
        Ok(found) => guard(function, Some(found.reports()), failed, || body(found)),
        Err(failure) => {
            report(None, function, &failure);
            failed
        }
    }
}

/// Runs the body of a call. A failure goes to the device, or without one to the thread.
#[inline(always)]
pub(crate) fn guard<T>(
    function: &'static str,
    reports: Option<&Reports>,
    failed: T,
    body: impl FnOnce() -> Outcome<T>,
) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return value,
        Ok(Err(failure)) => report(reports, function, &failure),
        Err(panic) => report(reports, function, &of_panic(&*panic)),
    }
    failed
}

fn of_panic(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or(panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    failure(error::UNKNOWN, format_args!("a bug in hitscan, please report it: {text}"))
}

/// Tells the device, or without one the thread, of a failure.
#[cold]
pub(crate) fn report(reports: Option<&Reports>, function: &str, failure: &Failure) {
    let text = format!("{function}: {}", failure.message).replace('\0', "\\0");
    let text = CString::new(text).unwrap_or_default();
    match reports {
        Some(reports) => reports.fail(failure.code, text),
        None => {
            // At the end of a thread there is no place for the message any more.
            let _ = NO_DEVICE.try_with(|last| last.borrow_mut().keep(failure.code, text));
        }
    }
}

/// Releases an object. The thread hears of a handle that is none, because the device may go with its last object.
pub(crate) fn release<H: Handle>(function: &'static str, object: *const H) {
    guard(function, None, (), || handle::get(object).map(|object| handle::release(object)));
}
