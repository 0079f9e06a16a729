//! What can be wrong with an edit.

use hitscan_primitives::MeshError;
use thiserror::Error;

use crate::{InstanceId, placement::TransformError};

/// Why an edit of a [`Scene`](crate::Scene) was refused. The scene is as it was before.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A handle of an instance that was removed, or of another scene.
    #[error("instance {0} is not in the scene")]
    UnknownInstance(InstanceId),
    /// The world transform of the instance would be no transform.
    #[error("instance {instance}: {source}")]
    Transform {
        /// The instance, which may be one below that which was edited.
        instance: InstanceId,
        /// What is wrong.
        source: TransformError,
    },
    /// An instance would be its own ancestor.
    #[error("instance {parent} cannot be the parent of {instance}: it is the same or below it")]
    Cycle {
        /// The instance that was to get a parent.
        instance: InstanceId,
        /// The parent it was to get.
        parent: InstanceId,
    },
    /// What was removed cannot come back: it is there already, was forgotten, or is of another scene.
    #[error("instance {0} cannot be restored: it is in the scene, forgotten or of another scene")]
    NotRemoved(InstanceId),
    /// New positions of a group.
    #[error("instance {0} has no mesh to be moved")]
    NoMesh(InstanceId),
    /// New positions that do not fit the mesh.
    #[error("instance {instance}: {source}")]
    Mesh {
        /// The instance.
        instance: InstanceId,
        /// What is wrong.
        source: MeshError,
    },
}
