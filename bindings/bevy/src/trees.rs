//! A tree for every mesh asset, built by tasks off the main thread.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    bevy_api::{AssetId, Assets, EntityHashSet, LeftOut, Mesh, MeshData, Task, check_ready},
    build::{Build, BuiltMesh, background, drop_in_background},
    polygons::HitscanPolygons,
    settings::HitscanSettings,
    skin::SkinSource,
    source::Copying,
};

/// The means by which a mesh answers a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answer {
    Tree,
    /// There is no current tree, and the mesh is small: test every triangle.
    Scan,
    /// There is no tree at all, and the mesh is large: test the bounding box.
    Box,
    Nothing,
}

/// The trees of all mesh assets, and the work on them.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    assets: HashMap<AssetId<Mesh>, AssetTree>,
    /// Assets that wait for the next piece of their copy, in order.
    queue: VecDeque<AssetId<Mesh>>,
    /// The copies under way that take more than one piece.
    n_large_copies: usize,
    building: Vec<AssetId<Mesh>>,
    /// Assets whose tree does not show their current content.
    stale: HashSet<AssetId<Mesh>>,
}

/// The tree of an asset.
#[derive(Debug, Default)]
pub(crate) struct AssetTree {
    /// The latest tree.
    pub(crate) built: Option<BuiltMesh>,
    /// The entities that show the asset.
    pub(crate) users: EntityHashSet,
    /// Joints and morph targets of the content, once a pose needs them.
    skin: Option<SkinSource>,
    job: Job,
    is_stale: bool,
    is_left_out: bool,
    has_warned: AtomicBool,
}

/// The work on a new tree.
#[derive(Debug, Default)]
enum Job {
    #[default]
    None,
    Copying {
        copying: Copying,
        since: Changes,
    },
    Building {
        task: Task<Result<BuiltMesh, LeftOut>>,
        since: Changes,
    },
}

/// The changes of the content since a copy of it began.
#[derive(Debug)]
enum Changes {
    /// These vertices moved, maybe none.
    Moved(Vec<u32>),
    Unknown,
}

impl Default for Changes {
    fn default() -> Self {
        Self::Moved(vec![])
    }
}

impl Trees {
    pub(crate) fn get(&self, id: AssetId<Mesh>) -> Option<&AssetTree> {
        self.assets.get(&id)
    }

    /// The tree of an asset that an entity shows. Starts it if the trees did not know the asset.
    pub(crate) fn get_or_start(
        &mut self,
        id: AssetId<Mesh>,
        meshes: &Assets<Mesh>,
    ) -> &mut AssetTree {
        if !self.assets.contains_key(&id) && meshes.contains(id) {
            self.content_changed(id);
        }
        self.assets.entry(id).or_default()
    }

    pub(crate) fn get_mut(&mut self, id: AssetId<Mesh>) -> Option<&mut AssetTree> {
        self.assets.get_mut(&id)
    }

    /// Assets whose tree does not show their current content.
    pub(crate) fn stale(&self) -> impl Iterator<Item = AssetId<Mesh>> {
        self.stale.iter().copied()
    }

    pub(crate) fn n_stale(&self) -> usize {
        self.stale.len()
    }

    /// Forgets the content of an asset that was removed. Its entities stay.
    pub(crate) fn content_removed(&mut self, id: AssetId<Mesh>) {
        self.stale.remove(&id);
        let Some(tree) = self.assets.get_mut(&id) else { return };
        drop_in_background(tree.built.take());
        tree.job.count_large(&mut self.n_large_copies, -1);
        *tree = AssetTree { users: std::mem::take(&mut tree.users), ..Default::default() };
        if tree.users.is_empty() {
            self.assets.remove(&id);
        }
    }

    /// Schedules a new tree, because the content of the asset is new or has changed.
    pub(crate) fn content_changed(&mut self, id: AssetId<Mesh>) {
        let tree = self.assets.entry(id).or_default();
        tree.skin = None;
        (tree.is_stale, tree.is_left_out) = (true, false);
        self.stale.insert(id);
        match &mut tree.job {
            // A copy that began goes on, because one that starts anew at each change may never end.
            Job::Copying { copying, since } if copying.has_begun() => *since = Changes::Unknown,
            Job::Copying { .. } => {}
            Job::Building { since, .. } => *since = Changes::Unknown,
            Job::None => self.rebuild(id),
        }
    }

    /// Starts a new tree in the background.
    fn rebuild(&mut self, id: AssetId<Mesh>) {
        let job = Job::Copying { copying: Copying::default(), since: Changes::default() };
        self.assets.entry(id).or_default().job = job;
        self.queue.push_back(id);
    }

    /// Notes vertices that moved. Returns whether the tree shows the content before, so that it can follow now.
    pub(crate) fn vertices_moved(&mut self, id: AssetId<Mesh>, vertices: &[u32]) -> bool {
        let tree = self.assets.entry(id).or_default();
        let is_current = tree.is_current() && !tree.is_left_out;
        match &mut tree.job {
            Job::Copying { since: Changes::Moved(all), .. }
            | Job::Building { since: Changes::Moved(all), .. } => all.extend_from_slice(vertices),
            Job::None if !is_current => self.content_changed(id),
            _ => {}
        }
        is_current
    }

    /// Starts a new tree of an asset whose tree is exact and has become slow.
    pub(crate) fn became_slow(&mut self, id: AssetId<Mesh>) {
        if self.assets.get(&id).is_some_and(|tree| matches!(tree.job, Job::None)) {
            self.rebuild(id);
        }
    }

    /// Collects finished trees and copies meshes to new tasks. Returns the assets whose tree changed.
    pub(crate) fn advance(
        &mut self,
        meshes: &Assets<Mesh>,
        settings: &HitscanSettings,
        polygons: &HitscanPolygons,
    ) -> Vec<AssetId<Mesh>> {
        let mut changed = vec![];
        for id in std::mem::take(&mut self.building) {
            match self.collect(id, meshes) {
                Collected::Running => self.building.push(id),
                Collected::Changed => changed.push(id),
                Collected::Dropped => {}
            }
        }
        let mut budget = settings.copied_bytes_per_frame.max(MIN_COPIED_BYTES);
        // Each asset gets a piece in turn, so that small meshes pass large ones.
        let (mut n_waiting, mut n_started) = (0, 0);
        while budget >= MIN_PIECE
            && n_started < settings.trees_per_frame.max(1)
            && n_waiting < self.queue.len()
            && let Some(id) = self.queue.pop_front()
        {
            let mut piece = budget.min(PIECE);
            let before = piece;
            let copied = self.copy(id, meshes, settings, polygons, &mut piece);
            budget -= before - piece;
            n_waiting = if let Copied::Waits = copied { n_waiting + 1 } else { 0 };
            match copied {
                Copied::Incomplete | Copied::Waits => self.queue.push_back(id),
                Copied::LeftOut => changed.push(id),
                Copied::Started => {
                    self.building.push(id);
                    n_started += 1;
                }
                Copied::Gone => {}
            }
        }
        changed
    }

    fn collect(&mut self, id: AssetId<Mesh>, meshes: &Assets<Mesh>) -> Collected {
        let Some(tree) = self.assets.get_mut(&id) else { return Collected::Dropped };
        let Job::Building { task, since } = &mut tree.job else { return Collected::Dropped };
        let Some(result) = check_ready(task) else { return Collected::Running };
        let since = std::mem::take(since);
        tree.job = Job::None;
        let (mut collected, mut is_current) = (Collected::Changed, true);
        match result {
            Ok(mut built) => {
                is_current = match since {
                    Changes::Moved(vertices) => {
                        let positions = meshes.get(id).and_then(|mesh| MeshData::new(mesh).ok());
                        positions.is_some_and(|data| built.follow(&data, vertices))
                    }
                    Changes::Unknown => false,
                };
                tree.warn_about(id, &built);
                let old = tree.built.replace(built);
                let is_same = |new: &BuiltMesh, old: &BuiltMesh| Arc::ptr_eq(&new.mesh, &old.mesh);
                if old.as_ref().zip(tree.built.as_ref()).is_some_and(|(old, new)| is_same(new, old))
                {
                    collected = Collected::Dropped;
                } else {
                    tree.skin = None;
                }
                drop_in_background(old);
            }
            Err(reason) => tree.leave_out(id, &reason),
        }
        if is_current {
            tree.is_stale = false;
            self.stale.remove(&id);
        } else {
            self.rebuild(id);
        }
        collected
    }

    fn copy(
        &mut self,
        id: AssetId<Mesh>,
        meshes: &Assets<Mesh>,
        settings: &HitscanSettings,
        polygons: &HitscanPolygons,
        budget: &mut usize,
    ) -> Copied {
        let Some(tree) = self.assets.get_mut(&id) else { return Copied::Gone };
        let Job::Copying { copying, since } = &mut tree.job else { return Copied::Gone };
        let Some(mesh) = meshes.get(id) else {
            // An event of the next frame reports the removal.
            tree.job.count_large(&mut self.n_large_copies, -1);
            tree.job = Job::None;
            return Copied::Gone;
        };
        match MeshData::new(mesh) {
            Ok(data) => {
                if !copying.fits(&data) {
                    // The content has another size than the copy that began.
                    *since = Changes::default();
                }
                if !copying.is_large && data.n_bytes() > *budget {
                    if self.n_large_copies >= MAX_LARGE_COPIES {
                        return Copied::Waits;
                    }
                    copying.is_large = true;
                    self.n_large_copies += 1;
                }
                if !copying.step(&data, budget) {
                    return Copied::Incomplete;
                }
                let (copied, since) = (std::mem::take(copying), std::mem::take(since));
                self.n_large_copies -= usize::from(copied.is_large);
                let task = Build {
                    copied,
                    // A current tree gets a job because it became slow, so it must not be the start.
                    old: if tree.is_current() { None } else { tree.built.clone() },
                    polygons: polygons.get(id),
                    options: settings.build,
                };
                let task = background().spawn(async move { task.run() });
                tree.job = Job::Building { task, since };
                Copied::Started
            }
            Err(reason) => {
                tree.job.count_large(&mut self.n_large_copies, -1);
                tree.job = Job::None;
                tree.is_stale = false;
                tree.leave_out(id, &reason);
                self.stale.remove(&id);
                Copied::LeftOut
            }
        }
    }
}

/// Even the smallest budget makes progress.
const MIN_COPIED_BYTES: usize = 4096;
/// The bytes that a frame copies from one asset before the next one's turn.
const PIECE: usize = 1 << 16;
/// The rest of a budget that is too small for any position or triangle.
const MIN_PIECE: usize = 64;
/// Each copy under way takes memory, so few large ones go on at a time.
const MAX_LARGE_COPIES: usize = 4;

impl Job {
    /// Adds `change` to the number of large copies, if this is one.
    fn count_large(&self, n_large_copies: &mut usize, change: isize) {
        if let Self::Copying { copying, .. } = self
            && copying.is_large
        {
            *n_large_copies = n_large_copies.saturating_add_signed(change);
        }
    }
}

enum Collected {
    Running,
    Changed,
    /// The asset is gone, or the tree is the one before.
    Dropped,
}

enum Copied {
    Incomplete,
    /// Until a large copy ends.
    Waits,
    LeftOut,
    Started,
    Gone,
}

impl AssetTree {
    /// The means by which the asset answers now. `data` is its current content.
    pub(crate) fn answer(&self, data: Option<&MeshData<'_>>, scan_limit: usize) -> Answer {
        if self.is_left_out {
            return Answer::Nothing;
        }
        match data {
            _ if self.is_current() => Answer::Tree,
            Some(data) if data.can_scan() && data.n_triangles() <= scan_limit => Answer::Scan,
            _ if self.built.is_some() => Answer::Tree,
            Some(_) => Answer::Box,
            None => Answer::Nothing,
        }
    }

    /// Whether the latest tree shows the current content.
    pub(crate) fn is_current(&self) -> bool {
        self.built.is_some() && !self.is_stale
    }

    /// Forgets the joints and boxes, because the positions changed.
    pub(crate) fn forget_skin(&mut self) {
        self.skin = None;
    }

    /// The joints and morph targets of the content, `mesh`; `None` without a tree.
    pub(crate) fn skin_or_read(&mut self, mesh: &Mesh) -> Option<&mut SkinSource> {
        let built = self.built.as_ref()?;
        let new = || SkinSource::new(mesh, built.mesh.tri_mesh().positions());
        Some(self.skin.get_or_insert_with(new))
    }

    /// The joints and morph targets, once a pose has needed them.
    pub(crate) fn skin(&self) -> Option<&SkinSource> {
        self.skin.as_ref()
    }

    /// Warns about the asset, unless that happened before.
    pub(crate) fn warn_once(&self, id: AssetId<Mesh>, problem: &str) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            tracing::warn!("mesh {id}: {problem}");
        }
    }

    fn leave_out(&mut self, id: AssetId<Mesh>, reason: &LeftOut) {
        drop_in_background(self.built.take());
        self.is_left_out = true;
        self.warn_once(id, &format!("no ray hits it: {reason}"));
    }

    fn warn_about(&self, id: AssetId<Mesh>, built: &BuiltMesh) {
        let n_dropped = built.source.n_dropped;
        if n_dropped > 0 {
            let problem = format!(
                "no ray hits {n_dropped} of its triangles: an index out of range or a position that \
                 is not finite; correct them"
            );
            self.warn_once(id, &problem);
        } else if built.source.has_wrong_polygons {
            let n_triangles = built.mesh.tri_mesh().triangles().len();
            let problem = format!(
                "the counts of its polygons do not add up to its {n_triangles} triangles; correct \
                 them in HitscanPolygons"
            );
            self.warn_once(id, &problem);
        }
    }
}
