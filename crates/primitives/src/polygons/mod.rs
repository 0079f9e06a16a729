//! Polygon triangulation, for the file formats whose faces have more than three corners.
//!
//! The modules import in one direction: `triangulator → ear_clipping → point_tree → projection`.

mod projection;

mod point_tree;

mod ear_clipping;

mod triangulator;

pub use triangulator::Triangulator;
