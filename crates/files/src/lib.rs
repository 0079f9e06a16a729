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
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `read_error`, `load_options` | the error and the options of all readers | `bytes`, `source_location` |
//! | `utf16`, `source_location`, `bytes`, `folder`, `links` | UTF-16 text as UTF-8; file and line, as errors print them; regular files within a limit; names that stay in a folder; links to files that are not there yet | |

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
