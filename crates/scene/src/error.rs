//! The errors of edits.

use hitscan_primitives::{EditError, MeshError};
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
        "instance {0}: present, forgotten, replaced in its slot, or of another scene; restore what this scene or \
         a clone of it removed, before a later instance takes the slot"
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
    /// An insertion order exceeds [`Scene::MAX_INSERTION_ORDER`](crate::Scene::MAX_INSERTION_ORDER).
    #[error(
        "instance {instance}: the order {order} exceeds 2^63 - 1; give it a smaller one by `Scene::renumber`"
    )]
    LargeOrder {
        /// The instance.
        instance: InstanceId,
        /// The refused order.
        order: u64,
    },
    /// An instance of a list cannot be inserted, so none was.
    #[error("instances[{position}]: {source}")]
    InList {
        /// The position in the list, from 0.
        position: usize,
        /// The reason.
        source: Box<Self>,
    },
    /// The mesh does not take the edit.
    #[error("instance {instance}: {source}")]
    Edit {
        /// The instance whose mesh it is.
        instance: InstanceId,
        /// The reason.
        source: EditError,
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
