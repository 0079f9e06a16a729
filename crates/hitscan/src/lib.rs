//! Watertight ray casting over triangle meshes: load an OBJ, build a tree, ask what a ray hits.
//!
//! ```
//! use hitscan::{BuildOptions, Faces, LoadOptions, MeshBvh, Ray, load};
//!
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/cuboid.obj");
//! let mesh = load(path, &LoadOptions::default())?.into_mesh()?;
//! let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
//!
//! let ray = Ray::segment([4.0, -7.0, -4.0], [2.0, 3.0, 4.0]);
//! if let Some(hit) = bvh.closest_hit(&ray, Faces::Both) {
//!     println!("triangle {} at {}", hit.triangle, mesh.point(&hit));
//!     // Only a triangle of zero area has no normal.
//!     if let Some(normal) = mesh.unit_normal(hit.triangle) {
//!         println!("with normal {normal}");
//!     }
//! }
//! # assert_eq!(bvh.closest_hit(&ray, Faces::Both).map(|hit| (hit.triangle, hit.t)), Some((2889, 0.25)));
//! # Ok::<(), hitscan::ReadError>(())
//! ```
//!
//! # What is promised
//!
//! - **One answer.** The closest hit is the least `(t, triangle)` over all triangles of one scalar
//!   function, [`WatertightRay::intersect`]. Every tree, instruction set, thread count and batch
//!   gives that answer, to the last bit; [`brute_force`] is the definition in code.
//! - **Watertight.** A ray through a shared edge or vertex of a closed mesh hits, also where triangles
//!   of zero area close it ([`TriMesh::is_degenerate`] says what queries make of those). There is no
//!   epsilon to choose, and scaling a scene by a power of two changes no answer.
//! - **Bad input is told.** A broken file is an error with its line; a ray that is zero or not finite
//!   hits nothing; nothing panics.
//!
//! # Which call answers what
//!
//! | question | call | example |
//! |---|---|---|
//! | What does a ray hit first? | [`MeshBvh::closest_hit`] | `first_hit` |
//! | Where, with which normal, on which side? | [`TriMesh::point`], [`TriMesh::unit_normal`], [`Hit::side`] | `first_hit` |
//! | Is anything between two points? | [`MeshBvh::is_occluded`] with [`Ray::segment`] | `line_of_sight` |
//! | What does it hit along its whole way? | [`MeshBvh::all_hits`] | `all_hits` |
//! | The next few hits only? | [`MeshBvh::nearest_hits`] | `all_hits` |
//! | Is a point inside? How often is the surface crossed? | [`MeshBvh::count_crossings`] | `inside` |
//! | Leave out some hits: alpha holes, an ignore list? | [`MeshBvh::closest_hit_where`] and its like | `filter` |
//! | Only what faces the ray? | [`Faces::Front`] | `all_hits` |
//! | Where is the surface nearest to a point? | [`MeshBvh::closest_point`] | `closest_point` |
//! | How far inside or outside am I, also with holes? | [`WindingTree::signed_distance`], [`WindingTree::is_inside`] | `closest_point` |
//! | Which triangles touch a box, a ball, a frustum? | [`MeshBvh::overlapping_box`], [`MeshBvh::overlapping_sphere`], [`MeshBvh::overlapping_convex`] | `overlap` |
//! | A search of my own? | [`MeshBvh::visit`], [`MeshBvh::visit_nearest_first`] | `overlap` |
//! | A tree over points, lines, anything with a box? | [`BoxBvh`] | |
//! | A million rays at once? | [`MeshBvh::closest_hits`] and its like | `batch` |
//! | Where is a tree slow? What work is a ray? | [`MeshBvh::closest_hit_with_work`], `hitscan render --mode heat` | |
//! | A mesh that moves? | [`MeshBvh::refit`] | `moving_mesh` |
//! | Which object, group, material, source line was hit? | [`TriMesh::records`] | `names` |
//! | Which parts of a file did the reader skip? | [`LoadReport`] | `names` |
//! | Many meshes at places in a world, turned, mirrored, nested? | [`scene::Scene`], [`scene::Scene::closest_hit`] | `scene` |
//! | All about a hit there: point, normal, UV, names, nearest vertex and edge, where the next ray starts? | [`scene::Scene::describe`] | `scene` |
//! | How do I undo? How does a thread ask while I edit? | a clone of the scene, [`scene::Scene::restore`] | `undo` |
//! | How do I pick a skinned character? | [`scene::skin`], [`scene::Scene::refit`] | `skinned` |
//! | Holes in a texture? | [`scene::Scene::is_opaque`], `obj::load_alpha_masks` | `alpha` |
//! | A mesh without a file? | [`TriMesh::new`], [`primitives::generate`] | `own_mesh` |
//! | A mesh from an OBJ file? With the feature `formats`: from an STL, PLY or glTF file? | [`load`] | `first_hit` |
//! | Build once, and read it in an instant next time? | [`cache::save`], [`cache::load`] | |
//! | A long build with a progress bar and a stop button? | [`MeshBvh::build_with_progress`] | `progress` |
//! | Which ray is a pixel? Which pixel is a point? | [`picking::View::ray`], [`picking::View::project`] | `which_face` |
//! | Which face did I click? Which object, edge, vertex? | [`picking::Picker::pick`] | `which_face` |
//! | What is under the cursor, through the wall? Click by click? | [`picking::Picker::pick_all`], [`picking::ClickCycle`] | `x_ray` |
//! | Which objects are inside the marquee, or touched by a lasso? | [`picking::Picker::select`] | `marquee` |
//! | Where do I snap? Which curve is at the cursor? | [`picking::Picker::snap`], [`picking::Polylines`] | `snap` |
//!
//! The examples stand in the crate's `examples` folder: `cargo run --example first_hit`.
//!
//! # Words
//!
//! A [`Ray`] is an origin, a direction of any length and a closed interval of `t`, which counts in
//! units of the direction: on a [`Ray::segment`] it runs from 0 to 1. [`Side::Front`] is where a
//! triangle's corners run counter-clockwise. Everything is immutable once built, `Send` and `Sync`; what
//! changes, such as a [`scene::Scene`], takes `&mut`.
//! Vectors are [`glam`]'s; whatever converts to `[f32; 3]` is taken in.
//!
//! # Crate features
//!
//! `parallel` (on by default) reads, builds and answers batches on rayon's threads. Without it
//! everything is there and gives the same answers on one. `images` (off by default) adds
//! `obj::load_alpha_masks`, which reads the opacity of materials from their textures. `formats` (off by
//! default) lets [`load`] read STL, PLY and glTF files beside OBJ.

#![forbid(unsafe_code)]

pub use hitscan_primitives as primitives;
pub use hitscan_primitives::*;

pub use hitscan_bvh::{
    BoxBvh, BuildOptions, BuildQuality, BvhStats, Cancelled, HitLists, InvalidBvh, Isa, Layout,
    MeshBvh, RawBvh, RawBvhBuffers, RefitError, RefitReport, TraversalStats, WindingNumber,
    WindingTree,
};

pub use hitscan_cache as cache;
pub use hitscan_formats as formats;
pub use hitscan_formats::{
    Format, LoadOptions, LoadReport, Loaded, ReadError, ReadErrorKind, load, load_with_progress,
    parse, parse_with_files,
};
pub use hitscan_picking as picking;
pub use hitscan_scene as scene;

/// Writing OBJ, the report of the OBJ reader, and opacity masks from MTL textures.
///
/// [`load`] and [`parse`] read OBJ files as all other formats.
pub mod obj {
    #[cfg(feature = "images")]
    pub use hitscan_obj::{AlphaMasks, AlphaOptions, TextureProblem, load_alpha_masks};
    pub use hitscan_obj::{
        LibraryIssue, LibraryProblem, LoadWarning, ObjReport, WarningCount, write,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

/// The page of the repository; the file it loads is named from the repository's root.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod repository_readme {}
