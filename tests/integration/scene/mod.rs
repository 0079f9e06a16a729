//! Scenes: instances under any transform, edited, asked from anywhere.

mod making;

mod details;
mod editing;
mod flattened;
mod one_answer;
mod space;
