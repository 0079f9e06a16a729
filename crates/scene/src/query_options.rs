//! The options of a query: the instances, the sides of triangles and the hits that it includes.

use hitscan_bvh::instances::InstanceFilter;
use hitscan_primitives::{Faces, HitMode, HitOptions};

use crate::{
    InstanceId, Scene,
    scene::{HIDDEN, LOCKED, Record},
};

/// The instances, the sides of triangles and the hits that a query includes.
///
/// The default includes both sides of all instances that are neither hidden nor locked, and every triangle
/// that a ray meets. A query ignores the fields that cannot change its answer: a query without a ray
/// ignores `faces`, and only a list of hits depends on `mode`.
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
    /// The hits where a ray meets a shared edge or vertex, in the queries for lists of hits:
    /// [`Scene::all_hits`], [`Scene::nearest_hits_into`] and their variants.
    pub mode: HitMode,
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
            mode: HitMode::EveryTriangle,
            layers: u32::MAX,
            ignore: &[],
            include_hidden: false,
            include_locked: false,
        }
    }
}

impl QueryOptions<'_> {
    /// The instances that the tree passes on. It does not know those of [`ignore`](Self::ignore).
    pub(crate) fn filter(&self) -> InstanceFilter {
        let hidden = if self.include_hidden { 0 } else { HIDDEN };
        let locked = if self.include_locked { 0 } else { LOCKED };
        InstanceFilter { layers: self.layers, excluded_flags: hidden | locked }
    }

    /// The options of a list of hits in the mesh of an instance.
    pub(crate) fn hit_options(&self) -> HitOptions {
        HitOptions { faces: self.faces, mode: self.mode }
    }
}

impl Scene {
    /// Whether a query with these options includes the instance.
    pub(crate) fn includes(&self, record: &Record, options: &QueryOptions<'_>) -> bool {
        let instance = &record.instance;
        (options.include_hidden || !record.inherited().hidden)
            && (options.include_locked || !instance.locked)
            && instance.layers & options.layers != 0
            && !self.is_ignored(record, options)
    }

    /// Whether a query with these options skips the instance because it, or an ancestor, is in the list.
    pub(crate) fn is_ignored(&self, record: &Record, options: &QueryOptions<'_>) -> bool {
        !options.ignore.is_empty()
            && self.ancestors(record.id).any(|record| options.ignore.contains(&record.id))
    }
}
