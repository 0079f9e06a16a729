//! Bounding volume hierarchies over triangle meshes, and ray queries on them.
//!
//! [`MeshBvh`] answers rays, points and regions against a triangle mesh. [`WindingTree`] adds inside and
//! outside to it. [`MeshPair`] has the questions about two placed meshes. [`BoxBvh`] is the same tree over any boxes of the caller, and casts rays at what is in them. [`instances`] has a tree over
//! placed meshes.
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
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `box_rays` | rays at the objects in a `BoxBvh` | `box_bvh`, `layout`, `query`, `widths` |
//! | `box_bvh` | `BoxBvh`: the same tree over the caller's boxes | `builder`, `layout`, `options`, `platform`, `query`, `refit`, `simd`, `widths` |
//! | `instances` | `InstanceBvh`: placed meshes under nodes of the same kind, and one traversal of both levels. `placed_mesh` is an instance as rays see it, `space` the f32 space of the nodes, `edit` and `rebuild` change them; a `batch` may go `interleaved`, or `by_mesh` | `box3`, `builder`, `cow_vec`, `error_bounds`, `kernel`, `layout`, `mesh_bvh`, `options`, `platform`, `query`, `simd`, `traverse`, `widths` |
//! | `pair` | `MeshPair`: two placed meshes; `self_pairs`: one with itself. `traversal` goes through both trees, `placed_boxes` brings their boxes into one space | `error_bounds`, `kernel`, `layout`, `mesh_bvh`, `simd` |
//! | `raw_parts` | a tree as bytes, for cache files | `layout`, `mesh_bvh`, `options`, `platform`, `scaled_mesh`, `simd`, `split`, `validate`, `widths` |
//! | `query` | `batch` cuts batches into chunks: `rows` finds the runs of rays that `packets` tries together, `ray_kinds` splits mixed runs, and `alone` takes the rest, interleaved or not; `filter` adds the caller's rule; `candidates` orders what a ray may hit by a bound of `t`; `corners` brings those of a closest hit along; `visit`, `overlap`, `section` and `winding` need no ray and share `visit_nodes`; `closest_point` has a loop in `traverse`, and `point_batch` answers many points along a curve; `winding` adds crossings to the `far_field` of `caps`, which span the `boundary`; a far field has the `harmonics` of its `clusters`, `eight` at a time, and a `queue` of those that a point sees; `surface` sums triangles, and `copies` are the lanes that it leaves out | `builder`, `error_bounds`, `kernel`, `layout`, `mesh_bvh`, `options`, `platform`, `simd`, `split`, `traverse`, `widths` |
//! | `mesh_edits` | `MeshBvh::update` | `mesh_bvh`, `options`, `platform`, `refit`, `scaled_mesh`, `update` |
//! | `mesh_bvh` | `MeshBvh`: build, refit, update, queries of one ray | `builder`, `kernel`, `layout`, `options`, `refit`, `scaled_mesh`, `simd`, `stats`, `traverse`, `update`, `validate` |
//! | `traverse` | rays and points from the root to the leaves: `single`, `packet`, `interleaved` and `counted`; `closest_point` goes from a point to the nearest boxes; `choice` picks a loop for single rays by their `coherence`, and `robust` takes those that need care; `child_order` orders children and makes the keys on the stack; `occluder` and `packet_occluders` remember what stopped the last shadow rays | `kernel`, `layout`, `platform`, `simd`, `widths` |
//! | `kernel` | one ray, packet or point against a node or block: `point_bound` for points; `ray_mode`, `ray_setup`, `box_test`, `triangle_test`, `triangle_filter`, `triangle_decision`, `packet`; `hit_sink` collects candidates for each query | `error_bounds`, `layout`, `leaf_position`, `simd`, `widths` |
//! | `refit`, `stats`, `validate` | functions on a tree | `box3`, `error_bounds`, `layout`, `leaf_position`, `platform`, `scaled_mesh`, `simd`, `split`, `widths` |
//! | `update` | a tree that follows edits: `links` know where it keeps each triangle; `editor` takes triangles out and `put_in` puts them in; `repair` builds anew what became worse; `tidy` restores the order of nodes and blocks; `apply` is one edit, and `read_ahead` prefetches what it touches | `box3`, `builder`, `layout`, `leaf_position`, `platform`, `scaled_mesh`, `simd`, `split`, `widths` |
//! | `builder` | mesh → tree: `recipe` has the six steps, `encode` writes nodes and blocks, and `shape` makes the shape from boxes. There `preset` is the policy; `window` maps boxes that lie far from the others; `morton`, `radix_sort` and `clusters` order primitives; `ploc`, `binned_sah` and `reinsertion` make a binary tree; `collapse` makes wide nodes; `repeats` keeps an object once in a leaf | `box3`, `layout`, `options`, `platform`, `scaled_mesh`, `simd`, `split`, `widths` |
//! | `layout` | the bytes of a tree: `node` (eight boxes, 256 bytes), `triangle_block`, `indexed_block`, `leaves`, `tree`; `reach` has the widening of each box; `fit` moves boxes | `box3`, `error_bounds`, `leaf_position`, `platform`, `scaled_mesh`, `simd`, `split`, `widths` |
//! | `split` | split triangles: `primitives` is what the builder sorts; `needles` cuts long triangles before the build; `polygon` is a part, `cover` checks that none is lost; `leaf_parts` keeps them for refits; `triangle_set` names the triangles | `box3`, `error_bounds`, `leaf_position`, `platform`, `scaled_mesh`, `simd` |
//! | `cow_vec` | a copy-on-write vector, which makes snapshots cheap | |
//! | `scaled_mesh`, `box3` | a mesh in the space of its tree; boxes in registers | |
//! | `options`, `platform` | build quality and leaf layout; threads (`fork` alone names rayon), large pages, and `SMALL_CODE`: on the web each query has one loop for all rays, and batches of closest hits a second one for large trees | `simd` |
//! | `error_bounds`, `leaf_position` | every constant of docs/proof.md; block and lane of a triangle | `widths` |
//! | `widths` | node width, block width, maximum depth | `simd` |
//! | `simd` | `lanes` of each instruction set, the choice between them (`isa`), the traversal `stack`, an element by predicted branches (`predict`) | |
//!
//! # The way of a packet
//!
//! A batch of `closest_hit_batch` or `is_occluded_batch`, by file and by one name in it. A file calls those that stand
//! farther to the right below it. A test compares the drawing with the sources. The way of one ray is in ARCHITECTURE.md.
//!
//! ```text
//! query/batch                         answer_all       cuts the batch into chunks over all threads
//!   query/rows                        Runs             names the runs of a chunk: 32 neighbours, or a tile
//!   query/packets                     answer_packets   feeds runs as packets; incoherent ones make it pause
//!     query/ray_kinds                 for_each_kind    splits a mixed run by octant and dominant axis
//!     traverse/packet                 trace_packet     goes from the root to the leaves with one packet
//!       traverse/packet_occluders     OccluderTest     tests first what stopped the last shadow rays
//!       kernel/packet                 Packet           keeps 32 rays and their best hits in lanes of groups
//!         kernel/packet/setup         fill             loads the rays, with bounds around all of them
//!         kernel/packet/test          test_block       tests a node with all rays, then children and triangles
//!           kernel/triangle_filter    within_edges     leaves few candidates, in f32
//!           kernel/packet/best        Undecided        decides in f64 where f32 cannot tell which hit is nearer
//!             kernel/triangle_decision  decide         does the operations of the reference test on eight rays
//!   query/alone                       answer_alone     casts the rays that no packet took
//!     traverse/interleaved            answer_interleaved  hides waits for memory behind other rays
//! ```

#![deny(unsafe_code)]

mod mesh_bvh;
mod mesh_edits;
mod options;

mod query;
mod traverse;

mod kernel;
#[expect(unsafe_code, reason = "intrinsics and the traversal stack")]
mod simd;

mod cow_vec;
mod error_bounds;
mod layout;
mod leaf_position;
mod widths;

mod box3;
mod builder;
mod scaled_mesh;
mod split;
mod update;

pub mod instances;

mod box_bvh;
mod box_rays;
mod raw_parts;
mod refit;
mod stats;
mod validate;

mod pair;
mod platform;

pub use box_bvh::BoxBvh;
pub use box_rays::ObjectHit;
pub use cow_vec::CowVec;
pub use mesh_bvh::{Cancelled, MeshBvh};
pub use mesh_edits::UpdateError;
pub use options::{BuildOptions, BuildQuality, Layout};
pub use pair::MeshPair;
pub use query::{CandidateRay, HitLists, WindingNumber, WindingTree};
pub use raw_parts::{RawBvh, RawBvhBuffers};
pub use refit::{RefitError, RefitReport};
pub use simd::Isa;
pub use stats::BvhStats;
pub use traverse::TraversalStats;
pub use validate::InvalidBvh;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
