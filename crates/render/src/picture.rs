//! Finished pictures: sRGB pixels, blending and PNG output.

use hitscan::glam::Vec3;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use rayon::prelude::*;
use thiserror::Error;

use crate::color::{linear, srgb};
use crate::film::Film;
use crate::style::Background;

/// An sRGB picture: red, green, blue and straight opacity in bytes, row by row from the top left.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// Converts the sums of `n_samples` samples to sRGB over a background.
    pub(crate) fn develop(film: &Film, n_samples: u32, background: Background) -> Self {
        let [red, green, blue, alpha] = background.0;
        let (behind, opacity) = (linear([red, green, blue]), f32::from(alpha) / 255.0);
        let pixels = film.pixels.par_iter().with_min_len(4096).map(|&sum| {
            let pixel = sum / n_samples as f32;
            let coverage = pixel.w;
            if coverage == 0.0 {
                return background.0;
            }
            let behind_share = (1.0 - coverage).max(0.0) * opacity;
            let alpha = coverage + behind_share;
            let color = (pixel.truncate() + behind_share * behind) / alpha;
            let [red, green, blue] = srgb(color);
            [red, green, blue, (255.0 * alpha.min(1.0)).round() as u8]
        });
        Self { width: film.width, height: film.height, pixels: pixels.collect() }
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Pixels row by row from the top left; `width * height` of them.
    pub fn pixels(&self) -> &[[u8; 4]] {
        &self.pixels
    }

    /// Blends a colour over pixel (x, y) with an opacity `share` from 0 to 1, in sRGB. Ignores
    /// positions outside the picture.
    pub fn blend(&mut self, x: i32, y: i32, color: [u8; 3], share: f32) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if x >= self.width || y >= self.height {
            return;
        }
        let pixel = &mut self.pixels[y as usize * self.width as usize + x as usize];
        let [red, green, blue, alpha] = *pixel;
        let below = (1.0 - share) * f32::from(alpha) / 255.0;
        let opacity = share + below;
        if opacity > 0.0 {
            let mix = |over: [u8; 3], under: [u8; 3]| {
                let bytes = |bytes: [u8; 3]| Vec3::from(bytes.map(f32::from));
                (share * bytes(over) + below * bytes(under)) / opacity
            };
            let [red, green, blue] =
                mix(color, [red, green, blue]).to_array().map(|byte| byte.round() as u8);
            *pixel = [red, green, blue, (255.0 * opacity).round() as u8];
        }
    }

    /// Encodes the picture as a PNG file, without an alpha channel if all pixels are opaque.
    ///
    /// # Errors
    /// [`PictureError`] if PNG cannot hold the picture, for example one without pixels.
    pub fn png(&self) -> Result<Vec<u8>, PictureError> {
        let is_opaque = self.pixels.par_iter().all(|pixel| pixel[3] == 255);
        // Encode into memory, because the encoder hides the errors of its output. Against `Default`
        // with `Adaptive`, a city at 1080p takes a quarter of the time and 4 % less space, a
        // kitchen 12 % more space. Higher levels save a few per cent at three times the cost.
        let mut file = Vec::new();
        let encoder =
            PngEncoder::new_with_quality(&mut file, CompressionType::Level(2), FilterType::Paeth);
        let encoded = if is_opaque {
            let bytes: Vec<u8> =
                self.pixels.iter().flat_map(|&[red, green, blue, _]| [red, green, blue]).collect();
            encoder.write_image(&bytes, self.width, self.height, ExtendedColorType::Rgb8)
        } else {
            let bytes = self.pixels.as_flattened();
            encoder.write_image(bytes, self.width, self.height, ExtendedColorType::Rgba8)
        };
        encoded.map(|()| file).map_err(|source| PictureError { source: Box::new(source) })
    }
}

/// PNG encoding failed; `source()` has the encoder's error.
#[derive(Debug, Error)]
#[error("PNG: cannot encode the picture; check its size")]
pub struct PictureError {
    source: Box<dyn std::error::Error + Send + Sync>,
}

#[cfg(test)]
mod tests {
    use hitscan::glam::Vec4;

    use super::*;

    fn picture(pixels: &[Vec4], background: [u8; 4]) -> Picture {
        let film = Film { width: pixels.len() as u32, height: 1, pixels: pixels.to_vec() };
        Picture::develop(&film, 1, Background(background))
    }

    #[test]
    fn the_background_fills_uncovered_shares() {
        let red = linear([200, 10, 10]);
        let pixels = [Vec4::ZERO, red.extend(1.0), (0.5 * red).extend(0.5)];
        let before_white = picture(&pixels, [255; 4]).pixels;
        assert_eq!(before_white[..2], [[255; 4], [200, 10, 10, 255]]);
        // Half the light of white is brighter than half its byte value.
        assert!(before_white[2][1] > 180 && before_white[2][3] == 255);
        let before_nothing = picture(&pixels, [0; 4]).pixels;
        assert_eq!(before_nothing, [[0; 4], [200, 10, 10, 255], [200, 10, 10, 128]]);
    }

    #[test]
    fn blending_outside_the_picture_changes_nothing() {
        let mut a = picture(&[Vec4::ZERO; 3], [0, 0, 0, 255]);
        let before = a.clone();
        for (x, y) in [(-1, 0), (3, 0), (0, 1), (0, -1), (i32::MAX, i32::MIN)] {
            a.blend(x, y, [255; 3], 1.0);
        }
        assert_eq!(a, before);
        a.blend(1, 0, [100, 200, 50], 0.5);
        assert_eq!(a.pixels[1], [50, 100, 25, 255]);
    }
}
