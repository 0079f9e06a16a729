//! The vertices that tools moved.

use std::collections::HashMap;

use crate::bevy_api::{AssetId, Mesh, Reflect, ReflectDefault, ReflectResource, Resource};

/// The vertices that a tool moved, so that the tree of a mesh follows at the cost of the change.
///
/// A mesh that changes gets a copy and a refit of all its triangles, over several frames. With a report of the
/// vertices that moved, its tree follows in the same frame, and all its entities with it. Report every vertex of
/// each change between two frames: a change that no report names stays unseen until the next one without a report.
/// Triangles that change need no report; leave it out, and the mesh gets a new tree.
///
/// ```
/// use bevy_asset::{Assets, Handle};
/// use bevy_ecs::prelude::*;
/// use bevy_mesh::{Mesh, VertexAttributeValues};
/// use hitscan_bevy::HitscanEdits;
///
/// fn pull_up(
///     mut meshes: ResMut<Assets<Mesh>>,
///     mut edits: ResMut<HitscanEdits>,
///     tool: Single<&Tool>,
/// ) {
///     let mut mesh = meshes.get_mut(&tool.mesh).expect("the tool has a mesh");
///     if let Some(VertexAttributeValues::Float32x3(positions)) =
///         mesh.attribute_mut(Mesh::ATTRIBUTE_POSITION)
///     {
///         positions[tool.vertex as usize][1] += 0.1;
///         edits.moved_vertices(&tool.mesh, [tool.vertex]);
///     }
/// }
/// # #[derive(Component)]
/// # struct Tool {
/// #     mesh: Handle<Mesh>,
/// #     vertex: u32,
/// # }
/// # let mut app = bevy_app::App::new();
/// # app.add_systems(bevy_app::Update, pull_up);
/// ```
#[derive(Resource, Clone, Debug, Default, Reflect)]
#[reflect(Resource, Default, Clone, Debug)]
pub struct HitscanEdits {
    moved: HashMap<AssetId<Mesh>, Vec<u32>>,
}

impl HitscanEdits {
    /// Reports vertices that moved, besides those already reported. The report waits for the event of the change.
    ///
    /// A vertex that the mesh does not have, or moved to a position that is not finite, makes the mesh get a new tree.
    pub fn moved_vertices(
        &mut self,
        mesh: impl Into<AssetId<Mesh>>,
        vertices: impl IntoIterator<Item = u32>,
    ) {
        self.moved.entry(mesh.into()).or_default().extend(vertices);
    }

    /// Takes the report of a mesh.
    pub(crate) fn take(&mut self, mesh: AssetId<Mesh>) -> Option<Vec<u32>> {
        self.moved.remove(&mesh)
    }
}
