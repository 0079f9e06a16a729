//! The vocabulary of hitscan: rays, shapes, triangle meshes, and the functions that intersect them.
//!
//! Everything is a plain function or a value type over [`glam`] vectors; nothing here knows of trees,
//! files or threads. Inputs take `impl Into<[f32; 3]>`, so vectors of any version of any maths crate
//! work at the door.
//!
//! ```
//! use hitscan_primitives::{Faces, Ray, TriMesh, brute_force};
//!
//! let mesh = TriMesh::new([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])?;
//! let ray = Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -2.0]);
//! let hit = brute_force::closest_hit(&mesh, &ray, Faces::Both).expect("it is aimed at the triangle");
//! assert_eq!((hit.t, hit.u, hit.v), (0.5, 0.25, 0.25));
//! # Ok::<(), hitscan_primitives::MeshError>(())
//! ```

#![forbid(unsafe_code)]

mod axis;
mod ray;

mod aabb;
mod box_faces;
mod closest_point;
mod overlap;
mod planar_polygon;
mod plane;
mod sphere;
mod triangle;
mod unit_triangle;

mod hit;
mod watertight;
mod winding;

mod alpha_mask;
mod face_records;
mod material;
mod subdivide;
mod tri_mesh;

mod ear_clipping;
mod point_tree;
mod triangulate;
mod turn;

pub mod brute_force;
pub mod generate;

pub use aabb::Aabb;
pub use alpha_mask::{AlphaMask, AlphaMaskError};
pub use axis::Axis;
pub use box_faces::{BoxCrossing, BoxCrossings, BoxFace};
pub use closest_point::{
    SurfacePoint, TrianglePoint, closest_point_on_segment, closest_point_on_triangle,
    distance_squared_to_box,
};
pub use face_records::{FaceRecords, LineRuns, Runs};
pub use glam;
pub use hit::{Faces, Hit, HitMode, Side, TriangleHit};
pub use material::Material;
pub use overlap::{ConvexRegion, triangle_overlaps_box};
pub use planar_polygon::{PlanarPolygon, PolygonError, PolygonHit, PolygonRegion, closest_polygon};
pub use plane::Plane;
pub use ray::{Ray, RayError};
pub use sphere::Sphere;
pub use tri_mesh::{CornerAttributes, MeshError, TriMesh};
pub use triangle::Triangle;
pub use triangulate::Triangulator;
pub use unit_triangle::{UnitTriangle, affine_inverse, rigid_inverse};
pub use watertight::{Candidate, WatertightRay};
pub use winding::{WindingSum, solid_angle};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
