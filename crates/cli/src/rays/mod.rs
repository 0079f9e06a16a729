//! Streams of rays from files and standard input.

mod csv;
mod ndjson;
mod npy;
mod range;
mod reader;
mod single;
mod source;

pub use range::DefaultRange;
pub use reader::RayReader;
pub(crate) use single::SingleRay;
pub use source::from_reader;
pub(crate) use source::open;
