//! The pose of a skinned or morphed entity in a frame, and its tree, which the first query that needs it moves.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hitscan::{
    glam::DAffine3,
    scene::{self, Instance, InstanceId, Scene, WorldBox},
};

use crate::{
    bevy_api::{AssetId, Mesh},
    skin::PoseValues,
    trees::AssetTree,
};

/// A skinned or morphed entity.
#[derive(Debug, Default)]
pub(crate) struct Posed {
    /// The pose of the frame; `None` without a tree.
    pose: Option<Pose>,
    /// The tree in an earlier pose, which the next one moves.
    spare: Mutex<Option<Spare>>,
    /// Whether a component of the entity changed or went since the pose was set.
    is_outdated: bool,
}

#[derive(Debug)]
struct Pose {
    values: PoseValues,
    bounds: WorldBox,
    /// Filled by the first query that needs it. `None` where the positions or the place are not finite.
    shown: OnceLock<Option<Shown>>,
}

/// A tree in its pose, as the only instance of a scene.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) scene: Scene,
    pub(crate) id: InstanceId,
}

/// A tree in an earlier pose.
#[derive(Clone, Debug)]
pub(crate) struct Spare {
    pub(crate) mesh: Arc<scene::Mesh>,
    pub(crate) placement: DAffine3,
}

impl Shown {
    fn new(mesh: Arc<scene::Mesh>, placement: DAffine3) -> Option<Self> {
        let mut scene = Scene::new();
        let id = scene.insert(Instance::new(mesh, placement)).ok()?;
        Some(Self { scene, id })
    }

    fn to_spare(&self) -> Option<Spare> {
        let instance = self.scene.get(self.id)?;
        Some(Spare { mesh: Arc::clone(instance.mesh.as_ref()?), placement: instance.transform })
    }
}

impl Posed {
    /// A box around the pose; `None` without a tree.
    pub(crate) fn bounds(&self) -> Option<&WorldBox> {
        self.pose.as_ref().map(|pose| &pose.bounds)
    }

    /// Sets the pose of the frame. `bounds` returns a box around it.
    pub(crate) fn set(&mut self, values: PoseValues, bounds: impl FnOnce(&PoseValues) -> WorldBox) {
        self.is_outdated = false;
        if self.pose.as_ref().is_some_and(|pose| pose.values == values) {
            return;
        }
        let mut shown = OnceLock::new();
        if let Some(old) = self.pose.take()
            && let Some(Some(mut tree)) = old.shown.into_inner()
        {
            let is_same = old.values.has_same_positions(&values);
            if is_same && tree.scene.set_transform(tree.id, values.placement).is_ok() {
                shown = OnceLock::from(Some(tree));
            } else {
                self.spare = Mutex::new(tree.to_spare());
            }
        }
        self.pose = Some(Pose { bounds: bounds(&values), values, shown });
    }

    /// Whether the pose is that of the frame before, and no component of the entity changed or went since.
    pub(crate) fn is_up_to_date(&self) -> bool {
        self.pose.is_some() && !self.is_outdated
    }

    /// Notes that a component of the entity changed or went.
    pub(crate) fn entity_changed(&mut self) {
        self.is_outdated = true;
    }

    /// Forgets the pose and its tree, because the tree at rest changed.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// The tree in the pose of the frame. `tree` and `mesh` are those of the entity's asset, `id`.
    ///
    /// Threads that need it at the same time may each move a tree, and keep one. No thread waits for another, because a
    /// thread of a pool may take up other work within a refit.
    pub(crate) fn show(&self, id: AssetId<Mesh>, tree: &AssetTree, mesh: &Mesh) -> Option<&Shown> {
        let pose = self.pose.as_ref()?;
        if let Some(shown) = pose.shown.get() {
            return shown.as_ref();
        }
        let shown = self.moved(&pose.values, id, tree, mesh);
        pose.shown.get_or_init(|| shown).as_ref()
    }

    fn moved(
        &self,
        values: &PoseValues,
        id: AssetId<Mesh>,
        tree: &AssetTree,
        mesh: &Mesh,
    ) -> Option<Shown> {
        let rest = &tree.built.as_ref()?.mesh;
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut posed = spare.map_or_else(|| Arc::clone(rest), |spare| spare.mesh);
        let moved = match tree.skin()?.positions(mesh, rest.tri_mesh().positions(), values) {
            Ok(positions) => {
                let refitted = Arc::make_mut(&mut posed).refit(positions);
                refitted.map(drop).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        match moved {
            Ok(()) => Shown::new(posed, values.placement),
            Err(error) => {
                tree.warn_once(id, &error);
                None
            }
        }
    }

    /// The tree in the latest pose that a query needed.
    pub(crate) fn latest(&self) -> Option<Spare> {
        let shown = self.pose.as_ref().and_then(|pose| pose.shown.get());
        match shown {
            Some(Some(shown)) => shown.to_spare(),
            _ => self.spare.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    /// The tree in the pose of the frame, if a query of this frame needed it.
    pub(crate) fn shown(&self) -> Option<&Shown> {
        self.pose.as_ref()?.shown.get()?.as_ref()
    }
}
