//! Queries on a [`MeshBvh`](crate::MeshBvh) beyond those of one ray: batches, filters, points and regions.

mod alone;
mod batch;
mod boundary;
mod candidates;
mod caps;
mod closest_point;
mod clusters;
mod copies;
mod corners;
mod covering_boxes;
mod eight;
mod far_field;
mod filter;
mod harmonics;
mod overlap;
mod packets;
mod point_batch;
mod queue;
mod ray_kinds;
mod rows;
mod section;
mod sphere_cast;
mod surface;
mod visit;
mod visit_nodes;
mod winding;

pub use batch::HitLists;
pub(crate) use batch::for_each_chunk;
pub use candidates::CandidateRay;
pub(crate) use rows::{Runs, row_length};
pub(crate) use visit_nodes::{slot_keys, visit_nodes};
pub use winding::{WindingNumber, WindingTree};
