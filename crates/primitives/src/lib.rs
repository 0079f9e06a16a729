//! Rays, shapes and triangle meshes, with the functions that intersect them.
//!
//! The crate is the vocabulary of hitscan, and it defines every answer: a tree must return the same hits
//! as [`brute_force`], bit for bit. It has plain functions and value types over
//! [glam](https://docs.rs/glam) vectors. It knows no trees, files or threads.
//!
//! ```
//! use hitscan_primitives::{Faces, Ray, TriMesh, brute_force};
//!
//! let mesh = TriMesh::new([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])?;
//! let ray = Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -2.0]);
//! let hit = brute_force::closest_hit(&mesh, &ray, Faces::Both).expect("the ray meets the triangle");
//! assert_eq!((hit.t, hit.u, hit.v), (0.5, 0.25, 0.25));
//! # Ok::<(), hitscan_primitives::MeshError>(())
//! ```
//!
//! # Conventions
//! - `t` is in units of the ray's direction, which no function normalises.
//! - Triangles are counter-clockwise seen from their front. Edges and corners belong to them.
//! - No test has an absolute tolerance. NaN is a miss or an error, never a hit.
//! - Points and vectors are `impl Into<[f32; 3]>`, so that any maths crate's types fit.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `pair_brute_force` | the questions about two meshes, and about one with itself, as loops over all pairs of triangles | `brute_force`, `pair_space`, `tri_mesh`, `triangle_pair` |
//! | `brute_force` | every query as a loop over all triangles | `aabb`, `closest_point`, `hit`, `overlap`, `ray`, `section`, `shapes`, `sphere_cast`, `tri_mesh`, `watertight`, `winding` |
//! | `generate` | deterministic meshes for tests and benchmarks; subdivision | `corner_attributes`, `edge_function`, `tri_mesh` |
//! | `slab_ray`, `ray_geometry` | a ray in f64 against boxes in f64, and against planes, lines and points, for gizmos | `world_box`, `world_ray` |
//! | `sphere_cast` | the definition of balls that move along a ray | `closest_point`, `hit`, `ray`, `world_ray` |
//! | `world_ray` | rays in f64, and their images in the space of a placed mesh | `aabb`, `ray`, `recentre` |
//! | `polygons` | triangulation for all readers: `triangulator` → `ear_clipping` → `point_tree` → `projection` | `axis`, `newell` |
//! | `pair_space` | the f64 corners of two placed meshes, and what is found between them | `aabb`, `recentre`, `tri_mesh`, `triangle_pair` |
//! | `triangle_pair` | two triangles: exact overlap (`contact`), also beyond shared corners and edges (`improper`), the segment in which they cross, their distance | `closest_point` |
//! | `closest_point`, `overlap`, `winding` | the definitions of the queries without a ray | `shapes` |
//! | `section` | where a plane cuts triangles, and the polylines along it | |
//! | `mesh_part` | some polygons of a mesh under the indices of the whole | `corner_attributes`, `face_records`, `tri_mesh` |
//! | `recentre` | meshes relative to an offset in f64, where f32 would lose detail | `aabb`, `tri_mesh` |
//! | `topology` | open edges, other faults and components of a mesh; which vertices are the same vertex | `tri_mesh` |
//! | `tri_mesh` | the mesh, which its constructor checks once; `edit` changes it, `incidence` knows the triangles around a vertex, `edited_triangles` says what an edit changed, and `mesh_editor` joins several | `aabb`, `corner_attributes`, `edge_function`, `face_records`, `hit` |
//! | `corner_attributes`, `face_records` | normals and texture coordinates; polygons and names of a file | |
//! | `material`, `alpha_mask` | surfaces; opacity of a texture | |
//! | `shapes`, `newell` | plane, sphere, box faces, triangle, unit triangle and planar polygon, with their ray tests; normals of polygons | `aabb`, `axis`, `edge_function`, `hit`, `ray`, `watertight` |
//! | `watertight` | the ray-triangle test that defines every hit | `axis`, `edge_function`, `hit`, `ray` |
//! | `edge_function` | edge functions with exact signs | |
//! | `aabb`, `ray`, `hit`, `axis`, `world_box` | value types; boxes in f64 | |

#![forbid(unsafe_code)]

mod axis;
mod hit;
mod ray;

mod aabb;

mod edge_function;
mod watertight;

mod newell;
mod shapes;

mod closest_point;
mod overlap;
mod section;
mod triangle_pair;
mod winding;

mod alpha_mask;
mod corner_attributes;
mod face_records;
mod material;
mod tri_mesh;

mod mesh_part;
mod pair_space;
mod ray_geometry;
mod recentre;
mod slab_ray;
mod sphere_cast;
mod topology;
mod world_box;
mod world_ray;

pub mod brute_force;
mod pair_brute_force;

mod polygons;

pub mod generate;

pub use aabb::Aabb;
pub use alpha_mask::{AlphaMask, AlphaMaskError};
pub use axis::Axis;
pub use closest_point::{
    SurfacePoint, TrianglePoint, closest_point_on_segment, closest_point_on_triangle,
    distance_squared_to_box,
};
pub use corner_attributes::CornerAttributes;
pub use face_records::{FaceRecords, FaceRecordsError, LineRuns, PolygonProperties, Runs};
#[doc(no_inline)]
pub use glam;
pub use hit::{Faces, Hit, HitMode, HitOptions, Side, TriangleHit};
pub use material::Material;
pub use mesh_part::MeshPart;
pub use overlap::{ConvexRegion, triangle_overlaps_box};
pub use pair_brute_force::PairBruteForce;
pub use pair_space::{MeshDistance, MeshPairError, PairSpace, TriangleCrossing};
pub use polygons::Triangulator;
pub use ray::{Ray, RayError};
pub use ray_geometry::LineApproach;
pub use recentre::{
    Recentred, Recentring, power_of_two_below, recentre, reciprocal_of_power_of_two,
};
pub use section::{SectionPlane, SectionPlaneError, SectionPolyline, SectionSegments};
pub use shapes::{
    BoxCrossing, BoxCrossings, BoxFace, PlanarPolygon, Plane, PolygonError, PolygonHit,
    PolygonRegion, Sphere, Triangle, UnitTriangle,
};
pub use slab_ray::SlabRay;
pub use sphere_cast::{
    SphereCast, SphereCastError, SphereContact, TriangleContact, TriangleFeature,
};
pub use topology::{BoundaryLoop, DuplicateTriangle, FaultyEdge, SameVertex, Topology};
pub use tri_mesh::{
    EditError, EditOrderError, Indexed, MeshChange, MeshEdit, MeshEditor, MeshError, TriMesh,
};
pub use triangle_pair::{
    PairPoints, triangle_crossing, triangle_distance, triangles_intersect_improperly,
    triangles_overlap,
};
pub use watertight::{Candidate, EdgeFunctions, WatertightRay};
pub use winding::{MAX_WINDING_COORDINATE, WindingSum, solid_angle};
pub use world_box::WorldBox;
pub use world_ray::{LocalFrame, LocalRay, LocalSphere, WorldRay, rounded_up};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
