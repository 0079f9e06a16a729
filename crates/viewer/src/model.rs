//! What is looked at.

use std::time::Duration;

use hitscan::glam::DVec3;
use hitscan_render::Subject;

/// A scene to look at, with what is told about it.
#[derive(Clone, Debug)]
pub struct Model {
    /// What the pictures are of.
    pub subject: Subject,
    /// The file as a command line names it.
    pub file: String,
    /// What points up.
    pub up: DVec3,
    /// How long reading the files took.
    pub reading: Duration,
    /// How long building the trees took.
    pub building: Duration,
}
