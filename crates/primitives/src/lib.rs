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
mod hit;
mod ray;

mod aabb;

mod watertight;

mod newell;
mod shapes;

mod closest_point;
mod overlap;
mod winding;

mod alpha_mask;
mod face_records;
mod material;
mod tri_mesh;

mod polygons;

pub mod generate;

pub mod brute_force;

pub use aabb::Aabb;
pub use alpha_mask::{AlphaMask, AlphaMaskError};
pub use axis::Axis;
pub use closest_point::{
    SurfacePoint, TrianglePoint, closest_point_on_segment, closest_point_on_triangle,
    distance_squared_to_box,
};
pub use face_records::{FaceRecords, LineRuns, Runs};
pub use glam;
pub use hit::{Faces, Hit, HitMode, Side, TriangleHit};
pub use material::Material;
pub use overlap::{ConvexRegion, triangle_overlaps_box};
pub use polygons::Triangulator;
pub use ray::{Ray, RayError};
pub use shapes::{
    BoxCrossing, BoxCrossings, BoxFace, PlanarPolygon, Plane, PolygonError, PolygonHit,
    PolygonRegion, Sphere, Triangle, UnitTriangle,
};
pub use tri_mesh::{CornerAttributes, MeshError, TriMesh};
pub use watertight::{Candidate, WatertightRay};
pub use winding::{WindingSum, solid_angle};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
