//! Reading the statements of a chunk.

use crate::{
    chunk::{Chunk, ChunkError},
    fast, statements,
};

/// Reads whole statements, which follow those that the chunk has read before.
///
/// Without `FAST` the general reader takes every statement, with the same result.
pub(crate) fn read<const FAST: bool>(chunk: &mut Chunk<'_>, text: &[u8]) -> Result<(), ChunkError> {
    let mut at = 0;
    while at < text.len() {
        at = match if FAST { fast::statement(chunk, text, at) } else { None } {
            Some(next) => next,
            None => statements::statement(chunk, text, at)?,
        };
    }
    chunk.check_counts()
}
