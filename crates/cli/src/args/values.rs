//! Parsers of the values that flags take: numbers, points, sizes and ranges.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::table::{Decimal, Number};

/// Ranges of instance indices in a file.
pub(crate) type IndexRanges = Arc<[RangeInclusive<u64>]>;

/// Corners of a lasso.
pub(crate) type Outline = Arc<[[f64; 2]]>;

/// Three finite numbers `X,Y,Z`, rounded once to single precision.
pub(super) fn point(text: &str) -> Result<[f32; 3], String> {
    decimal_point(text).map(|point| point.map(f32::of))
}

/// Three numbers `X,Y,Z` that are finite in single precision, in both precisions.
pub(super) fn decimal_point(text: &str) -> Result<[Decimal; 3], String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let Ok(parts) = <[&str; 3]>::try_from(parts.as_slice()) else {
        return Err(format!("found {} numbers; expected three as in 1,-2.5,3", parts.len()));
    };
    let mut point = [Decimal::from(0.0); 3];
    for (number, part) in point.iter_mut().zip(parts) {
        *number = decimal(part)?;
        if !f32::of(*number).is_finite() {
            return Err(format!("found `{part}`; expected a finite number of single precision"));
        }
    }
    Ok(point)
}

/// A number in both precisions. It may be `inf` or `nan`.
pub(super) fn decimal(text: &str) -> Result<Decimal, String> {
    Decimal::parse(text).ok_or_else(|| format!("found `{text}`; expected a number"))
}

/// Finite numbers between commas.
fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |part: &str| {
        let value = part.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        value.ok_or_else(|| format!("found `{}`; expected a finite number", part.trim()))
    };
    text.split(',').map(number).collect()
}

/// Exactly `N` finite numbers between commas.
fn exactly<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers = numbers(text)?;
    let found = numbers.len();
    numbers.try_into().map_err(|_| format!("found {found} numbers; expected {N}"))
}

/// Two finite numbers `X,Y`.
pub(super) fn pair(text: &str) -> Result<[f64; 2], String> {
    exactly(text)
}

/// Three finite numbers `X,Y,Z`.
pub(super) fn triple(text: &str) -> Result<[f64; 3], String> {
    exactly(text)
}

/// Four finite numbers `X0,Y0,X1,Y1`.
pub(super) fn rectangle(text: &str) -> Result<[f64; 4], String> {
    exactly(text)
}

/// Sixteen finite numbers.
pub(super) fn matrix(text: &str) -> Result<[f64; 16], String> {
    exactly(text)
}

/// Three or more corners `X,Y`.
pub(super) fn outline(text: &str) -> Result<Outline, String> {
    let numbers = numbers(text)?;
    let (corners, rest) = numbers.as_chunks::<2>();
    if !rest.is_empty() || corners.len() < 3 {
        return Err(format!("found {} numbers; expected three or more pairs", numbers.len()));
    }
    Ok(corners.into())
}

/// The sides of a picture, `WxH`.
pub(super) fn size(text: &str) -> Result<[f64; 2], String> {
    let sides = text.split_once(['x', 'X']).and_then(|(width, height)| {
        Some([width.trim().parse::<u32>().ok()?, height.trim().parse::<u32>().ok()?])
    });
    match sides {
        Some(sides) if sides.iter().all(|&side| side > 0) => Ok(sides.map(f64::from)),
        _ => Err(format!("found `{text}`; expected two positive whole numbers as in 800x600")),
    }
}

/// A finite number of 0 or more.
pub(super) fn positive_or_zero(text: &str) -> Result<f64, String> {
    let [number] = exactly(text)?;
    if number >= 0.0 { Ok(number) } else { Err(format!("found `{text}`; expected 0 or more")) }
}

/// Indices and ranges of indices, as in `0,3-5`.
pub(super) fn index_ranges(text: &str) -> Result<IndexRanges, String> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let ends = (first.trim().parse::<u64>(), last.trim().parse::<u64>());
        match ends {
            (Ok(first), Ok(last)) if first <= last => Ok(first..=last),
            _ => Err(format!("found `{}`; expected numbers and ranges as in 0,3-5", part.trim())),
        }
    };
    text.split(',').map(range).collect()
}

/// Numbers from 0 to 31 between commas, as bits.
pub(super) fn layers(text: &str) -> Result<u32, String> {
    text.split(',').try_fold(0, |layers, part| match part.trim().parse::<u32>() {
        Ok(layer) if layer < 32 => Ok(layers | 1 << layer),
        _ => Err(format!("found `{}`; expected numbers from 0 to 31", part.trim())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_take_signs_spaces_and_exponents() {
        assert_eq!(point("-1, +2.5,3e-2"), Ok([-1.0, 2.5, 0.03]));
        assert!(point("1,2").unwrap_err().contains("2 numbers"));
        assert!(point("1,x,3").unwrap_err().contains("`x`"));
        assert!(point("1,1e39,3").unwrap_err().contains("finite"));
        assert!(point("nan,0,0").unwrap_err().contains("finite"));
    }

    #[test]
    fn errors_show_the_value_and_the_expected_form() {
        assert_eq!(size("800x600"), Ok([800.0, 600.0]));
        assert!(size("800").unwrap_err().contains("800x600"));
        assert!(size("0x5").is_err());
        assert_eq!(layers("0, 3"), Ok(0b1001));
        assert!(layers("32").unwrap_err().contains("`32`"));
        assert!(pair("1,2,3").unwrap_err().contains("3 numbers; expected 2"));
        assert!(triple("1,inf,3").unwrap_err().contains("`inf`"));
        assert_eq!(outline("0,0,1,0,0,1").map(|corners| corners.len()), Ok(3));
        assert!(outline("0,0,1,0,0").unwrap_err().contains("5 numbers"));
        assert!(positive_or_zero("-1").is_err());
        assert_eq!(index_ranges("0, 3-5").unwrap().to_vec(), [0..=0, 3..=5]);
        assert!(index_ranges("5-3").unwrap_err().contains("`5-3`"));
    }
}
