//! Comparison of every query of a mesh or a scene with brute force.

mod mesh;
mod mesh_places;
mod rays;
mod report;
mod scene;
mod scene_places;
mod subject;
mod tally;

pub(crate) use mesh::MeshSubject;
pub(crate) use scene::SceneSubject;
pub(crate) use subject::check;
