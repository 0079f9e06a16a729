//! Sine and cosine of a fraction of a turn, with the same bits on every platform.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

/// `(sin, cos)` of `numerator / denominator` of a full turn.
///
/// The standard library's functions may differ between platforms in the last bit. These are the
/// Taylor polynomials on an eighth of a turn, to which the fraction is reduced in whole numbers: the
/// error is below 2^-52, and angles that mirror each other get exactly mirrored values.
///
/// `denominator` is not zero, and both are below 2^60.
pub(super) fn sin_cos(numerator: u64, denominator: u64) -> (f64, f64) {
    let eighths = 8 * (numerator % denominator);
    let (octant, rest) = (eighths / denominator, eighths % denominator);
    // Odd octants are measured back from their end, so that both halves of a quarter mirror.
    let from_axis = if octant % 2 == 0 { rest } else { denominator - rest };
    let x = FRAC_PI_4 * (from_axis as f64 / denominator as f64);
    let (s, c) = if from_axis == denominator {
        // Equal to the last bit in the middle of a quarter.
        (FRAC_1_SQRT_2, FRAC_1_SQRT_2)
    } else {
        (sin_polynomial(x), cos_polynomial(x))
    };
    match octant {
        0 => (s, c),
        1 => (c, s),
        2 => (c, -s),
        3 => (s, -c),
        4 => (-s, -c),
        5 => (-c, -s),
        6 => (-c, s),
        _ => (-s, c),
    }
}

fn sin_polynomial(x: f64) -> f64 {
    let y = x * x;
    // x - x^3/3! + x^5/5! - ..., nested: 1 - y/(2*3) * (1 - y/(4*5) * ...).
    let nested = [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0]
        .iter()
        .rev()
        .fold(1.0, |sum, k| 1.0 - y / (k * (k + 1.0)) * sum);
    x * nested
}

fn cos_polynomial(x: f64) -> f64 {
    let y = x * x;
    [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0]
        .iter()
        .rev()
        .fold(1.0, |sum, k| 1.0 - y / (k * (k + 1.0)) * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_agree_with_the_standard_library() {
        for n in 0..=2000u64 {
            let (s, c) = sin_cos(n, 1999);
            let angle = std::f64::consts::TAU * n as f64 / 1999.0;
            assert!((s - angle.sin()).abs() < 2e-15 && (c - angle.cos()).abs() < 2e-15, "{n}");
        }
    }

    #[test]
    fn quarters_and_mirrors_are_exact() {
        assert_eq!(
            [0, 1, 2, 3].map(|n| sin_cos(n, 4)),
            [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)]
        );
        for n in 1..100 {
            let ((s, c), (s2, c2)) = (sin_cos(n, 101), sin_cos(101 - n, 101));
            assert_eq!((s, c), (-s2, c2));
            let ((s, c), (s2, c2)) = (sin_cos(n, 400), sin_cos(100 - n, 400));
            assert_eq!((s, c), (c2, s2));
        }
    }
}
