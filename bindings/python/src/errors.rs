//! Rust errors as Python exceptions.

use std::error::Error;

use hitscan::{ReadError, ReadErrorKind};
use pyo3::{
    PyErr,
    exceptions::{PyFileNotFoundError, PyOSError, PyRuntimeError, PyValueError},
};

/// A `ValueError` with the text of an error and of its sources.
pub(crate) fn value_error(error: &dyn Error) -> PyErr {
    PyValueError::new_err(text_of(error))
}

/// An error of a file: an `OSError` if the system reported it, else a `ValueError`.
pub(crate) fn read_error(error: &ReadError) -> PyErr {
    match &error.kind {
        ReadErrorKind::Io(io) => io_error(io, text_of(error)),
        _ => value_error(error),
    }
}

/// An error of the system with a text that names the file.
pub(crate) fn io_error(error: &std::io::Error, text: String) -> PyErr {
    match error.kind() {
        std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(text),
        _ => PyOSError::new_err(text),
    }
}

/// A state that only a bug of hitscan can cause.
pub(crate) fn bug(text: &str) -> PyErr {
    PyRuntimeError::new_err(format!("a bug of hitscan: {text}"))
}

pub(crate) fn text_of(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        source = error.source();
    }
    text
}
