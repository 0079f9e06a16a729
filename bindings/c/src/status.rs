//! The status of a call, and the message of a failure.

use std::{
    ffi::{CStr, c_char},
    fmt::Display,
};

/// The result of a call: HITSCAN_OK, or why it failed. hitscan_last_error has the message.
pub type hitscan_status = i32;

/// The call did what it says. A ray that hits nothing is no failure.
pub const HITSCAN_OK: hitscan_status = 0;
/// An argument is NULL, misaligned, out of range or not a number. The call changed nothing.
pub const HITSCAN_INVALID_ARGUMENT: hitscan_status = 1;
/// A handle is NULL, released, or of another kind.
pub const HITSCAN_INVALID_HANDLE: hitscan_status = 2;
/// A file cannot be read, or is not valid. The message has the line or the byte.
pub const HITSCAN_READ: hitscan_status = 3;
/// A file cannot be written.
pub const HITSCAN_WRITE: hitscan_status = 4;
/// The progress callback stopped the call.
pub const HITSCAN_CANCELLED: hitscan_status = 5;
/// Memory for the answer is not available.
pub const HITSCAN_OUT_OF_MEMORY: hitscan_status = 6;
/// The header is newer than the library, and an option is set that this library does not know.
pub const HITSCAN_UNSUPPORTED: hitscan_status = 7;
/// A bug in hitscan. The handles of the call may be in any state; release them.
pub const HITSCAN_INTERNAL: hitscan_status = 8;

/// Why a call failed. Boxed, so that the result of a call that succeeds is one pointer.
pub(crate) type Failure = Box<(hitscan_status, String)>;

/// A failure with a status.
#[cold]
pub(crate) fn failure(status: hitscan_status, message: impl Display) -> Failure {
    Box::new((status, message.to_string()))
}

/// The failure of an argument: its name, what was found, what was expected.
#[cold]
pub(crate) fn invalid(argument: &str, found: impl Display, expected: impl Display) -> Failure {
    failure(HITSCAN_INVALID_ARGUMENT, format_args!("{argument}: {found}; expected {expected}"))
}

/// The failure of an argument whose error says both.
#[cold]
pub(crate) fn refused(argument: &str, error: impl Display) -> Failure {
    failure(HITSCAN_INVALID_ARGUMENT, format_args!("{argument}: {error}"))
}

/// Returns the name of a status, such as "HITSCAN_READ". The text is static. Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn hitscan_status_name(status: hitscan_status) -> *const c_char {
    let name: &'static CStr = match status {
        HITSCAN_OK => c"HITSCAN_OK",
        HITSCAN_INVALID_ARGUMENT => c"HITSCAN_INVALID_ARGUMENT",
        HITSCAN_INVALID_HANDLE => c"HITSCAN_INVALID_HANDLE",
        HITSCAN_READ => c"HITSCAN_READ",
        HITSCAN_WRITE => c"HITSCAN_WRITE",
        HITSCAN_CANCELLED => c"HITSCAN_CANCELLED",
        HITSCAN_OUT_OF_MEMORY => c"HITSCAN_OUT_OF_MEMORY",
        HITSCAN_UNSUPPORTED => c"HITSCAN_UNSUPPORTED",
        HITSCAN_INTERNAL => c"HITSCAN_INTERNAL",
        _ => c"no status of hitscan",
    };
    name.as_ptr()
}

/// Returns the version of the library, such as "0.1.0". The text is static. Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn hitscan_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_a_name_and_no_other_number_has_one() {
        // SAFETY: the names are static.
        let name = |status| unsafe { CStr::from_ptr(hitscan_status_name(status)) };
        assert!(
            (HITSCAN_OK..=HITSCAN_INTERNAL).all(|s| name(s).to_bytes().starts_with(b"HITSCAN_"))
        );
        assert_eq!(name(HITSCAN_INTERNAL + 1), c"no status of hitscan");
    }
}
