//! Instances of triangle meshes in world space, and what rays hit of them.
//!
//! Meshes are f32 in their own space and shared; transforms, world rays and world positions are f64, so
//! a scene ten million units from the origin is picked as exactly as one at the origin. [`Scene`] has the
//! running example.
//!
//! # One answer
//!
//! The hits of an instance are those of its mesh by the [`LocalRay`], to the last bit, and the hit of the
//! scene is the least `(t, instance, triangle)`, instances in the order of first insertion. The top-level
//! tree, the order of edits and the number of threads change nothing about that.

#![forbid(unsafe_code)]

mod cow_vec;
mod placement;
mod tree;
mod world_box;

mod closest_point;
mod details;
mod edit;
mod error;
mod hit;
mod inside;
mod instance;
mod mesh;
mod overlap;
mod polygon;
mod query_options;
mod ray;
mod ray_query;
mod scene;
mod skin;
mod visit;
mod world_mesh;

pub use closest_point::ScenePoint;
pub use details::{HitDetails, NearestEdge, NearestVertex, SafeOrigin};
pub use edit::{KeepTransform, RemovedSubtree};
pub use error::SceneError;
pub use hit::SceneHit;
pub use hitscan_primitives::glam;
pub use instance::{Instance, InstanceId};
pub use mesh::{Mesh, MeshMismatch};
pub use overlap::{SceneTriangle, WorldRegion};
pub use placement::TransformError;
pub use query_options::QueryOptions;
pub use ray::{LocalRay, WorldRay};
pub use scene::Scene;
pub use skin::{SkinError, VertexWeights, skin};
pub use world_box::WorldBox;
