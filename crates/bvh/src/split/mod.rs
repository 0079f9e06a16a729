//! Split triangles: parts of triangles, which stand in several leaves.
//!
//! A leaf always tests whole triangles, so a split changes no answer (docs/proof.md, "Split triangles"). Only
//! the boxes are those of parts.

mod cover;
mod needles;
mod parts;
mod polygon;
mod references;
mod triangle_set;

pub(crate) use cover::{Bounds, CoverFault, check_cover};
pub(crate) use parts::Parts;
pub(crate) use references::References;
pub(crate) use triangle_set::TriangleSet;

/// The maximum number of references per triangle, on average. Needles add a tenth at most.
pub(crate) const MAX_REFERENCES_PER_TRIANGLE: usize = 2;
