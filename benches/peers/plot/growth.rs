//! Nanoseconds a ray against the number of triangles.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::{
    Area, COLORS, DARK, Entry, GREY, Legend, LogAxis, MARKERS, Marker, PALE, drawing, write,
};
use crate::Error;
use crate::compare::{Comparison, Row};
use crate::engines::Calls;
use crate::stats::Estimate;

const SIZE: (u32, u32) = (1120, 520);

/// A panel for each ray set: the logarithm of the number of triangles to the right, so that a time
/// that grows as the logarithm is a straight line. Packets stand in the panel of the primary rays
/// alone, which they are made for.
pub(crate) fn growth(sizes: &[Comparison], title: &str, caption: &str) -> Result<String, Error> {
    drawing(SIZE, title, caption, |area| {
        let Some(first) = sizes.first() else { return Ok(()) };
        let entries = first.rows.iter().enumerate().map(entry).collect();
        let legend = Legend::new(entries, (16, SIZE.0 as i32 - 16), 66);
        legend.draw(area)?;
        let width = SIZE.0 as i32 / first.sets.len().max(1) as i32;
        for set in 0..first.sets.len() {
            let left = width * set as i32;
            let frame = Frame {
                x: (left + 64, left + width - 24),
                y: (legend.bottom + 28, SIZE.1 as i32 - 56),
            };
            panel(area, sizes, set, &legend.entries, &frame)?;
        }
        Ok(())
    })
}

fn entry((number, row): (usize, &Row)) -> Entry<'_> {
    let (color, marker) = (COLORS[number % COLORS.len()], MARKERS[number % MARKERS.len()]);
    Entry { name: &row.name, color, marker }
}

/// The pixels within the axes.
struct Frame {
    x: (i32, i32),
    y: (i32, i32),
}

fn panel(
    area: &Area<'_>,
    sizes: &[Comparison],
    set: usize,
    entries: &[Entry<'_>],
    frame: &Frame,
) -> Result<(), Error> {
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
    write(area, &heading, (frame.x.0, frame.y.0 - 24), 15, DARK, HPos::Left)?;
    write(area, "ns per ray", (frame.x.1, frame.y.0 - 22), 12, GREY, HPos::Right)?;
    for line in 0..=n_steps as u32 {
        let (ns, color) = (step * f64::from(line), if line == 0 { GREY } else { PALE });
        let y = y_of(ns);
        area.draw(&PathElement::new(vec![(frame.x.0, y), (frame.x.1, y)], color))?;
        write(area, &format!("{ns}"), (frame.x.0 - 8, y - 7), 12, GREY, HPos::Right)?;
    }
    for size in sizes {
        let at = x.at(size.n_triangles as f64);
        area.draw(&PathElement::new(vec![(at, frame.y.0), (at, frame.y.1)], PALE))?;
        write(area, &count(size.n_triangles), (at, frame.y.1 + 8), 12, GREY, HPos::Center)?;
    }
    let middle = (frame.x.0 + frame.x.1) / 2;
    write(area, "triangles (logarithmic)", (middle, frame.y.1 + 28), 13, GREY, HPos::Center)?;

    for &row in &rows {
        let Entry { color, marker, .. } = entries[row];
        let points: Vec<((i32, i32), Estimate)> = sizes
            .iter()
            .filter_map(|size| {
                let time = time(size, row)?;
                Some(((x.at(size.n_triangles as f64), y_of(time.median)), time))
            })
            .collect();
        let line: Vec<_> = points.iter().map(|(at, _)| *at).collect();
        area.draw(&PathElement::new(line, color.stroke_width(2)))?;
        for (at, time) in points {
            let interval = vec![(at.0, y_of(time.low)), (at.0, y_of(time.high))];
            area.draw(&PathElement::new(interval, color))?;
            Marker::draw(marker, area, at, color)?;
        }
    }
    Ok(())
}

/// From the smallest to the largest mesh, with some room; not empty for a single size.
fn domain(sizes: &[Comparison]) -> (f64, f64) {
    let counts = || sizes.iter().map(|size| size.n_triangles.max(1) as f64);
    (counts().fold(f64::INFINITY, f64::min) / 1.5, counts().fold(1.0, f64::max) * 1.5)
}

/// The least of 1, 2, 5, 10, 20 and so on, or their tenths and so on, that is not below `step`.
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
        let svg = growth(&[engines(4.0), engines(16.0)], "A title", "on a machine").unwrap();
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
