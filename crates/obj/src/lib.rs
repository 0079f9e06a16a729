//! Reads Wavefront OBJ and MTL files as they come, and says what it left out.
//!
//! [`load`] gives a [`TriMesh`](hitscan_primitives::TriMesh) with texture coordinates, normals and
//! the names of its faces, the materials, and a [`ObjReport`]. [`write()`] is the way back.
//!
//! ```
//! use hitscan_obj::{LoadOptions, parse};
//!
//! let text = b"o roof\nv 0 0 0\nv 4 2 0\nv 0 4 0\nv 1 2 0\nusemtl slate\nf 1 2 3 4\n";
//! let loaded = parse(text, "house.obj", &LoadOptions::default())?;
//! // The quad is concave: it is cut where it can be.
//! assert_eq!(loaded.mesh.triangles(), [[1, 2, 3], [1, 3, 0]]);
//! let records = loaded.mesh.records().expect("asked for by default");
//! assert_eq!(records.polygon(1), 0);
//! assert_eq!((records.object(0), records.lines.get(0)), (Some("roof"), Some(7)));
//! assert_eq!(loaded.report.unknown_materials, ["slate"]);
//!
//! let error = parse(b"v 0 0 0\nf 1 2 x\n", "bad.obj", &LoadOptions::default()).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "bad.obj:2: face corner \"x\"; expected an index such as 7, -1, 7/2, 7//3 or 7/2/3"
//! );
//! # Ok::<(), hitscan_obj::ReadError>(())
//! ```
//!
//! # What is read
//!
//! - **Text**: any line ending (LF, CR LF, CR, mixed), a byte order mark, tabs, comments after data,
//!   `\` continuations (read as a blank), keywords in any case. Names that are not UTF-8 are taken
//!   for Latin-1. A `#` begins a comment anywhere, except inside a name: `Material #25` is one.
//! - **Vertices**: `v x y z`, with a weight (divided by), or with a colour (left out, and counted).
//!   A vertex that is not finite in f32 keeps its number, but the faces at it are left out.
//! - **Faces**: `v`, `v/vt`, `v//vn`, `v/vt/vn`, absolute or relative. A vertex may come after the
//!   face, anywhere in the file; one that is nowhere is an error with its line. A texture or normal
//!   index that names nothing is dropped, and counted. Every n-gon gives n − 2 triangles, in file
//!   order; convex ones are fanned from their first corner.
//! - **Records**: `o`, `g`, `usemtl` and `s` hold until the next of their kind; without a name they
//!   end it. `polygon` counts the faces that were accepted, from 0.
//! - **Left out, and counted**: lines, points, curves and surfaces, display statements, unknown
//!   statements, faces of fewer than three corners. `call` and `csh` are never obeyed.
//! - **Materials**: libraries are regular files in the folder of the OBJ file or below, each read
//!   once. Whatever is wrong with them costs no geometry.
//! - **Textures**: only by `load_alpha_masks`, with the feature `images`, for the opacity of materials.

#![forbid(unsafe_code)]

#[cfg(feature = "images")]
mod alpha;
mod load;
mod report;
mod write;

mod chunk;
mod chunk_reader;
mod faces;
mod fast;
mod join;
mod library;
mod lines;
mod material;
mod number;
mod parallel;
mod source;
mod statements;
mod windows;

#[cfg(feature = "images")]
pub use alpha::{AlphaMasks, AlphaOptions, TextureProblem, load_alpha_masks};
pub use hitscan_files::{Limit, LoadOptions, ReadError, ReadErrorKind};
pub use hitscan_primitives::Material;
pub use load::{ObjModel, load, load_with_progress, parse, parse_with_libraries};
pub use report::{LibraryIssue, LibraryProblem, ObjReport, Oddity, Tally};
pub use write::write;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
