//! The reports of `hitscan info` about meshes, their faults, their trees and scenes.

mod distribution;
mod facts;
mod far_triangles;
mod faults;
mod scene;

pub(crate) use facts::MeshFacts;
pub(crate) use faults::{world_edges, write_faults};
pub(crate) use scene::write_scene;
