//! Watertight ray casting over triangle meshes: load an OBJ file, build a tree, cast rays.
//!
//! ```
//! use hitscan::{BuildOptions, Faces, LoadOptions, MeshBvh, Ray, load};
//!
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/cuboid.obj");
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
//! # Guarantees
//!
//! - **One answer.** The closest hit is the minimum `(t, triangle)` over all triangles of one scalar
//!   function, [`WatertightRay::intersect`]. Every tree, instruction set, thread count and batch
//!   returns that hit, bit for bit. [`brute_force`] is the definition in code.
//! - **Watertight.** A ray through a shared edge or vertex of a closed mesh hits, even where triangles
//!   of zero area close the mesh. [`TriMesh::is_degenerate`] lists how queries treat those. There is
//!   no tolerance to choose. Scaling a scene by a power of two changes no answer.
//! - **Invalid input is reported.** A broken file is an error with the line or the byte, what the reader
//!   found and what it expected. An invalid ray, such as one with a zero direction, hits nothing. No input
//!   causes a panic, except an argument that a function lists under "Panics".
//!
//! # Which call answers what
//!
//! | question | call | example |
//! |---|---|---|
//! | What does a ray hit first? | [`MeshBvh::closest_hit`] | `first_hit` |
//! | Where, with which normal, on which side? | [`TriMesh::point`], [`TriMesh::unit_normal`], [`Hit::side`] | `first_hit` |
//! | Is anything between two points? | [`MeshBvh::is_occluded`] with [`Ray::segment`] | `line_of_sight` |
//! | What does the ray hit along its whole way? | [`MeshBvh::all_hits`] | `all_hits` |
//! | Which are the nearest few hits? | [`MeshBvh::nearest_hits_into`] | `all_hits` |
//! | Is a point inside? How often is the surface crossed? | [`MeshBvh::count_crossings`] | `inside` |
//! | How do I skip hits: alpha holes, an ignore list? | [`MeshBvh::closest_hit_where`] | `filter` |
//! | How do I hit front faces only? | [`Faces::Front`] | `all_hits` |
//! | Where is the surface nearest to a point? | [`MeshBvh::closest_point`] | `closest_point` |
//! | Where does a rolling ball stop? Does it fit through? | [`MeshBvh::sphere_cast`], [`scene::Scene::sphere_cast`], [`scene::Scene::sphere_cast_any`] | `rolling_ball` |
//! | How far inside or outside is a point, even if the mesh has holes? | [`WindingTree::signed_distance`], [`WindingTree::is_inside`] | `closest_point` |
//! | Is the mesh closed? Which edges are open, which triangles turned over or repeated? | [`Topology::new`] | `open_edges` |
//! | Where does a plane cut the mesh, or the scene? | [`MeshBvh::section`], [`MeshBvh::section_batch`], [`scene::Scene::section`] | `section` |
//! | Which triangles touch a box, a ball, a frustum? | [`MeshBvh::overlapping_box_into`], [`MeshBvh::overlapping_sphere_into`], [`MeshBvh::overlapping_convex_into`] | `overlap` |
//! | Do two parts collide, which triangles, and where do they cross? | [`MeshPair::overlaps`], [`MeshPair::overlapping_triangles`], [`MeshPair::crossings`] | `collide` |
//! | Does a mesh intersect itself, and where? | [`MeshBvh::has_self_intersections`], [`MeshBvh::self_intersections`] | `collide` |
//! | How far apart are two parts, and between which points? | [`MeshPair::distance`] | `collide` |
//! | Which objects of a world touch this one, or are near it? | [`scene::Scene::instances_touching`], [`scene::Scene::instances_near`] | |
//! | How do I traverse the tree with my own tests? | [`MeshBvh::visit`], [`MeshBvh::visit_nearest_first`] | `overlap` |
//! | Which triangles may a ray hit, for a test of my own? | [`MeshBvh::visit_candidates`] | |
//! | Which of my polygons, spheres, points does a ray meet first? | [`BoxBvh::closest_hit`], [`BoxBvh::all_hits`] | `which_polygon`, `which_sphere`, `which_point` |
//! | How do I search points, lines, or anything else with a box? | [`BoxBvh::visit`], [`BoxBvh::visit_nearest_first`] | |
//! | How do I cast a million rays? | [`MeshBvh::closest_hit_batch`] | `batch` |
//! | Where is a tree slow? How many tests does a ray take? | [`MeshBvh::closest_hit_with_work`], `hitscan render --mode heat` | |
//! | How do I follow a mesh that moves? | [`MeshBvh::refit`] | `moving_mesh` |
//! | How does a tree follow a brush, an extrusion, a deletion, an undo? | [`TriMesh::move_vertices`], [`MeshBvh::update`], [`scene::Scene::edit_mesh`] | `sculpt` |
//! | Which object, group, material, source line was hit? | [`TriMesh::records`] | `names` |
//! | Which parts of a file did the reader skip? | [`LoadReport`] | `names` |
//! | How do I place many meshes in a world, turned, mirrored, nested? | [`scene::Scene`], [`scene::Scene::closest_hit`] | `scene` |
//! | Which point, normal, UV, names, nearest vertex and edge does a hit have? Where does the next ray start? | [`scene::Scene::describe`] | `scene` |
//! | How do I undo? How does a thread query while I edit? | a clone of the scene, [`scene::Scene::restore`] | `undo` |
//! | How do I pick a skinned character? | [`scene::skin`], [`scene::Scene::refit`] | `skinned` |
//! | How do rays pass through holes in a texture? | [`scene::Scene::is_opaque`], `obj::load_alpha_masks` | `alpha` |
//! | How do I make a mesh without a file? | [`TriMesh::new`], [`primitives::generate`] | `own_mesh` |
//! | How do I read an OBJ file or, with the feature `formats`, an STL, PLY or glTF file? | [`load`] | `first_hit` |
//! | How do I build a tree once and load it next time? | [`cache::save`], [`cache::load`] | |
//! | How do I save a scene and read it back? How do I read a glTF file with its hierarchy? | [`cache::save_scene`], `scene_file::save`, `scene_file::load` | `saved_scene` |
//! | How do I show the progress of a build, and cancel it? | [`MeshBvh::build_with_progress`] | `progress` |
//! | Which ray belongs to a pixel? Which pixel shows a point? | [`picking::View::ray`], [`picking::View::project`] | `which_face` |
//! | Which face did I click? Which object, edge, vertex? | [`picking::Picker::pick`] | `which_face` |
//! | Which elements are under the cursor, through all surfaces? Which does each further click pick? | [`picking::Picker::pick_all`], [`picking::ClickCycle`] | `x_ray` |
//! | Which objects are inside the marquee, or touched by a lasso? | [`picking::Picker::select`] | `marquee` |
//! | How do picks honour clipping planes? | [`picking::View::with_clipping_planes`] | |
//! | How far does a gizmo drag, along a plane or an axis? | [`scene::WorldRay::intersect_plane`], [`scene::WorldRay::closest_to_line`] | `gizmo` |
//! | Logical or physical pixels? | [`picking::Viewport`] | `pixels` |
//! | Where do I snap? Which curve is at the cursor? | [`picking::Picker::snap`], [`picking::Polylines`] | `snap` |
//!
//! The examples are in the crate's `examples` folder: `cargo run --example first_hit`.
//!
//! # Names of queries
//!
//! The name of a query tells its arguments, in [`MeshBvh`] and in [`scene::Scene`]:
//!
//! - A **plain name**, such as `closest_hit`, takes its subject, then its options. The subject is a ray, a
//!   ray with a number of hits, a point with a distance, or a region. In a mesh the options are
//!   [`HitOptions`] for a list of hits, and [`Faces`] for the other rays. In a scene they are
//!   [`scene::QueryOptions`].
//! - **`_where`** adds the caller's rule, a closure that returns whether to accept a hit.
//! - **`_into`** adds the caller's `Vec`, which the query clears and fills, so that queries share one
//!   allocation.
//! - **`_batch`** takes a slice of rays and spreads them over threads. Its last argument is a slice with
//!   one answer per ray, except that [`MeshBvh::all_hits_batch`] returns lists.
//!
//! Choices that come with defaults are in a struct: [`BuildOptions`], [`LoadOptions`], [`HitOptions`],
//! [`scene::QueryOptions`], [`picking::PickOptions`].
//!
//! # Conventions
//!
//! A [`Ray`] has an origin, a direction of any length and a closed interval of `t`. `t` is in units of the
//! direction, so a [`Ray::segment`] ends at 1. [`Side::Front`] is the side from which a triangle's corners
//! run counter-clockwise. A tree is immutable once built, except for [`MeshBvh::refit`]
//! and [`MeshBvh::update`]. All types are
//! `Send` and `Sync`. Vectors are those of [glam](https://docs.rs/glam); functions take any type that
//! converts to `[f32; 3]`.
//!
//! # Crate features
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `parallel` | on | reads, builds and answers batches on rayon's threads; without it, on one thread, with the same answers |
//! | `images` | off | adds `obj::load_alpha_masks`, which reads the opacity of materials from their textures |
//! | `scene-files` | off | adds `scene_file`, which saves scenes as TOML, and reads TOML and, with `formats`, glTF files into scenes |
//! | `formats` | off | lets [`load`] read STL, PLY and glTF files, in addition to OBJ |

#![forbid(unsafe_code)]
// On docs.rs, every item says which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(inline)]
pub use hitscan_primitives as primitives;
pub use hitscan_primitives::{
    Aabb, AlphaMask, AlphaMaskError, Axis, BoundaryLoop, BoxCrossing, BoxCrossings, BoxFace,
    ConvexRegion, CornerAttributes, DuplicateTriangle, EditError, EditOrderError, FaceRecords,
    FaceRecordsError, Faces, FaultyEdge, Hit, HitMode, HitOptions, LineRuns, Material, MeshChange,
    MeshDistance, MeshEdit, MeshEditor, MeshError, MeshPairError, MeshPart, PlanarPolygon, Plane,
    PolygonError, PolygonHit, PolygonProperties, PolygonRegion, Ray, RayError, Runs, SameVertex,
    SectionPlane, SectionPlaneError, SectionPolyline, SectionSegments, Side, Sphere, SphereCast,
    SphereCastError, SphereContact, SurfacePoint, Topology, TriMesh, Triangle, TriangleCrossing,
    TriangleFeature, TriangleHit, Triangulator, UnitTriangle, WatertightRay, brute_force, generate,
    glam,
};

pub use hitscan_bvh::{
    BoxBvh, BuildOptions, BuildQuality, BvhStats, Cancelled, CandidateRay, HitLists, InvalidBvh,
    Isa, Layout, MeshBvh, MeshPair, ObjectHit, RawBvh, RawBvhBuffers, RefitError, RefitReport,
    TraversalStats, UpdateError, WindingNumber, WindingTree,
};

#[doc(inline)]
pub use hitscan_cache as cache;
#[doc(inline)]
pub use hitscan_formats as formats;
pub use hitscan_formats::{
    Format, LoadOptions, LoadReport, Loaded, ReadError, ReadErrorKind, load, load_with_progress,
    parse, parse_any, parse_with_files,
};
#[doc(inline)]
pub use hitscan_picking as picking;
#[doc(inline)]
pub use hitscan_scene as scene;
#[cfg(feature = "scene-files")]
#[doc(inline)]
pub use hitscan_scene_file as scene_file;

/// Writing OBJ, the report of the OBJ reader, and the textures of MTL.
///
/// [`load`] and [`parse`] read OBJ files as all other formats.
pub mod obj {
    #[cfg(feature = "images")]
    pub use hitscan_obj::{AlphaMasks, AlphaOptions, TextureProblem, load_alpha_masks};
    pub use hitscan_obj::{
        LibraryIssue, LibraryProblem, LoadWarning, ObjReport, WarningCount, texture_file, write,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
