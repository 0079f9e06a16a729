//! Pictures of scenes, by their own rays.
//!
//! ```text
//! view ──▶ film (rays in tiles) ──▶ plain, glass or shaded (colours of hits) ──▶ picture ──▶ PNG
//!             ▲                                          legend, ray_lines (drawn on) ──▶ ▲
//! subject ────┘ (what the rays hit)
//! ```
//!
//! [`render`] makes a picture in one go, [`Exposure`] piece by piece, for those who have to answer
//! meanwhile. A picture depends on what is given alone, not on the number of threads.
//!
//! ```
//! use std::sync::Arc;
//!
//! use hitscan::glam::DAffine3;
//! use hitscan::picking::Viewport;
//! use hitscan::scene::{Instance, Mesh, Scene};
//! use hitscan_render::{Framing, Style, Subject, render};
//!
//! let ball = hitscan::generate::sphere(1.0, 1000)?;
//! let mut scene = Scene::new();
//! scene.insert(Instance::new(Arc::new(Mesh::new(ball, &Default::default())), DAffine3::IDENTITY))?;
//! let subject = Subject::new(scene, |_, _| None);
//! let viewport = Viewport::from_size(64.0, 48.0);
//! let view = Framing::default().camera(&subject, viewport.aspect())?.view(viewport)?;
//! let picture = render(&subject, &view, &Style::default(), |_| ());
//! assert!(picture.png()?.starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod color;
mod exposure;
mod film;
mod framing;
mod glass;
mod legend;
mod picture;
mod plain;
mod ray_lines;
mod sampling;
mod shaded;
mod silhouette;
mod stroke;
mod style;
mod subject;

pub use color::Ramp;
pub use exposure::{Exposure, render};
pub use film::Seen;
pub use framing::{Framing, FramingError, camera};
pub use legend::{Legend, RampLegend};
pub use picture::{Picture, PictureError};
pub use ray_lines::draw_rays;
pub use stroke::Stroke;
pub use style::{Background, Mode, Style};
pub use subject::Subject;
