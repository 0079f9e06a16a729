//! Scenes, ray sets and checks that all benches and the comparison with other engines share.
//!
//! Scanned and modelled meshes are [`MODEL_FILES`], which the repository does not have. The benches skip
//! those that are missing; the generated scenes need no files.

#![forbid(unsafe_code)]

pub mod crowd;
pub mod editor;
pub mod editor_table;

mod check;
mod model_files;
mod rays;
mod scenes;

pub use check::assert_equals_brute_force;
pub use model_files::{FileState, MODEL_FILES, ModelFile, meshes};
pub use rays::{Camera, RayKind, RaySet, ray_sets};
pub use scenes::{Scene, SceneError, scene_names};
