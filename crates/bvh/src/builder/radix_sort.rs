//! Radix sort of many keys with their indices.

use crate::platform::{large_pages, parallel};

/// The maximum number of bits of a digit, whose counts stay in the first cache.
const DIGIT_BITS: u32 = 11;

/// Sorts distinct keys by digit, the last digit first, half of the keys on each thread. The keys come in
/// the order of their low `low_bits` bits and have no bit beyond `bits`.
///
/// A comparison sort and a sort by the first digit were three times as slow.
pub(crate) fn radix_sort(keys: &mut Vec<u64>, low_bits: u32, bits: u32) {
    let mut scratch = large_pages::zeroed(keys.len());
    let n_threads = parallel::n_threads();
    // One thread leaves the keys where its last digit puts them.
    let to_scratch = is_sequential(keys.len(), n_threads) && n_digits(low_bits, bits) % 2 == 1;
    sort_to(keys, &mut scratch, low_bits, bits, n_threads, to_scratch);
    if to_scratch {
        std::mem::swap(keys, &mut scratch);
    }
}

/// Whether one thread sorts all keys.
fn is_sequential(n_keys: usize, n_threads: usize) -> bool {
    /// The minimum size of a piece, because pieces must be merged.
    const SEQUENTIAL: usize = 1 << 15;
    n_keys <= SEQUENTIAL || n_threads <= 1
}

/// The number of digits of keys that come in the order of their low bits.
fn n_digits(low_bits: u32, bits: u32) -> usize {
    (bits - low_bits).div_ceil(DIGIT_BITS).max(1) as usize
}

/// Sorts into `scratch` if `to_scratch`, else in place.
fn sort_to(
    keys: &mut [u64],
    scratch: &mut [u64],
    low_bits: u32,
    bits: u32,
    n_threads: usize,
    to_scratch: bool,
) {
    if is_sequential(keys.len(), n_threads) {
        return sort_by_digits(keys, scratch, low_bits, bits, to_scratch);
    }
    let middle = keys.len() / 2;
    {
        let (a, b) = keys.split_at_mut(middle);
        let (scratch_a, scratch_b) = scratch.split_at_mut(middle);
        let n_threads = n_threads.div_ceil(2);
        parallel::join(
            || sort_to(a, scratch_a, low_bits, bits, n_threads, !to_scratch),
            || sort_to(b, scratch_b, low_bits, bits, n_threads, !to_scratch),
        );
    }
    let (from, to) = if to_scratch { (keys, scratch) } else { (scratch, keys) };
    let (a, b) = from.split_at(middle);
    merge(a, b, to);
}

fn sort_by_digits(
    keys: &mut [u64],
    scratch: &mut [u64],
    low_bits: u32,
    bits: u32,
    to_scratch: bool,
) {
    let n_digits = n_digits(low_bits, bits);
    let digit_bits = (bits - low_bits).div_ceil(n_digits as u32);
    let shift = |digit: usize| low_bits + digit as u32 * digit_bits;
    // One pass counts all digits, because their counts are the same in any order of the keys.
    let mut offsets = [[0u32; DIGITS]; MAX_DIGITS];
    for &key in &*keys {
        for (digit, offsets) in offsets[..n_digits].iter_mut().enumerate() {
            offsets[digit_of(key, shift(digit))] += 1;
        }
    }
    let (mut from, mut to) = (keys, scratch);
    for (digit, offsets) in offsets[..n_digits].iter_mut().enumerate() {
        let mut sum = 0;
        for offset in &mut *offsets {
            sum += std::mem::replace(offset, sum);
        }
        sort_by_digit(from, to, shift(digit), offsets);
        (from, to) = (to, from);
    }
    let in_scratch = n_digits % 2 == 1;
    if in_scratch != to_scratch {
        to.copy_from_slice(from);
    }
}

/// The maximum number of digits of a key.
const MAX_DIGITS: usize = u64::BITS.div_ceil(DIGIT_BITS) as usize;

/// The values of a digit.
const DIGITS: usize = 1 << DIGIT_BITS;

/// The digit that starts at bit `shift`.
#[inline(always)]
fn digit_of(key: u64, shift: u32) -> usize {
    (key >> shift) as usize % DIGITS
}

/// A stable sort by one digit, whose values start at `offsets`.
fn sort_by_digit(from: &[u64], to: &mut [u64], shift: u32, offsets: &mut [u32; DIGITS]) {
    for &key in from {
        let offset = &mut offsets[digit_of(key, shift)];
        to[*offset as usize] = key;
        *offset += 1;
    }
}

/// Merges two sorted lists.
fn merge(a: &[u64], b: &[u64], to: &mut [u64]) {
    const SEQUENTIAL: usize = 1 << 15;
    let (a, b) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    if to.len() > SEQUENTIAL {
        let (a_low, a_high) = a.split_at(a.len() / 2);
        let (b_low, b_high) = b.split_at(b.partition_point(|&key| key < a_high[0]));
        let (low, high) = to.split_at_mut(a_low.len() + b_low.len());
        parallel::join(|| merge(a_low, b_low, low), || merge(a_high, b_high, high));
        return;
    }
    let (mut i, mut j) = (0, 0);
    for entry in to {
        // At the end of one list it takes from the other.
        let x = a.get(i).copied().unwrap_or(u64::MAX);
        let y = b.get(j).copied().unwrap_or(u64::MAX);
        *entry = x.min(y);
        i += usize::from(x < y);
        j += usize::from(x >= y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of `code(i)` before the index `i` of 18 bits.
    fn keys(n: u64, code: impl Fn(u64) -> u64) -> Vec<u64> {
        (0..n).map(|i| code(i) << 18 | i).collect()
    }

    #[test]
    fn keys_are_sorted_whatever_they_are_and_by_any_number_of_threads() {
        let scrambled = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 31;
        let lists = [
            keys(1, |_| 5),
            keys(1000, scrambled),
            keys(200_000, scrambled),
            keys(200_000, |_| 7),
            keys(200_000, |i| 300_000 - i),
            keys(200_000, |i| i % 3),
            keys(200_000, |i| if i == 100_000 { 0 } else { 1 + i }),
        ];
        for list in lists {
            let mut expected = list.clone();
            expected.sort_unstable();
            for bits in [18 + 33, 18 + 44] {
                let mut sorted = list.clone();
                radix_sort(&mut sorted, 18, bits);
                assert!(sorted == expected);
            }
            for n_threads in [1, 2, 3, 8] {
                for to_scratch in [false, true] {
                    let (mut sorted, mut scratch) = (list.clone(), vec![0; list.len()]);
                    sort_to(&mut sorted, &mut scratch, 18, 18 + 33, n_threads, to_scratch);
                    assert!(expected == if to_scratch { scratch } else { sorted });
                }
            }
        }
    }
}
