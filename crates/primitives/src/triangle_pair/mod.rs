//! Two triangles: whether they have a point in common, also beyond what they share, where they cross, and how far apart they
//! are. The definitions of every answer about a pair of meshes, and about a mesh with itself.

mod contact;
mod crossing;
mod distance;
mod improper;

pub use contact::triangles_overlap;
pub use crossing::triangle_crossing;
pub use distance::{PairPoints, triangle_distance};
pub use improper::triangles_intersect_improperly;
