//! Failures: why a call did not do what it was asked for.

use std::{
    ffi::{CStr, c_char},
    fmt::Display,
};

use crate::abi::error;

/// Why a call failed: a code of Embree's and a message.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u32,
    pub(crate) message: String,
}

pub(crate) type Outcome<T> = Result<T, Failure>;

#[cold]
pub(crate) fn failure(code: u32, message: impl Display) -> Failure {
    Failure { code, message: message.to_string() }
}

/// A value that the call cannot use: the argument, what was found, what was expected.
#[cold]
pub(crate) fn invalid(argument: &str, found: impl Display, expected: impl Display) -> Failure {
    failure(error::INVALID_ARGUMENT, format_args!("{argument}: {found}; expected {expected}"))
}

/// As [`invalid`], where Embree says that the operation is invalid.
#[cold]
pub(crate) fn refused(argument: &str, found: impl Display, expected: impl Display) -> Failure {
    not_now(format_args!("{argument}: {found}; expected {expected}"))
}

/// A call that comes at the wrong time, or to the wrong kind of geometry.
#[cold]
pub(crate) fn not_now(message: impl Display) -> Failure {
    failure(error::INVALID_OPERATION, message)
}

/// What Embree can and this library cannot.
#[cold]
pub(crate) fn unsupported(what: impl Display) -> Failure {
    not_now(format_args!("{what}: hitscan does not support this"))
}

fn name(code: u32) -> &'static CStr {
    match code {
        error::NONE => c"RTC_ERROR_NONE",
        error::UNKNOWN => c"RTC_ERROR_UNKNOWN",
        error::INVALID_ARGUMENT => c"RTC_ERROR_INVALID_ARGUMENT",
        error::INVALID_OPERATION => c"RTC_ERROR_INVALID_OPERATION",
        error::OUT_OF_MEMORY => c"RTC_ERROR_OUT_OF_MEMORY",
        error::UNSUPPORTED_CPU => c"RTC_ERROR_UNSUPPORTED_CPU",
        error::CANCELLED => c"RTC_ERROR_CANCELLED",
        7 => c"RTC_ERROR_LEVEL_ZERO_RAYTRACING_SUPPORT_MISSING",
        _ => c"unknown error code",
    }
}

/// Returns the name of an error code. The text is static.
#[unsafe(no_mangle)]
pub extern "C" fn rtcGetErrorString(code: u32) -> *const c_char {
    name(code).as_ptr()
}
