//! The border that no panic crosses: a call becomes a status and a message.

use std::{
    any::Any,
    cell::RefCell,
    ffi::{CString, c_char},
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::{
    memory::Caller,
    status::{Failure, HITSCAN_INTERNAL, HITSCAN_OK, hitscan_status},
};

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Runs the body of a call, and turns failures and panics into a status with a message.
///
/// # Safety
/// Each pointer that the body passes to a method of [`Caller`] fulfils the rules at the head of the header.
#[inline]
pub(crate) unsafe fn call(
    function: &'static str,
    body: impl FnOnce(&Caller) -> Result<(), Failure>,
) -> hitscan_status {
    // SAFETY: the promise of this function's caller is that of `Caller::new`.
    let caller = unsafe { Caller::new() };
    match catch_unwind(AssertUnwindSafe(|| body(&caller))) {
        Ok(Ok(())) => HITSCAN_OK,
        Ok(Err(failure)) => record(function, failure.0, &failure.1),
        Err(panic) => record_panic(function, &*panic),
    }
}

/// The whole of a function of the header: a [`call`]. It compiles only in an `unsafe` function, whose caller promises
/// the rules at the head of the header.
macro_rules! entry {
    ($function:literal, $body:expr) => {{
        let body = $crate::call::body($body);
        #[expect(unsafe_op_in_unsafe_fn, reason = "the function and this call have the same rules")]
        let status = $crate::call::call($function, body);
        status
    }};
}
pub(crate) use entry;

/// The closure, with the type that its argument has.
pub(crate) fn body<F: FnOnce(&Caller) -> Result<(), Failure>>(body: F) -> F {
    body
}

#[cold]
fn record(function: &str, status: hitscan_status, message: &str) -> hitscan_status {
    let text = format!("{function}: {message}").replace('\0', "\\0");
    let text = CString::new(text).unwrap_or_default();
    // At the end of a thread the message has no place any more; the status is returned all the same.
    let _ = LAST_ERROR.try_with(|last| *last.borrow_mut() = text);
    status
}

#[cold]
fn record_panic(function: &str, panic: &(dyn Any + Send)) -> hitscan_status {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or(panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    record(function, HITSCAN_INTERNAL, &format!("a bug in hitscan, please report it: {text}"))
}

/// Returns the message of the last call of this thread that failed; empty before the first.
///
/// It names the function, the argument, what was found and what was expected, in UTF-8. The text is valid
/// until the next call of this thread that fails. Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn hitscan_last_error() -> *const c_char {
    let text = LAST_ERROR.try_with(|last| last.borrow().as_ptr());
    text.unwrap_or(c"the thread is ending".as_ptr())
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;
    use crate::status::{HITSCAN_INVALID_ARGUMENT, invalid};

    fn message() -> String {
        // SAFETY: the text is valid until the next failure of this thread.
        unsafe { CStr::from_ptr(hitscan_last_error()) }.to_str().expect("UTF-8").to_owned()
    }

    #[test]
    fn a_panic_becomes_a_status_with_its_message() {
        let index = std::hint::black_box(3);
        // SAFETY: the body takes no pointer.
        let status = unsafe { call("hitscan_test", |_| panic!("at {index}")) };
        assert_eq!(status, HITSCAN_INTERNAL);
        assert_eq!(message(), "hitscan_test: a bug in hitscan, please report it: at 3");
    }

    #[test]
    fn a_message_is_that_of_the_last_failure_of_its_thread() {
        // SAFETY: the bodies take no pointer.
        let fail = |text: &'static str| unsafe {
            call("hitscan_test", |_| Err(invalid("n", text, "a\0zero")))
        };
        assert_eq!(fail("1"), HITSCAN_INVALID_ARGUMENT);
        assert_eq!(message(), "hitscan_test: n: 1; expected a\\0zero");
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(message(), ""));
        });
        // SAFETY: as above.
        assert_eq!(unsafe { call("hitscan_test", |_| Ok(())) }, HITSCAN_OK);
        assert_eq!(message(), "hitscan_test: n: 1; expected a\\0zero");
    }
}
