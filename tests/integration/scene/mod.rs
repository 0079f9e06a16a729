//! Scenes: instances under any transform, edited, asked from anywhere.

pub(crate) mod making;

mod details;
mod editing;
mod flattened;
mod one_answer;
mod space;
