//! The opacity of a texture, as plain data.

use glam::DVec2;
use thiserror::Error;

/// The opacity of a texture: a byte per texel, 0 transparent, 255 opaque.
///
/// ```
/// use hitscan_primitives::{AlphaMask, glam::DVec2};
///
/// // Transparent below, opaque above.
/// let mask = AlphaMask::new(1, 2, vec![255, 0])?;
/// assert_eq!(mask.at(DVec2::new(0.5, 0.9)), 255);
/// assert_eq!(mask.at(DVec2::new(0.5, 0.1)), 0);
/// // It repeats.
/// assert_eq!(mask.at(DVec2::new(7.5, -2.1)), 255);
/// # Ok::<(), hitscan_primitives::AlphaMaskError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlphaMask {
    width: u32,
    height: u32,
    values: Vec<u8>,
}

impl AlphaMask {
    /// A mask of `width * height` values, by rows from the top of the picture, each from the left.
    ///
    /// # Errors
    /// A picture without texels, or a number of values other than `width * height`.
    pub fn new(width: u32, height: u32, values: Vec<u8>) -> Result<Self, AlphaMaskError> {
        let expected = u64::from(width) * u64::from(height);
        if expected == 0 || values.len() as u64 != expected {
            return Err(AlphaMaskError { width, height, n_values: values.len() });
        }
        Ok(Self { width, height, values })
    }

    /// The number of texels in a row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The value of the texel at a texture coordinate, without interpolation.
    ///
    /// (0, 0) is the lower left corner of the picture, (1, 1) the upper right one, and the picture
    /// repeats on both axes. A coordinate that is not finite counts as 0.
    #[inline]
    pub fn at(&self, uv: DVec2) -> u8 {
        let texel = |coordinate: f64, n: u32| {
            // A number just below zero has the rounded remainder 1; NaN becomes 0.
            ((coordinate.rem_euclid(1.0) * f64::from(n)) as u32).min(n - 1)
        };
        let column = texel(uv.x, self.width);
        let row = self.height - 1 - texel(uv.y, self.height);
        self.values[row as usize * self.width as usize + column as usize]
    }
}

/// A mask whose values do not fill its picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{n_values} values for {width} x {height} texels, expected one each and at least one")]
pub struct AlphaMaskError {
    /// The width given.
    pub width: u32,
    /// The height given.
    pub height: u32,
    /// The number of values given.
    pub n_values: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_texel_is_found_and_the_borders_repeat() {
        let mask = AlphaMask::new(3, 2, vec![0, 1, 2, 3, 4, 5]).expect("six values");
        let at = |x: f64, y: f64| mask.at(DVec2::new(x, y));
        assert_eq!([at(0.1, 0.9), at(0.5, 0.9), at(0.9, 0.9)], [0, 1, 2]);
        assert_eq!([at(0.1, 0.1), at(0.5, 0.1), at(0.9, 0.1)], [3, 4, 5]);
        assert_eq!([at(-1e-30, 0.1), at(1.0, 0.1), at(0.1, 1.0)], [5, 3, 3]);
        assert_eq!([at(f64::NAN, 0.1), at(f64::INFINITY, f64::NAN)], [3, 3]);
    }

    #[test]
    fn values_that_do_not_fill_the_picture_are_an_error() {
        for (width, height, n) in [(2, 2, 3), (0, 5, 0), (u32::MAX, u32::MAX, 1)] {
            assert!(AlphaMask::new(width, height, vec![0; n]).is_err());
        }
    }
}
