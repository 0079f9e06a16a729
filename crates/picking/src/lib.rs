//! Editor picking: what is under the cursor, in the marquee, near enough to snap to.
//!
//! A [`View`] is made from the matrix that draws the picture, a [`Picker`] asks what is seen of a scene
//! through it; [`Picker`] has the running example.
//!
//! | question | call |
//! |---|---|
//! | Which ray is a pixel? Which pixel is a point? | [`View::ray`], [`View::project`] |
//! | What is under the cursor, or within some pixels of it? | [`Picker::pick`] |
//! | What lies below that, click by click? | [`ClickCycle::click`] |
//! | All of it, through walls? | [`Picker::pick_all`] |
//! | Where does a dragged point snap? | [`Picker::snap`] |
//! | What is in the marquee or lasso? | [`Picker::select`] |
//! | Is a point of the world in sight? | [`Picker::is_visible`] |
//! | Which curve, or point of a cloud, is at the cursor? | [`Polylines::pick`] |
//!
//! # Words
//!
//! *World space* is that of the scene, in f64. A *pixel* is a continuous position on the screen: the
//! first one covers 0 to 1 and has its centre at 0.5. An *element* is an object (an instance), or a
//! face, edge or vertex of its mesh; faces and edges are those of polygons before triangulation. What
//! lies before the near plane or behind the far plane is neither seen nor picked.
//!
//! # Accuracy
//!
//! Everything between the f32 vertices of a mesh and the screen is f64, relative to a point near the
//! camera. Rays answer as [`hitscan_scene`] promises; regions are decided by exact predicates on the
//! projected corners.

#![forbid(unsafe_code)]

mod camera;
mod click_cycle;
mod clip;
mod convention;
mod element;
mod in_region;
mod near_pixel;
mod pick;
mod picker;
mod polygon2d;
mod polylines;
mod projected_mesh;
mod screen_frustum;
mod screen_map;
mod screen_region;
mod select;
mod view;
mod viewport;
mod visible;

pub use camera::{Camera, Projection};
pub use click_cycle::ClickCycle;
pub use convention::{Convention, DepthRange, PixelY};
pub use element::{Element, ElementKind};
pub use glam;
pub use in_region::RegionMode;
pub use pick::{Pick, PickOptions, Snap, SnapOptions, SnapTarget};
pub use picker::Picker;
pub use polylines::{PolylineError, PolylinePick, Polylines};
pub use screen_region::{ScreenRegion, ScreenRegionError};
pub use select::{SelectOptions, Selected};
pub use view::{Projected, View, ViewError};
pub use viewport::Viewport;
