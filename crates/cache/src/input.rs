//! Reading and checking the sections of a file.

use std::{io, ops::Range};

use bytemuck::{AnyBitPattern, NoUninit, Zeroable, cast_slice_mut, try_zeroed_vec};
use hitscan_files::Bytes;

use crate::{
    CacheErrorKind, checksum,
    checksum::PIECE,
    format::{Entry, HEADER_LEN, Header, Section},
    parallel,
};

/// The checksum of some bytes, which are read in parallel and not kept.
pub(crate) fn checksum_of(bytes: &Bytes<'_>, range: Range<u64>) -> io::Result<u64> {
    const PIECES_AT_A_TIME: u64 = 16;
    let n_pieces = (range.end - range.start).div_ceil(PIECE as u64);
    let n = n_pieces.div_ceil(PIECES_AT_A_TIME) as usize;
    let sums = parallel::map(n, |i| -> io::Result<Vec<u64>> {
        let mut buffer = vec![0; PIECE];
        let first = i as u64 * PIECES_AT_A_TIME;
        let pieces = first..n_pieces.min(first + PIECES_AT_A_TIME);
        let sums = pieces.map(|piece| {
            let offset = range.start + piece * PIECE as u64;
            let len = (range.end - offset).min(PIECE as u64) as usize;
            bytes.read_at(offset, &mut buffer[..len])?;
            Ok(checksum::of_piece(&buffer[..len]))
        });
        sums.collect()
    });
    let sums = sums.into_iter().collect::<io::Result<Vec<Vec<u64>>>>()?;
    Ok(checksum::of_pieces(sums.into_iter().flatten()))
}

/// A zeroed vector to read into, whose memory is first touched by reading. A sparse file may be longer than the
/// available memory.
pub(crate) fn zeros<T: Zeroable>(n: usize) -> io::Result<Vec<T>> {
    try_zeroed_vec(n).map_err(|()| {
        let n_bytes = n.saturating_mul(size_of::<T>());
        io::Error::new(io::ErrorKind::OutOfMemory, format!("no memory for its {n_bytes} bytes"))
    })
}

/// A file with a valid header, whose sections can be read.
#[derive(Debug)]
pub(crate) struct Sections<'a> {
    bytes: &'a Bytes<'a>,
    /// The offset of the header.
    start: u64,
    header: Header,
}

impl<'a> Sections<'a> {
    /// The sections of a mesh in this range of the bytes.
    pub(crate) fn of(bytes: &'a Bytes<'a>, range: Range<u64>) -> Result<Self, CacheErrorKind> {
        if cfg!(target_endian = "big") {
            return Err(CacheErrorKind::Machine);
        }
        let len = range.end - range.start;
        let mut first = vec![0; len.min(HEADER_LEN as u64) as usize];
        bytes.read_at(range.start, &mut first)?;
        let header = Header::parse(&first, len)?;
        Ok(Self { bytes, start: range.start, header })
    }

    /// The length of a section in bytes.
    pub(crate) fn len(&self, section: Section) -> Result<usize, CacheErrorKind> {
        usize::try_from(self.header.entry(section).len)
            .map_err(|error| CacheErrorKind::invalid(section.name(), error))
    }

    /// Reads a part of a section, from a multiple of [`PIECE`] on, and returns the checksums of its pieces.
    pub(crate) fn read_part(
        &self,
        section: Section,
        at: usize,
        into: &mut [u8],
    ) -> io::Result<Vec<u64>> {
        let start = self.start + self.header.entry(section).offset + at as u64;
        let sums = parallel::map_chunks(into, PIECE, |i, piece| {
            self.bytes.read_at(start + (i * PIECE) as u64, piece)?;
            Ok(checksum::of_piece(piece))
        });
        sums.into_iter().collect()
    }

    /// Compares the checksum of a section, from those of its pieces, with that in the header.
    pub(crate) fn check(&self, section: Section, sum: u64) -> Result<(), CacheErrorKind> {
        match sum == self.header.entry(section).checksum {
            true => Ok(()),
            false => Err(CacheErrorKind::Damaged { part: section.name() }),
        }
    }

    /// Compares the checksum of a large section of a sparse file before there is memory for it.
    pub(crate) fn check_if_sparse(&self, section: Section) -> Result<(), CacheErrorKind> {
        /// The length of a section that any machine has memory for.
        const SMALL: u64 = 1 << 26;
        let Entry { offset, len, .. } = self.header.entry(section);
        if len <= SMALL || !self.bytes.is_sparse() {
            return Ok(());
        }
        let start = self.start + offset;
        self.check(section, checksum_of(self.bytes, start..start + len)?)
    }

    /// Reads a section whose items have the layout of memory.
    pub(crate) fn read<T: AnyBitPattern + NoUninit + Zeroable>(
        &self,
        section: Section,
    ) -> Result<Vec<T>, CacheErrorKind> {
        let (len, size) = (self.len(section)?, size_of::<T>());
        if !len.is_multiple_of(size) {
            let reason = format!("{len} bytes, expected {size} each");
            return Err(CacheErrorKind::invalid(section.name(), reason));
        }
        self.check_if_sparse(section)?;
        let mut items = zeros(len / size)?;
        let sums = self.read_part(section, 0, cast_slice_mut(&mut items))?;
        self.check(section, checksum::of_pieces(sums))?;
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bytes_than_memory_are_an_error() {
        let error = zeros::<u32>(1 << 60).expect_err("no machine has as much memory");
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        assert_eq!(error.to_string(), "no memory for its 4611686018427387904 bytes");
        assert_eq!(zeros::<u32>(3).expect("it is little"), [0; 3]);
    }
}
