//! Picking for editors: the element under the cursor, in a marquee or lasso, or near enough to snap to.
//!
//! A [`View`] is a camera with its viewport. It comes from the matrix that draws the picture, or from a
//! [`Camera`]. A [`Picker`] queries a [`Scene`](hitscan_scene::Scene) through a view.
//!
//! ```
//! use std::sync::Arc;
//!
//! use hitscan_picking::{Camera, ElementKind, PickOptions, Picker, Viewport};
//! use hitscan_primitives::generate;
//! use hitscan_scene::{Instance, Mesh, Scene, glam::DAffine3};
//!
//! let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &Default::default()));
//! let mut scene = Scene::new();
//! let id = scene.insert(Instance::new(cube, DAffine3::IDENTITY))?;
//!
//! let view = Camera::look_at([0.0, 0.0, 9.0], [0.0; 3]).view(Viewport::from_size(800.0, 600.0))?;
//! let picker = Picker::new(&scene, &view);
//! let pick = picker.pick([400.0, 300.0], &PickOptions::for_kind(ElementKind::Object));
//! assert_eq!(pick.map(|pick| (pick.instance, pick.point.z)), Some((id, 1.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How the pieces fit
//!
//! | question | call |
//! |---|---|
//! | Which ray belongs to a pixel, and which pixel to a point? | [`View::ray`], [`View::project`] |
//! | Which element is under the cursor, or within some pixels of it? | [`Picker::pick`] |
//! | Which element does the next click at the same pixel select? | [`ClickCycle::click`] |
//! | Which elements are under the cursor, through all surfaces? | [`Picker::pick_all`] |
//! | Where does a dragged point snap to? | [`Picker::snap`] |
//! | Which elements are in a marquee or lasso? | [`Picker::marquee`], [`Picker::select`] |
//! | Is a point of the world visible? | [`Picker::is_visible`] |
//! | Which curve or point of a cloud is at the cursor? | [`Polylines::pick`] |
//! | How do picks honour clipping planes? | [`View::with_clipping_planes`] |
//!
//! # Terms
//!
//! - *World space* is the space of the scene, in f64.
//! - A *pixel* is a continuous position on the screen. The first pixel covers 0 to 1, with its centre
//!   at 0.5. It is logical or physical, as the caller likes; see [`Viewport`].
//! - An *element* is an object (an instance), or a face, edge or vertex of its mesh. Faces and edges
//!   are those of polygons before triangulation.
//! - An element is *visible* where it lies in the viewport, between the near and far planes, hidden by no
//!   clipping plane, and behind no surface.
//!
//! Queries ignore geometry before the near plane, behind the far plane, and on the hidden sides of clipping planes.
//!
//! # Accuracy
//!
//! All arithmetic between the f32 vertices of a mesh and the screen is f64, relative to a point near the
//! camera. Rays answer as [`hitscan_scene`] specifies. Exact predicates on the projected corners decide
//! regions.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `test_scenes` | random scenes for tests | `camera`, `screen_region`, `view`, `viewport` |
//! | `click_cycle`, `select`, `polylines` | repeated clicks; marquee and lasso; lines and points without a surface | `clip`, `element`, `in_region`, `near_pixel`, `parallel`, `pick`, `picker`, `progress`, `projected_mesh`, `screen_frustum`, `screen_map`, `screen_region`, `view`, `visible`, `visible_samples` |
//! | `visible`, `own_pixels` | removes hidden elements, by rays: `pixel_centers` from coarse to fine, then samples of each element; the search for one object in its rectangle | `element`, `near_pixel`, `parallel`, `picker`, `pixel_centers`, `progress`, `screen_map`, `screen_region`, `sight`, `visible_samples` |
//! | `picker`, `pick`, `pixel_centers` | picking and snapping; options and results; a grid of pixels | `element`, `near_pixel`, `projected_mesh`, `screen_frustum`, `sight`, `view` |
//! | `visible_samples` | points of an element that may be visible | `clip`, `element`, `near_pixel`, `projected_mesh`, `screen_frustum`, `screen_map`, `screen_region`, `sight` |
//! | `sight` | the first surface behind a pixel or in front of a point | `near_pixel`, `parallel`, `view` |
//! | `near_pixel`, `in_region` | elements of one mesh near a pixel or in a region | `clip`, `element`, `projected_mesh`, `screen_frustum`, `screen_map`, `screen_region` |
//! | `projected_mesh`, `element` | a mesh with its map to the screen; objects, faces, edges, vertices | `clip`, `screen_map` |
//! | `clip` | the part between the near and far planes and above the clipping planes, cut before the division by w | `polygon2d`, `screen_map` |
//! | `screen_frustum` | conservative box tests, which answer `Crossing` unless they are certain | `screen_map`, `screen_region` |
//! | `screen_region`, `polygon2d` | marquee and lasso; exact predicates | |
//! | `camera`, `view` | a view from eye, target and projection; pixels → rays, points → pixels | `convention`, `screen_map`, `viewport` |
//! | `convention`, `viewport`, `screen_map`, `parallel`, `progress` | conventions of engines; the rectangle of pixels; linear forms: pixel x and y times w, w, near, far, clipping planes; loops over threads; progress and cancellation of a selection | |

#![forbid(unsafe_code)]

// The view.
mod camera;
mod convention;
mod screen_map;
mod view;
mod viewport;

// The geometry of the screen.
mod clip;
mod pixel_centers;
mod polygon2d;
mod projected_mesh;
mod screen_frustum;
mod screen_region;

// Loops over threads, and their progress.
mod parallel;
mod progress;

// Searches of one mesh.
mod element;
mod in_region;
mod near_pixel;

// Queries of the scene, and of polylines.
mod click_cycle;
mod own_pixels;
mod pick;
mod picker;
mod polylines;
mod select;
mod sight;
#[cfg(test)]
mod test_scenes;
mod visible;
mod visible_samples;

pub use camera::{Camera, Projection};
pub use click_cycle::ClickCycle;
pub use convention::{Convention, DepthRange, PixelY};
pub use element::{Element, ElementKind};
#[doc(no_inline)]
pub use glam;
pub use in_region::RegionMode;
pub use pick::{Pick, PickOptions, Snap, SnapOptions, SnapTarget};
pub use picker::Picker;
pub use polylines::{PolylineError, PolylinePick, Polylines};
pub use screen_region::{ScreenRegion, ScreenRegionError};
pub use select::{SelectOptions, Selected};
pub use view::{Projected, View, ViewError};
pub use viewport::Viewport;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
