//! Bounding volume hierarchies over triangle meshes.

#![deny(unsafe_code)]

mod mesh_bvh;
mod options;
pub mod scan;
mod simd;
mod stats;

pub use mesh_bvh::{Cancelled, HitLists, MeshBvh, RefitError, RefitReport};
pub use options::{BuildOptions, BuildQuality};
pub use simd::Isa;
pub use stats::BvhStats;
