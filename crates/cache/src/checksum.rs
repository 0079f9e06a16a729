//! Checksums over pieces, which threads hash in parallel while a piece is in the CPU cache.

use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use crate::parallel;

/// The length of a piece in bytes, less than a typical second-level cache.
pub(crate) const PIECE: usize = 1 << 18;

/// The checksum of a piece, or of a few bytes.
pub(crate) fn of_piece(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// The checksum of bytes from the checksums of their pieces.
pub(crate) fn of_pieces(checksums: impl IntoIterator<Item = u64>) -> u64 {
    let mut hasher = Xxh3Default::new();
    checksums.into_iter().for_each(|checksum| hasher.update(&checksum.to_le_bytes()));
    hasher.digest()
}

/// The checksum of bytes in memory.
pub(crate) fn of(bytes: &[u8]) -> u64 {
    let piece = |i: usize| &bytes[i * PIECE..bytes.len().min((i + 1) * PIECE)];
    of_pieces(parallel::map(bytes.len().div_ceil(PIECE), |i| of_piece(piece(i))))
}
