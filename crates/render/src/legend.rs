//! Legend of a picture's colours.

use std::convert::Infallible;

use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::iso_8859_1::FONT_8X13 as FONT;
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{
    DrawTarget, Drawable, OriginDimensions, Pixel, Point, RgbColor, Size,
};
use embedded_graphics::text::{Baseline, Text};

use crate::color::Ramp;
use crate::picture::Picture;

/// Layout in pixels, before the legend is enlarged.
const MARGIN: i32 = 10;
const PADDING: i32 = 8;
const LINE_HEIGHT: i32 = 16;
const SWATCH: i32 = 11;
const RAMP_SIZE: [i32; 2] = [220, 10];

/// Further names are only counted.
const MAX_NAMES: usize = 12;

/// Longer names are truncated.
const MAX_NAME_CHARS: usize = 32;

/// Meaning of the colours in a picture.
#[derive(Clone, Debug)]
pub enum Legend {
    /// The mode has no legend, or the picture shows no surface.
    None,
    /// A value, coloured by a ramp.
    Ramp(RampLegend),
    /// Names and their sRGB colours, in descending order of visible samples.
    Names(Vec<(String, [u8; 3])>),
}

/// A colour ramp and its scale.
#[derive(Clone, Debug)]
pub struct RampLegend {
    /// Lines of text above the ramp.
    pub title: Vec<String>,
    /// Colour of each position on the ramp, from 0 to 1.
    pub ramp: Ramp,
    /// Labels of the positions 0 and 1.
    pub ends: [String; 2],
}

/// Draws a legend into the lower left corner, if the picture is large enough.
pub(crate) fn draw(picture: &mut Picture, legend: &Legend) {
    match legend {
        Legend::None => {}
        Legend::Ramp(ramp) => draw_ramp(picture, ramp),
        Legend::Names(names) => draw_names(picture, names),
    }
}

fn draw_ramp(picture: &mut Picture, legend: &RampLegend) {
    let lines = legend.title.len() as i32;
    let longest = legend.title.iter().map(|line| text_width(line)).max().unwrap_or(0);
    let width = RAMP_SIZE[0].max(longest);
    let Some(mut panel) = Panel::new(picture, width, (lines + 1) * LINE_HEIGHT + RAMP_SIZE[1] + 6)
    else {
        return;
    };
    for (n, line) in legend.title.iter().enumerate() {
        panel.text(0, n as i32 * LINE_HEIGHT, line);
    }
    let top = lines * LINE_HEIGHT + 2;
    for x in 0..RAMP_SIZE[0] {
        let color = (legend.ramp)(x as f32 / (RAMP_SIZE[0] - 1) as f32);
        panel.fill([x, top], [1, RAMP_SIZE[1]], color);
    }
    let [low, high] = &legend.ends;
    panel.text(0, top + RAMP_SIZE[1] + 4, low);
    panel.text(RAMP_SIZE[0] - text_width(high), top + RAMP_SIZE[1] + 4, high);
}

fn draw_names(picture: &mut Picture, names: &[(String, [u8; 3])]) {
    let shown = names.len().min(MAX_NAMES);
    let mut lines: Vec<String> = names[..shown].iter().map(|(name, _)| shortened(name)).collect();
    if shown < names.len() {
        lines.push(format!("and {} more", names.len() - shown));
    }
    if lines.is_empty() {
        return;
    }
    let indent = SWATCH + 6;
    let width = indent + lines.iter().map(|line| text_width(line)).max().unwrap_or(0);
    let Some(mut panel) = Panel::new(picture, width, lines.len() as i32 * LINE_HEIGHT) else {
        return;
    };
    for (n, line) in lines.iter().enumerate() {
        let top = n as i32 * LINE_HEIGHT;
        if let Some((_, color)) = names[..shown].get(n) {
            panel.fill([0, top + 1], [SWATCH, SWATCH], *color);
        }
        panel.text(indent, top, line);
    }
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME_CHARS) {
        None => name.to_owned(),
        Some(_) => name.chars().take(MAX_NAME_CHARS - 2).chain("..".chars()).collect(),
    }
}

fn text_width(text: &str) -> i32 {
    (text.chars().count() * FONT.character_size.width as usize) as i32
}

/// A dark translucent panel in the picture, enlarged in large pictures.
struct Panel<'a> {
    picture: &'a mut Picture,
    scale: i32,
    /// Upper left corner of the contents, in pixels of the picture.
    origin: [i32; 2],
}

impl<'a> Panel<'a> {
    /// A panel for contents of this size, or `None` if the picture is too small.
    fn new(picture: &'a mut Picture, width: i32, height: i32) -> Option<Self> {
        let size = [picture.width() as i32, picture.height() as i32];
        let scale = (size[1] / 900).max(1);
        let outer = [width, height].map(|side| scale * (side + 2 * PADDING));
        let margin = scale * MARGIN;
        if (0..2).any(|i| outer[i] + 2 * margin > size[i]) {
            return None;
        }
        let corner = [margin, size[1] - margin - outer[1]];
        for y in corner[1]..corner[1] + outer[1] {
            for x in corner[0]..corner[0] + outer[0] {
                picture.blend(x, y, [16, 18, 22], 0.78);
            }
        }
        Some(Self { picture, scale, origin: corner.map(|x| x + scale * PADDING) })
    }

    fn fill(&mut self, [left, top]: [i32; 2], [width, height]: [i32; 2], color: [u8; 3]) {
        let scale = self.scale;
        for y in scale * top..scale * (top + height) {
            for x in scale * left..scale * (left + width) {
                self.picture.blend(self.origin[0] + x, self.origin[1] + y, color, 1.0);
            }
        }
    }

    fn text(&mut self, left: i32, top: i32, text: &str) {
        let style = MonoTextStyle::new(&FONT, Rgb888::new(236, 238, 240));
        let text = Text::with_baseline(text, Point::new(left, top), style, Baseline::Top);
        match text.draw(self) {
            Ok(_) => {}
            Err(never) => match never {},
        }
    }
}

impl OriginDimensions for Panel<'_> {
    fn size(&self) -> Size {
        Size::new(self.picture.width(), self.picture.height())
    }
}

impl DrawTarget for Panel<'_> {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(
        &mut self,
        pixels: I,
    ) -> Result<(), Infallible> {
        for Pixel(Point { x, y }, color) in pixels {
            self.fill([x, y], [1, 1], [color.r(), color.g(), color.b()]);
        }
        Ok(())
    }
}
