//! Scenes, ray sets and checks that all benches and the comparison with other engines share.
//!
//! Scanned and modelled meshes come from the folder `shared/meshes` beside the repository. The benches
//! skip them where that folder is missing; the generated scenes need no files.

#![forbid(unsafe_code)]

pub mod crowd;
pub mod editor;

mod check;
mod rays;
mod scenes;

pub use check::assert_equals_brute_force;
pub use rays::{Camera, RayKind, RaySet, ray_sets};
pub use scenes::{Scene, SceneError, meshes, scene_names};
