//! A set of triangles, as bits.

/// Triangles that stand in several leaves. Without any it takes no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TriangleSet {
    words: Vec<u64>,
}

impl TriangleSet {
    /// A set of no triangles that can take those below `n_triangles`.
    pub(crate) fn with_room_for(n_triangles: usize) -> Self {
        Self { words: vec![0; n_triangles.div_ceil(64)] }
    }

    /// Adds a triangle. Returns whether the set did not hold it; `None` without room for it.
    pub(crate) fn insert(&mut self, triangle: u32) -> Option<bool> {
        let word = self.words.get_mut(triangle as usize / 64)?;
        let bit = 1 << (triangle % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        Some(is_new)
    }

    #[inline(always)]
    pub(crate) fn contains(&self, triangle: u32) -> bool {
        let word = self.words.get(triangle as usize / 64);
        word.is_some_and(|word| word >> (triangle % 64) & 1 == 1)
    }

    /// Takes a triangle out, if it is there.
    pub(crate) fn remove(&mut self, triangle: u32) {
        if let Some(word) = self.words.get_mut(triangle as usize / 64) {
            *word &= !(1 << (triangle % 64));
        }
    }

    /// Makes room for the triangles below `n_triangles`, if there is room for any, and for no others.
    pub(crate) fn set_room(&mut self, n_triangles: usize) {
        if !self.is_empty() {
            self.words.resize(n_triangles.div_ceil(64).max(1), 0);
        }
    }

    /// Whether the set has room for no triangle.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The number of triangles.
    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Gives the memory back if the set holds no triangle.
    pub(crate) fn without_room_if_empty(self) -> Self {
        if self.words.iter().all(|&word| word == 0) { Self::default() } else { self }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }
}
