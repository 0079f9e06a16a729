//! Files as meshes and scenes with their trees, with notes and progress on a terminal.

mod loaded_scene;
mod memory;
mod mesh;
mod model;
mod precision;
mod reduced_scene;
mod scene;
mod source_snapshot;
pub(crate) mod stdin;
mod textures;

pub(crate) use loaded_scene::{LoadTimes, LoadedMesh, LoadedScene};
pub(crate) use mesh::{
    build_mesh_for_cache, build_tree, build_tree_quietly, load_mesh, load_mesh_quietly, timed,
};
pub(crate) use model::Model;
pub(crate) use reduced_scene::ReducedScene;
pub(crate) use scene::{
    RayTarget, load_for_rays, load_if_scene, load_merged, load_scene, load_scene_for_cache,
};
