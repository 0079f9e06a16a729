//! Where the bytes of a file come from, and reading them into their place, with their checksums.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use bytemuck::{AnyBitPattern, NoUninit, Zeroable, cast_slice_mut, zeroed_vec};

use crate::{
    CacheErrorKind, checksum,
    checksum::PIECE,
    format::{Entry, HEADER_LEN, Header, Section},
    parallel,
};

/// The bytes of a file: in memory, or to be read piece by piece.
#[derive(Debug)]
pub(crate) enum Input<'a> {
    Memory(&'a [u8]),
    #[cfg_attr(not(any(unix, windows)), allow(dead_code, reason = "read as a whole there"))]
    File(File, u64),
    #[cfg_attr(any(unix, windows), allow(dead_code, reason = "read piece by piece there"))]
    Owned(Vec<u8>),
}

impl Input<'_> {
    /// Opens a regular file, and nothing else: reading a pipe or a device may never end.
    pub(crate) fn open(path: &Path) -> Result<Self, CacheErrorKind> {
        let is_regular = |metadata: &fs::Metadata| match metadata.file_type() {
            kind if kind.is_file() => Ok(()),
            kind if kind.is_dir() => Err(CacheErrorKind::NotAFile { found: "a directory" }),
            _ => Err(CacheErrorKind::NotAFile { found: "a device or pipe" }),
        };
        // Before opening, as opening a pipe waits for a writer; and after, as it may have changed.
        is_regular(&fs::metadata(path)?)?;
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        is_regular(&metadata)?;
        if cfg!(any(unix, windows)) {
            Ok(Self::File(file, metadata.len()))
        } else {
            Ok(Self::Owned(fs::read(path)?))
        }
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Owned(bytes) => bytes.len() as u64,
            Self::File(_, len) => *len,
        }
    }

    /// The bytes from `offset` on, which must be within the length.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        match self {
            Self::Memory(bytes) => into.copy_from_slice(&bytes[offset as usize..][..into.len()]),
            Self::Owned(bytes) => into.copy_from_slice(&bytes[offset as usize..][..into.len()]),
            Self::File(file, _) => read_file_at(file, offset, into)?,
        }
        Ok(())
    }

    /// Up to `n` bytes from the start.
    pub(crate) fn start(&self, n: usize) -> io::Result<Vec<u8>> {
        let mut start = vec![0; self.len().min(n as u64) as usize];
        self.read_at(0, &mut start)?;
        Ok(start)
    }

    /// The checksum of all bytes, which are read in parallel and not kept.
    pub(crate) fn checksum(&self) -> io::Result<u64> {
        const PIECES_AT_A_TIME: u64 = 16;
        let n_pieces = self.len().div_ceil(PIECE as u64);
        let n = n_pieces.div_ceil(PIECES_AT_A_TIME) as usize;
        let sums = parallel::map(n, |i| -> io::Result<Vec<u64>> {
            let mut buffer = vec![0; PIECE];
            let first = i as u64 * PIECES_AT_A_TIME;
            let pieces = first..n_pieces.min(first + PIECES_AT_A_TIME);
            let sums = pieces.map(|piece| {
                let offset = piece * PIECE as u64;
                let len = (self.len() - offset).min(PIECE as u64) as usize;
                self.read_at(offset, &mut buffer[..len])?;
                Ok(checksum::of_piece(&buffer[..len]))
            });
            sums.collect()
        });
        let sums = sums.into_iter().collect::<io::Result<Vec<Vec<u64>>>>()?;
        Ok(checksum::of_pieces(sums.into_iter().flatten()))
    }
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

/// A file whose header was read: its sections by name.
#[derive(Debug)]
pub(crate) struct Sections<'a> {
    input: Input<'a>,
    header: Header,
}

impl<'a> Sections<'a> {
    pub(crate) fn of(input: Input<'a>) -> Result<Self, CacheErrorKind> {
        if cfg!(target_endian = "big") {
            return Err(CacheErrorKind::Machine);
        }
        let header = Header::parse(&input.start(HEADER_LEN)?, input.len())?;
        Ok(Self { input, header })
    }

    /// The length of a section in bytes.
    pub(crate) fn len(&self, section: Section) -> Result<usize, CacheErrorKind> {
        usize::try_from(self.header.entry(section).len)
            .map_err(|error| CacheErrorKind::invalid(section.name(), error))
    }

    /// Reads a section into a place of its length.
    pub(crate) fn read_into(
        &self,
        section: Section,
        into: &mut [u8],
    ) -> Result<(), CacheErrorKind> {
        let Entry { offset, checksum, .. } = self.header.entry(section);
        let sums = parallel::map_chunks(into, PIECE, |i, piece| {
            self.input.read_at(offset + (i * PIECE) as u64, piece)?;
            Ok(checksum::of_piece(piece))
        });
        let sums = sums.into_iter().collect::<io::Result<Vec<u64>>>()?;
        if checksum::of_pieces(sums) != checksum {
            return Err(CacheErrorKind::Damaged { part: section.name() });
        }
        Ok(())
    }

    /// Reads a section of items that lie in the file as in memory.
    pub(crate) fn read<T: AnyBitPattern + NoUninit + Zeroable>(
        &self,
        section: Section,
    ) -> Result<Vec<T>, CacheErrorKind> {
        let (len, size) = (self.len(section)?, size_of::<T>());
        if !len.is_multiple_of(size) {
            let reason = format!("{len} bytes, expected {size} each");
            return Err(CacheErrorKind::invalid(section.name(), reason));
        }
        let mut items = zeroed_vec(len / size);
        self.read_into(section, cast_slice_mut(&mut items))?;
        Ok(items)
    }
}
