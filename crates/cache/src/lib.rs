//! Stores triangle meshes with their hierarchies in cache files.
//!
//! [`save`] writes a [`BuiltMesh`], and [`load`] reads and checks it. The loaded mesh gives the same answers to
//! the last bit. Any other file is an error, never a panic, a hang, or a different answer. [`Source`] detects
//! changes of the files that the mesh was read from.
//!
//! ```
//! use hitscan_bvh::{BuildOptions, MeshBvh};
//! use hitscan_cache::{BuiltMesh, read, write};
//! use hitscan_primitives::{Faces, Ray, generate};
//!
//! let mesh = generate::sphere(1.0, 5000)?;
//! let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
//! let mut bytes = Vec::new();
//! write(&BuiltMesh::new(mesh, bvh), &mut bytes)?;
//!
//! let again = read(&bytes, "sphere.hitscan")?;
//! let ray = Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0]);
//! assert!(again.bvh.closest_hit(&ray, Faces::Both).is_some());
//!
//! bytes[5000] ^= 1;
//! let error = read(&bytes, "sphere.hitscan").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "sphere.hitscan: the checksum of the positions does not match; run `hitscan build` again"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The file
//!
//! All numbers are little-endian; `f32` and `u32` have four bytes, `u64` eight. A header is followed by
//! sections without gaps.
//!
//! | offset | what |
//! |---|---|
//! | 0 | the eight bytes 89 `hitscan` |
//! | 8 | `u32` 0x01020304, which shows the byte order |
//! | 12 | `u32` version of the format, now 2 |
//! | 16 | `u32` [`RawBvh::LAYOUT_VERSION`](hitscan_bvh::RawBvh::LAYOUT_VERSION) of the tree |
//! | 20 | `u32` number of sections, 12 |
//! | 24 | `u64` length of the file |
//! | 32 | the sections in their order, 32 bytes each: `u32` number from 1, `u32` 0, `u64` offset in the file, `u64` length in bytes, `u64` checksum |
//! | 416 | `u64` checksum of all of the above: XXH3 with 64 bits and seed 0 |
//! | 424 | the sections, each where the one before ends |
//!
//! The checksum of a section is the XXH3 of the XXH3s of its pieces of 256 KiB, each written as `u64`. The last
//! piece may be shorter. Threads hash the pieces in parallel as they read them.
//!
//! | section | contents |
//! |---|---|
//! | 1 about | quality and layout of the tree, its cost when built and near reach, the offset of the mesh (3 `f64`), remarks of the reader, source |
//! | 2 materials | [`Material`](hitscan_primitives::Material)s |
//! | 3 positions | 3 `f32` each |
//! | 4 triangles | 3 `u32` each |
//! | 5, 6 normals | 3 `f32` each; 3 `u32` per triangle |
//! | 7, 8 texture coordinates | 2 `f32` each; 3 `u32` per triangle |
//! | 9 records | polygons, names, and runs of the [`FaceRecords`](hitscan_primitives::FaceRecords) |
//! | 10 nodes | 256 bytes each: per axis 8 minimum and 8 maximum coordinates of the children's boxes, 8 references, 32 bytes unused |
//! | 11 blocks | 416 bytes each: 8 triangles with corners, normals and numbers; in the compact layout 128 bytes each: 8 triangles by the numbers of corners |
//! | 12 corners | 3 `f32` each, in the compact layout |
//!
//! Sections 1, 2 and 9 are lists of numbers and texts. A text is a `u64` length and its bytes of UTF-8, padded
//! with zeros to a multiple of 16 bytes in all. The other sections have the layout of memory. Every change of the
//! format changes version or form. A file of another version is an error, because its source can be built again.
//!
//! # The file of a scene
//!
//! [`save_scene`] writes a [`BuiltScene`]: its meshes once, and the instances.
//!
//! | offset | what |
//! |---|---|
//! | 0 | the eight bytes 89 `hitscen` |
//! | 8 | `u32` 0x01020304 |
//! | 12 | `u32` version of this header and its section, now 1 |
//! | 16 | `u64` length of the file |
//! | 24 | `u64` length of the section about the scene |
//! | 32 | `u64` checksum of that section |
//! | 40 | `u64` number of meshes |
//! | 48 | `u64` checksum of all of the above |
//! | 56 | the section: lengths of the meshes, materials with their textures, instances, remarks, source |
//! | then | one cache file per mesh, without gaps |
//!
//! # Checks
//!
//! [`load`] checks a file in this order:
//!
//! 1. All lengths, before it allocates memory: those of the header with the length of the file and with each other.
//!    No tree has more than two blocks per triangle, or more nodes than blocks.
//! 2. The checksum of every byte. Nodes and blocks are read in steps of 41 MB, and each step is looked at before
//!    the next one takes memory, so that zeros are refused early. A section of more than 64 MiB in a sparse file is
//!    hashed before there is memory for it.
//! 3. The rules of [`TriMesh`](hitscan_primitives::TriMesh) and of
//!    [`MeshBvh::validate`](hitscan_bvh::MeshBvh::validate), whatever the checksums say. Each node is reached once,
//!    the depth fits the traversal stack, boxes contain their children, and each triangle occurs with the corners
//!    of the mesh: once, or in several leaves that cover it.
//!
//! So a forged file gives the answers of the mesh in it, or an error. A file takes about as much memory as it has
//! bytes, 16 GiB at most by default. Without that memory it is an error, too. Files are read, not mapped, so that checked
//! bytes cannot change.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `scene_file` | writes and reads the cache files of scenes | `atomic`, `built_mesh`, `built_scene`, `checksum`, `error`, `file`, `format`, `input`, `scene_section`, `wire` |
//! | `scene_section` | the section about a scene | `built_scene`, `error`, `materials`, `source`, `wire` |
//! | `file` | writes and reads whole files of meshes; the crate page describes the format | `about`, `atomic`, `built_mesh`, `checksum`, `error`, `format`, `input`, `materials`, `parallel`, `records` |
//! | `built_scene` | the content of a cache file of a scene | `source` |
//! | `atomic` | files that appear whole | `error` |
//! | `about`, `materials`, `records` | the small sections | `built_mesh`, `source`, `wire` |
//! | `built_mesh`, `source` | the content of a cache file; the key to the files that the mesh was read from | `error`, `input`, `wire` |
//! | `input`, `format` | reads and checks sections piece by piece; the header | `checksum`, `error`, `parallel`, `wire` |
//! | `checksum`, `wire`, `error`, `parallel` | checksums over pieces; numbers and texts; the error; loops over threads | |

#![forbid(unsafe_code)]

mod built_mesh;
mod built_scene;
mod error;
mod file;
mod scene_file;
mod source;

mod about;
mod atomic;
mod checksum;
mod format;
mod input;
mod materials;
mod parallel;
mod records;
mod scene_section;
mod wire;

pub use built_mesh::BuiltMesh;
pub use built_scene::{BuiltScene, BuiltSceneMesh, SceneMaterials};
pub use error::{CacheError, CacheErrorKind};
pub use file::{
    is_cache, is_cache_file, is_scene_cache_file, load, load_within, read, save, write,
};
pub use records::{records_from_bytes, records_to_bytes};
pub use scene_file::{load_scene, load_scene_within, read_scene, save_scene, write_scene};
pub use source::{Source, SourceFile};

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
