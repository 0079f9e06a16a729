//! Where a plane cuts a mesh: the definition of every section.

mod plane;
mod polylines;

pub use plane::{SectionPlane, SectionPlaneError};
pub use polylines::{SectionPolyline, SectionSegments};
