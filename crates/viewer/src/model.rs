//! The model that a server shows.

use std::time::Duration;

use hitscan::glam::DVec3;
use hitscan_render::Subject;

/// A scene to view, and facts that the page displays about it.
#[derive(Clone, Debug)]
pub struct Model {
    /// The scene with its materials.
    pub subject: Subject,
    /// The file's path as given on the command line. The page's commands quote it.
    pub file: String,
    /// World direction that points up, of unit length. The camera falls back to +y if it is zero.
    pub up: DVec3,
    /// Time to read the files.
    pub reading: Duration,
    /// Time to build the trees.
    pub building: Duration,
}
