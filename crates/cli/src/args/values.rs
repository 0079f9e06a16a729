//! Parsers of the values that flags take: numbers, points, sizes and ranges.

use std::ops::RangeInclusive;
use std::sync::Arc;

use bytesize::ByteSize;

use crate::table::{Decimal, Number};

/// Ranges of instance indices in a file.
pub(crate) type IndexRanges = Arc<[RangeInclusive<u64>]>;

/// Corners of a lasso.
pub(crate) type Outline = Arc<[[f64; 2]]>;

/// A whole number from `min` to `max` as people write it: 1000, 1_000, 1e3, 1.5k or 2M.
pub(super) fn whole<T>(
    min: u64,
    max: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync
where
    T: TryFrom<u64> + Send + Sync + 'static,
{
    move |text| {
        let number = whole_number(text).ok_or_else(|| {
            format!("found `{text}`; expected a whole number as in 1000, 1e6 or 2M")
        })?;
        let in_range = u64::try_from(number).ok().filter(|number| (min..=max).contains(number));
        let expected = match max {
            u64::MAX => format!("{min} or more, below 2^64"),
            _ => format!("a whole number from {min} to {max}"),
        };
        in_range
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| format!("found `{text}`; expected {expected}"))
    }
}

/// A whole number with underscores, a decimal exponent, or one of the suffixes k, M and G; computed exactly.
fn whole_number(text: &str) -> Option<u128> {
    let text = without_underscores(text.trim())?;
    let (text, thousands) = match text.chars().last()? {
        'k' | 'K' => (&text[..text.len() - 1], 3),
        'M' => (&text[..text.len() - 1], 6),
        'G' => (&text[..text.len() - 1], 9),
        _ => (text.as_str(), 0),
    };
    let (decimal, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let digits = format!("{}{fraction}", whole.strip_prefix('+').unwrap_or(whole));
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let exponent =
        exponent.parse::<i32>().ok()? + thousands - i32::try_from(fraction.len()).ok()?;
    let number = digits.parse::<u128>().ok().filter(|_| is_number)?;
    let power = 10u128.checked_pow(exponent.unsigned_abs())?;
    match exponent < 0 {
        true => number.is_multiple_of(power).then(|| number / power),
        false => number.checked_mul(power),
    }
}

/// The text without underscores, which must stand between digits.
fn without_underscores(text: &str) -> Option<String> {
    let is_digit = |part: Option<char>| part.is_some_and(|c| c.is_ascii_digit());
    let parts: Vec<&str> = text.split('_').collect();
    let are_between = parts
        .windows(2)
        .all(|pair| is_digit(pair[0].chars().last()) && is_digit(pair[1].chars().next()));
    are_between.then(|| parts.concat())
}

/// A number of single precision.
pub(super) fn real(text: &str) -> Result<f32, String> {
    let number = without_underscores(text.trim()).and_then(|text| text.parse().ok());
    number.ok_or_else(|| format!("found `{text}`; expected a number"))
}

/// A number of bytes.
pub(super) fn bytes(text: &str) -> Result<ByteSize, String> {
    text.parse().map_err(|_| {
        format!("found `{text}`; expected a number of bytes, or a size as in 500MB or 20GiB")
    })
}

/// The parts of a list: between commas, or between blanks if there is no comma.
fn parts(text: &str) -> Vec<&str> {
    match text.contains(',') {
        true => text.split(',').map(str::trim).collect(),
        false => text.split_whitespace().collect(),
    }
}

/// A count of numbers in words.
fn n_numbers(n: usize) -> String {
    if n == 1 { "1 number".to_owned() } else { format!("{n} numbers") }
}

/// Three numbers `X,Y,Z` that are finite in single precision, in both precisions.
pub(super) fn decimal_point(text: &str) -> Result<[Decimal; 3], String> {
    let parts = parts(text);
    let Ok(parts) = <[&str; 3]>::try_from(parts.as_slice()) else {
        return Err(format!("found {}; expected three as in 1,-2.5,3", n_numbers(parts.len())));
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
    parts(text).into_iter().map(number).collect()
}

/// Exactly `N` finite numbers between commas.
fn exactly<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers = numbers(text)?;
    let found = numbers.len();
    numbers.try_into().map_err(|_| format!("found {}; expected {N}", n_numbers(found)))
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
        let point = |text: &str| decimal_point(text).map(|point| point.map(f32::of));
        assert_eq!(point("-1, +2.5,3e-2"), Ok([-1.0, 2.5, 0.03]));
        assert_eq!(point(" 0 0  -5 "), Ok([0.0, 0.0, -5.0]));
        assert!(point("7").unwrap_err().starts_with("found 1 number; expected three"));
        assert!(point("1,2 3,4").unwrap_err().contains("`2 3`"));
        assert!(point("1,2").unwrap_err().contains("2 numbers"));
        assert!(point("1,x,3").unwrap_err().contains("`x`"));
        assert!(point("1,1e39,3").unwrap_err().contains("finite"));
        assert!(point("nan,0,0").unwrap_err().contains("finite"));
    }

    #[test]
    fn whole_numbers_are_read_as_people_write_them_and_exactly() {
        for (text, number) in [
            ("1000000", 1_000_000),
            ("1_000_000", 1_000_000),
            ("1e6", 1_000_000),
            ("2.5E3", 2500),
            ("1.50k", 1500),
            ("2M", 2_000_000),
            ("3G", 3_000_000_000),
            ("18446744073709551615", u64::MAX),
            ("0", 0),
            ("1200e-2", 12),
        ] {
            assert_eq!(whole::<u64>(0, u64::MAX)(text), Ok(number), "{text}");
        }
        for text in [
            "", "x", "-1", "1.5", "1__0", "_1", "1_", "1e-1", "1e99", "inf", "0x10", "1e6M9", "2 M",
        ] {
            let error = whole::<u64>(0, u64::MAX)(text).unwrap_err();
            assert!(error.starts_with(&format!("found `{text}`; expected")), "{error}");
        }
        let error = whole::<u16>(1, 1024)("2e3").unwrap_err();
        assert_eq!(error, "found `2e3`; expected a whole number from 1 to 1024");
        assert!(
            whole::<u64>(0, u64::MAX)("1e20")
                .unwrap_err()
                .ends_with("expected 0 or more, below 2^64")
        );
        assert_eq!(real("1_000.5"), Ok(1000.5));
        assert!(real("x").unwrap_err().contains("expected a number"));
        assert!(bytes("many").unwrap_err().contains("500MB"));
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
