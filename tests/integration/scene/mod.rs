//! Scenes: instances under any transform, edited, and queried from anywhere.

pub(crate) mod histories;
pub(crate) mod making;

mod batches;
mod details;
mod editing;
mod flattened;
mod one_answer;
mod recentred;
mod space;
mod sphere_cast;
mod undo;
