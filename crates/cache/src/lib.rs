//! Stores triangle meshes with their hierarchies, and brings them back checked.
//!
//! [`save`] writes a [`BuiltMesh`] to a cache file, [`load`] reads it. What comes back gives the same
//! answers, to the last bit; whatever else is in a file is an error, never a panic, a hang, or another
//! answer. [`Source`] keys a file to what it was made from.
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
//!     "sphere.hitscan: the positions are damaged: their checksum is another one; run `hitscan build` again"
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
//! | 8 | `u32` 0x01020304, by which numbers of the other byte order are known |
//! | 12 | `u32` version of the format, now 1 |
//! | 16 | `u32` [`RawBvh::LAYOUT_VERSION`](hitscan_bvh::RawBvh::LAYOUT_VERSION) of the tree |
//! | 20 | `u32` number of sections, 12 |
//! | 24 | `u64` length of the file |
//! | 32 | the sections in their order, 32 bytes each: `u32` number from 1, `u32` 0, `u64` offset in the file, `u64` length in bytes, `u64` checksum |
//! | 416 | `u64` checksum of all of the above: XXH3 with 64 bits and seed 0 |
//! | 424 | the sections, each where the one before ends |
//!
//! The checksum of a section is the XXH3 of the XXH3s of its pieces of 256 KiB, the last one shorter, each
//! written as `u64`; so pieces can be hashed at the same time, where they are read.
//!
//! | section | contents |
//! |---|---|
//! | 1 about | quality and layout of the tree, its cost when built, remarks of the reader, source |
//! | 2 materials | [`Material`](hitscan_primitives::Material)s |
//! | 3 positions | 3 `f32` each |
//! | 4 triangles | 3 `u32` each |
//! | 5, 6 normals | 3 `f32` each; 3 `u32` per triangle |
//! | 7, 8 texture coordinates | 2 `f32` each; 3 `u32` per triangle |
//! | 9 records | polygons, names, and runs of the [`FaceRecords`](hitscan_primitives::FaceRecords) |
//! | 10 nodes | 256 bytes each: per axis 8 least and 8 greatest coordinates of the children's boxes, 8 references, 32 bytes unused |
//! | 11 blocks | 416 bytes each: 8 triangles with corners, normals and numbers; in the compact layout 128 bytes each: 8 triangles by the numbers of corners |
//! | 12 corners | 3 `f32` each, in the compact layout |
//!
//! Sections 1, 2 and 9 are lists of numbers, and of texts, which are a `u64` length and as many bytes of
//! UTF-8, filled up with zeros to a multiple of 16 bytes in all. The rest lies as in memory. Version and form change with
//! every change of this; a file of another one is refused, not translated: its source can be built again.
//!
//! # What is checked
//!
//! Lengths, before memory is taken for them: a file takes about as much memory as it has bytes. The
//! checksum of every byte. Then, whatever the checksums say: all that
//! [`TriMesh`](hitscan_primitives::TriMesh) asks of its parts, and all that
//! [`MeshBvh::validate`](hitscan_bvh::MeshBvh::validate) asks of a tree: every node reached once, the
//! depth within the traversal stack, boxes around what is below them, each triangle in one place with the
//! corners that it has in the mesh. So a file that was made to mislead gives the answers of the mesh in it,
//! or an error.
//!
//! Files are read, not mapped: what is checked stays as it was.

#![forbid(unsafe_code)]

mod built_mesh;
mod error;
mod file;
mod source;

mod about;
mod checksum;
mod format;
mod input;
mod materials;
mod parallel;
mod records;
mod wire;

pub use built_mesh::BuiltMesh;
pub use error::{CacheError, CacheErrorKind};
pub use file::{is_cache_file, load, load_within, read, save, write};
pub use source::{Source, SourceFile};

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
