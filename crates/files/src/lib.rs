//! The parts that the mesh readers of hitscan share: file access, options and errors.
//!
//! - [`Bytes`] reads a regular file, or memory, piece by piece; [`read`] reads a whole file. Both refuse
//!   pipes and devices, which may never end, and files above a limit.
//! - [`inside`] resolves a file name that another file contains, and refuses names that leave the folder.
//! - [`behind_links`] follows symbolic links to the file that a writer should replace.
//! - [`decode_utf16`] returns the UTF-8 text of UTF-16 text.
//! - [`LoadOptions`] selects what a reader keeps, and holds the limits.
//! - [`ReadError`] is the one error of all readers: file, line or byte offset, and [`ReadErrorKind`].
//! - [`SourceLocation`] and [`Escaped`] print file names without control characters.
//!
//! Modules import in this order only: `read_error → load_options, source_location, bytes` and
//! `utf16 → bytes`; `folder` and `links` stand alone.

#![forbid(unsafe_code)]

mod bytes;
mod folder;
mod links;
mod load_options;
mod read_error;
mod source_location;
mod utf16;

pub use bytes::{Bytes, FileError, read};
pub use folder::{InsideError, inside};
pub use links::behind_links;
pub use load_options::{Limit, LoadOptions};
pub use read_error::{ReadError, ReadErrorKind};
pub use source_location::{Escaped, SourceLocation};
pub use utf16::{Utf16Text, decode_utf16};
