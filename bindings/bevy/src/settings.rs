//! The settings of trees.

use hitscan::BuildOptions;

use crate::bevy_api::{Reflect, ReflectDefault, ReflectResource, Resource};

/// The settings of the trees that follow the meshes of the world.
///
/// Picking itself uses Bevy's `MeshPickingSettings` and `MeshPickingCamera`, so that the built-in backend and
/// this one share them.
#[derive(Resource, Clone, Debug, PartialEq, Reflect)]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct HitscanSettings {
    /// The quality and layout of new trees. Reflection does not show it.
    #[reflect(ignore)]
    pub build: BuildOptions,
    /// The maximum number of triangles that a query tests one by one while a mesh has no current tree.
    ///
    /// Above it, the query uses the tree of the mesh's last content, a few frames old. A mesh that never had
    /// a tree answers by its bounding box. 20,000 by default; 0 never scans, `usize::MAX` always does.
    pub scan_limit: usize,
    /// The number of bytes that one frame copies from meshes to the tasks that build trees.
    ///
    /// 1 MiB by default: 18 frames for a mesh of a million triangles.
    pub copied_bytes_per_frame: usize,
    /// The number of trees that one frame starts to build; at least 1.
    ///
    /// Without a limit by default, because tasks build them. On wasm and without the feature `multi_threaded` a tree is
    /// built within the frame, and the default is 1.
    pub trees_per_frame: usize,
}

/// Whether tasks run beside the frame.
const HAS_THREADS: bool = cfg!(all(feature = "multi_threaded", not(target_arch = "wasm32")));

impl Default for HitscanSettings {
    fn default() -> Self {
        Self {
            build: BuildOptions::default(),
            scan_limit: 20_000,
            copied_bytes_per_frame: 1 << 20,
            trees_per_frame: if HAS_THREADS { usize::MAX } else { 1 },
        }
    }
}
