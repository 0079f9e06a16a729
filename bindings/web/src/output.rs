//! Answers on their way out: a few numbers at a fixed address, and columns that JavaScript copies.

use std::cell::Cell;

use hitscan_primitives::{Hit, Side};

use crate::{
    failure::{fail_for_memory, has_room_for},
    statics::{Kept, PerThread},
};

/// Room for the largest single answer.
const N_NUMBERS: usize = 24;

thread_local! {
    /// The numbers of a single answer.
    static NUMBERS: [Cell<f64>; N_NUMBERS] = const { [const { Cell::new(0.0) }; N_NUMBERS] };
    static WORDS: Kept<Vec<u32>> = const { Kept::new(Vec::new()) };
    static DOUBLES: Kept<Vec<f64>> = const { Kept::new(Vec::new()) };
    static BYTES: Kept<Vec<u8>> = const { Kept::new(Vec::new()) };
}

/// The address of the numbers.
#[unsafe(no_mangle)]
extern "C" fn numbers_address() -> usize {
    NUMBERS.with(|numbers| numbers.as_ptr().addr())
}

/// Stores the numbers of an answer from the place `first` on.
#[inline]
pub(crate) fn write(first: usize, numbers: &[f64]) {
    NUMBERS.with(|places| {
        for (place, &number) in places[first..].iter().zip(numbers) {
            place.set(number);
        }
    });
}

/// The number that JavaScript stored at a place, as an argument.
#[inline]
pub(crate) fn read(place: usize) -> f64 {
    NUMBERS.with(|numbers| numbers[place].get())
}

/// Stores a hit: `t` of the ray that was asked, `u`, `v`, triangle, side.
#[inline]
pub(crate) fn write_hit(t: f64, hit: &Hit) {
    write(0, &[t, hit.u.into(), hit.v.into(), hit.triangle.into(), side(hit.side)]);
}

/// 0 for the front, 1 for the back.
pub(crate) fn side(side: Side) -> f64 {
    match side {
        Side::Front => 0.0,
        Side::Back => 1.0,
    }
}

/// The address of the words of the last list.
#[unsafe(no_mangle)]
extern "C" fn words_address() -> usize {
    WORDS.with_borrow(|words| words.as_ptr().addr())
}

/// The address of the f64 of the last list.
#[unsafe(no_mangle)]
extern "C" fn doubles_address() -> usize {
    DOUBLES.with_borrow(|doubles| doubles.as_ptr().addr())
}

/// The address of the bytes of the last answer.
#[unsafe(no_mangle)]
extern "C" fn bytes_address() -> usize {
    BYTES.with_borrow(|bytes| bytes.as_ptr().addr())
}

/// Frees the memory of the last list.
#[unsafe(no_mangle)]
extern "C" fn output_free() {
    WORDS.take();
    DOUBLES.take();
    BYTES.take();
}

/// A buffer of words with the memory of the last answer.
pub(crate) fn words() -> Vec<u32> {
    let mut words = WORDS.take();
    words.clear();
    words
}

/// Returns the words and their number.
pub(crate) fn put_words(words: Vec<u32>) -> u32 {
    let n = words.len() as u32;
    WORDS.set(words);
    n
}

pub(crate) fn put_doubles(doubles: Vec<f64>) -> u32 {
    let n = doubles.len() as u32;
    DOUBLES.set(doubles);
    n
}

pub(crate) fn put_bytes(bytes: Vec<u8>) -> u32 {
    let n = bytes.len() as u32;
    BYTES.set(bytes);
    n
}

/// The columns of a list of hits.
const COLUMNS: usize = 5;

/// Stores hits as columns, one behind the other: the bits of `t`, `u`, `v`, then the triangle and the
/// side. A miss has an infinite `t` and the triangle `u32::MAX`. Returns 1, or 0 if there is no memory.
pub(crate) fn put_hits<'a>(n: usize, hits: impl Iterator<Item = Option<&'a Hit>>) -> u32 {
    let mut words = words();
    if words.capacity() < COLUMNS * n && !has_room_for(COLUMNS * n * size_of::<u32>()) {
        return fail_for_memory("hits", COLUMNS * n * size_of::<u32>());
    }
    words.resize(COLUMNS * n, 0);
    let miss = [f32::INFINITY.to_bits(), 0, 0, u32::MAX, 0];
    for (i, hit) in hits.enumerate() {
        let columns = hit.map_or(miss, Hit::to_bits);
        for (column, word) in columns.into_iter().enumerate() {
            words[column * n + i] = word;
        }
    }
    put_words(words);
    1
}
