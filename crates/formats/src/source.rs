//! Reading regular files within a limit.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use crate::FormatErrorKind;

/// Opens a regular file, and nothing else: reading a pipe or a device may never end.
fn open(path: &Path) -> Result<(File, u64), FormatErrorKind> {
    let is_regular = |metadata: &fs::Metadata| match metadata.file_type() {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => Err(FormatErrorKind::NotAFile { found: "a directory" }),
        _ => Err(FormatErrorKind::NotAFile { found: "a device or pipe" }),
    };
    // Before opening, as opening a pipe waits for a writer; and after, as it may have changed.
    is_regular(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    is_regular(&metadata)?;
    Ok((file, metadata.len()))
}

/// All bytes of a file.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, FormatErrorKind> {
    let (file, len) = open(path)?;
    let too_large = |found| FormatErrorKind::TooLarge { what: "bytes", found, limit };
    if len > limit {
        return Err(too_large(len));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(len).map_err(io::Error::other)?);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// Up to `n` bytes from the start of a file, and its length.
pub(crate) fn start(path: &Path, n: u64) -> Result<(Vec<u8>, u64), FormatErrorKind> {
    let (file, len) = open(path)?;
    let mut bytes = Vec::new();
    file.take(n).read_to_end(&mut bytes)?;
    Ok((bytes, len))
}
