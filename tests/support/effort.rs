//! How long randomised tests look for a difference.

/// `n` times `HITSCAN_TEST_EFFORT`, at least 1; `n` itself if the variable is not set.
///
/// # Panics
/// If the variable is not a number such as 20 or 0.1.
pub fn effort(n: u64) -> u64 {
    let Ok(factor) = std::env::var("HITSCAN_TEST_EFFORT") else { return n };
    let factor: f64 = factor.parse().expect("HITSCAN_TEST_EFFORT is a number such as 20 or 0.1");
    ((n as f64 * factor) as u64).max(1)
}
