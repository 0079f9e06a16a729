//! Reading regular files, whole or piece by piece.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use thiserror::Error;

/// The reason why a file is not read.
#[derive(Debug, Error)]
pub enum FileError {
    /// The file cannot be opened or read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The path names something that is not a regular file.
    #[error("is {found}; expected a regular file")]
    NotRegular {
        /// The kind of file.
        found: &'static str,
    },
    /// The file is longer than the limit of the caller.
    #[error("{found} bytes; expected at most {limit}")]
    TooLarge {
        /// The length in bytes, or the number of bytes read so far.
        found: u64,
        /// The maximum length in bytes.
        limit: u64,
    },
}

/// The bytes of memory, or of a regular file that several threads can read piece by piece.
#[derive(Debug)]
pub struct Bytes<'a>(Store<'a>);

#[derive(Debug)]
enum Store<'a> {
    Memory(&'a [u8]),
    #[cfg_attr(not(any(unix, windows)), allow(dead_code, reason = "read as a whole there"))]
    File(File, u64),
    Owned(Vec<u8>),
}

impl<'a> From<&'a [u8]> for Bytes<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self(Store::Memory(bytes))
    }
}

impl From<Vec<u8>> for Bytes<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Store::Owned(bytes))
    }
}

impl Bytes<'_> {
    /// Opens a regular file of at most `limit` bytes. On systems without positioned reads, this
    /// reads the whole file.
    ///
    /// # Errors
    /// A file that is missing, not regular, or longer than `limit`.
    pub fn open(path: &Path, limit: u64) -> Result<Self, FileError> {
        if cfg!(any(unix, windows)) {
            let (file, len) = open_regular(path, limit)?;
            Ok(Self(Store::File(file, len)))
        } else {
            Ok(Self(Store::Owned(read(path, limit)?)))
        }
    }

    /// The number of bytes; for a file, when it was opened.
    #[allow(clippy::len_without_is_empty, reason = "an empty file is nothing special")]
    pub fn len(&self) -> u64 {
        match &self.0 {
            Store::Memory(bytes) => bytes.len() as u64,
            Store::Owned(bytes) => bytes.len() as u64,
            Store::File(_, len) => *len,
        }
    }

    /// Whether the file system stores less than half of the file, because the rest are zeros that nobody wrote.
    /// `false` for bytes in memory, and where the system does not say.
    pub fn is_sparse(&self) -> bool {
        #[cfg(unix)]
        if let Store::File(file, len) = &self.0 {
            use std::os::unix::fs::MetadataExt;
            /// The unit of `blocks`, whatever the file system.
            const SECTOR: u64 = 512;
            return file.metadata().is_ok_and(|about| about.blocks() * SECTOR < len / 2);
        }
        false
    }

    /// All bytes, if they are in memory.
    pub fn as_slice(&self) -> Option<&[u8]> {
        match &self.0 {
            Store::Memory(bytes) => Some(bytes),
            Store::Owned(bytes) => Some(bytes),
            Store::File(..) => None,
        }
    }

    /// Fills `into` with the bytes from the offset `offset` on.
    ///
    /// # Errors
    /// A file that cannot be read, or that has become shorter since it was opened.
    ///
    /// # Panics
    /// If the range is beyond the end of bytes in memory.
    pub fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        match &self.0 {
            Store::Memory(bytes) => into.copy_from_slice(&bytes[offset as usize..][..into.len()]),
            Store::Owned(bytes) => into.copy_from_slice(&bytes[offset as usize..][..into.len()]),
            Store::File(file, _) => read_file_at(file, offset, into)?,
        }
        Ok(())
    }

    /// A stream of all bytes from the first on.
    pub fn reader(&self) -> impl Read + '_ {
        Reader { bytes: self, at: 0 }
    }

    /// A copy of all bytes.
    ///
    /// # Errors
    /// As [`read_at`](Self::read_at), or too little memory.
    pub fn to_vec(&self) -> io::Result<Vec<u8>> {
        let mut bytes = room_for(self.len())?;
        self.reader().read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The first `n` bytes, or all if there are fewer.
    ///
    /// # Errors
    /// As [`read_at`](Self::read_at).
    pub fn start(&self, n: usize) -> io::Result<Vec<u8>> {
        let mut start = vec![0; self.len().min(n as u64) as usize];
        self.read_at(0, &mut start)?;
        Ok(start)
    }
}

/// A position in bytes, as a stream.
struct Reader<'a> {
    bytes: &'a Bytes<'a>,
    at: u64,
}

impl Read for Reader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = (self.bytes.len() - self.at).min(into.len() as u64) as usize;
        self.bytes.read_at(self.at, &mut into[..n])?;
        self.at += n as u64;
        Ok(n)
    }
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// As [`Bytes::open`].
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let (file, len) = open_regular(path, limit)?;
    let mut bytes = room_for(len)?;
    // The file may have grown since.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    check_len(bytes.len() as u64, limit)?;
    Ok(bytes)
}

/// An empty vector with capacity `len`. A sparse file may be longer than the available memory.
fn room_for(len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let room = usize::try_from(len).ok().and_then(|len| bytes.try_reserve_exact(len).ok());
    room.ok_or_else(|| {
        io::Error::new(io::ErrorKind::OutOfMemory, format!("no memory for its {len} bytes"))
    })?;
    Ok(bytes)
}

/// Opens a regular file. Reading a pipe or a device may never end.
fn open_regular(path: &Path, limit: u64) -> Result<(File, u64), FileError> {
    // Checks before opening, because opening a pipe waits for a writer, and again after, because
    // the path may have changed.
    check_kind(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    check_kind(&metadata)?;
    check_len(metadata.len(), limit)?;
    Ok((file, metadata.len()))
}

fn check_kind(metadata: &fs::Metadata) -> Result<(), FileError> {
    match metadata.file_type() {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => Err(FileError::NotRegular { found: "a directory" }),
        _ => Err(FileError::NotRegular { found: "a device or pipe" }),
    }
}

fn check_len(found: u64, limit: u64) -> Result<(), FileError> {
    if found > limit { Err(FileError::TooLarge { found, limit }) } else { Ok(()) }
}

#[cfg(unix)]
fn read_file_at(file: &File, offset: u64, into: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, offset)
}

#[cfg(windows)]
fn read_file_at(file: &File, mut offset: u64, mut into: &mut [u8]) -> io::Result<()> {
    while !into.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, into, offset)?;
        if n == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        offset += n as u64;
        into = &mut into[n..];
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_file_at(_: &File, _: u64, _: &mut [u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_within_the_limit_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let error = Bytes::open(folder.path(), 3).unwrap_err();
        assert_eq!(error.to_string(), "is a directory; expected a regular file");
        let file = folder.path().join("a");
        fs::write(&file, "abc").unwrap();
        assert_eq!(Bytes::open(&file, 3).unwrap().len(), 3);
        assert_eq!(read(&file, 3).unwrap(), b"abc");
        fs::write(&file, "abcd").unwrap();
        for error in [Bytes::open(&file, 3).unwrap_err(), read(&file, 3).unwrap_err()] {
            assert_eq!(error.to_string(), "4 bytes; expected at most 3");
        }
        #[cfg(unix)]
        {
            let error = read(Path::new("/dev/zero"), 3).unwrap_err();
            assert_eq!(error.to_string(), "is a device or pipe; expected a regular file");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_file_of_holes_is_sparse() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, vec![1; 1 << 16]).unwrap();
        assert!(!Bytes::open(&path, u64::MAX).unwrap().is_sparse());
        File::options().write(true).open(&path).unwrap().set_len(1 << 20).unwrap();
        assert!(Bytes::open(&path, u64::MAX).unwrap().is_sparse());
        assert!(!Bytes::from(&[0; 100][..]).is_sparse());
    }

    #[test]
    fn more_bytes_than_memory_are_an_error() {
        let error = room_for(1 << 62).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        assert_eq!(error.to_string(), "no memory for its 4611686018427387904 bytes");
        assert!(room_for(5).unwrap().capacity() >= 5);
    }

    #[test]
    fn a_file_and_memory_give_the_same_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "abcdef").unwrap();
        for bytes in [Bytes::open(&path, u64::MAX).unwrap(), Bytes::from(&b"abcdef"[..])] {
            let mut piece = [0; 3];
            bytes.read_at(2, &mut piece).unwrap();
            assert_eq!(&piece, b"cde");
            assert_eq!(bytes.start(2).unwrap(), b"ab");
            assert_eq!(bytes.start(100).unwrap(), b"abcdef");
            assert_eq!(io::read_to_string(bytes.reader()).unwrap(), "abcdef");
            assert_eq!(bytes.to_vec().unwrap(), b"abcdef");
        }
        assert!(Bytes::open(&path, u64::MAX).unwrap().read_at(4, &mut [0; 3]).is_err());
    }
}
