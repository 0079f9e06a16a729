//! A hierarchy over placed meshes: the upper of two levels, and one traversal of both.
//!
//! An [`InstanceBvh`] holds items. An item is a mesh with an inverse transform and a box in the world, under an index of the
//! caller's. Its nodes are those of a [`MeshBvh`](crate::MeshBvh), in f32 relative to the middle of all boxes. A ray goes
//! from the root to a triangle in one run of compiled code.

mod batch;
mod by_mesh;
mod edit;
mod instance_bvh;
mod interleaved;
mod placed_mesh;
mod query;
mod rebuild;
mod space;
mod traversal;

pub use instance_bvh::InstanceBvh;
pub use placed_mesh::{InstanceFilter, InstanceTag, InstancedMesh, PlacedMesh, widened};
pub use query::{InstanceHit, OnCandidate};

#[cfg(test)]
mod tests;
