//! Parses Wavefront OBJ and MTL files, and writes OBJ.
//!
//! Programs that load files should use `hitscan-formats`, which detects the format and calls this crate.
//!
//! [`load`] returns an [`ObjModel`]: a [`TriMesh`](hitscan_primitives::TriMesh) with texture coordinates,
//! normals and face records, the materials, and an [`ObjReport`]. [`write()`] writes a mesh.
//!
//! ```
//! use hitscan_obj::{LoadOptions, parse};
//!
//! let text = b"o roof\nv 0 0 0\nv 4 2 0\nv 0 4 0\nv 1 2 0\nusemtl slate\nf 1 2 3 4\n";
//! let model = parse(text, "house.obj", &LoadOptions::default())?;
//! // The quad is concave, so its diagonal runs through the concave corner.
//! assert_eq!(model.mesh.triangles(), [[1, 2, 3], [1, 3, 0]]);
//! let records = model.mesh.records().expect("records are on by default");
//! assert_eq!((records.object(0), records.lines().get(0)), (Some("roof"), Some(7)));
//! assert_eq!(model.report.unknown_materials, ["slate"]);
//! # Ok::<(), hitscan_obj::ReadError>(())
//! ```
//!
//! # Syntax
//!
//! - **Text**: UTF-8, or UTF-16 with a byte order mark; any line ending (LF, CR LF, CR, mixed), a byte order mark, tabs, comments, `\` continuations,
//!   keywords in any case. Names are UTF-8 or else Latin-1. In a name `#` is a character: `Material #25`.
//! - **Vertices**: `v x y z`, with an optional weight, which divides, or a colour, which the reader skips.
//! - **Faces**: `v`, `v/vt`, `v//vn` or `v/vt/vn`, with absolute or relative indices. A face may precede its
//!   vertices. Every n-gon gives n − 2 triangles in file order. Convex polygons become fans from their first
//!   corner.
//! - **Records**: `o`, `g`, `usemtl` and `s` apply to the faces up to the next statement of their kind.
//!   Polygons count the accepted faces from 0.
//! - **Materials**: a library is a regular file in the folder of the OBJ file or below. The reader reads each
//!   once.
//! - **Textures**: only `load_alpha_masks` reads them (feature `images`), for the opacity of materials.
//!
//! # Errors and warnings
//!
//! A statement that leaves the faces in doubt is a [`ReadError`] with its line: a malformed number, a vertex
//! index out of range. Everything else is a warning in the report, and the file loads:
//!
//! - The reader skips lines, points, curves, surfaces, display statements, unknown statements, and faces of
//!   fewer than three corners. It never runs `call` and `csh`.
//! - It skips faces with the vertex index 0, unless the file has no other face. It reads `3.1+e2` as `3.1e+2`.
//! - It drops texture and normal indices out of range, and faces at vertices that are not finite in f32.
//! - Problems in a material library are listed in the report; the geometry still loads.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `load`, `join` | cuts a file into parts, parses them in parallel; merges them to one mesh | `chunk`, `chunk_reader`, `faces`, `library`, `lines`, `parallel`, `report`, `source`, `statements`, `windows` |
//! | `chunk_reader`, `fast`, `statements` | the reader of one part, with a parser of common forms and one of every form | `chunk`, `faces`, `lines`, `number`, `report` |
//! | `chunk`, `faces` | the content of one part | `report` |
//! | `windows`, `source` | pieces of a text that end at statements; the text in memory or in a file | `lines` |
//! | `alpha`, `library`, `material`, `texture_name` | opacity from textures (feature `images`); finding and parsing MTL files | `library_issue`, `lines`, `number`, `report` |
//! | `report` | counts and warnings | `library_issue`, `lines` |
//! | `library_issue` | material libraries that were not read completely | `lines` |
//! | `lines`, `number`, `parallel`, `write` | words; numbers; loops over threads; writing OBJ | |

// On docs.rs, every item says which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
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
mod library_issue;
mod lines;
mod material;
mod number;
mod parallel;
mod source;
mod statements;
mod texture_name;
mod windows;

#[cfg(feature = "images")]
pub use alpha::{AlphaMasks, AlphaOptions, TextureProblem, load_alpha_masks};
pub use hitscan_files::{Limit, LoadOptions, ReadError, ReadErrorKind};
pub use hitscan_primitives::Material;
pub use library_issue::{LibraryIssue, LibraryProblem};
pub use load::{ObjModel, load, load_with_progress, parse, parse_in_folder, parse_with_libraries};
pub use report::{LoadWarning, ObjReport, UnknownStatement, UnknownStatements, WarningCount};
pub use texture_name::texture_file;
pub use write::write;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
