//! The number of cases that randomised tests try.

/// `n` times `HITSCAN_TEST_EFFORT`, at least 1; `n` itself if the variable is not set.
///
/// # Panics
/// If the variable is not a number.
pub fn effort(n: u64) -> u64 {
    let Ok(factor) = std::env::var("HITSCAN_TEST_EFFORT") else { return n };
    scaled(n, &factor)
}

fn scaled(n: u64, factor: &str) -> u64 {
    let factor: f64 = factor.parse().expect("HITSCAN_TEST_EFFORT is a number such as 20 or 0.1");
    ((n as f64 * factor) as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effort_is_a_fraction_or_a_multiple() {
        assert_eq!((scaled(600, "0.1"), scaled(600, "20"), scaled(3, "0.01")), (60, 12_000, 1));
    }
}
