//! What every reader of hitscan does with files, in one place.
//!
//! - [`Bytes`] are those of a regular file, or of memory, to be read piece by piece; [`read`] reads a file
//!   as a whole, within a limit. Neither waits for a pipe or a device, which may never end.
//! - [`inside`] follows a name that stands in a file, if it leads into the file's own folder.
//! - [`Place`] and [`Escaped`] write names of files as errors show them.

#![forbid(unsafe_code)]

mod bytes;
mod folder;
mod place;

pub use bytes::{Bytes, FileError, read};
pub use folder::{InsideError, inside};
pub use place::{Escaped, Place};
