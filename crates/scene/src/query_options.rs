//! Which instances and which sides of triangles a query sees.

use hitscan_primitives::Faces;

use crate::{InstanceId, Scene, scene::Record};

/// Which triangles of which instances a query sees.
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
    /// Which sides of the triangles. Front is the side that is front in the mesh's own space: what is
    /// outside of a closed mesh stays outside in a mirrored instance.
    pub faces: Faces,
    /// Instances on none of these layers are left out.
    pub layers: u32,
    /// Instances to leave out, each with everything below it.
    pub ignore: &'a [InstanceId],
    /// Whether hidden instances count.
    pub include_hidden: bool,
    /// Whether locked instances count.
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
    /// Whether a query with these options sees the instance.
    pub(crate) fn includes(&self, record: &Record, options: &QueryOptions<'_>) -> bool {
        let instance = &record.instance;
        (options.include_hidden || !record.state.hidden)
            && (options.include_locked || !instance.locked)
            && instance.layers & options.layers != 0
            && (options.ignore.is_empty()
                || !self.ancestors(record.id).any(|record| options.ignore.contains(&record.id)))
    }
}
