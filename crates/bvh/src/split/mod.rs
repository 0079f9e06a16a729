//! Split triangles: parts of triangles, which stand in several leaves.
//!
//! A leaf always tests whole triangles, so a split changes no answer (docs/proof.md, "Split triangles"). Only
//! the boxes are those of parts.

mod cover;
mod leaf_parts;
mod needles;
mod polygon;
mod primitives;
mod triangle_set;

pub(crate) use cover::{Bounds, CoverFault, check_cover};
pub(crate) use leaf_parts::{LeafParts, part_box};
pub(crate) use primitives::Primitives;
pub(crate) use triangle_set::TriangleSet;

/// The maximum number of primitives per triangle, on average. Needles add a tenth at most.
pub(crate) const MAX_PRIMITIVES_PER_TRIANGLE: usize = 2;
