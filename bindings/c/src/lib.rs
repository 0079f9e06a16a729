//! `libhitscan`: hitscan for C, C++ and every language that calls C.
//!
//! `include/hitscan.h` is the interface with its documentation; cbindgen makes it from these sources, and a
//! test compares the two. Each function here has four steps: check the pointers, call the engine, convert
//! the answer, return a status. `call::entry` does what is the same in all of them.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it, and macros. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `picking` | picks, snaps and selections | `bvh`, `bvh_lists`, `memory`, `options`, `rays`, `scene`, `status`, `view` |
//! | `view` | pixels to rays, and points to pixels | `rays`, `status` |
//! | `edits` | edits of meshes, which trees and scenes follow | `bvh`, `memory`, `mesh`, `options`, `scene`, `status` |
//! | `contacts`, `pairs`, `sections` | balls along rays; pairs of meshes; where planes cut | `bvh`, `bvh_lists`, `memory`, `options`, `rays`, `scene`, `status` |
//! | `scene_queries`, `scene_regions` | queries of scenes with a ray, a point or a region | `bvh_lists`, `bvh_points`, `bvh_rays`, `memory`, `mesh_details`, `options`, `rays`, `scene`, `status` |
//! | `removals`, `scene_files` | instances that come back; files of scenes | `mesh`, `options`, `scene`, `status` |
//! | `scene` | instances, their edits, and snapshots | `bvh`, `bvh_lists`, `memory`, `mesh`, `options`, `status` |
//! | `bvh_insides` | winding numbers and signed distances | `bvh`, `bvh_points`, `bvh_rays`, `memory`, `rays`, `status` |
//! | `bvh_points`, `bvh_filters` | queries of trees without a ray; with a rule of the caller | `bvh`, `bvh_lists`, `bvh_rays`, `memory`, `options`, `rays`, `status` |
//! | `bvh_lists` | queries of trees with a list of hits for a ray | `bvh`, `bvh_rays`, `memory`, `options`, `rays`, `status` |
//! | `candidates` | what a ray may hit, for a test of the caller | `bvh`, `rays`, `status` |
//! | `bvh_rays` | queries of trees with one value for a ray, and batches | `bvh`, `memory`, `options`, `rays`, `status` |
//! | `bvh` | trees: build, refit, cache files | `mesh`, `status` |
//! | `mesh_details` | what a hit of a mesh is | `mesh`, `rays`, `status` |
//! | `mesh` | meshes from arrays and files | `memory`, `options`, `status` |
//! | `rays` | rays and hits | `memory`, `options`, `status` |
//! | `options` | options of queries | `memory`, `status` |
//! | `call` | panics and failures become a status and a message | `memory`, `status` |
//! | `memory` | pointers, arrays with strides, options that may grow | `handle`, `status` |
//! | `handle` | opaque pointers that know their kind | `status` |
//! | `status` | the results of calls | |

#![allow(non_camel_case_types, reason = "the types have the names of the header")]
#![allow(clippy::missing_safety_doc, reason = "the head of the header has the rules for all calls")]

mod call;
mod handle;
mod memory;
mod status;

mod options;
mod rays;

mod mesh;
mod mesh_details;

mod bvh;
mod bvh_filters;
mod bvh_insides;
mod bvh_lists;
mod bvh_points;
mod bvh_rays;
mod candidates;

mod removals;
mod scene;
mod scene_files;
mod scene_queries;
mod scene_regions;

mod contacts;
mod edits;
mod pairs;
mod sections;

mod view;

mod picking;

pub use bvh::*;
pub use bvh_filters::*;
pub use bvh_insides::*;
pub use bvh_lists::*;
pub use bvh_points::*;
pub use bvh_rays::*;
pub use call::hitscan_last_error;
pub use candidates::*;
pub use contacts::*;
pub use edits::*;
pub use mesh::*;
pub use mesh_details::*;
pub use options::*;
pub use pairs::*;
pub use picking::*;
pub use rays::*;
pub use removals::*;
pub use scene::*;
pub use scene_files::*;
pub use scene_queries::*;
pub use scene_regions::*;
pub use sections::*;
pub use status::{
    HITSCAN_CANCELLED, HITSCAN_INTERNAL, HITSCAN_INVALID_ARGUMENT, HITSCAN_INVALID_HANDLE,
    HITSCAN_OK, HITSCAN_OUT_OF_MEMORY, HITSCAN_READ, HITSCAN_UNSUPPORTED, HITSCAN_WRITE,
    hitscan_status, hitscan_status_name, hitscan_version,
};
pub use view::*;
