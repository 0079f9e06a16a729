//! The errors of edits.

use hitscan_primitives::MeshError;
use thiserror::Error;

use crate::{InstanceId, placement::TransformError};

/// The reason why a [`Scene`](crate::Scene) refused an edit. A refused edit leaves the scene unchanged.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The handle belongs to a removed instance or to another scene.
    #[error("instance {0}: not in the scene; restore it or use the handle of a present instance")]
    UnknownInstance(InstanceId),
    /// The edit would give the instance an invalid world transform.
    #[error("instance {instance}: {source}")]
    Transform {
        /// The instance: the edited one or a descendant.
        instance: InstanceId,
        /// The reason.
        source: TransformError,
    },
    /// The edit would make the instance its own ancestor.
    #[error(
        "instance {instance}: the parent {parent} is the instance itself or a descendant; choose another parent"
    )]
    Cycle {
        /// The instance to reparent.
        instance: InstanceId,
        /// The refused parent.
        parent: InstanceId,
    },
    /// The instance cannot be restored.
    #[error(
        "instance {0}: present, forgotten or of another scene; restore only what this scene removed"
    )]
    NotRemoved(InstanceId),
    /// The refit names a group, which has no mesh.
    #[error("instance {0}: a group has no mesh to refit; name an instance with a mesh")]
    NoMesh(InstanceId),
    /// Two instances would have the same insertion order.
    #[error("instance {instance}: has the order {order} of instance {other}; give each its own")]
    SameOrder {
        /// The later of the two.
        instance: InstanceId,
        /// The order of both.
        order: u64,
        /// The earlier of the two.
        other: InstanceId,
    },
    /// The new positions do not fit the mesh.
    #[error("instance {instance}: {source}")]
    Mesh {
        /// The instance to refit.
        instance: InstanceId,
        /// The reason.
        source: MeshError,
    },
}
