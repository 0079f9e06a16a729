//! Nanoseconds per ray against the number of triangles.

use super::{Anchor, DARK, GREY, LogAxis, PALE, Style, Svg};
use crate::compare::{Comparison, Row};
use crate::engines::Calls;
use crate::stats::Estimate;

const SIZE: (i32, i32) = (1120, 520);

/// A panel for each ray set with a logarithmic axis of triangles, on which a time that grows as the
/// logarithm is a straight line. Only the panel of the primary rays has packets, because packets are made
/// for coherent rays.
pub(crate) fn growth(sizes: &[Comparison], title: &str, caption: &str) -> String {
    let mut svg = Svg::new(SIZE, title, caption);
    if let Some(first) = sizes.first() {
        let rows = first.rows.iter().enumerate();
        let series = rows.map(|(number, row)| (row.name.as_str(), Style::of(number, number)));
        let bottom = svg.legend(series, (16, SIZE.0 - 16), 66);
        let width = SIZE.0 / first.sets.len().max(1) as i32;
        for set in 0..first.sets.len() {
            let left = width * set as i32;
            let frame = Frame { x: (left + 64, left + width - 24), y: (bottom + 28, SIZE.1 - 56) };
            panel(&mut svg, sizes, set, &frame);
        }
    }
    svg.finish()
}

/// The pixels within the axes.
struct Frame {
    x: (i32, i32),
    y: (i32, i32),
}

fn panel(svg: &mut Svg, sizes: &[Comparison], set: usize, frame: &Frame) {
    let is_coherent = sizes[0].sets[set].name == "primary";
    let shown = |row: &Row| is_coherent || row.calls != Calls::Packets;
    let rows: Vec<usize> =
        (0..sizes[0].rows.len()).filter(|&row| shown(&sizes[0].rows[row])).collect();
    let time = |size: &Comparison, row: usize| -> Option<Estimate> {
        size.rows[row].cells[set].as_ref().map(|cell| cell.ns_per_ray)
    };
    let times = || sizes.iter().flat_map(|size| rows.iter().map(move |&row| time(size, row)));
    let highest = times().flatten().map(|time| time.high).fold(1.0, f64::max);
    let step = round_step(highest / 6.0);
    let n_steps = (highest / step).ceil();
    let y_of = |ns: f64| {
        frame.y.1 - (ns / (step * n_steps) * f64::from(frame.y.1 - frame.y.0)).round() as i32
    };
    let x = LogAxis { values: domain(sizes), pixels: frame.x };

    let heading = format!("{} rays, closest hit", sizes[0].sets[set].name);
    svg.write(&heading, (frame.x.0, frame.y.0 - 24), 15, DARK, Anchor::Start);
    svg.write("ns per ray", (frame.x.1, frame.y.0 - 22), 12, GREY, Anchor::End);
    for line in 0..=n_steps as u32 {
        let (ns, color) = (step * f64::from(line), if line == 0 { GREY } else { PALE });
        let y = y_of(ns);
        svg.lines(&[(frame.x.0, y), (frame.x.1, y)], color, 1);
        svg.write(&format!("{ns}"), (frame.x.0 - 8, y - 7), 12, GREY, Anchor::End);
    }
    for size in sizes {
        let at = x.at(size.n_triangles as f64);
        svg.lines(&[(at, frame.y.0), (at, frame.y.1)], PALE, 1);
        svg.write(&count(size.n_triangles), (at, frame.y.1 + 8), 12, GREY, Anchor::Middle);
    }
    let middle = (frame.x.0 + frame.x.1) / 2;
    svg.write("triangles (logarithmic)", (middle, frame.y.1 + 28), 13, GREY, Anchor::Middle);

    for &row in &rows {
        let Style { color, marker } = Style::of(row, row);
        let points = sizes
            .iter()
            .filter_map(|size| time(size, row).map(|time| (x.at(size.n_triangles as f64), time)));
        let points: Vec<(i32, Estimate)> = points.collect();
        let medians: Vec<_> = points.iter().map(|(x, time)| (*x, y_of(time.median))).collect();
        svg.lines(&medians, color, 2);
        for (x, time) in points {
            svg.lines(&[(x, y_of(time.low)), (x, y_of(time.high))], color, 1);
            svg.mark(marker, (x, y_of(time.median)), color);
        }
    }
}

/// The range of mesh sizes with a margin, which also keeps the range of a single size from being empty.
fn domain(sizes: &[Comparison]) -> (f64, f64) {
    let counts = || sizes.iter().map(|size| size.n_triangles.max(1) as f64);
    (counts().fold(f64::INFINITY, f64::min) / 1.5, counts().fold(1.0, f64::max) * 1.5)
}

/// The smallest number at or above `step` that is 1, 2 or 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step);
    factor.unwrap_or(10.0) * power
}

/// `4 k`, `16 M`.
fn count(n: usize) -> String {
    let (value, unit) = match n {
        1_000_000.. => (n as f64 / 1e6, " M"),
        1000.. => (n as f64 / 1e3, " k"),
        _ => (n as f64, ""),
    };
    format!("{value:.0}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::tests::comparison;

    #[test]
    fn every_engine_and_size_is_in_the_plot() {
        let engines = |ns: f64| {
            let mut comparison = comparison(&[
                ("hitscan best", Calls::Single, ns),
                ("embree packets of 16", Calls::Packets, 2.0 * ns),
            ]);
            comparison.n_triangles = (1000.0 * ns) as usize;
            comparison
        };
        let svg = growth(&[engines(4.0), engines(16.0)], "A title", "on a machine");
        for text in ["A title", "on a machine", "hitscan best", "packets of 16", "4 k", "16 k"] {
            assert!(svg.contains(text), "{text} is missing: {svg}");
        }
        assert!(svg.len() < 20_000, "{} bytes", svg.len());
    }

    #[test]
    fn axes_have_round_steps() {
        assert_eq!([0.9, 12.0, 20.0, 51.0].map(round_step), [1.0, 20.0, 20.0, 100.0]);
        assert_eq!([1000, 64_000, 4_096_000].map(count), ["1 k", "64 k", "4 M"]);
    }
}
