//! Streams of points from files and standard input, their closest surface points, and the results.

mod answer;
mod csv;
mod deviation;
mod ndjson;
mod npy;
mod reader;
mod record;
mod single;
mod source;
mod writer;

pub(crate) use answer::{PointAnswer, answers};
pub(crate) use deviation::Deviation;
pub use reader::PointReader;
pub(crate) use single::{SinglePoint, VertexPoints};
pub use source::from_reader;
pub(crate) use source::open;
pub(crate) use writer::{PointResults, PointWriter, default_fields};
