//! The deviation of points from a surface, in four numbers.

use std::fmt;

/// The minimum, maximum, mean and root mean square of distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Deviation {
    n: u64,
    min: f64,
    max: f64,
    sum: f64,
    sum_of_squares: f64,
}

impl Default for Deviation {
    fn default() -> Self {
        Self { n: 0, min: f64::INFINITY, max: 0.0, sum: 0.0, sum_of_squares: 0.0 }
    }
}

impl Deviation {
    /// Adds the distance of a point, not negative.
    pub(crate) fn add(&mut self, distance: f64) {
        self.n += 1;
        self.min = self.min.min(distance);
        self.max = self.max.max(distance);
        self.sum += distance;
        self.sum_of_squares += distance * distance;
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.n == 0 {
            return f.write_str("deviation: no point has a closest point");
        }
        let n = self.n as f64;
        let (min, max, mean) = (self.min, self.max, self.sum / n);
        let rms = (self.sum_of_squares / n).sqrt();
        write!(f, "deviation of {n} points: min {min}, max {max}, mean {mean}, rms {rms}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deviation_has_the_four_numbers_of_its_distances() {
        let mut deviation = Deviation::default();
        assert_eq!(deviation.to_string(), "deviation: no point has a closest point");
        [0.5, 0.0, 1.0, 0.5].into_iter().for_each(|distance| deviation.add(distance));
        let rms = 0.375f64.sqrt();
        let expected = format!("deviation of 4 points: min 0, max 1, mean 0.5, rms {rms}");
        assert_eq!(deviation.to_string(), expected);
    }
}
