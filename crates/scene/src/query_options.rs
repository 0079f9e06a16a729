//! The options of a query: which instances and which sides of triangles it includes.

use hitscan_primitives::Faces;

use crate::{InstanceId, Scene, scene::Record};

/// The instances and the sides of triangles that a query includes.
///
/// The default includes both sides of all instances that are neither hidden nor locked.
///
/// ```
/// use hitscan_primitives::Faces;
/// use hitscan_scene::QueryOptions;
///
/// let options = QueryOptions { faces: Faces::Front, layers: 1 << 3, ..QueryOptions::default() };
/// assert!(!options.include_hidden);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct QueryOptions<'a> {
    /// The sides of triangles that a ray may hit. The winding in the mesh's own space decides which side
    /// is the front, so the outside of a closed mesh stays the front in a mirrored instance.
    pub faces: Faces,
    /// The query skips instances that share no bit with this mask.
    pub layers: u32,
    /// The query skips these instances and their descendants. O(depth of the instance times the length of
    /// the list) per candidate instance.
    pub ignore: &'a [InstanceId],
    /// Whether the query includes hidden instances.
    pub include_hidden: bool,
    /// Whether the query includes locked instances.
    pub include_locked: bool,
}

impl Default for QueryOptions<'_> {
    /// Both sides of everything that is neither hidden nor locked, on all layers.
    fn default() -> Self {
        Self {
            faces: Faces::Both,
            layers: u32::MAX,
            ignore: &[],
            include_hidden: false,
            include_locked: false,
        }
    }
}

impl Scene {
    /// Whether a query with these options includes the instance.
    pub(crate) fn includes(&self, record: &Record, options: &QueryOptions<'_>) -> bool {
        let instance = &record.instance;
        (options.include_hidden || !record.state.hidden)
            && (options.include_locked || !instance.locked)
            && instance.layers & options.layers != 0
            && (options.ignore.is_empty()
                || !self.ancestors(record.id).any(|record| options.ignore.contains(&record.id)))
    }
}
