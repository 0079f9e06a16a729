//! Solid harmonics: what a distant cluster of triangles looks like from one place, degree by degree. Eight at a time.
//!
//! The potential of a point at `s`, seen from `t` beyond it, is `1 / |t - s| = sum conj(R(s)) S(t)` over all degrees `n` and orders
//! `-n <= m <= n`, with the regular harmonic `R = r^n P(cos theta) e^(i m phi) / (n + m)!` and the irregular one
//! `S = (n - m)! P(cos theta) e^(i m phi) / r^(n + 1)`, where `P` is the Legendre function of degree `n` and order `m`. Both
//! follow recurrences, and so do their derivatives and translations (Walter Dehnen, "A fast multipole method for
//! stellar dynamics", 2014, whose signs differ).

use std::array;

use super::eight::{Eight, Positions, cross, length_squared, minus};

/// The highest degree of [`Harmonics`].
pub(super) const MAX_DEGREE: usize = 5;

/// A complex number for each degree, and for each order from 0 on. That of the order `-m` is `(-1)^m` times the conjugate.
pub(super) type Harmonics = [Complex; index(MAX_DEGREE + 1, 0)];

pub(super) const ZERO: Harmonics = [[Eight::ZERO; 2]; _];

/// The real and the imaginary part of eight numbers.
pub(super) type Complex = [Eight; 2];

/// The place of a degree and an order in [`Harmonics`].
pub(super) const fn index(degree: usize, order: usize) -> usize {
    degree * (degree + 1) / 2 + order
}

/// Sets the regular harmonics of positions, up to the degree before the last.
#[inline(always)]
fn set_regular(values: &mut Harmonics, s: Positions) {
    let [x, y, z] = s;
    let square = length_squared(s);
    for m in 0..MAX_DEGREE {
        values[index(m, m)] = match m {
            0 => [Eight::splat(1.0), Eight::ZERO],
            _ => scaled(0.5 / m as f64, times(values[index(m - 1, m - 1)], [x, y])),
        };
        for n in m + 1..MAX_DEGREE {
            let (last, share) = (values[index(n - 1, m)], 1.0 / ((n + m) * (n - m)) as f64);
            let along = (share * (2 * n - 1) as f64) * z;
            let mut value = [along * last[0], along * last[1]];
            if n > m + 1 {
                let (before, back) = (values[index(n - 2, m)], share * square);
                value = [value[0] - back * before[0], value[1] - back * before[1]];
            }
            values[index(n, m)] = value;
        }
    }
}

/// The derivatives of regular harmonics along the normals of triangles, each integrated over its triangle.
#[inline(always)]
pub(super) fn of_triangles(corners: [Positions; 3]) -> Harmonics {
    let [a, b, c] = corners;
    let [x, y, up] = cross(minus(b, a), minus(c, a)).map(|lanes| 0.5 * lanes);
    let mean = mean_of_triangles(corners);
    let across = scaled(0.5, [x, y]);
    let mut values = ZERO;
    for n in 1..=MAX_DEGREE {
        for m in 0..=n {
            // The derivatives along z, x + iy and x - iy change the order by 0, 1 and -1.
            let mut sum = [Eight::ZERO; 2];
            if m < n {
                let [re, im] = mean[index(n - 1, m)];
                sum = [up * re, up * im];
            }
            if m + 1 < n {
                sum = difference(sum, times(conjugate(across), mean[index(n - 1, m + 1)]));
            }
            if m > 0 {
                sum = total(sum, times(across, mean[index(n - 1, m - 1)]));
            } else if n > 1 {
                sum = difference(sum, times(across, conjugate(mean[index(n - 1, 1)])));
            }
            values[index(n, m)] = sum;
        }
    }
    values
}

/// The means of regular harmonics over triangles. Exact up to degree 5, by the seven points of Johann Radon, "Zur mechanischen
/// Kubatur" (1948).
#[inline(always)]
fn mean_of_triangles(corners: [Positions; 3]) -> Harmonics {
    let [a, b, c] = corners;
    let center = array::from_fn(|axis| 1.0 / 3.0 * (a[axis] + b[axis] + c[axis]));
    let (mut mean, mut regular) = (ZERO, ZERO);
    let mut add = |weight: f64, place: Positions| {
        set_regular(&mut regular, place);
        for (sum, value) in mean.iter_mut().zip(&regular).take(index(MAX_DEGREE, 0)) {
            *sum = total(*sum, scaled(weight, *value));
        }
    };
    add(9.0 / 40.0, center);
    for sign in [-1.0, 1.0] {
        let root = sign * 15f64.sqrt();
        // Two barycentric coordinates are this share, the third is the rest.
        let share = (6.0 + root) / 21.0;
        for corner in corners {
            let to_corner = minus(corner, center).map(|lanes| (1.0 - 3.0 * share) * lanes);
            add((155.0 + root) / 1200.0, array::from_fn(|axis| center[axis] + to_corner[axis]));
        }
    }
    mean
}

/// Moments about other places, from which the positions are farther by `offsets`. There must be none of degree 0.
#[inline(always)]
pub(super) fn translated(moments: &Harmonics, offsets: Positions) -> Harmonics {
    let (mut values, mut regular) = (ZERO, ZERO);
    set_regular(&mut regular, offsets);
    for n in 1..=MAX_DEGREE {
        for m in 0..=n as isize {
            let mut sum = [Eight::ZERO; 2];
            for k in 0..n {
                let rest = (n - k) as isize;
                for order in (-(k as isize)).max(m - rest)..=(k as isize).min(m + rest) {
                    let moment = of_order(moments, n - k, m - order);
                    sum = total(sum, times(of_order(&regular, k, order), moment));
                }
            }
            values[index(n, m as usize)] = sum;
        }
    }
    values
}

/// The largest share of the moments of a degree in a potential, at a distance of 1.
pub(super) fn power(moments: &Harmonics, degree: usize) -> Eight {
    let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
    let mut sum = Eight::ZERO;
    for m in 0..=degree {
        let twice = if m == 0 { 1.0 } else { 2.0 };
        let [re, im] = moments[index(degree, m)];
        sum += twice * factorial(degree - m) * factorial(degree + m) * (re * re + im * im);
    }
    sum.sqrt()
}

/// The harmonic of an order of either sign.
#[inline(always)]
fn of_order(values: &Harmonics, degree: usize, order: isize) -> Complex {
    let value = values[index(degree, order.unsigned_abs())];
    match (order < 0, order % 2) {
        (false, _) => value,
        (true, 0) => conjugate(value),
        (true, _) => [-value[0], value[1]],
    }
}

#[inline(always)]
pub(super) fn times([a, b]: Complex, [x, y]: Complex) -> Complex {
    [a * x - b * y, a * y + b * x]
}

#[inline(always)]
pub(super) fn total([a, b]: Complex, [x, y]: Complex) -> Complex {
    [a + x, b + y]
}

#[inline(always)]
fn difference([a, b]: Complex, [x, y]: Complex) -> Complex {
    [a - x, b - y]
}

#[inline(always)]
pub(super) fn scaled(factor: f64, [re, im]: Complex) -> Complex {
    [factor * re, factor * im]
}

#[inline(always)]
fn conjugate([re, im]: Complex) -> Complex {
    [re, -im]
}
