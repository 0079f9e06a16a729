//! Points from files and standard input, their closest surface points, and the results.

mod answer;
mod arrays;
mod deviation;
mod record;
mod results;
mod rows;
mod vertices;

pub(crate) use answer::{PointAnswer, answers};
pub(crate) use deviation::Deviation;
pub(crate) use results::{PointResults, default_fields, point_writer};
pub(crate) use rows::open;
pub use rows::{PointReader, from_reader};
pub(crate) use vertices::VertexPoints;
