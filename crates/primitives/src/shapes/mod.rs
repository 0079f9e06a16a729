//! Single shapes, each with its ray test: plane, sphere, box faces, triangle and flat polygon.
//!
//! Each test decides for one shape. The answers of meshes come from [`watertight`](crate::watertight)
//! instead, because only that test never lets a ray through a shared edge.

mod plane;
mod sphere;

mod box_faces;

mod triangle;
mod unit_triangle;

mod planar_polygon;

pub use box_faces::{BoxCrossing, BoxCrossings, BoxFace};
pub use planar_polygon::{PlanarPolygon, PolygonError, PolygonHit, PolygonRegion};
pub use plane::Plane;
pub use sphere::Sphere;
pub use triangle::Triangle;
pub use unit_triangle::UnitTriangle;
