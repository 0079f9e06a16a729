//! Bounding volume hierarchies over triangle meshes, and ray queries on them.
//!
//! [`MeshBvh`] answers rays, points and regions against a triangle mesh. [`WindingTree`] adds inside and
//! outside to it. [`BoxBvh`] is the same tree over any boxes of the caller.
//!
//! ```
//! use hitscan_bvh::{BuildOptions, MeshBvh};
//! use hitscan_primitives::{Faces, Ray, TriMesh};
//!
//! let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let mesh = TriMesh::new(corners, vec![[0, 1, 2]])?;
//! let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
//!
//! let ray = Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]);
//! let hit = bvh.closest_hit(&ray, Faces::Both).expect("the ray aims at the triangle");
//! assert_eq!((hit.triangle, hit.t), (0, 1.0));
//!
//! // Many rays at once, over all threads.
//! let mut occluded = [false; 2];
//! bvh.is_occluded_batch(&[ray, Ray::new([2.0, 2.0, 1.0], [0.0, 0.0, -1.0])], Faces::Both, &mut occluded);
//! assert_eq!(occluded, [true, false]);
//! # Ok::<(), hitscan_primitives::MeshError>(())
//! ```
//!
//! Every answer equals that of [`hitscan_primitives::brute_force`], to the last bit.
//!
//! # Layers
//!
//! ```text
//! raw_parts, query, box_bvh         storage, queries of many rays, points and regions, boxes
//!   └─▶ mesh_bvh                    triangles with their tree, queries of one ray
//!         ├─▶ traverse              rays and points from the root to the leaves: order and stack
//!         │     └─▶ kernel          one ray, packet or point against a node or a block
//!         │           └─▶ layout    the bytes of nodes and blocks
//!         │                 └─▶ builder    from boxes to the shape of the tree
//!         │                       └─▶ simd        lanes of each instruction set
//!         ├─▶ refit, stats, validate       parts of a tree
//!         └─▶ split                        parts of triangles
//! ```
//!
//! Arrows point down only; a test checks them against ARCHITECTURE.md. `unsafe` is confined to `simd` and
//! to one call for large pages.

#![deny(unsafe_code)]

mod mesh_bvh;
mod options;

mod query;
mod traverse;

mod kernel;
#[expect(unsafe_code, reason = "intrinsics and the traversal stack")]
mod simd;

mod error_bounds;
mod layout;
mod widths;

mod box3;
mod builder;
mod scaled_mesh;
mod split;

mod box_bvh;
mod raw_parts;
mod refit;
mod stats;
mod validate;

mod platform;

pub use box_bvh::BoxBvh;
pub use mesh_bvh::{Cancelled, MeshBvh};
pub use options::{BuildOptions, BuildQuality, Layout};
pub use query::{HitLists, WindingNumber, WindingTree};
pub use raw_parts::{RawBvh, RawBvhBuffers};
pub use refit::{RefitError, RefitReport};
pub use simd::Isa;
pub use stats::BvhStats;
pub use traverse::TraversalStats;
pub use validate::InvalidBvh;
