//! The flags of a command as values that it can work with. All checks of flags against each other are
//! here, so a command reports a wrong flag before it reads a file.

pub(crate) mod camera;
mod cast;
mod eye;
mod output;
mod points;
mod render;
mod section;

pub(crate) use cast::Cast;
pub(crate) use eye::Eye;
pub(crate) use output::{MESHES, check_cache_name};
pub(crate) use points::{PointInput, Points};
pub(crate) use render::style;
pub(crate) use section::Section;
