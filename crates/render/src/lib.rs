//! Renders pictures of hitscan scenes by ray casting: shaded, or in false colour for depth, normals,
//! names and work per ray.
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
//!
//! [`render`] makes a picture in one call. [`ProgressiveRender`] makes it in steps of some milliseconds,
//! for a program that has to react in between. Both give the same picture for any number of threads.
//!
//! How the pieces fit:
//!
//! 1. A [`Subject`] is the scene to render, with material colours and names.
//! 2. A [`Framing`] finds a camera that sees all of it; [`camera`] makes one from positions.
//! 3. A [`Style`] selects the [`Mode`], the samples per pixel and the light.
//! 4. The result is a [`Picture`]. [`draw_rays`], [`draw_segments`] and [`Stroke`] draw on it, and [`Picture::png`]
//!    encodes it.
//!
//! World positions and distances are f64 in the units of the scene. Pixels count from the top left.
//!
//! Each module below uses only modules listed above it:
//!
//! ```text
//! color, sampling, style, stroke    values without a scene
//! texture                           pictures that colour surfaces
//! smooth_normals                    corner normals for meshes without any
//! cut                               the filled cut of a section
//! subject                           the scene: ray queries, surface points, names
//! framing, silhouette               cameras around it, its outline
//! film, picture, legend             sums of samples, sRGB pixels, key to the colours
//! ground                            the plane below a scene
//! hit_colors, glass, shaded         one shading per mode
//! false_color                       films of values
//! progressive, ray_lines            rendering, and drawing rays and lines into the result
//! ```
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `progressive`, `ray_lines` | rendering in one call or in steps; rays and segments drawn into a picture | `color`, `false_color`, `film`, `glass`, `hit_colors`, `legend`, `picture`, `shaded`, `silhouette`, `stroke`, `style`, `subject` |
//! | `false_color` | films of values → colours | `color`, `film`, `legend` |
//! | `hit_colors`, `glass`, `shaded` | the shading of each mode | `color`, `film`, `ground`, `sampling`, `style`, `subject` |
//! | `ground` | the plane below a scene that shows its shadows | `subject` |
//! | `framing`, `silhouette` | cameras that see a whole scene; the outline outside which no ray is needed | `subject` |
//! | `legend`, `picture`, `film` | the key to the colours; sRGB pixels and PNG; sums of samples, in tiles on all threads | `color`, `sampling`, `style` |
//! | `subject` | the scene with colours and names; `tracing` has its ray queries, `surface` its shading normals | `cut`, `smooth_normals`, `texture` |
//! | `cut` | the filled cut of a section | |
//! | `texture`, `smooth_normals` | decoded pictures; corner normals for meshes without any | `color` |
//! | `color`, `sampling`, `stroke`, `style` | palettes; sample points; lines; settings | |

#![forbid(unsafe_code)]

mod color;
mod sampling;
mod stroke;
mod style;

mod cut;
mod smooth_normals;
mod texture;

mod subject;

mod framing;
mod silhouette;

mod film;

mod picture;

mod legend;

mod ground;

mod glass;
mod hit_colors;
mod shaded;

mod false_color;

mod progressive;
mod ray_lines;

pub use color::Ramp;
pub use film::VisibleFace;
pub use framing::{Framing, FramingError, camera};
pub use legend::{Legend, RampLegend};
pub use picture::{Picture, PictureError};
pub use progressive::{ProgressiveRender, render};
pub use ray_lines::{draw_rays, draw_segments};
pub use stroke::Stroke;
pub use style::{Background, Mode, Style};
pub use subject::Subject;
pub use texture::{Texture, TextureError};
