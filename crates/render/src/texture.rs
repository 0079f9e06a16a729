//! Base-colour textures.

use std::fmt;
use std::io::Cursor;

use hitscan::glam::{DVec2, Vec3};
use image::{ImageFormat, ImageReader};
use thiserror::Error;

use crate::color::linear;

/// A picture that colours a surface.
#[derive(Clone, PartialEq, Eq)]
pub struct Texture {
    width: u32,
    height: u32,
    /// sRGB, row by row from the top left.
    texels: Vec<[u8; 3]>,
}

/// A texture cannot be decoded.
#[derive(Debug, Error)]
#[error("not a PNG, JPEG, TGA or BMP picture of at most {max_side} x {max_side} texels ({reason})")]
pub struct TextureError {
    max_side: u32,
    reason: String,
}

impl Texture {
    /// The maximum width and height.
    pub const MAX_SIDE: u32 = 1 << 14;

    /// Decodes the bytes of a PNG, JPEG, TGA or BMP file. `name` is the file's name if it has one,
    /// because TGA files have no signature. Ignores the opacity.
    ///
    /// # Errors
    /// [`TextureError`] if the bytes are no such picture, or one without texels or of more than
    /// [`MAX_SIDE`](Self::MAX_SIDE).
    pub fn decode(bytes: &[u8], name: &str) -> Result<Self, TextureError> {
        let error = |reason: String| TextureError { max_side: Self::MAX_SIDE, reason };
        let format = image::guess_format(bytes).or_else(|_| ImageFormat::from_path(name));
        let format = format.map_err(|found| error(found.to_string()))?;
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        let mut limits = image::Limits::default();
        limits.max_image_width = Some(Self::MAX_SIDE);
        limits.max_image_height = Some(Self::MAX_SIDE);
        reader.limits(limits);
        let picture = reader.decode().map_err(|found| error(found.to_string()))?.into_rgb8();
        let (width, height) = picture.dimensions();
        if width == 0 || height == 0 {
            return Err(error("it has no texels".to_owned()));
        }
        let texels = picture.pixels().map(|pixel| pixel.0).collect();
        Ok(Self { width, height, texels })
    }

    /// Width and height in texels.
    pub fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// The colour at a texture coordinate in linear light, blended from the four nearest texels.
    /// (0, 0) is the lower left corner and (1, 1) the upper right one. The picture repeats. A
    /// coordinate that is not finite counts as 0.
    pub(crate) fn at(&self, uv: DVec2) -> Vec3 {
        let place = |coordinate: f64, n: u32| {
            let coordinate = if coordinate.is_finite() { coordinate } else { 0.0 };
            // Texel centres are at halves.
            let at = coordinate.rem_euclid(1.0) * f64::from(n) - 0.5;
            let low = at.floor();
            let index = |texel: f64| (texel as i64).rem_euclid(i64::from(n)) as usize;
            (index(low), index(low + 1.0), (at - low) as f32)
        };
        let (left, right, across) = place(uv.x, self.width);
        let (top, bottom, down) = place(1.0 - uv.y, self.height);
        let texel = |x: usize, y: usize| linear(self.texels[y * self.width as usize + x]);
        let row = |y: usize| texel(left, y).lerp(texel(right, y), across);
        row(top).lerp(row(bottom), down)
    }
}

impl fmt::Debug for Texture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texture").field("size", &self.size()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two by two texels: red, green, blue, white from the top left.
    fn png() -> Vec<u8> {
        let bytes = vec![255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255];
        let picture = image::RgbImage::from_raw(2, 2, bytes).unwrap();
        let mut file = Cursor::new(vec![]);
        picture.write_to(&mut file, ImageFormat::Png).unwrap();
        file.into_inner()
    }

    #[test]
    fn coordinates_start_at_the_lower_left_and_repeat() {
        let texture = Texture::decode(&png(), "").unwrap();
        assert_eq!(texture.size(), [2, 2]);
        let at = |u, v| texture.at(DVec2::new(u, v));
        assert_eq!(at(0.25, 0.75), Vec3::X);
        assert_eq!(at(0.75, 0.75), Vec3::Y);
        assert_eq!(at(0.25, 0.25), Vec3::Z);
        assert_eq!(at(7.75, -2.75), Vec3::ONE);
        assert!(at(0.5, 0.75).distance(Vec3::new(0.5, 0.5, 0.0)) < 1e-6);
        assert!(at(0.0, 0.75).distance(Vec3::new(0.5, 0.5, 0.0)) < 1e-6);
        assert!(at(f64::NAN, f64::INFINITY).is_finite() && at(1e300, -1e300).is_finite());
    }

    #[test]
    fn what_is_no_picture_is_an_error() {
        for bytes in [&b""[..], b"no picture", &png()[..40]] {
            let error = Texture::decode(bytes, "a.xyz").unwrap_err();
            assert!(error.to_string().contains("not a PNG, JPEG, TGA or BMP"), "{error}");
        }
    }
}
