//! Two placed meshes: do they touch, where do they cross, and how far apart are they. And one mesh with itself.
//!
//! `traversal` goes through both trees at once. `placed_boxes` brings their boxes into one space, in f32 and with a margin.
//! The exact tests of `hitscan_primitives` decide the pairs of triangles whose boxes come close enough.

mod mesh_pair;
mod placed_boxes;
mod self_pairs;
mod traversal;

pub use mesh_pair::MeshPair;
