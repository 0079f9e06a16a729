//! Services of the operating system: threads and large pages; what a program must do without.

mod fork;
#[expect(unsafe_code, reason = "asking the system for large pages, and filling them")]
pub(crate) mod large_pages;
pub(crate) mod parallel;

/// Whether code must be small, because users wait for its download. Each query then has one loop, which all rays
/// share; batches of closest hits have a second one, for trees larger than the caches. The answers are the same.
pub(crate) const SMALL_CODE: bool = cfg!(target_family = "wasm");
