//! `libhitscan_embree4`: hitscan behind the interface of Embree 4.4.
//!
//! A program that is written for Embree links this library, or finds it under Embree's name, and has hitscan's answers:
//! watertight, and the same on every machine. `README.md` says what there is and what is an error. Embree's own headers are
//! the interface, so there is none here; `abi` has the structs and constants, written anew.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `queries`, `point_query`, `interpolate` | the queries with rays, around points, and on primitives | `abi`, `buffer`, `call`, `committed`, `error`, `geometry`, `lane`, `query`, `scene`, `users` |
//! | `unsupported` | the calls that are errors | `call`, `device`, `error`, `geometry`, `handle`, `scene` |
//! | `scene_calls`, `geometry_calls`, `geometry_buffers` | what programs say of scenes and geometries | `abi`, `buffer`, `call`, `device`, `error`, `geometry`, `handle`, `scene` |
//! | `scene` | the geometries of a scene, and commits | `abi`, `committed`, `device`, `error`, `geometry`, `handle`, `reports`, `surface` |
//! | `committed` | what a commit has made, with its instances | `abi`, `call`, `device`, `error`, `geometry`, `handle`, `query`, `surface`, `users` |
//! | `surface`, `users` | all triangles and quads in one mesh; boxes with callbacks | `abi`, `device`, `error`, `geometry`, `lane`, `query` |
//! | `query` | a ray on its way, with its instance and its filters | `abi`, `geometry`, `lane` |
//! | `lane` | a ray with its hit in the packet of the program | |
//! | `geometry` | what the program has set | `abi`, `buffer`, `device`, `error`, `handle`, `reports` |
//! | `buffer` | memory that geometries read | `abi`, `call`, `device`, `error`, `handle`, `reports` |
//! | `device` | properties, and who hears of memory | `abi`, `call`, `error`, `handle`, `reports` |
//! | `call` | panics and failures become errors of a device | `abi`, `error`, `handle`, `reports` |
//! | `handle` | counted objects that know their kind | `error`, `reports` |
//! | `reports`, `error` | errors by thread; why a call failed | `abi` |
//! | `abi` | structs and constants | |

#![allow(non_snake_case, reason = "the calls have Embree's names")]
#![allow(clippy::missing_safety_doc, reason = "Embree's documentation has the rules for all calls")]

pub mod abi;
mod error;
mod reports;

mod call;
mod handle;

mod device;

mod buffer;

mod geometry;
mod geometry_buffers;
mod geometry_calls;

mod lane;
mod query;

mod surface;
mod users;

mod committed;

mod scene;
mod scene_calls;

mod interpolate;
mod point_query;
mod queries;
mod unsupported;

pub use buffer::*;
pub use device::*;
pub use error::rtcGetErrorString;
pub use geometry::Geometry;
pub use geometry_buffers::*;
pub use geometry_calls::*;
pub use interpolate::*;
pub use point_query::*;
pub use queries::*;
pub use scene::Scene;
pub use scene_calls::*;
pub use unsupported::*;
