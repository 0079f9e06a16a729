//! Damaged, foreign and malicious files give an error or the same answers, and never a panic or a hang.

use hitscan_cache::{BuiltMesh, CacheErrorKind, read};
use hitscan_testkit::{Rng, effort};
use xxhash_rust::xxh3::xxh3_64;

use crate::support::{assert_right, assert_same, bytes_of, samples};

const N_SECTIONS: usize = 12;
const HEADER_LEN: usize = 424;

/// The usual number of mutants of each file.
const N_MUTANTS: u64 = 400;

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

fn put(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

/// The position of a section's entry in the header.
fn entry(section: usize) -> usize {
    32 + 32 * section
}

/// Corrects all checksums of the sections that exist, by the description of the format alone.
fn sign(bytes: &mut [u8]) {
    if bytes.len() < HEADER_LEN {
        return;
    }
    for section in 0..N_SECTIONS {
        let (offset, len) = (u64_at(bytes, entry(section) + 8), u64_at(bytes, entry(section) + 16));
        let end = offset.checked_add(len).and_then(|end| usize::try_from(end).ok());
        if let Some(contents) = end.and_then(|end| bytes.get(offset as usize..end)) {
            let pieces = contents.chunks(1 << 18).flat_map(|piece| xxh3_64(piece).to_le_bytes());
            let sum = xxh3_64(&pieces.collect::<Vec<u8>>());
            put(bytes, entry(section) + 24, sum);
        }
    }
    let sum = xxh3_64(&bytes[..HEADER_LEN - 8]);
    put(bytes, HEADER_LEN - 8, sum);
}

/// A damaged file, and the kind of damage.
// Longer than 60 lines: one flat match with an arm per kind of damage.
fn mutant(original: &[u8], rng: &mut Rng) -> (String, Vec<u8>) {
    let mut bytes = original.to_vec();
    let n = bytes.len();
    // Half of the time in the header, because most decisions depend on it.
    let place = |rng: &mut Rng| if rng.one_in(2) { rng.below(HEADER_LEN) } else { rng.below(n) };
    let what = match rng.below(10) {
        0 => {
            let (at, bit) = (place(rng), rng.below(8));
            bytes[at] ^= 1 << bit;
            format!("bit {bit} of byte {at}")
        }
        1 => {
            let at = place(rng);
            bytes[at] = rng.pick(&[0, 1, 0x7f, 0x80, 0xff]);
            format!("byte {at}")
        }
        2 => {
            let len = place(rng);
            bytes.truncate(len);
            format!("cut off at {len}")
        }
        3 => {
            let more = 1 + rng.below(1000);
            bytes.extend((0..more).map(|_| rng.bits() as u8));
            format!("{more} bytes more")
        }
        4 => {
            let (a, b) = (rng.below(N_SECTIONS), rng.below(N_SECTIONS));
            for i in 0..32 {
                bytes.swap(entry(a) + i, entry(b) + i);
            }
            format!("entries {a} and {b} swapped")
        }
        5 => {
            let (from, len) = (place(rng), 1 + rng.below(500));
            let to = n.min(from + len);
            bytes[from..to].fill(0);
            format!("zeros from {from} to {to}")
        }
        6 => {
            let field = 8 * (1 + rng.below(HEADER_LEN / 8 - 2));
            let huge = rng.pick(&[u64::MAX, 1 << 63, 1 << 40, 1 << 32, n as u64, 1 << 20]);
            put(&mut bytes, field, huge);
            format!("{huge} at {field}")
        }
        7 => {
            let at = rng.pick(&[8, 12, 16, 20, 24, 28]);
            let mut word: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
            if rng.one_in(2) {
                word.reverse();
            } else {
                word = rng.bits().to_le_bytes();
            }
            bytes[at..at + 4].copy_from_slice(&word);
            format!("word at {at}")
        }
        8 => {
            // Replaces a section with equally long bytes from another place.
            let (from, to, len) = (place(rng), place(rng), 4 << rng.below(7));
            let len = len.min(n - from).min(n - to);
            bytes.copy_within(from..from + len, to);
            format!("{len} bytes from {from} to {to}")
        }
        _ => {
            // Changes a number of a section: a reference, an index, a count, a coordinate.
            let at = HEADER_LEN + 4 * rng.below((n - HEADER_LEN).max(4) / 4);
            let word = rng.pick(&[0, 1, 2, 8, 0x7fff_ffff, 0x8000_0000, u32::MAX, 0x7f80_0000]);
            if at + 4 <= n {
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
            format!("{word:#x} at {at}")
        }
    };
    (what, bytes)
}

fn assert_error_is_helpful(what: &str, error: &hitscan_cache::CacheError) {
    let text = error.to_string();
    assert!(text.starts_with("memory: ") && text.len() < 600, "{what}: {text}");
    let has_remedy = text.ends_with("run `hitscan build` again");
    let is_foreign = matches!(error.kind, CacheErrorKind::NotACache { .. });
    assert!(has_remedy != is_foreign, "{what}: {text}");
}

#[test]
fn a_damaged_file_is_an_error_or_gives_the_same() {
    for (name, original) in samples() {
        let bytes = bytes_of(&original);
        let mut rng = Rng::new(1);
        let mut n_errors = 0;
        for i in 0..effort(N_MUTANTS) {
            let (what, mutant) = mutant(&bytes, &mut rng);
            let what = format!("{name}, mutant {i}: {what}");
            match read(&mutant, "memory") {
                Ok(again) => assert_same(&what, &again, &original),
                Err(error) => {
                    n_errors += 1;
                    assert_error_is_helpful(&what, &error);
                }
            }
        }
        assert!(n_errors > effort(N_MUTANTS) * 4 / 5, "{name}: {n_errors}");
    }
}

/// The same with correct checksums, so that only the content can be wrong.
#[test]
fn a_malicious_file_is_an_error_or_answers_for_the_mesh_in_it() {
    let mut n_loaded = 0;
    for (name, original) in samples() {
        let bytes = bytes_of(&original);
        let mut rng = Rng::new(2);
        // The reader accepts only few of them.
        for i in 0..effort(5 * N_MUTANTS) {
            let (what, mut mutant) = mutant(&bytes, &mut rng);
            sign(&mut mutant);
            let what = format!("{name}, mutant {i}: {what}");
            match read(&mutant, "memory") {
                Ok(again) => {
                    n_loaded += usize::from(mutant != bytes);
                    assert_right(&what, &again, 3);
                }
                Err(error) => assert_error_is_helpful(&what, &error),
            }
        }
    }
    // Otherwise the test would cover nothing but headers.
    assert!(n_loaded as u64 > effort(50), "{n_loaded}");
}

#[test]
fn every_bit_of_a_small_file_counts() {
    let bytes = bytes_of(&samples()[0].1);
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut mutant = bytes.clone();
            mutant[at] ^= 1 << bit;
            assert!(read(&mutant, "memory").is_err(), "bit {bit} of byte {at}");
        }
    }
    for len in 0..bytes.len() {
        assert!(read(&bytes[..len], "memory").is_err(), "{len}");
    }
}

#[test]
fn signing_a_whole_file_changes_nothing() {
    for (name, original) in samples() {
        let bytes = bytes_of(&original);
        let mut signed = bytes.clone();
        sign(&mut signed);
        assert!(signed == bytes, "{name}");
    }
}

#[test]
fn errors_say_what_was_found_and_what_was_expected() {
    let original: BuiltMesh = samples().swap_remove(1).1;
    let bytes = bytes_of(&original);
    let n = bytes.len();
    type Change = fn(&mut Vec<u8>);
    let cases: [(Change, String); 13] = [
        (|b| b.clear(), "has 0 bytes, expected 424".to_owned()),
        (|b| b.truncate(5), "has 5 bytes, expected 424".to_owned()),
        (
            |b| b[..8].copy_from_slice(b"glTF\x02\0\0\0"),
            "starts with \"glTF\\x02\\x00\\x00\\x00\"; expected the signature of a cache file"
                .to_owned(),
        ),
        (
            |b| b[8..12].reverse(),
            "has big-endian numbers, but cache files are little-endian".to_owned(),
        ),
        (|b| b[12] = 7, "is of version 7.4, expected 2.4".to_owned()),
        (|b| b[16] = 0, "is of version 2.0, expected 2.4".to_owned()),
        (|b| b.truncate(100), "has 100 bytes, expected 424".to_owned()),
        (|b| b.truncate(9000), format!("has 9000 bytes, expected {n}")),
        (|b| b.push(0), format!("has {} bytes, expected {n}", n + 1)),
        (|b| b[40] ^= 1, "the checksum of the header does not match".to_owned()),
        (|b| b[3000] ^= 1, "the checksum of the positions does not match".to_owned()),
        (
            |b| {
                // The first position: not finite, with all checksums right.
                let at = u64_at(b, entry(2) + 8) as usize;
                b[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
                sign(b);
            },
            "the mesh is invalid: vertex 0 is at [NaN".to_owned(),
        ),
        (
            |b| {
                // The first child of the root: the root itself.
                let at = u64_at(b, entry(9) + 8) as usize + 192;
                b[at..at + 4].fill(0);
                sign(b);
            },
            "the tree is invalid: node 0 has children of no tree of 34 nodes".to_owned(),
        ),
    ];
    for (change, expected) in cases {
        let mut changed = bytes.clone();
        change(&mut changed);
        let error = read(&changed, "memory").expect_err(&expected);
        assert!(error.to_string().contains(&expected), "{error}\nexpected {expected}");
        assert_error_is_helpful(&expected, &error);
    }
}
