//! Reads triangle meshes from OBJ, STL, PLY and glTF files, and writes them.
//!
//! [`load`] detects the format of a file and returns a [`Loaded`]: meshes, their instances, materials, and a
//! [`LoadReport`] of the skipped parts. [`Loaded::into_mesh`] merges them into one
//! [`TriMesh`](hitscan_primitives::TriMesh), which [`write()`] writes. [`parse`] and [`parse_any`] do the same in memory.
//!
//! ```
//! use hitscan_formats::{Format, LoadOptions, parse};
//!
//! let text = b"o roof\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nl 1 2\n";
//! let loaded = parse(text, "house.obj", Format::Obj, &LoadOptions::default())?;
//! assert_eq!(loaded.report.lines(), ["1 line element left out (line 7)"]);
//! let mesh = loaded.into_mesh()?;
//! assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
//!
//! let error = parse(b"v 0 0 0\nf 1 2 x\n", "bad.obj", Format::Obj, &LoadOptions::default());
//! assert_eq!(
//!     error.unwrap_err().to_string(),
//!     "bad.obj:2: face corner \"x\"; expected an index such as 7, -1, 7/2, 7//3 or 7/2/3"
//! );
//! # Ok::<(), hitscan_formats::ReadError>(())
//! ```
//!
//! # Formats
//!
//! - **OBJ** with its MTL libraries, by the crate `hitscan-obj`, whose page has the details.
//! - **STL**, text or binary. The names of solids become objects. Equal vertices are merged. Facet normals are
//!   skipped, because the winding gives them. The reader mends a wrong number of triangles, missing ends of
//!   solids and facets, and other spellings such as `end solid`. It skips unknown lines by name, bytes after the
//!   last triangle, and the triangle that the end of the file cuts.
//! - **PLY**, text or binary of either byte order, with any number type. The reader uses positions, normals,
//!   texture coordinates of vertices or faces, faces and strips of triangles, in any order; it counts other
//!   properties and elements. Header lines that are no statement, the further numbers of rows that are too
//!   long, and whatever follows the last element, are mended and counted.
//! - **glTF 2.0**, text or GLB: the meshes, materials and node transforms of the default scene. Each node with a
//!   mesh becomes an [`Instance`]. Equal meshes become one, and primitives of one mesh share the vertices of one
//!   accessor. Texture coordinates are flipped, so that v grows upwards as in the other formats.
//!
//! ## glTF in detail
//!
//! The reader takes what geometry, placement and base colours need, and tolerates faults elsewhere. It refuses a
//! file only if positions, triangles or placement cannot be known.
//!
//! - **Pose.** Skins and morph targets are read in the rest pose, with the weights of the node or else of the
//!   mesh. Joints place a skinned mesh in the scene, whatever the transform of its node. A mesh is read once for
//!   each pose, and animations are counted.
//! - **Extensions.** `KHR_mesh_quantization`, `EXT_mesh_gpu_instancing` (an instance each), `KHR_node_visibility`
//!   (hidden nodes are left out) and `CESIUM_RTC` (a translation of the scene) are read. Extensions of materials,
//!   textures, lights and metadata are ignored and counted. The report names any other extension, and the reader
//!   refuses one that the file requires.
//! - **Compression.** Draco and meshopt are not read: the error names the extension and a tool that writes a file
//!   without it. Data that the file also stores uncompressed are read.
//! - **Meshes without nodes.** In a file where no node has a mesh, each mesh is placed once, at the origin.
//! - The reader counts cameras, points, lines, and attributes that it does not read. It decodes no textures.
//!
//! STL, PLY and glTF have a Cargo feature each. With the feature `compressed`, each file may be compressed by
//! gzip or Zstandard, under any name.
//!
//! # Guarantees
//!
//! - No input panics, hangs, or takes memory out of proportion to its size and to [`LoadOptions`].
//! - A [`ReadError`] names the file, and the line or byte offset where it is known.
//! - The report counts every part that a reader skips, such as faces at vertices that are not finite.
//! - A side file, such as a buffer or a material library, must be in the folder of the file or below.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `load` | detects the format and calls its reader | `compressed`, `error_at`, `format`, `gltf`, `loaded`, `ply`, `side_files`, `stl` |
//! | `gltf` | glTF: `container` splits GLB; `document` has the members of the JSON that are read, and `lenient` admits wrong ones; `extensions` is the policy about them; `buffers`, `accessor`, `primitives`, `nodes`, `pose` (skins and morph targets, read by `deforming`), `transforms`, `materials`, `textures`; `faults` counts faults that no ray sees | `error_at`, `instance`, `loaded`, `mesh_builder`, `report`, `side_files` |
//! | `stl`, `ply` | STL (`text`, `binary`, `solids`); PLY (`header`, `body`, `vertices`, `faces`) | `error_at`, `loaded`, `mesh_builder`, `report`, `words` |
//! | `write` | OBJ, `stl`, `ply` and `glb` from a mesh; `losses` counts the parts that a format cannot hold | `format` |
//! | `loaded`, `format` | the result, and its merge into one mesh; detection by content, then by name | `compressed`, `instance`, `mesh_builder`, `report` |
//! | `compressed`, `zstandard` | gzip and Zstandard | |
//! | `mesh_builder`, `instance`, `report` | a mesh polygon by polygon; placed meshes; counts of skipped parts | `error_at` |
//! | `side_files`, `words`, `error_at` | files that a file refers to; the words of a text; an error at a line or byte | |

// On docs.rs, every item says which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(all(feature = "stl", feature = "ply", feature = "gltf")),
    allow(dead_code, reason = "a format that is switched off uses them")
)]

mod format;
mod instance;
mod load;
mod loaded;
mod report;
mod write;

mod compressed;
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
#[cfg(feature = "compressed")]
mod zstandard;

pub use format::Format;
pub use hitscan_files::{Limit, LoadOptions, ReadError, ReadErrorKind};
pub use hitscan_obj::ObjReport;
pub use instance::{Instance, SceneNode};
pub use load::{load, load_with_progress, parse, parse_any, parse_with_files};
pub use loaded::{Loaded, merge};
pub use report::LoadReport;
pub use write::{WriteReport, write};

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
