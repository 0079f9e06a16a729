//! [Bevy](https://bevy.org) picking, ray casts and editor queries on hitscan's trees.
//!
//! | question | item |
//! |---|---|
//! | How do pointers pick meshes faster than with `MeshPickingPlugin`? | [`HitscanPickingPlugin`] |
//! | How do I cast a ray, as with `MeshRayCast`? | [`HitscanRayCast`] |
//! | How do I click through, select by marquee or lasso, snap, find the closest point? | [`HitscanScene`] |
//! | What did a pointer hit: which triangle, texture coordinate, polygon? | [`HitscanHit`], in each `HitData` |
//! | Which entities does a query include? | [`SceneFilter`] |
//! | How do I tune the trees? | [`HitscanSettings`] |
//! | How do quads stay quads? | [`HitscanPolygons`] |
//! | How do I query on another thread? | [`HitscanWorld::snapshot`] |
//! | How do I draw hits, boxes and outlines? | the module `debug`, with the feature `gizmos` |
//!
//! ```no_run
//! # use bevy_app::App;
//! # let mut app = App::new();
//! // In place of `MeshPickingPlugin`:
//! app.add_plugins(hitscan_bevy::HitscanPickingPlugin);
//! ```
//!
//! # Trees
//!
//! Each `Mesh` asset gets one tree, which all its entities share. A frame copies one megabyte of new
//! meshes ([`HitscanSettings::copied_bytes_per_frame`]). A task of the `AsyncComputeTaskPool` builds the
//! tree. A changed mesh with the same triangles gets a refit instead. The tree goes with the asset.
//!
//! Meanwhile rays test the triangles of small meshes one by one, as Bevy does. Larger ones answer by the tree
//! of their last content, or by their bounding box ([`HitscanSettings::scan_limit`]).
//!
//! Trees need the mesh in the main world (`RenderAssetUsages::MAIN_WORLD`), positions, and a list or strip of
//! triangles. The log has one warning for each other mesh, and rays pass through it.
//!
//! # Skinned and morphed meshes
//!
//! An entity with `SkinnedMesh` or `MeshMorphWeights` has a copy of the tree. A ray that enters the box
//! around its current pose moves the vertices and refits the copy, at most once per pose. Other entities cost
//! only that box, from their joints. While the tree is built, rays hit the mesh at rest.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `debug` | hits, boxes and outlines, drawn by Bevy's gizmos | `bevy_api`, `convert`, `hit`, `mirror`, `picking`, `source` |
//! | `picking` | the picking backend | `cast`, `follow`, `hit`, `mirror`, `polygons`, `settings` |
//! | `scene` | the queries of an editor, as a system parameter | `cast`, `convert`, `follow`, `hit`, `mirror`, `scene_query` |
//! | `ray_cast` | the replacement for `MeshRayCast` | `cast`, `hit` |
//! | `scene_query` | the options and results of the queries, in Bevy's types | `convert`, `hit` |
//! | `cast` | rays through the world: entities nearest first, each with its hits | `bevy_api`, `convert`, `follow`, `hit`, `mirror`, `pose`, `settings`, `skin`, `trees` |
//! | `follow` | the system that keeps the mirror up to date | `convert`, `mirror`, `polygons`, `settings` |
//! | `mirror` | the entities with meshes, as instances of a hitscan scene | `pose`, `skin`, `trees` |
//! | `pose` | the current poses of skinned and morphed entities | `convert`, `skin` |
//! | `trees` | a tree for every mesh asset, built by tasks off the main thread | `bevy_api`, `polygons`, `settings`, `skin`, `source` |
//! | `source` | the triangles of a Bevy mesh, copied piece by piece and checked | `bevy_api` |
//! | `skin`, `polygons`, `settings` | joints and morph targets; polygons of triangles; the settings of trees | `bevy_api` |
//! | `hit` | the hit of a ray on an entity | `bevy_api`, `convert` |
//! | `convert` | Bevy's vectors as hitscan's, which may come from two versions of glam | |
//! | `bevy_api` | everything of Bevy that the crate uses | |

#![forbid(unsafe_code)]

mod bevy_api;
mod cast;
mod convert;
#[cfg(feature = "gizmos")]
pub mod debug;
mod follow;
mod hit;
mod mirror;
mod picking;
mod polygons;
mod pose;
mod ray_cast;
mod scene;
mod scene_query;
mod settings;
mod skin;
mod source;
mod trees;

pub use hit::HitscanHit;
pub use hitscan;
pub use mirror::HitscanWorld;
pub use picking::{HitscanPickingPlugin, HitscanPlugin, HitscanSystems};
pub use polygons::HitscanPolygons;
pub use ray_cast::HitscanRayCast;
pub use scene::HitscanScene;
pub use scene_query::{
    SceneClosestPoint, SceneFilter, ScenePick, SceneSelected, SceneSnap, box_region, sphere_region,
};
pub use settings::HitscanSettings;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
