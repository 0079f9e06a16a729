//! The plots of a record, as SVG of a few kilobytes whose text stays text.

mod growth;
mod ratios;

use std::fmt::Write as _;

pub(crate) use growth::growth;
pub(crate) use ratios::ratios;

/// A point in pixels, from the upper left corner.
type Point = (i32, i32);

const DARK: &str = "#282828";
const GREY: &str = "#6e6e6e";
const PALE: &str = "#e1e1e1";

/// Colours that colour-blind readers can tell apart (Okabe and Ito, "Color universal design", 2008). The
/// first two are for hitscan.
const COLORS: [&str; 7] =
    ["#0072b2", "#56b4e9", "#d55e00", "#e69f00", "#009e73", "#cc79a7", "#000000"];

/// The shapes that tell series apart where colours do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    Disc,
    Ring,
    Triangle,
    Cross,
}

const MARKERS: [Marker; 4] = [Marker::Disc, Marker::Triangle, Marker::Ring, Marker::Cross];

/// The position of a text relative to its point.
#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing with its elements.
struct Svg {
    text: String,
}

impl Svg {
    /// A white drawing with a title and a caption below it.
    fn new((width, height): Point, title: &str, caption: &str) -> Self {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        let mut svg = Self { text };
        svg.write(title, (16, 14), 20, DARK, Anchor::Start);
        svg.write(caption, (16, 42), 13, GREY, Anchor::Start);
        svg
    }

    /// The whole file.
    fn finish(self) -> String {
        self.text + "</svg>\n"
    }

    fn element(&mut self, element: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{element}").expect("a string can be written to");
    }

    fn lines(&mut self, points: &[Point], color: &str, width: u32) {
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
        let points = points.join(" ");
        self.element(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"/>"
        ));
    }

    /// A line of text with its upper edge at `y`.
    fn write(&mut self, text: &str, (x, y): Point, size: i32, color: &str, anchor: Anchor) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        // The ascent of common fonts is about four fifths of their size.
        let baseline = y + size * 4 / 5;
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.element(format_args!(
            "<text x=\"{x}\" y=\"{baseline}\" font-size=\"{size}\" fill=\"{color}\" \
             text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    fn mark(&mut self, marker: Marker, (x, y): Point, color: &str) {
        match marker {
            Marker::Disc => {
                self.element(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"{color}\"/>"));
            }
            Marker::Ring => self.element(format_args!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>"
            )),
            Marker::Triangle => self.element(format_args!(
                "<path d=\"M{x} {}l4 7h-8z\" fill=\"{color}\"/>",
                y - 5
            )),
            Marker::Cross => self.element(format_args!(
                "<path d=\"M{} {}l8 8m0 -8l-8 8\" stroke=\"{color}\" stroke-width=\"2\"/>",
                x - 4,
                y - 4
            )),
        }
    }

    /// Writes a legend from `left` on, in lines that end before `right`. Returns the pixel below it.
    fn legend<'a>(
        &mut self,
        series: impl IntoIterator<Item = (&'a str, Style)>,
        (left, right): (i32, i32),
        top: i32,
    ) -> i32 {
        const LINE: i32 = 22;
        let (mut x, mut y) = (left, top);
        for (name, style) in series {
            // The reader's program chooses the font; a letter is about seven pixels wide.
            let width = 30 + 7 * name.chars().count() as i32;
            if x > left && x + width > right {
                (x, y) = (left, y + LINE);
            }
            self.mark(style.marker, (x + 6, y + 7), style.color);
            self.write(name, (x + 16, y), 13, DARK, Anchor::Start);
            x += width;
        }
        y + LINE
    }
}

/// The look of a series.
#[derive(Clone, Copy)]
struct Style {
    color: &'static str,
    marker: Marker,
}

impl Style {
    fn of(color: usize, marker: usize) -> Self {
        Self { color: COLORS[color % COLORS.len()], marker: MARKERS[marker % MARKERS.len()] }
    }
}

/// A logarithmic axis.
#[derive(Clone, Copy)]
struct LogAxis {
    values: (f64, f64),
    pixels: (i32, i32),
}

impl LogAxis {
    /// The pixel of a value.
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
        let series = ["an engine", "another engine", "a third engine"];
        let bottom = |right| {
            let series = series.map(|name| (name, Style::of(0, 0)));
            Svg::new((10, 10), "", "").legend(series, (0, right), 60)
        };
        assert_eq!([1000, 150].map(bottom), [82, 126]);
    }

    #[test]
    fn text_cannot_break_the_file() {
        let svg = Svg::new((10, 10), "a < b & c", "").finish();
        assert!(svg.contains("a &lt; b &amp; c"), "{svg}");
    }
}
