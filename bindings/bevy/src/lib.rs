//! [Bevy](https://bevy.org) picking, ray casts and editor queries on hitscan's trees.
//!
//! | question | item |
//! |---|---|
//! | How do pointers pick meshes faster than with `MeshPickingPlugin`? | [`HitscanPickingPlugin`] |
//! | How do I cast a ray, as with `MeshRayCast`? | [`HitscanRayCast`] |
//! | How do I click through, select by marquee or lasso, snap, find the closest point? | [`HitscanScene`] |
//! | What did a pointer hit: which triangle, texture coordinate, polygon? | [`HitscanHit`], in each `HitData` |
//! | Which entities does a query include? | [`SceneFilter`] |
//! | What does one camera or pointer pick? How do rays pass the holes of a texture? | [`HitscanPickFilter`] |
//! | How do pointers pick the handles of a gizmo through objects? | [`HitscanPickOrder`] |
//! | How do I pick points and lines within some pixels? | [`HitscanLines`], [`HitscanScene::pick_line`] |
//! | How do I tune the trees? | [`HitscanSettings`] |
//! | How do quads stay quads? | [`HitscanPolygons`] |
//! | How do I query on another thread? | [`HitscanScene::snapshot`], [`HitscanWorld::snapshot`] |
//! | How does a tool that moves vertices keep trees current? | [`HitscanEdits`] |
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
//! Every mesh gets a piece of the copy in turn, so small ones pass large ones. A copy under way goes on when the mesh
//! changes, and a further one follows, so a mesh that changes in every frame has a tree that is some frames old.
//! A change of colours or texture coordinates leaves the tree as it is. With a report of the vertices that a tool
//! moved ([`HitscanEdits`]), the tree follows in the same frame.
//!
//! Meanwhile rays test the triangles of small meshes one by one, as Bevy does. Larger ones answer by the tree
//! of their last content, or by their bounding box ([`HitscanSettings::scan_limit`]).
//!
//! Trees need the mesh in the main world (`RenderAssetUsages::MAIN_WORLD`), positions, and a list or strip of
//! triangles. The log has one warning for each other mesh, and rays pass through it.
//!
//! # Skinned and morphed meshes
//!
//! An entity with `SkinnedMesh` or `MeshMorphWeights` has a copy of the tree. Each frame computes a box around its
//! pose, from its joints. The first query that reaches the box moves the vertices and refits the copy, once per
//! pose; other entities cost only the box. While the tree is built, rays hit the mesh at rest.
//!
//! # Systems side by side
//!
//! The trees and instances change once a frame, in `HitscanSystems`. All queries read, without a lock: systems that cast
//! run side by side, and a rule of the caller may query.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `debug` | hits, boxes and outlines, drawn by Bevy's gizmos | `bevy_api`, `convert`, `hit`, `mirror`, `picking`, `source` |
//! | `picking` | the picking backend | `cast`, `edits`, `follow`, `hit`, `lines`, `mirror`, `pick_filter`, `pick_order`, `polygons`, `settings` |
//! | `scene` | the queries of an editor, as a system parameter | `cast`, `convert`, `hit`, `included`, `lines`, `mirror`, `reach`, `scene_query` |
//! | `ray_cast` | the replacement for `MeshRayCast` | `cast`, `hit` |
//! | `included` | the scene of a query: current poses in its reach, without the entities that a filter excludes | `cast`, `follow`, `mirror`, `reach`, `scene_query` |
//! | `scene_query` | the options and results of the queries, in Bevy's types | `convert`, `hit` |
//! | `cast` | rays through the world: entities nearest first, each with its hits | `bevy_api`, `build`, `castable`, `convert`, `follow`, `hit`, `mirror`, `settings`, `trees` |
//! | `castable` | whether and how a ray hits an entity | `follow` |
//! | `follow` | the system that keeps the mirror up to date | `convert`, `edits`, `mirror`, `polygons`, `pose`, `settings` |
//! | `mirror` | the entities with meshes, as instances of a hitscan scene | `bevy_api`, `build`, `pose`, `posed`, `trees` |
//! | `posed` | the pose of an entity in a frame, and its tree, which the first query moves | `skin`, `trees` |
//! | `pose` | the current poses of skinned and morphed entities | `convert`, `skin` |
//! | `trees` | a tree for every mesh asset, built by tasks off the main thread | `bevy_api`, `build`, `polygons`, `settings`, `skin`, `source` |
//! | `build` | the tree of a mesh, and the task that builds or refits it | `bevy_api`, `source` |
//! | `source` | the triangles of a Bevy mesh, copied piece by piece and checked | `bevy_api` |
//! | `skin`, `polygons`, `settings`, `edits`, `pick_order` | joints and morph targets; polygons of triangles; the settings of trees; moved vertices; the order of entities that a pointer hits | `bevy_api` |
//! | `pick_filter` | the entities that the pointer or camera of a ray picks | `hit` |
//! | `lines` | points and lines, which queries pick within a radius in pixels | `bevy_api`, `convert` |
//! | `hit` | the hit of a ray on an entity | `bevy_api`, `convert` |
//! | `reach` | the part of space that a query can reach | |
//! | `convert` | Bevy's vectors as hitscan's, which may come from two versions of glam | |
//! | `bevy_api` | everything of Bevy that the crate uses | |

#![forbid(unsafe_code)]

mod bevy_api;
mod build;
mod cast;
mod castable;
mod convert;
#[cfg(feature = "gizmos")]
pub mod debug;
mod edits;
mod follow;
mod hit;
mod included;
mod lines;
mod mirror;
mod pick_filter;
mod pick_order;
mod picking;
mod polygons;
mod pose;
mod posed;
mod ray_cast;
mod reach;
mod scene;
mod scene_query;
mod settings;
mod skin;
mod source;
mod trees;

pub use edits::HitscanEdits;
pub use hit::HitscanHit;
pub use hitscan;
pub use lines::{HitscanLines, LinePickOptions, SceneLinePick};
pub use mirror::HitscanWorld;
pub use pick_filter::HitscanPickFilter;
pub use pick_order::HitscanPickOrder;
pub use picking::{HitscanPickingPlugin, HitscanPlugin, HitscanSystems};
pub use polygons::HitscanPolygons;
pub use ray_cast::HitscanRayCast;
pub use scene::HitscanScene;
pub use scene_query::{
    SceneClosestPoint, SceneFilter, ScenePick, SceneSelected, SceneSnap, box_region, sphere_region,
};
pub use settings::HitscanSettings;

/// The plugins, system parameters and types that most apps need.
pub mod prelude {
    pub use crate::{
        HitscanEdits, HitscanHit, HitscanLines, HitscanPickFilter, HitscanPickOrder,
        HitscanPickingPlugin, HitscanPlugin, HitscanPolygons, HitscanRayCast, HitscanScene,
        HitscanSettings, HitscanSystems, HitscanWorld, SceneFilter,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
