//! Services of the operating system: threads and large pages.

#[cfg_attr(target_os = "linux", expect(unsafe_code, reason = "asking the system for large pages"))]
pub(crate) mod large_pages;
pub(crate) mod parallel;
