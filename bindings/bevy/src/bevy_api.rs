//! Everything of Bevy that this crate uses.
//!
//! A new version of Bevy moves paths, renames types and changes the access to mesh data. Those changes belong
//! here; the other modules import Bevy through this one.
//!
//! In Bevy 0.20, `Ray3d` and `Aabb3d` come from the crate `bevy_shape`. Nothing else here changes, as `.ci/bevy20` checks.

pub(crate) use bevy_app::{App, Plugin, PostUpdate, PreUpdate};
pub(crate) use bevy_asset::{AssetEvent, AssetEventSystems, AssetId, Assets};
pub(crate) use bevy_camera::{
    Camera,
    primitives::Aabb,
    visibility::{InheritedVisibility, RenderLayers, ViewVisibility, VisibilitySystems},
};
pub(crate) use bevy_ecs::{
    change_detection::{ContiguousRef, DetectChanges, Ref},
    component::Component,
    entity::{Entity, EntityHashMap, EntityHashSet},
    entity_disabling::Disabled,
    lifecycle::RemovedComponents,
    message::{MessageReader, MessageWriter},
    query::{Added, Has, Or, QueryData, With},
    reflect::{ReflectComponent, ReflectResource},
    resource::Resource,
    schedule::{IntoScheduleConfigs, SystemSet},
    system::{Local, Query, Res, ResMut, SystemParam},
};
pub(crate) use bevy_math::{Affine3A, Mat4, Ray3d, Vec2, Vec3, bounding::Aabb3d};
pub(crate) use bevy_mesh::{
    Indices, Mesh, Mesh2d, Mesh3d, PrimitiveTopology, VertexAttributeValues,
    morph::{MeshMorphWeights, MorphAttributes, MorphWeights},
    skinning::{SkinnedMesh, SkinnedMeshInverseBindposes},
};
pub(crate) use bevy_picking::{
    Pickable, PickingSystems,
    backend::{HitData, PointerHits, ray::RayMap},
    mesh_picking::{
        MeshPickingCamera, MeshPickingPlugin, MeshPickingSettings,
        ray_cast::{
            Backfaces, MeshRayCastSettings, RayCastBackfaces, RayCastVisibility, RayMeshHit,
            SimplifiedMesh, ray_aabb_intersection_3d, ray_mesh_intersection,
        },
    },
    pointer::PointerId,
};
pub(crate) use bevy_reflect::{Reflect, std_traits::ReflectDefault};
pub(crate) use bevy_tasks::{AsyncComputeTaskPool, Task, TaskPool, futures::check_ready};
pub(crate) use bevy_transform::{TransformSystems, components::GlobalTransform};

#[cfg(feature = "gizmos")]
pub(crate) use bevy_color::{Color, Srgba};
#[cfg(feature = "gizmos")]
pub(crate) use bevy_gizmos::gizmos::Gizmos;
#[cfg(feature = "gizmos")]
pub(crate) use bevy_picking::hover::HoverMap;

/// The reason why a mesh has no tree and no ray hits it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum LeftOut {
    #[error("its data moved to the render world; add RenderAssetUsages::MAIN_WORLD to its usages")]
    InRenderWorld,
    #[error("no positions; insert Mesh::ATTRIBUTE_POSITION")]
    NoPositions,
    #[error("positions of another format than Float32x3; convert them")]
    PositionFormat,
    #[error(
        "topology {0:?} has no triangles; use TriangleList or TriangleStrip, or Pickable::IGNORE"
    )]
    Topology(PrimitiveTopology),
    #[error("{0}; split the mesh")]
    TooLarge(hitscan::MeshError),
}

/// The way in which the vertices of a mesh make triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Arrangement {
    List,
    Strip,
}

/// The positions and indices of a mesh, as Bevy stores them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshData<'a> {
    pub(crate) positions: &'a [[f32; 3]],
    pub(crate) indices: Option<&'a Indices>,
    pub(crate) arrangement: Arrangement,
}

/// The bytes of a position or triangle in a copy.
pub(crate) const BYTES: usize = 12;

impl<'a> MeshData<'a> {
    pub(crate) fn new(mesh: &'a Mesh) -> Result<Self, LeftOut> {
        let arrangement = match mesh.primitive_topology() {
            PrimitiveTopology::TriangleList => Arrangement::List,
            PrimitiveTopology::TriangleStrip => Arrangement::Strip,
            other => return Err(LeftOut::Topology(other)),
        };
        let positions = mesh
            .try_attribute_option(Mesh::ATTRIBUTE_POSITION)
            .map_err(|_| LeftOut::InRenderWorld)?
            .ok_or(LeftOut::NoPositions)?
            .as_float3()
            .ok_or(LeftOut::PositionFormat)?;
        let indices = mesh.try_indices_option().map_err(|_| LeftOut::InRenderWorld)?;
        Ok(Self { positions, indices, arrangement })
    }

    /// The number of corners in the list or strip.
    pub(crate) fn n_corners(&self) -> usize {
        self.indices.map_or(self.positions.len(), Indices::len)
    }

    /// The number of triangles that the list or strip names, valid or not.
    pub(crate) fn n_triangles(&self) -> usize {
        match self.arrangement {
            Arrangement::List => self.n_corners() / 3,
            Arrangement::Strip => self.n_corners().saturating_sub(2),
        }
    }

    /// The bytes of a copy.
    pub(crate) fn n_bytes(&self) -> usize {
        BYTES * (self.positions.len() + self.n_triangles())
    }

    /// Whether Bevy's own scan takes the mesh.
    pub(crate) fn can_scan(&self) -> bool {
        self.arrangement == Arrangement::List
    }

    /// The nearest hit by Bevy's own scan of all triangles.
    pub(crate) fn scan(
        &self,
        mesh: &Mesh,
        transform: &Affine3A,
        ray: Ray3d,
        backfaces: Backfaces,
    ) -> Option<RayMeshHit> {
        let (positions, normals, uvs) = (self.positions, normals(mesh), uvs(mesh));
        match self.indices {
            Some(Indices::U16(i)) => {
                ray_mesh_intersection(ray, transform, positions, normals, Some(i), uvs, backfaces)
            }
            Some(Indices::U32(i)) => {
                ray_mesh_intersection(ray, transform, positions, normals, Some(i), uvs, backfaces)
            }
            None => ray_mesh_intersection::<u32>(
                ray, transform, positions, normals, None, uvs, backfaces,
            ),
        }
    }
}

/// The vertex normals, if the main world has them.
pub(crate) fn normals(mesh: &Mesh) -> Option<&[[f32; 3]]> {
    mesh.try_attribute(Mesh::ATTRIBUTE_NORMAL).ok()?.as_float3()
}

/// The first texture coordinates, if the main world has them.
pub(crate) fn uvs(mesh: &Mesh) -> Option<&[[f32; 2]]> {
    match mesh.try_attribute(Mesh::ATTRIBUTE_UV_0).ok()? {
        VertexAttributeValues::Float32x2(uvs) => Some(uvs),
        _ => None,
    }
}

/// The joints of each vertex and their weights, if the main world has them.
pub(crate) fn joints(mesh: &Mesh) -> Option<(&[[u16; 4]], &[[f32; 4]])> {
    let joints = match mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_INDEX).ok()? {
        VertexAttributeValues::Uint16x4(joints) => joints,
        _ => return None,
    };
    match mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT).ok()? {
        VertexAttributeValues::Float32x4(weights) => Some((joints, weights)),
        _ => None,
    }
}

/// The points of each line or point of a mesh; `None` for triangles, and where positions or indices are missing.
pub(crate) fn lines_of(mesh: &Mesh) -> Option<Vec<Vec<[f32; 3]>>> {
    let positions = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?.as_float3()?;
    let points: Vec<[f32; 3]> = match mesh.try_indices_option().ok()? {
        Some(indices) => {
            indices.iter().map(|i| positions.get(i).copied()).collect::<Option<_>>()?
        }
        None => positions.to_vec(),
    };
    match mesh.primitive_topology() {
        PrimitiveTopology::PointList => Some(points.into_iter().map(|p| vec![p]).collect()),
        PrimitiveTopology::LineList => {
            Some(points.as_chunks::<2>().0.iter().map(|ends| ends.to_vec()).collect())
        }
        PrimitiveTopology::LineStrip => Some(vec![points]),
        PrimitiveTopology::TriangleList | PrimitiveTopology::TriangleStrip => None,
    }
}

/// The displacements of a morph target, one per vertex; `None` if there is no such target.
pub(crate) fn morph_target(mesh: &Mesh, target: usize) -> Option<&[MorphAttributes]> {
    let n_vertices = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?.len();
    // Bevy stores the targets one after the other.
    mesh.try_morph_targets().ok()?.get(target * n_vertices..(target + 1) * n_vertices)
}
