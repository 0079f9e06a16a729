//! Damaged copies of files and texts, which a parser must survive.

use crate::Rng;

/// Makes mutants of a corpus: it changes, removes, doubles and moves bytes, and inserts strings that the
/// format treats specially.
///
/// ```
/// use hitscan_oracle::{Mutants, Rng};
///
/// let mutants = Mutants::new(vec![b"v 0 0 0\n".to_vec()], &["nan", "1e39"]);
/// let text = mutants.next(&mut Rng::new(1));
/// assert!(text.len() < 10_000);
/// ```
#[derive(Clone, Debug)]
pub struct Mutants<'a> {
    corpus: Vec<Vec<u8>>,
    words: &'a [&'a str],
}

/// The maximum length of a doubled or moved piece.
const LONGEST_PIECE: usize = 64;

/// The maximum number of repetitions of a piece.
const MOST_REPEATS: usize = 50;

impl<'a> Mutants<'a> {
    /// Mutants of `corpus`, which must not be empty, with `words` inserted.
    pub fn new(corpus: Vec<Vec<u8>>, words: &'a [&'a str]) -> Self {
        Self { corpus, words }
    }

    /// One to six changes to one of the files, few more often than many.
    pub fn next(&self, rng: &mut Rng) -> Vec<u8> {
        let mut bytes = self.corpus[rng.below(self.corpus.len())].clone();
        let most = 1 + rng.below(6);
        for _ in 0..1 + rng.below(most) {
            self.change(&mut bytes, rng);
        }
        bytes
    }

    fn change(&self, bytes: &mut Vec<u8>, rng: &mut Rng) {
        let at = rng.below(bytes.len() + 1);
        let end = at + rng.below((bytes.len() - at).min(LONGEST_PIECE) + 1);
        match rng.below(10) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            1 if at < bytes.len() => bytes[at] = rng.bits() as u8,
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                let n = 1 + if rng.one_in(8) { rng.below(MOST_REPEATS) } else { 0 };
                bytes.splice(at..at, piece.repeat(n));
            }
            4 => {
                let other = &self.corpus[rng.below(self.corpus.len())];
                let from = rng.below(other.len() + 1);
                let to = from + rng.below((other.len() - from).min(LONGEST_PIECE) + 1);
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            5 if rng.one_in(4) => bytes.truncate(at),
            6 => {
                let line = lines_of(bytes).nth(rng.below(20)).map(<[u8]>::to_vec);
                bytes.splice(at..at, line.unwrap_or_default());
            }
            7 => self.change_number(bytes, rng),
            _ if !self.words.is_empty() => {
                let word = rng.pick(self.words);
                let end = if rng.one_in(2) { at } else { end };
                bytes.splice(at..end, word.bytes());
            }
            _ => {}
        }
    }

    /// Replaces a number with another.
    fn change_number(&self, bytes: &mut Vec<u8>, rng: &mut Rng) {
        const NUMBERS: [&str; 16] = [
            "0",
            "-0",
            "1",
            "-1",
            "2",
            "255",
            "65536",
            "2147483647",
            "-2147483648",
            "4294967296",
            "18446744073709551616",
            "0.1",
            "1e-45",
            "3.5e38",
            "1e999",
            "-1e-999",
        ];
        let from = rng.below(bytes.len() + 1);
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        let Some(start) = bytes[from..].iter().position(is_digit) else { return };
        let start = from + start;
        let len = bytes[start..].iter().position(|byte| !is_digit(byte));
        let end = len.map_or(bytes.len(), |len| start + len);
        bytes.splice(start..end, rng.pick(&NUMBERS).bytes());
    }
}

fn lines_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n')
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn mutants_differ_from_each_other_and_seeds_repeat_them() {
        let mutants = Mutants::new(vec![b"v 1 2 3\nf 1 2 3\n".to_vec()], &["nan"]);
        let of = |seed| -> Vec<Vec<u8>> {
            let mut rng = Rng::new(seed);
            (0..1000).map(|_| mutants.next(&mut rng)).collect()
        };
        assert_eq!(of(1), of(1));
        let n_different = of(1).into_iter().collect::<HashSet<_>>().len();
        assert!(n_different > 300, "{n_different} of 1000");
    }
}
