//! Histograms of triangle sizes, in numbers and as bars of text.

use std::io::{self, Write};

use hitscan::TriMesh;
use rayon::prelude::*;
use serde::Serialize;

/// The triangles whose longest edge is in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct SizeClass {
    /// The lower bound, inclusive.
    pub(crate) from: f64,
    /// The upper bound, exclusive.
    pub(crate) to: f64,
    pub(crate) triangles: usize,
}

/// The approximate maximum number of intervals.
const MAX_CLASSES: i32 = 12;

/// The triangles of a mesh by their longest edges. The bounds of the intervals are powers of ten times 1,
/// 2 and 5, times 1 and 3, or times 1. Omits triangles whose corners all lie at one position.
pub(crate) fn longest_edges(mesh: &TriMesh) -> Vec<SizeClass> {
    let length = |triangle: u32| {
        let [a, b, c] = mesh.corners(triangle).map(|corner| corner.as_dvec3());
        a.distance(b).max(b.distance(c)).max(c.distance(a))
    };
    let n = mesh.triangles().len() as u32;
    let lengths: Vec<f64> =
        (0..n).into_par_iter().map(length).filter(|&length| length > 0.0).collect();
    let shortest = lengths.par_iter().copied().reduce(|| f64::INFINITY, f64::min);
    let longest = lengths.par_iter().copied().reduce(|| 0.0, f64::max);
    if lengths.is_empty() {
        return vec![];
    }
    let bounds = bounds(shortest, longest);
    let n_classes = bounds.len() - 1;
    let count = |mut counts: Vec<usize>, &length: &f64| {
        counts[bounds.partition_point(|&bound| bound <= length) - 1] += 1;
        counts
    };
    let sum = |a: Vec<usize>, b: Vec<usize>| a.iter().zip(b).map(|(a, b)| a + b).collect();
    let counts =
        lengths.par_iter().fold(|| vec![0; n_classes], count).reduce(|| vec![0; n_classes], sum);
    let classes = bounds.windows(2).zip(counts);
    classes.map(|(ends, triangles)| SizeClass { from: ends[0], to: ends[1], triangles }).collect()
}

/// The bounds of the intervals. The first is not above `min`, and the last is above `max`.
fn bounds(min: f64, max: f64) -> Vec<f64> {
    let decade = |length: f64| length.log10().floor() as i32;
    let (first, last) = (decade(min) - 1, decade(max) + 1);
    let n_decades = last - first - 1;
    let (digits, step): (&[i32], _) = match n_decades {
        ..=4 => (&[1, 2, 5], 1),
        5..=7 => (&[1, 3], 1),
        _ => (&[1], (n_decades + MAX_CLASSES - 1) / MAX_CLASSES),
    };
    let exponents = (first.div_euclid(step)..=last.div_euclid(step) + 1).map(|n| n * step);
    // Parsed as decimals, because computing a power of ten rounds twice.
    let bound = |digit: &i32, exponent| {
        format!("{digit}e{exponent}").parse().expect("a digit and an exponent are a number")
    };
    let all: Vec<f64> = exponents
        .flat_map(|exponent| digits.iter().map(move |digit| bound(digit, exponent)))
        .collect();
    let start = all.partition_point(|&bound| bound <= min) - 1;
    let end = all.partition_point(|&bound| bound <= max);
    all[start..=end].to_vec()
}

/// Writes a line with a bar for each count. The longest bar has a fixed width, and every count above zero
/// has a bar.
pub(crate) fn write_bars(
    out: &mut impl Write,
    rows: impl Iterator<Item = (String, usize)>,
) -> io::Result<()> {
    const MAX_WIDTH: usize = 40;
    let rows: Vec<(String, usize)> = rows.collect();
    let max = rows.iter().map(|&(_, n)| n).max().unwrap_or(0).max(1);
    let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    let digits = max.to_string().len();
    for (label, n) in rows {
        let bar = "#".repeat((MAX_WIDTH * n).div_ceil(max));
        let line = format!("            {label:>width$}  {n:>digits$}  {bar}");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_round_numbers_around_all_lengths() {
        for (min, max, expected) in [
            (1.0, 1.0, &[1.0, 2.0][..]),
            (0.3, 0.3, &[0.2, 0.5]),
            (0.01, 0.06, &[0.01, 0.02, 0.05, 0.1]),
            (4.9, 5.0, &[2.0, 5.0, 10.0]),
            (0.02, 70.0, &[0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]),
            (0.05, 70.0, &[0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]),
            (0.05, 700.0, &[0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0]),
            (0.5, 2e6, &[0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e7]),
        ] {
            assert_eq!(bounds(min, max), expected, "{min} to {max}");
        }
        let ends = [1e-45, 1.5e-38, 0.999_999, 1.0, 3.0, 1e22, 1e39];
        for (i, &min) in ends.iter().enumerate() {
            for &max in &ends[i..] {
                let bounds = bounds(min, max);
                let n = bounds.len();
                assert!((2..=16).contains(&n), "{n} bounds from {min} to {max}");
                assert!(bounds[0] <= min && min < bounds[1], "{min} to {max}");
                assert!(bounds[n - 2] <= max && max < bounds[n - 1], "{min} to {max}");
            }
        }
    }

    #[test]
    fn bars_are_as_long_as_counts_are_large() {
        let rows = [("1 to 2", 80), ("2 to 5", 20), ("5 to 10", 0), ("10 to 20", 1)];
        let mut out = vec![];
        write_bars(&mut out, rows.into_iter().map(|(l, n)| (l.to_owned(), n))).unwrap();
        let expected = format!(
            "              1 to 2  80  {}\n              2 to 5  20  {}\n             5 to 10   0\n\
             \x20           10 to 20   1  #\n",
            "#".repeat(40),
            "#".repeat(10)
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
