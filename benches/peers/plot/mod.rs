//! Plots of a record, as SVG: text stays text, and a file has some kilobytes.

mod growth;
mod ratios;

use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::Error;

pub(crate) use growth::growth;
pub(crate) use ratios::ratios;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const FONT: &str = "sans-serif";
const DARK: RGBColor = RGBColor(40, 40, 40);
const GREY: RGBColor = RGBColor(110, 110, 110);
const PALE: RGBColor = RGBColor(225, 225, 225);

/// Colours that differ for everybody (Okabe and Ito, "Color universal design", 2008), ours first.
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
];

/// A drawing of that size with a title and a line below it.
fn drawing(
    size: (u32, u32),
    title: &str,
    caption: &str,
    draw: impl FnOnce(&Area<'_>) -> Result<(), Error>,
) -> Result<String, Error> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        write(&root, title, (16, 14), 20, DARK, HPos::Left)?;
        write(&root, caption, (16, 42), 13, GREY, HPos::Left)?;
        draw(&root)?;
        root.present()?;
    }
    Ok(svg)
}

/// Writes a line of text whose upper edge is at a point.
fn write(
    area: &Area<'_>,
    text: &str,
    at: (i32, i32),
    size: i32,
    color: RGBColor,
    side: HPos,
) -> Result<(), Error> {
    let style = (FONT, size).into_font().color(&color).pos(Pos::new(side, VPos::Top));
    area.draw(&Text::new(text.to_owned(), at, style))?;
    Ok(())
}

/// The shapes that tell series apart where colours do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    Disc,
    Ring,
    Triangle,
    Cross,
}

const MARKERS: [Marker; 4] = [Marker::Disc, Marker::Triangle, Marker::Ring, Marker::Cross];

impl Marker {
    fn draw(self, area: &Area<'_>, at: (i32, i32), color: RGBColor) -> Result<(), Error> {
        match self {
            Self::Disc => area.draw(&Circle::new(at, 4, color.filled())),
            Self::Ring => area.draw(&Circle::new(at, 4, color.stroke_width(2))),
            Self::Triangle => area.draw(&TriangleMarker::new(at, 5, color.filled())),
            Self::Cross => area.draw(&Cross::new(at, 4, color.stroke_width(2))),
        }?;
        Ok(())
    }
}

/// A series in a legend.
#[derive(Clone, Copy)]
struct Entry<'a> {
    name: &'a str,
    color: RGBColor,
    marker: Marker,
}

/// The names of all series, in lines.
struct Legend<'a> {
    entries: Vec<Entry<'a>>,
    /// Where each entry starts.
    places: Vec<(i32, i32)>,
    /// The pixel below the last line.
    bottom: i32,
}

impl<'a> Legend<'a> {
    /// Entries from `left` on, in lines that do not go beyond `right`.
    fn new(entries: Vec<Entry<'a>>, (left, right): (i32, i32), top: i32) -> Self {
        const LINE: i32 = 22;
        let (mut x, mut y) = (left, top);
        let place = |entry: &Entry<'_>| {
            // No font is at hand here: the viewer chooses one, of about this width.
            let width = 30 + 7 * entry.name.chars().count() as i32;
            if x > left && x + width > right {
                (x, y) = (left, y + LINE);
            }
            let place = (x, y);
            x += width;
            place
        };
        let places = entries.iter().map(place).collect();
        Self { entries, places, bottom: y + LINE }
    }

    fn draw(&self, area: &Area<'_>) -> Result<(), Error> {
        for (entry, &(x, y)) in self.entries.iter().zip(&self.places) {
            entry.marker.draw(area, (x + 6, y + 7), entry.color)?;
            write(area, entry.name, (x + 16, y), 13, DARK, HPos::Left)?;
        }
        Ok(())
    }
}

/// Where a value lies between two pixels, by its logarithm.
#[derive(Clone, Copy)]
struct LogAxis {
    values: (f64, f64),
    pixels: (i32, i32),
}

impl LogAxis {
    fn at(self, value: f64) -> i32 {
        let ((low, high), (first, last)) = (self.values, self.pixels);
        let share = (value / low).ln() / (high / low).ln();
        first + (share * f64::from(last - first)).round() as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_as_long_everywhere_on_a_logarithmic_axis() {
        let axis = LogAxis { values: (1.0, 100.0), pixels: (50, 250) };
        assert_eq!([1.0, 10.0, 100.0].map(|value| axis.at(value)), [50, 150, 250]);
    }

    #[test]
    fn a_long_legend_takes_another_line() {
        let entry = |name| Entry { name, color: DARK, marker: Marker::Disc };
        let entries = || ["an engine", "another engine", "a third engine"].map(entry).to_vec();
        let bottom = |right| Legend::new(entries(), (0, right), 60).bottom;
        assert_eq!([1000, 150].map(bottom), [82, 126]);
    }
}
