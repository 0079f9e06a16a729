//! A copy-on-write vector: a clone shares its memory until either is written.

use std::sync::Arc;

/// A vector in chunks of `CHUNK` items that clones share. A clone costs a pointer per chunk, and the first
/// write to a shared chunk copies it.
#[derive(Clone, Debug)]
pub struct CowVec<T, const CHUNK: usize = 64> {
    /// Items beyond `len` are the default.
    chunks: Vec<Arc<[T; CHUNK]>>,
    len: usize,
}

impl<T, const CHUNK: usize> Default for CowVec<T, CHUNK> {
    fn default() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }
}

impl<T: Clone + Default, const CHUNK: usize> CowVec<T, CHUNK> {
    /// The number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes of all chunks, without what the items own elsewhere.
    pub fn bytes(&self) -> usize {
        self.chunks.len() * size_of::<[T; CHUNK]>()
    }

    /// The item at `index`, which must be less than [`len`](Self::len).
    #[inline(always)]
    pub fn get(&self, index: u32) -> &T {
        &self.chunks[index as usize / CHUNK][index as usize % CHUNK]
    }

    /// The item at `index` for writing. Copies the chunk if a clone shares it, so read it first if a
    /// write may be unnecessary.
    #[inline]
    pub fn get_mut(&mut self, index: u32) -> &mut T {
        &mut Arc::make_mut(&mut self.chunks[index as usize / CHUNK])[index as usize % CHUNK]
    }

    /// Appends an item and returns its index.
    ///
    /// # Panics
    /// If there are 2^32 items already.
    pub fn push(&mut self, item: T) -> u32 {
        if self.len.is_multiple_of(CHUNK) {
            self.chunks.push(default_chunk());
        }
        let index = u32::try_from(self.len).expect("fewer than 2^32 items");
        self.len += 1;
        *self.get_mut(index) = item;
        index
    }

    /// Makes `len` items of it: drops the others, or appends defaults.
    pub(crate) fn resize(&mut self, len: usize) {
        while self.len < len {
            self.push(T::default());
        }
        self.chunks.truncate(len.div_ceil(CHUNK));
        self.len = len;
    }

    /// The address of an item, or another one if there is none.
    #[inline(always)]
    pub(crate) fn address(&self, index: u32) -> *const u8 {
        let chunk = self.chunks.get(index as usize / CHUNK);
        let first = chunk.map_or(std::ptr::null(), |chunk| chunk.as_ptr());
        first.wrapping_add(index as usize % CHUNK).cast()
    }

    /// All items, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.iter()).take(self.len)
    }
}

/// A chunk of defaults, which are written where they stay. An array would be built on the stack and moved.
fn default_chunk<T: Default, const CHUNK: usize>() -> Arc<[T; CHUNK]> {
    let chunk: Arc<[T]> = (0..CHUNK).map(|_| T::default()).collect();
    chunk.try_into().unwrap_or_else(|_| unreachable!("it has as many items"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_keeps_its_items_and_shares_unwritten_chunks() {
        let mut items = CowVec::<u32>::default();
        for i in 0..200 {
            assert_eq!(items.push(i), i);
        }
        let before = items.clone();
        *items.get_mut(70) = 7;
        items.push(200);
        assert_eq!((*before.get(70), *items.get(70)), (70, 7));
        assert_eq!((before.len(), items.len()), (200, 201));
        let shared = before.chunks.iter().zip(&items.chunks).map(|(a, b)| Arc::ptr_eq(a, b));
        assert_eq!(shared.collect::<Vec<_>>(), [true, false, true, false]);
        assert!(before.iter().copied().eq(0..200));
    }
}
