//! The source of handles, which a scene shares with its clones.

use std::sync::{Mutex, PoisonError};

/// The greatest generation. Handles stay below 2^53, which a number of JavaScript holds exactly.
const MAX_GENERATION: u32 = (1 << 21) - 1;

/// Gives handles and numberings, each once. Clones of a scene share it: an instance that one of them inserts has
/// a handle that no other gives to another instance.
#[derive(Debug, Default)]
pub(crate) struct Handles(Mutex<Given>);

#[derive(Debug, Default)]
struct Given {
    /// The next generation of each slot.
    generations: Vec<u32>,
    n_numberings: u64,
}

impl Handles {
    /// A new generation for a slot; `None` if the slot had all of them.
    pub(crate) fn next_generation(&self, index: u32) -> Option<u32> {
        self.with(|given| {
            let index = index as usize;
            if given.generations.len() <= index {
                given.generations.resize(index + 1, 0);
            }
            let generation = given.generations[index];
            if generation > MAX_GENERATION {
                return None;
            }
            given.generations[index] += 1;
            Some(generation)
        })
    }

    /// A name for the next change of insertion orders. 0 names the orders of insertion.
    pub(crate) fn next_numbering(&self) -> u64 {
        self.with(|given| {
            given.n_numberings += 1;
            given.n_numberings
        })
    }

    fn with<T>(&self, take: impl FnOnce(&mut Given) -> T) -> T {
        // No code within panics, so the lock of another thread that did is sound.
        take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_gives_each_generation_once_and_then_none() {
        let handles = Handles::default();
        assert!((0..=MAX_GENERATION).all(|i| handles.next_generation(1) == Some(i)));
        assert_eq!([handles.next_generation(1), handles.next_generation(0)], [None, Some(0)]);
        let largest = f64::from(MAX_GENERATION) * 2f64.powi(32) + f64::from(u32::MAX);
        assert_eq!(largest + 1.0, 2f64.powi(53));
    }
}
