//! Every way of cutting a text and each of both parsers give the same result, and no text makes the
//! loader panic.

use std::{fmt::Write, panic};

use hitscan_oracle::{Mutants, Rng, effort};

use super::*;
use crate::LoadWarning;

/// Small texts of every kind, which are also the corpus of the mutants.
const TEXTS: &[&str] = &[
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "\u{feff}v 2 1 0\r\nv 4 1 0\r\nv 2 3 0\r\n\r\nf 1 2 3\r\n",
    // Far from the origin, so that positions are relative to an offset.
    "v 500000.1 5400000.1 2\nv 500009.3+e0 5400000.1 2 1\nv 1000018.6 10800016.4 4 2\nv nan 0 0\nf 1 2 3\n",
    "# mac\rv 2 1 0\rv 4 1 0\rv 2 3 0\rf 1 2 3\r",
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf -3 -2 -1\nf 1 -1 2\n",
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0 0\nvt 1\nvn 0 0 1\nvn 0 1 0\n\
     f 1/1/1 2/2/1 3/3/2\nf 1//1 3//2 4//-1\nf 1/-1 2/1 4/2\nf 1 2 3 4\nf 1/1 2 3//1 4/2/2\n",
    "mtllib a.mtl\no one\ng a \t b\ng  c  d\ng a\tb\nusemtl red\ns 1\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\n\
     f 1 3 4\nusemtl blue\nf 1 2 4\ng\nf 1 2 3 4\no two \ns off\nusemtl\nf 2 3 4\ns 7\nusemtl red\n",
    "usemtl m\nusemtl m\nv 0 0 0\nv 1 0 0\nv nan 1 0\nusemtl n\nusemtl m\nf 1 2 3\nusemtl n\nusemtl m\n\
     usemtl m\nv 0 1 0\nf 1 2 4\nusemtl n\nf 1 2 4\nusemtl m\nf 2 4 1\n",
    "v 0 0 0 0.1 0.2 0.3\nv 4 0 0 2\nv 0 1 0 1 1 1 1\nv 1 2 3 4 5\nf 1 2 \\\n  3\nf 1 \\\r\n2 4\n",
    "v 0 0 0\nv nan 0 0\nv 0 1e39 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 4 5\nf 1 4 5 3\nf 5 4 1\n",
    "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 1 1 0\nf 1 2 5 3 4\nf 4 3 5 2 1\nf 1 2 3 4\nl 1 2 3\np 1\n\
     f 1 2\nf\nfo 1 2 3\ncstype bezier\ncurv 0 1 1 2\nlod 3\ncall x.obj\nwhat 1 2 3\n",
    "v 0.000001 -123456.789 1e-7\nv 12345678 0.12345678901 -.5\nv 1. +2 3.40282347e+38\nf 1 2 3",
    "v\t1\t2\t3 \nV 1 2 4\n  v 1 3 3\t\nF 1 2 3 # face\n\tf  1  2  3  \n#end\\\nf 1 2 3#\nf 3 2 1\\",
    "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl x\n\x1a",
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 1 1\nf 1/2/3 2/1/ 3/-9\nf 1/0 2//0 3\nf 1/1 2/99999999999999999999 3\n",
    "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n",
    "v 0 0 0\n\n\nf -1 -1 -2\nv 1 x 0\n",
    "v 0 0 0\nf 1 1 0\n",
    "v 0 0 3.1+e2\nf 1 1 0 1\nf 1 0/0\nf 1 1 1\nf 0 0 0\nv +1-e2 2.-E1 3+e2 2+e1\nvn 1+e2 0 0\n",
    "v 0,5 0 0\n",
    "v 1 2\n",
    "f 1 2 3/1/1/1\n",
    "hello\nworld\n",
    "",
];

fn outcome<const FAST: bool>(text: &[u8], options: &LoadOptions, partition: Partition) -> String {
    let load = || {
        let source = Source::memory(text, options).map_err(|kind| error_in("t.obj", kind))?;
        let progress = |_| ControlFlow::Continue(());
        load_source::<FAST>(&source, "t.obj", options, &mut NoLibraries, &progress, partition)
    };
    match load() {
        Ok(loaded) => format!("{loaded:?}"),
        Err(error) => error.to_string(),
    }
}

const WHOLE: Partition = Partition { part_len: u64::MAX, window_len: usize::MAX >> 1 };

fn partitions(seed: u64) -> [Partition; 3] {
    let at = |shift: u64| (seed >> shift) as usize;
    [
        Partition { part_len: 1 + at(3) as u64 % 20, window_len: 1 + at(17) % 20 },
        Partition { part_len: 1 + at(5) as u64 % 100, window_len: 1 << 16 },
        Partition { part_len: u64::MAX, window_len: 1 + at(11) % 50 },
    ]
}

fn all_options() -> [LoadOptions; 2] {
    let less =
        LoadOptions { records: false, attributes: false, materials: false, ..Default::default() };
    [LoadOptions::default(), less]
}

/// Asserts that every way of reading a text gives the same result.
fn check(text: &[u8], seed: u64) {
    for options in all_options() {
        let expected = outcome::<true>(text, &options, WHOLE);
        assert_eq!(outcome::<false>(text, &options, WHOLE), expected, "the general reader");
        for partition in partitions(seed) {
            assert_eq!(outcome::<true>(text, &options, partition), expected, "{partition:?}");
        }
    }
}

#[test]
fn every_part_and_window_length_gives_the_same_result() {
    for text in TEXTS {
        for part_len in (1..40).chain([64, 100, 1000]) {
            for window_len in [1, 2, 3, 7, 30, 1000] {
                let partition = Partition { part_len, window_len };
                for options in all_options() {
                    let expected = outcome::<true>(text.as_bytes(), &options, WHOLE);
                    let found = outcome::<true>(text.as_bytes(), &options, partition);
                    assert_eq!(found, expected, "{partition:?} {text:?}");
                }
            }
        }
    }
}

#[test]
fn the_fast_parser_reads_the_forms_of_exporters() {
    // A fallback on such lines would change nothing but the speed.
    let text = "v 1.5 -2 0.25\nv 1 2 3 0.5 0.5 0.5\nvt 0.5 1\nvn 0 0 1 \nf 1/1/1 2/1/1 1//1\r\n\
                f -1 -2 -1 -1\n# ballast so that eight bytes follow\n";
    let options = LoadOptions::default();
    let mut chunk = Chunk::new(&options, Recentring::default(), true);
    let mut at = 0;
    for line in 1..=6 {
        at = crate::fast::statement(&mut chunk, text.as_bytes(), at).expect("a plain statement");
        assert_eq!(chunk.n_lines, line);
    }
    assert_eq!(chunk.faces.n_faces, 2);
}

#[test]
fn a_large_text_in_many_parts_is_the_text() {
    let mut text = String::new();
    for i in 0..3000 {
        writeln!(text, "v {} {} {}.{i:06}", i % 50, i / 50, i % 7).unwrap();
        if i % 3 == 2 {
            writeln!(text, "vt 0.{i} 0.5\nusemtl m{}\nf -1/-1 -2/-1 {}/1", i % 5, i - 1).unwrap();
        }
        if i % 100 == 99 {
            writeln!(text, "g part{i}\nf -1 -2 -52 -51\ns {}", i / 100 % 3).unwrap();
        }
    }
    let whole = parse(text.as_bytes(), "t.obj", &LoadOptions::default()).unwrap();
    assert_eq!(whole.report.n_triangles, 1000 + 60);
    for seed in 0..20u64 {
        check(text.as_bytes(), seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }
}

#[test]
fn an_unknown_material_is_reported_with_its_first_line() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl never\nusemtl m\nusemtl n\nusemtl m\nf 1 2 3\n";
    let report = parse(text.as_bytes(), "t.obj", &LoadOptions::default()).unwrap().report;
    assert_eq!(report.unknown_materials, ["m"]);
    assert_eq!(report.count(LoadWarning::UnknownMaterials).first_line, Some(5));
}

/// Strings that OBJ treats specially.
const WORDS: [&str; 24] = [
    "-",
    "/",
    "//",
    " ",
    "\n",
    "\r",
    "\\\n",
    "#",
    "e",
    ".",
    "0",
    "9999999999",
    "-1",
    "1e39",
    "nan",
    "\u{feff}",
    "\0",
    "\x1a",
    "f 1 2 3 4 5\n",
    "v 1 2 3\n",
    "usemtl a\n",
    "g\n",
    "\u{e9}",
    "\t",
];

#[test]
fn no_mutant_panics_and_all_readers_agree_on_it() {
    let mutants = Mutants::new(TEXTS.iter().map(|text| text.as_bytes().to_vec()).collect(), &WORDS);
    let mut rng = Rng::new(0x2545_f491_4f6c_dd1d);
    for i in 0..effort(4000) {
        let text = mutants.next(&mut rng);
        let seed = u64::from(rng.bits()) << 32 | u64::from(rng.bits());
        let result = panic::catch_unwind(|| check(&text, seed));
        assert!(result.is_ok(), "mutant {i}: {:?}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn progress_rises_to_one_and_cancels() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".repeat(50_000)).unwrap();
    let told = Mutex::new(Vec::new());
    let options = LoadOptions::default();
    load_with_progress(file.path(), &options, &|fraction| {
        told.lock().unwrap().push(fraction);
        ControlFlow::Continue(())
    })
    .unwrap();
    let told = told.into_inner().unwrap();
    assert!(told.is_sorted() && told.len() > 4 && told.last() == Some(&1.0), "{told:?}");
    for calls_before in [0, 1, 3, told.len() - 1] {
        let n_calls = AtomicUsize::new(0);
        let result = load_with_progress(file.path(), &options, &|_| match n_calls
            .fetch_add(1, Ordering::Relaxed)
            >= calls_before
        {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        });
        assert!(matches!(result.unwrap_err().kind, ReadErrorKind::Cancelled));
    }
}
