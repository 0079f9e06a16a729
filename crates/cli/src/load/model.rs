//! A mesh in memory, with the report of its reader and the tree of a cache file.

use std::path::PathBuf;

use hitscan::{BuildQuality, Layout, Material, MeshBvh, TriMesh};

use crate::args::EngineArgs;

/// A mesh and the facts that the commands print about its files.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) mesh: TriMesh,
    pub(crate) materials: Vec<Material>,
    /// The number of items that the reader skipped or found odd.
    pub(crate) n_ignored: u64,
    /// A sentence for each kind of skipped or odd item.
    pub(crate) remarks: Vec<String>,
    /// All files read, the named one first. For a cache file they include the source files, because
    /// the reader checks those too.
    pub(crate) files: Vec<PathBuf>,
    /// The source files of a cache file, relative to its folder; empty for any other file.
    pub(crate) built_from: Vec<PathBuf>,
    /// The tree of a cache file, until [`super::build_tree`] takes it.
    pub(crate) tree: Option<CachedTree>,
}

/// A tree from a cache file.
#[derive(Debug)]
pub(crate) struct CachedTree {
    pub(crate) bvh: MeshBvh,
    pub(crate) quality: BuildQuality,
}

impl CachedTree {
    /// Whether the tree has the requested quality and layout. An absent flag accepts any.
    pub(crate) fn suits(&self, engine: &EngineArgs) -> bool {
        Self::has(engine, self.quality, &self.bvh)
    }

    /// Whether a tree of this quality has the requested quality and layout. An absent flag accepts any.
    pub(crate) fn has(engine: &EngineArgs, quality: BuildQuality, bvh: &MeshBvh) -> bool {
        let wanted = |layout| Layout::from(layout).for_size(bvh.n_triangles());
        engine.quality.is_none_or(|wanted| BuildQuality::from(wanted) == quality)
            && engine.layout.is_none_or(|layout| wanted(layout) == bvh.layout())
    }
}
