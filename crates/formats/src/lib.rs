//! Reads STL, PLY and glTF files as triangle meshes, and says what it left out.
//!
//! [`load`] takes any of the three, known by how the file begins ([`Format::of_file`]). The contract is that of
//! `hitscan-obj`: polygons are cut in file order, what is not used is counted, and what is wrong is an error
//! with file, place, what was found and what was expected.
//!
//! ```
//! use hitscan_formats::{Format, LoadOptions, parse};
//!
//! # #[cfg(feature = "stl")] {
//! let text = b"solid roof\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
//!     endloop\nendfacet\nendsolid roof\n";
//! let loaded = parse(text, "roof.stl", Format::Stl, &LoadOptions::default())?;
//! assert_eq!(loaded.meshes[0].triangles(), [[0, 1, 2]]);
//!
//! let error = parse(b"solid\nfacet\nouter top\n", "bad.stl", Format::Stl, &LoadOptions::default());
//! assert_eq!(error.unwrap_err().to_string(), "bad.stl:3: \"top\"; expected `loop`");
//! # }
//! # Ok::<(), hitscan_formats::ReadError>(())
//! ```
//!
//! # What is read
//!
//! - **STL**: text with any number of solids, whose names become objects; binary files by their length, even
//!   if they begin with `solid`. Normals of facets are left out: winding says more. Vertices that are equal
//!   become one.
//! - **PLY**: text, binary little- and big-endian, all eight types of numbers under both of their names.
//!   Of vertices `x y z`, normals and texture coordinates; of faces `vertex_indices` or `vertex_index`.
//!   Polygons are cut by [`Triangulator`](hitscan_primitives::Triangulator). Other properties and elements
//!   are left out, and named.
//! - **glTF**: text and GLB, of the default scene, or else of all nodes without parents. Each mesh is a
//!   [`TriMesh`](hitscan_primitives::TriMesh) with normals, the first set of texture coordinates (turned
//!   over, so that v runs up as elsewhere) and a material for each primitive; each node with a mesh is an
//!   [`Instance`]. Points, lines, skins, morph targets, animations, cameras and lights are left out, and
//!   counted. Buffers are in the file, or regular files in its folder or below; pictures are not read.
//!
//! Faces at vertices that are not finite are left out, and counted. This crate brings its own readers of STL
//! and PLY: those that exist take memory by the numbers in the header, and do not say where a error is. JSON
//! of glTF is read and checked by the crate `gltf`, accessors are read here.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(all(feature = "stl", feature = "ply", feature = "gltf")),
    allow(dead_code, reason = "what the formats use that are left out")
)]

mod format;
mod instance;
mod load;
mod loaded;
mod report;

mod error_at;
mod mesh_builder;
mod side_files;
mod words;

#[cfg(feature = "gltf")]
mod gltf;
#[cfg(feature = "ply")]
mod ply;
#[cfg(feature = "stl")]
mod stl;

pub use format::Format;
pub use hitscan_files::{Limit, LoadOptions, ReadError, ReadErrorKind};
pub use instance::Instance;
pub use load::{load, load_with_progress, parse, parse_with_files};
pub use loaded::Loaded;
pub use report::LoadReport;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
