//! The compiled part of the Python package hitscan, the module `hitscan._hitscan`.
//!
//! The package's Python code converts arguments to contiguous arrays, allocates the arrays of answers of
//! several, and documents every function. This module checks shapes again, releases the interpreter, and
//! fills the arrays, or returns the only one. It never panics on the values of its arguments.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `edits` | edits of meshes, which trees and scenes follow | `bvh`, `errors`, `mesh`, `pool`, `rays`, `scene` |
//! | `mesh_pairs` | pairs of trees, a tree with itself, and the instances around one | `bvh`, `errors`, `scene`, `scene_queries` |
//! | `sections` | where planes cut trees and scenes | `bvh`, `errors`, `mesh`, `scene`, `scene_queries` |
//! | `scene_files` | files of scenes | `batch`, `bvh`, `errors`, `memory`, `options`, `scene` |
//! | `scene_single` | one ray or point at a scene, without arrays | `scene`, `scene_queries` |
//! | `scene_points` | points and regions at scenes | `answers`, `batch`, `bvh_points`, `rays`, `scene`, `scene_queries` |
//! | `mujoco` | rays at geoms, in one pass | `answers`, `batch`, `rays`, `scene`, `scene_queries` |
//! | `polylines` | polylines and points that are picked | `batch`, `errors`, `picking`, `rays`, `scene`, `view` |
//! | `ball_lists` | all contacts of balls along rays | `answers`, `balls`, `batch`, `bvh`, `memory`, `rays`, `scene`, `scene_queries` |
//! | `balls` | balls along rays, at a tree or a scene | `answers`, `batch`, `bvh`, `rays`, `scene`, `scene_queries` |
//! | `scene_queries`, `picking`, `render` | rays at scenes; picks, snaps and selections; pictures | `answers`, `batch`, `bvh_points`, `errors`, `memory`, `options`, `rays`, `scene`, `view` |
//! | `scene` | scenes: instances of trees in world space, in float64 | `bvh`, `errors`, `options` |
//! | `view` | cameras: pixels to rays, and points to pixels | `answers`, `batch`, `errors`, `options`, `rays` |
//! | `blender`, `pyvista` | rays at polygons and cells, in one pass | `answers`, `batch`, `bvh`, `bvh_rays`, `memory`, `mesh`, `rays` |
//! | `around` | many rays from each of some points | `answers`, `batch`, `bvh`, `bvh_rays`, `rays` |
//! | `bvh_rays`, `bvh_points`, `open3d`, `trimesh` | queries of trees; what the drop-ins ask for beyond them | `answers`, `batch`, `bvh`, `mesh`, `options`, `pool`, `rays` |
//! | `single` | one ray or point at a tree, without arrays | `bvh`, `mesh`, `options` |
//! | `attributes` | what a file says about corners and polygons; parts of a mesh | `bvh`, `errors`, `mesh`, `options`, `rays` |
//! | `polygons` | triangulation, and the polygons of a mesh | `errors`, `mesh`, `rays` |
//! | `bvh` | a mesh with its tree | `batch`, `errors`, `memory`, `mesh`, `options`, `pool`, `rays` |
//! | `mesh` | meshes and their files | `batch`, `errors`, `memory`, `rays` |
//! | `rays`, `answers` | arguments, most of them arrays; arrays of answers | `memory` |
//! | `batch` | loops that Ctrl-C ends and a number of threads bounds | `errors`, `pool` |
//! | `pool` | the threads of this process | `errors` |
//! | `errors`, `options`, `memory` | exceptions; options by name; requests beyond the memory | |

mod errors;
mod memory;
mod options;

mod pool;

mod batch;

mod answers;
mod rays;

mod mesh;

mod bvh;
mod bvh_points;
mod bvh_rays;

mod attributes;
mod polygons;
mod single;

mod around;
mod blender;
mod open3d;
mod pyvista;
mod trimesh;

mod scene;
mod scene_files;
mod scene_points;
mod scene_queries;
mod scene_single;

mod ball_lists;
mod balls;
mod edits;
mod mesh_pairs;
mod mujoco;
mod sections;

mod picking;
mod polylines;
mod render;
mod view;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _hitscan {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::{
        bvh::Bvh,
        mesh::Mesh,
        picking::{pick, pick_all, points_visible, select, snap},
        polygons::triangulate,
        polylines::Polylines,
        render::{frame, png, render},
        scene::Scene,
        trimesh::plane_points,
        view::View,
    };

    /// Raises `MemoryError` if `bytes` for `what` are not available.
    #[pyfunction]
    fn check_memory(what: &str, bytes: u64) -> PyResult<()> {
        crate::memory::check(what, bytes)
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::pool::register_at_fork(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let isas: Vec<&str> = hitscan::Isa::available().into_iter().map(|isa| isa.name()).collect();
        module.add("instruction_sets", isas)
    }
}
