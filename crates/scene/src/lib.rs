//! A scene of triangle meshes in f64 world space, with editing, snapshots and ray queries.
//!
//! A [`Scene`] holds [`Instance`]s. An instance places a shared [`Mesh`] in the world by any invertible
//! transform. Queries take a [`WorldRay`], a point or a [`WorldRegion`], all in world space.
//!
//! ```
//! use std::sync::Arc;
//! use hitscan_primitives::generate;
//! use hitscan_scene::{Instance, Mesh, QueryOptions, Scene, WorldRay, glam::DAffine3};
//!
//! let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &Default::default()));
//! let mut scene = Scene::new();
//! // Ten million units away, the answer is as exact as at the origin.
//! let transform = DAffine3::from_translation([1.0e7, 0.0, 0.0].into());
//! let id = scene.insert(Instance::new(cube, transform))?;
//!
//! let ray = WorldRay::new([1.0e7 - 5.0, 0.1, 0.2], [1.0, 0.0, 0.0]);
//! let hit = scene.closest_hit(&ray, &QueryOptions::default()).expect("the cube is ahead");
//! assert_eq!((hit.instance, hit.t), (id, 4.0));
//! let details = scene.describe(&hit).expect("the instance is in the scene");
//! assert_eq!(details.point().x, 1.0e7 - 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How the pieces fit
//!
//! | question | call |
//! |---|---|
//! | Which triangle does a ray hit first? | [`Scene::closest_hit`], [`Scene::closest_hits_of_instance`] |
//! | Does a ray hit anything? | [`Scene::is_occluded`] |
//! | What are all hits, or the nearest `n`? | [`Scene::all_hits`], [`Scene::nearest_hits_into`] |
//! | What are the point, normal, UV and names of a hit? | [`Scene::describe`] |
//! | Where does a moving ball first touch a surface? | [`Scene::sphere_cast`], [`Scene::sphere_cast_all`] |
//! | Which surface point is closest? | [`Scene::closest_point`] |
//! | Which instances touch a region, or lie within it? | [`Scene::instances_overlapping`], [`Scene::instances_within`] |
//! | Which instances touch this one, or are near it? Where? | [`Scene::instances_touching`], [`Scene::instances_near`], [`Scene::mesh_pair`] |
//! | Where does a plane cut them? | [`Scene::section`] |
//! | Which closed meshes contain a point? | [`Scene::instances_containing`] |
//! | How large is it? | [`Scene::bounds`], [`Scene::world_bounds`] |
//! | Which boxes does a ray enter? | [`SlabRay`] |
//! | Where does a ray meet a plane, a line or a point? | [`WorldRay::intersect_plane`], [`WorldRay::closest_to_line`], [`WorldRay::closest_to_point`] |
//! | How do I move, reparent, hide, remove and restore? | [`Scene::set_transform`], [`Scene::reparent`], [`Scene::set_hidden`], [`Scene::remove`], [`Scene::restore`] |
//!
//! Meshes are f32 in their own space. Transforms, rays and positions in the world are f64.
//!
//! # One answer
//!
//! The hits of an instance are the hits of its mesh by the [`LocalRay`], to the last bit. The closest
//! hit of the scene has the minimum `(t, instance, triangle)`, with instances in order of first
//! insertion. The top-level tree, the order of edits and the number of threads never change an answer.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `test_scenes` | random scenes for tests | `instance`, `mesh`, `scene` |
//! | `removal` | removing and restoring instances | `error`, `handles`, `instance`, `scene` |
//! | `insertion`, `transforms` | adding and moving instances, one or many at once | `error`, `instance`, `placement`, `scene` |
//! | `edit`, `details` | every other edit; the facts about a hit | `error`, `hit`, `instance`, `mesh`, `placement`, `scene` |
//! | `bounds` | exact bounds, of the vertices | `instance`, `query_options`, `scene` |
//! | `brute_force_space` | the queries about points, regions, planes and balls, as the loop of `brute_force` | `brute_force`, `closest_point`, `instance`, `mesh_pairs`, `overlap`, `query_options`, `scene`, `section`, `sphere_cast`, `world_mesh` |
//! | `sphere_cast` | balls that move along a ray | `hit`, `instance`, `query_options`, `ray_query`, `scene`, `world_mesh` |
//! | `ray_query`, `instance_query` | rays in world space, at the scene or at one instance | `candidate`, `hit`, `instance`, `query_options`, `scene` |
//! | `brute_force` | the ray queries as a loop over all instances and triangles | `hit`, `inside`, `instance`, `mesh`, `query_options`, `scene` |
//! | `candidate` | an instance that a ray may hit | `hit`, `scene` |
//! | `closest_point`, `overlap`, `section`, `inside`, `mesh_pairs`, `visit` | queries without a ray | `instance`, `query_options`, `scene`, `world_mesh` |
//! | `hit`, `query_options`, `world_mesh` | a hit; the instances and sides that a query includes; corners in world space | `instance`, `scene` |
//! | `scene`, `error` | the records of instances over the top-level tree; errors of edits | `handles`, `instance`, `placement` |
//! | `instance`, `polygon`, `mesh`, `skin` | instances and handles; polygons before triangulation; the shared mesh; poses of a skeleton | `placement` |
//! | `placement` | inverse transform and conservative world box | |
//! | `handles` | the source of handles, which clones share | |

#![forbid(unsafe_code)]

// Values, and the world data of one instance.
mod handles;
mod placement;

// The scene and its edits.
mod edit;
mod error;
mod insertion;
mod instance;
mod mesh;
mod removal;
mod scene;
mod transforms;

// Queries.
mod bounds;
mod brute_force;
mod brute_force_space;
mod candidate;
mod closest_point;
mod details;
mod hit;
mod inside;
mod instance_query;
mod mesh_pairs;
mod overlap;
mod polygon;
mod query_options;
mod ray_query;
mod section;
mod skin;
mod sphere_cast;
#[cfg(test)]
mod test_scenes;
mod visit;
mod world_mesh;

pub use brute_force::SceneBruteForce;
pub use closest_point::ScenePoint;
pub use details::{HitDetails, NearestEdge, NearestVertex, SafeOrigin};
pub use edit::KeepTransform;
pub use error::SceneError;
pub use hit::SceneHit;
#[doc(no_inline)]
pub use hitscan_primitives::glam;
pub use hitscan_primitives::{LineApproach, LocalRay, SlabRay, WorldBox, WorldRay};
pub use instance::{Instance, InstanceId};
pub use mesh::{Mesh, MeshMismatch};
pub use mesh_pairs::InstanceDistance;
pub use overlap::{SceneTriangle, WorldRegion};
pub use placement::TransformError;
pub use query_options::QueryOptions;
pub use removal::RemovedSubtree;
pub use scene::Scene;
pub use section::ScenePolyline;
pub use skin::{SkinError, VertexWeights, skin};
pub use sphere_cast::SceneContact;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
