//! The model that a server shows.

use std::time::Duration;

use hitscan::glam::DVec3;
use hitscan_render::Subject;

use crate::entries::Entries;
use crate::parts::SceneParts;

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

/// A model that tabs show, with what they need of it.
#[derive(Debug)]
pub(crate) struct ShownModel {
    pub(crate) model: Model,
    pub(crate) parts: SceneParts,
    pub(crate) entries: Entries,
}

impl ShownModel {
    /// Finds and lists the parts of the model. O(triangles).
    pub(crate) fn new(model: Model) -> Self {
        let subject = &model.subject;
        let parts = SceneParts::new(subject.scene());
        let entries = Entries::new(subject.scene(), subject.instances(), &parts);
        Self { model, parts, entries }
    }
}
