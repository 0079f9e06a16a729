//! The web server behind `hitscan view`: shows a scene in the browser and picks in it.
//!
//! ```no_run
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use hitscan::glam::{DAffine3, DVec3};
//! use hitscan::scene::{Instance, Mesh, Scene};
//! use hitscan_render::Subject;
//! use hitscan_viewer::{Model, Server};
//!
//! let ball = hitscan::generate::sphere(1.0, 1000)?;
//! let mut scene = Scene::new();
//! scene.insert(Instance::new(Arc::new(Mesh::new(ball, &Default::default())), DAffine3::IDENTITY))?;
//! let server = Server::bind(
//!     0,
//!     Model {
//!         subject: Subject::new(scene, |_, _| None),
//!         file: "ball.obj".to_owned(),
//!         up: DVec3::Y,
//!         reading: Duration::ZERO,
//!         building: Duration::ZERO,
//!     },
//! )?;
//! println!("open http://{}/", server.address());
//! server.run();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Server`] serves one [`Model`] on the loopback interface. Each browser tab has its own camera,
//! selection and hidden instances, which end with the tab. A [`Handle`] replaces the model, for example
//! after the file has changed.
//!
//! How the pieces fit:
//!
//! 1. The page forwards input events over a WebSocket and displays frames. It does no rendering.
//! 2. Each tab has two threads. A reader parses messages; a worker alternates between handling them
//!    and rendering for some milliseconds.
//! 3. Rendering is progressive: a preview while the camera moves, then full resolution, then
//!    refinement. The worker sends only the pixels that have changed.
//!
//! The server answers only its own page. The host of a request must be a loopback name with the
//! server's port, and an origin must be the same. It serves only files compiled into the program. It
//! limits connections, tabs, the size of requests and messages, and the time for a request.
//!
//! Each module below uses only modules listed above it:
//!
//! ```text
//! parts                            objects, groups and materials of meshes
//! entries                          the list of objects
//! model                            the scene to show
//! hidden, protocol                 what a tab hides, the messages of page and server
//! orbit, report, command_line      the camera, facts about a pick, the command that repeats it
//! section                          the plane that cuts the model
//! overlay                          edges and axes in a frame
//! highlight, resolution            the selection in a frame, the size of a preview
//! frame_renderer                   progressive rendering of a tab's frames
//! session                          the state of a tab; its submodules extend it
//! state                            the state that all connections share
//! socket                           the WebSocket of a tab
//! request, assets                  HTTP requests, the files of the page
//! server                           connections
//! ```
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `server` | connections and their limits | `assets`, `model`, `request`, `socket`, `state` |
//! | `request`, `assets` | HTTP requests; the files of the page (`src/page/`), which only forwards input and displays frames | |
//! | `socket`, `state` | the two threads of a tab (a reader, and a worker that alternates between messages and rendering); the shared state | `model`, `protocol`, `session` |
//! | `session`, `frame_renderer` | the state of a tab as a function of its messages, with `picking`, `hiding` and `listing`; progressive rendering in time slices, sent in chunks | `command_line`, `entries`, `hidden`, `highlight`, `model`, `orbit`, `parts`, `protocol`, `report`, `resolution`, `section` |
//! | `highlight`, `overlay`, `resolution` | the selection in a frame; edges and axes; the preview size that keeps interaction smooth | `parts` |
//! | `orbit`, `report`, `command_line`, `section` | the camera; facts about a pick; the command that repeats it; the plane that cuts the model | `hidden`, `parts`, `protocol` |
//! | `model`, `protocol` | the scene to show; messages between page and server | `entries`, `parts` |
//! | `entries`, `hidden` | the list of objects; the parts that a tab hides | `parts` |
//! | `parts` | objects, groups and materials of meshes | |

#![forbid(unsafe_code)]
#![allow(clippy::single_range_in_vec_init, reason = "lists of ranges may have one entry")]

mod parts;

mod entries;

mod model;

mod hidden;
mod protocol;

mod command_line;
mod orbit;
mod report;
mod section;

mod overlay;

mod highlight;
mod resolution;

mod frame_renderer;

mod session;

mod state;

mod socket;

mod request;

mod assets;

mod server;

pub use model::Model;
pub use server::{Handle, Server};
