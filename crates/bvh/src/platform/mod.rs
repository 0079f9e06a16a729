//! Services of the operating system: threads and large pages.

#[expect(unsafe_code, reason = "asking the system for large pages")]
pub(crate) mod large_pages;
pub(crate) mod parallel;
