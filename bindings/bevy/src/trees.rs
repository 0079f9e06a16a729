//! A tree for every mesh asset, built by tasks off the main thread.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use hitscan::{BuildOptions, FaceRecords, TriMesh, scene};

use crate::{
    bevy_api::{
        AssetEvent, AssetId, Assets, AsyncComputeTaskPool, EntityHashSet, LeftOut, Mesh, MeshData,
        Task, TaskPool, check_ready,
    },
    polygons::HitscanPolygons,
    settings::HitscanSettings,
    skin::SkinSource,
    source::{Copying, Triangles},
};

/// A mesh with its tree, which all entities of the asset share.
#[derive(Debug)]
pub(crate) struct BuiltMesh {
    pub(crate) mesh: Arc<scene::Mesh>,
    /// See [`Triangles::numbers`].
    numbers: Option<Box<[u32]>>,
    n_dropped: usize,
    /// Whether the polygons that the caller gave do not fit the triangles.
    has_wrong_polygons: bool,
}

impl BuiltMesh {
    /// The number of a triangle in Bevy's mesh.
    pub(crate) fn number(&self, triangle: u32) -> u32 {
        self.numbers.as_ref().map_or(triangle, |numbers| numbers[triangle as usize])
    }
}

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
    /// Assets that wait for their copy, in order.
    queue: VecDeque<AssetId<Mesh>>,
    building: Vec<AssetId<Mesh>>,
    /// Assets whose tree does not show their current content.
    stale: HashSet<AssetId<Mesh>>,
}

/// The tree of an asset.
#[derive(Debug, Default)]
pub(crate) struct AssetTree {
    /// The latest tree.
    pub(crate) built: Option<Arc<BuiltMesh>>,
    /// The entities that show the asset.
    pub(crate) users: EntityHashSet,
    /// Joints and morph targets of the content, once a pose needs them.
    skin: Option<SkinSource>,
    job: Job,
    is_stale: bool,
    is_left_out: bool,
    has_warned: bool,
}

#[derive(Debug, Default)]
enum Job {
    #[default]
    None,
    Copying(Copying),
    Building {
        task: Task<Result<BuiltMesh, LeftOut>>,
        /// Whether the content changed since the copy.
        is_outdated: bool,
    },
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

    /// Handles an event. Returns whether the entities of the asset need an update.
    pub(crate) fn on_event(&mut self, event: &AssetEvent<Mesh>) -> Option<AssetId<Mesh>> {
        match *event {
            AssetEvent::Added { id } | AssetEvent::Modified { id } => {
                self.content_changed(id);
                None
            }
            AssetEvent::Removed { id } => {
                self.stale.remove(&id);
                let tree = self.assets.get_mut(&id)?;
                drop_in_background(tree.built.take());
                *tree = AssetTree { users: std::mem::take(&mut tree.users), ..Default::default() };
                if tree.users.is_empty() {
                    self.assets.remove(&id);
                }
                Some(id)
            }
            AssetEvent::Unused { .. } | AssetEvent::LoadedWithDependencies { .. } => None,
        }
    }

    /// Schedules a new tree, because the content of the asset is new or has changed.
    pub(crate) fn content_changed(&mut self, id: AssetId<Mesh>) {
        let tree = self.assets.entry(id).or_default();
        tree.skin = None;
        (tree.is_stale, tree.is_left_out) = (true, false);
        self.stale.insert(id);
        match &mut tree.job {
            Job::None => {
                tree.job = Job::Copying(Copying::default());
                self.queue.push_back(id);
            }
            Job::Copying(copying) => *copying = Copying::default(),
            Job::Building { is_outdated, .. } => *is_outdated = true,
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
            match self.collect(id) {
                Collected::Running => self.building.push(id),
                Collected::Changed => changed.push(id),
                Collected::Dropped => {}
            }
        }
        let mut budget = settings.copied_bytes_per_frame.max(MIN_COPIED_BYTES);
        while let Some(&id) = self.queue.front() {
            match self.copy(id, meshes, settings, polygons, &mut budget) {
                Copied::Incomplete => break,
                Copied::LeftOut => changed.push(id),
                Copied::Started => self.building.push(id),
                Copied::Gone => {}
            }
            self.queue.pop_front();
        }
        changed
    }

    fn collect(&mut self, id: AssetId<Mesh>) -> Collected {
        let Some(tree) = self.assets.get_mut(&id) else { return Collected::Dropped };
        let Job::Building { task, is_outdated } = &mut tree.job else { return Collected::Dropped };
        let Some(result) = check_ready(task) else { return Collected::Running };
        let is_outdated = *is_outdated;
        tree.job = Job::None;
        tree.skin = None;
        match result {
            Ok(built) => {
                tree.warn_about(id, &built);
                drop_in_background(tree.built.replace(Arc::new(built)));
            }
            Err(reason) => tree.leave_out(id, &reason),
        }
        if is_outdated {
            tree.job = Job::Copying(Copying::default());
            self.queue.push_back(id);
        } else {
            tree.is_stale = false;
            self.stale.remove(&id);
        }
        Collected::Changed
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
        let Job::Copying(copying) = &mut tree.job else { return Copied::Gone };
        let Some(mesh) = meshes.get(id) else {
            // An event of the next frame reports the removal.
            tree.job = Job::None;
            return Copied::Gone;
        };
        match MeshData::new(mesh) {
            Ok(data) if copying.step(&data, budget) => {
                let copied = std::mem::take(copying);
                let task = Build {
                    copied,
                    old: tree.built.clone(),
                    polygons: polygons.get(id),
                    options: settings.build,
                };
                let task = background().spawn(async move { task.run() });
                tree.job = Job::Building { task, is_outdated: false };
                Copied::Started
            }
            Ok(_) => Copied::Incomplete,
            Err(reason) => {
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

enum Collected {
    Running,
    Changed,
    Dropped,
}

enum Copied {
    Incomplete,
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

    /// The joints and morph targets of the content, `mesh`; `None` without a tree.
    pub(crate) fn skin(&mut self, mesh: &Mesh) -> Option<&mut SkinSource> {
        let built = self.built.as_ref()?;
        let new = || SkinSource::new(mesh, built.mesh.tri_mesh().positions());
        Some(self.skin.get_or_insert_with(new))
    }

    /// Warns about the asset, unless that happened before.
    pub(crate) fn warn_once(&mut self, id: AssetId<Mesh>, problem: &str) {
        if !std::mem::replace(&mut self.has_warned, true) {
            tracing::warn!("mesh {id}: {problem}");
        }
    }

    fn leave_out(&mut self, id: AssetId<Mesh>, reason: &LeftOut) {
        drop_in_background(self.built.take());
        self.is_left_out = true;
        self.warn_once(id, &format!("no ray hits it: {reason}"));
    }

    fn warn_about(&mut self, id: AssetId<Mesh>, built: &BuiltMesh) {
        let n_dropped = built.n_dropped;
        if n_dropped > 0 {
            let problem = format!(
                "no ray hits {n_dropped} of its triangles: an index out of range or a position that \
                 is not finite; correct them"
            );
            self.warn_once(id, &problem);
        } else if built.has_wrong_polygons {
            let n_triangles = built.mesh.tri_mesh().triangles().len();
            let problem = format!(
                "the counts of its polygons do not add up to its {n_triangles} triangles; correct \
                 them in HitscanPolygons"
            );
            self.warn_once(id, &problem);
        }
    }
}

/// The input of a task that builds or refits a tree.
struct Build {
    copied: Copying,
    /// The latest tree. If it has the same triangles, the task refits it.
    old: Option<Arc<BuiltMesh>>,
    polygons: Option<Arc<[u32]>>,
    options: BuildOptions,
}

impl Build {
    fn run(self) -> Result<BuiltMesh, LeftOut> {
        let Triangles { mut tri_mesh, numbers, n_dropped } = self.copied.finish()?;
        let mut has_wrong_polygons = false;
        if let Some(counts) = self.polygons {
            let n_triangles: u64 = counts.iter().copied().map(u64::from).sum();
            has_wrong_polygons = n_triangles != tri_mesh.triangles().len() as u64;
            if !has_wrong_polygons {
                let records = FaceRecords::from_triangle_counts(counts.iter().copied());
                tri_mesh = tri_mesh.with_records(records).expect("the counts add up");
            }
        }
        let refitted = self.old.and_then(|old| refitted(&old.mesh, &tri_mesh));
        let mesh = refitted.unwrap_or_else(|| scene::Mesh::new(tri_mesh, &self.options));
        Ok(BuiltMesh { mesh: Arc::new(mesh), numbers, n_dropped, has_wrong_polygons })
    }
}

/// The old tree with new positions; `None` if the triangles differ or a rebuild pays.
fn refitted(old: &scene::Mesh, new: &TriMesh) -> Option<scene::Mesh> {
    let (was, is) = (old.tri_mesh(), new);
    let has_same_triangles = was.triangles() == is.triangles()
        && was.positions().len() == is.positions().len()
        && was.records() == is.records();
    if !has_same_triangles {
        return None;
    }
    let mut mesh = old.clone();
    let report = mesh.refit(is.positions().iter().copied()).ok()?;
    (!report.rebuild_pays()).then_some(mesh)
}

/// The pool of the tasks. Apps without a `TaskPoolPlugin` get a default one.
fn background() -> &'static AsyncComputeTaskPool {
    AsyncComputeTaskPool::get_or_init(TaskPool::new)
}

/// Drops a tree in a task, because freeing hundreds of megabytes takes milliseconds.
fn drop_in_background(built: Option<Arc<BuiltMesh>>) {
    if let Some(built) = built {
        background().spawn(async move { drop(built) }).detach();
    }
}
