//! Bounding volume hierarchies over triangle meshes, and the queries of rays against them.
//!
//! [`MeshBvh`] is what users hold. Inside, data flows one way:
//!
//! ```text
//! boxes ──▶ build (binary tree, reinsertion, collapse to eight) ──▶ wide nodes and blocks
//! ray   ──▶ traverse ──▶ kernel (eight boxes, eight triangles) ──▶ simd (lanes)
//! point, region, or the caller's own test of boxes ──▶ visit
//! ```
//!
//! [`WindingTree`] adds to a [`MeshBvh`] what it takes to know inside from outside, and [`BoxBvh`] is a
//! tree over boxes of the caller.
//!
//! The builders see boxes, never triangles; `simd` knows lanes, not what they mean. `unsafe` stands in it
//! and in one call that asks the system for large pages, nowhere else. Kernels are written once and
//! compiled for every instruction set ([`Isa`]); the one of the machine is chosen at run time.

#![deny(unsafe_code)]

mod batch;
mod box_bvh;
mod build;
mod closest_point;
mod filter;
mod interleave;
mod kernel;
#[expect(unsafe_code, reason = "asking the system for large pages")]
mod large_pages;
mod memory;
mod mesh_bvh;
mod options;
mod overlap;
mod packet;
mod parallel;
mod refit;
#[expect(unsafe_code, reason = "the one room for it: intrinsics and the traversal stack")]
mod simd;
mod stats;
mod traverse;
mod validate;
mod visit;
mod wide;
mod winding;
mod work;

pub use batch::HitLists;
pub use box_bvh::BoxBvh;
pub use memory::{BlankBvh, BvhMemory, InvalidBvh};
pub use mesh_bvh::{Cancelled, MeshBvh, RefitError};
pub use options::{BuildOptions, BuildQuality, Layout};
pub use refit::RefitReport;
pub use simd::Isa;
pub use stats::BvhStats;
pub use winding::{WindingNumber, WindingTree};
pub use work::RayWork;
