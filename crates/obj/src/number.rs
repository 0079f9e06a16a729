//! Parsing decimal numbers: correctly rounded, with a fast path for plain forms.

/// The maximum number of decimals for which the proof below holds.
const MAX_DECIMALS: usize = 11;

/// Powers of ten, exact in f64.
const POW10: [f64; MAX_DECIMALS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11];

const POW10_INT: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// All integers up to here are exact in f64.
const MAX_EXACT: u64 = 1 << 53;

/// Parses the number at `at`, and returns it with its end. `None` if there is no number, if it is
/// not finite in f32, or if the text ends too soon.
///
/// The short plain decimals of most files take one division: with at most 53 bits of digits and a
/// power of ten up to 10^22 the quotient is the correctly rounded f64 (Clinger, "How to Read Floating
/// Point Numbers Accurately", 1990). Rounding that once more to f32 gives the f32 nearest to the
/// decimal, unless the f64 is the middle of two f32 and the decimal is not: every middle is itself an
/// f64, so any other f64 lies on the same side of all middles as the decimal.
///
/// With k <= 11 decimals that cannot be. A decimal x = m / 10^k and a middle y = M / 2^e, M < 2^25,
/// that differ are at least 10^-k apart if e <= k, and else 2^(k-e) / 10^k; the f64 of x is y only if
/// they are at most y * 2^-53 apart. The first needs y * 10^k, which is about m, to be 2^53 or more;
/// the second, as y < 2^(25-e), needs 5^k > 2^28, k > 12. fast-float2 parses longer decimals.
#[inline(always)]
pub(crate) fn leading_f32(text: &[u8], at: usize) -> Option<(f32, usize)> {
    match plain_f32(text, at) {
        Some(found) => Some(found),
        None => any_f32(text, at),
    }
}

#[inline(always)]
fn plain_f32(text: &[u8], at: usize) -> Option<(f32, usize)> {
    let is_negative = *text.get(at)? == b'-';
    let mut at = at + usize::from(is_negative);
    let (mut mantissa, n_whole) = up_to_8_digits(text, at)?;
    if n_whole == 8 {
        return None;
    }
    at += n_whole;
    let mut n_fraction = 0;
    if *text.get(at)? == b'.' {
        let (value, n) = up_to_8_digits(text, at + 1)?;
        at += 1 + n;
        mantissa = mantissa * POW10_INT[n] + value;
        n_fraction = n;
        if n == 8 {
            let (value, n) = up_to_8_digits(text, at)?;
            // At most seven digits stand before the dot, so the value stays below 2^63.
            if 8 + n > MAX_DECIMALS {
                return None;
            }
            at += n;
            mantissa = mantissa * POW10_INT[n] + value;
            n_fraction += n;
        }
    }
    let continues = matches!(*text.get(at)?, b'e' | b'E');
    if n_whole + n_fraction == 0 || continues || mantissa >= MAX_EXACT {
        return None;
    }
    // Zero, or between 1e-11 and 1e7: in the normal range of f32.
    let value = (mantissa as i64 as f64 / POW10[n_fraction]) as f32;
    Some((if is_negative { -value } else { value }, at))
}

#[cold]
fn any_f32(text: &[u8], at: usize) -> Option<(f32, usize)> {
    let (value, len) = fast_float2::parse_partial::<f32, _>(text.get(at..)?).ok()?;
    value.is_finite().then_some((value, at + len))
}

/// The value and number of the digits at `at`, at most 8.
///
/// Parses eight bytes at once ("SIMD within a register"). `None` if fewer than eight are left.
#[inline(always)]
pub(crate) fn up_to_8_digits(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let bytes: &[u8; 8] = text.get(at..)?.first_chunk()?;
    // Digits become 0..=9, and all other bytes at least 10.
    let word = u64::from_le_bytes(*bytes) ^ 0x3030_3030_3030_3030;
    // Sets the high bit of each byte that is not a digit. A carry out of such a byte can only
    // change later bytes, and only the first one counts.
    let others = (word.wrapping_add(0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080;
    let n = (others.trailing_zeros() / 8) as usize;
    // Shifts out the bytes after the digits, and shifts in zeros before them.
    let digits = if n == 0 { 0 } else { word << (64 - 8 * n) };
    // Combines digits to pairs, fours and eights.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    Some(((low.wrapping_add(high) >> 32) & 0xffff_ffff, n))
}

/// Parses a whole word, correctly rounded to f32. Too large numbers give infinity. The words that C
/// libraries print for numbers that are not finite ("nan", "-inf", "1.#IND", "-nan(ind)") give NaN
/// or infinity.
pub(crate) fn f32_word(word: &[u8]) -> Option<f32> {
    if let Ok(value) = fast_float2::parse::<f32, _>(word) {
        return Some(value);
    }
    let unsigned = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
    let lower = unsigned.to_ascii_lowercase();
    let is_nan = lower.starts_with(b"nan(") && lower.ends_with(b")");
    let from_msvc = lower.strip_prefix(b"1.#").is_some_and(|kind| {
        [&b"ind"[..], b"inf", b"qnan", b"snan"].iter().any(|name| kind.starts_with(name))
    });
    (is_nan || from_msvc).then_some(f32::NAN)
}

/// Parses a word that [`f32_word`] or [`f32_with_misplaced_sign`] takes, correctly rounded to f64; NaN for
/// any other word.
pub(crate) fn f64_word(word: &[u8]) -> f64 {
    let ordered = || fast_float2::parse(with_ordered_sign(word)?).ok();
    fast_float2::parse(word).ok().or_else(ordered).unwrap_or(f64::NAN)
}

/// Parses a word that has the sign of its exponent before the letter: `3.1+e2` for `3.1e+2`.
pub(crate) fn f32_with_misplaced_sign(word: &[u8]) -> Option<f32> {
    fast_float2::parse(with_ordered_sign(word)?).ok()
}

fn with_ordered_sign(word: &[u8]) -> Option<Vec<u8>> {
    let at = word.windows(2).position(|pair| matches!(pair, [b'+' | b'-', b'e' | b'E']))?;
    let mut ordered = word.to_vec();
    ordered.swap(at, at + 1);
    Some(ordered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(decimal: &str) {
        let expected: f32 = decimal.parse().unwrap();
        let text = format!("{decimal} ........................");
        let (value, end) = leading_f32(text.as_bytes(), 0).unwrap();
        assert_eq!(value.to_bits(), expected.to_bits(), "{decimal}");
        assert_eq!(end, decimal.len(), "{decimal}");
        assert_eq!(f32_word(decimal.as_bytes()).unwrap().to_bits(), expected.to_bits());
    }

    #[test]
    fn every_form_rounds_as_the_standard_library_does() {
        let forms = [
            "0",
            "-0",
            "0.0",
            "-0.0",
            "1",
            "-1",
            "1.",
            ".5",
            "-.5",
            "+2.5",
            "123456.7",
            "1e-45",
            "1e5",
            "-1.5E+3",
            "3.4028235e38",
            "0.1",
            "16777217",
            "16777217.0",
            "9007199254740993",
            "0.00000001",
            "0.000000000000000000001",
            "1234567.12345678",
            "9999999.99999999999",
            "0.30000001192092896",
            "1.00000005960464477539",
            "1.000000059604644775390625",
            "1.0000000596046448",
            "16777219.0",
            "8388608.5",
            "8388609.5",
            "4194304.25",
        ];
        forms.into_iter().for_each(check);
    }

    #[test]
    fn random_decimals_round_as_the_standard_library_does() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for _ in 0..200_000 {
            let whole = next() % 10u64.pow((next() % 9) as u32);
            let width = (next() % 13) as usize;
            let fraction = next() % 10u64.pow(width as u32 + 1);
            let sign = if next() % 2 == 0 { "-" } else { "" };
            check(&format!("{sign}{whole}.{fraction:0width$}"));
        }
    }

    #[test]
    fn decimals_next_to_the_middle_of_two_f32_go_to_the_right_side() {
        let mut state = 1u64;
        for _ in 0..30_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let below = f32::from_bits(0x2d00_0000 + (state >> 33) as u32 % 0x1e00_0000);
            let middle = (f64::from(below) + f64::from(below.next_up())) / 2.0;
            for decimals in 1..=11 {
                let nearest = format!("{middle:.decimals$}");
                check(&nearest);
                // The neighbours of the nearest decimal, on either side of the middle.
                let digits: u64 = nearest.replace('.', "").parse().unwrap();
                for digits in [digits.saturating_sub(1), digits + 1] {
                    let digits = format!("{digits:0>width$}", width = decimals + 1);
                    let (whole, fraction) = digits.split_at(digits.len() - decimals);
                    check(&format!("{whole}.{fraction}"));
                }
            }
        }
    }

    #[test]
    fn digits_end_at_any_other_byte() {
        for other in (0..=255u8).filter(|byte| !byte.is_ascii_digit()) {
            let text = [b'4', b'0', b'7', other, b'1', b'2', other, b'3'];
            assert_eq!(up_to_8_digits(&text, 0), Some((407, 3)), "byte {other}");
        }
        assert_eq!(up_to_8_digits(b"12345678", 0), Some((12_345_678, 8)));
        assert_eq!(up_to_8_digits(b"x2345678", 0), Some((0, 0)));
        assert_eq!(up_to_8_digits(b"1234567", 0), None);
    }

    #[test]
    fn a_sign_before_the_exponent_is_read_as_one_in_it() {
        for (word, number) in [("3.1+e2", 3.1e+2), ("-3.1-e2", -3.1e-2), ("+1.+E10", 1e10)] {
            assert_eq!(f32_word(word.as_bytes()), None, "{word}");
            assert_eq!(f32_with_misplaced_sign(word.as_bytes()), Some(number), "{word}");
        }
        for word in ["", "+e", "3+e", "3.1+e+2", "3.1e2", "+e2", "3++e2", "1+e2+e3", "x+e2"] {
            assert_eq!(f32_with_misplaced_sign(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn words_that_are_no_numbers_are_told_from_numbers_that_are_not_finite() {
        for word in ["nan", "-NaN", "inf", "-Infinity", "1.#IND", "-1.#INF00", "-nan(ind)", "1e39"]
        {
            assert!(f32_word(word.as_bytes()).is_some_and(|x| !x.is_finite()), "{word}");
        }
        for word in ["", "x", "0,5", "1.0d0", "0x10", "1.#", "--1", "1e", "1.5.2", "\u{a0}1"] {
            assert_eq!(f32_word(word.as_bytes()), None, "{word}");
        }
    }
}
