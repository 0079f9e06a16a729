//! The builder: from a mesh to its tree.
//!
//! `recipe` has the six steps of a build. `shape`, the second, sees boxes, never triangles. Its [`Preset`] decides
//! which quality takes which steps: clusters along a curve, rounds that join neighbours along the curve, binned
//! SAH, reinsertion, and the collapse to wide nodes.
//!
//! [`Preset`]: preset::Preset

mod recipe;

mod encode;
mod shape;

mod binary_tree;
mod binned_sah;
mod box_source;
mod clusters;
mod collapse;
mod morton;
mod ploc;
mod preset;
mod prim_box;
mod progress;
mod radix_sort;
mod reinsertion;
mod repeats;
mod window;

pub(crate) use box_source::{BoxSource, write_boxes};
pub(crate) use collapse::{WideChild, WideTarget, WideTree};
pub(crate) use encode::{block_sources, encode_nodes};
pub(crate) use morton::along_curve;
pub(crate) use progress::Progress;
pub(crate) use recipe::build;
pub(crate) use shape::{shape, shape_of_few, shape_of_singles};
