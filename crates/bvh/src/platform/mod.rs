//! Services of the operating system: threads and large pages.

mod fork;
#[expect(unsafe_code, reason = "asking the system for large pages, and filling them")]
pub(crate) mod large_pages;
pub(crate) mod parallel;
