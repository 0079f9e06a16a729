//! Two triangles: whether they have a point in common, where they cross, and how far apart they are. The definitions of
//! every answer about a pair of meshes.

mod contact;
mod crossing;
mod distance;

pub use contact::triangles_overlap;
pub use crossing::triangle_crossing;
pub use distance::{PairPoints, triangle_distance};
