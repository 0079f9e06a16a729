//! A tree that follows the edits of its mesh.
//!
//! `links` know where the tree keeps each triangle. `editor` takes triangles out and puts them in, one path to the root for each;
//! `repair` builds anew what has become worse or too deep, and `tidy` brings nodes and blocks back into their order. `apply` is the edit,
//! and `read_ahead` prefetches what it touches.

mod apply;
mod editor;
mod links;
mod put_in;
mod read_ahead;
mod repair;
mod tidy;

pub(crate) use apply::{apply, must_start_over};
pub(crate) use links::Links;
pub(crate) use tidy::tidied;
