//! The current poses of skinned and morphed entities.

use hitscan::glam::DAffine3;

use crate::{
    bevy_api::{
        Assets, DetectChanges, Entity, GlobalTransform, MeshMorphWeights, MorphWeights, Query, Ref,
        Res, SkinnedMesh, SkinnedMeshInverseBindposes, SystemParam,
    },
    convert,
    skin::PoseValues,
};

/// The components and assets that decide poses.
#[derive(SystemParam)]
pub(crate) struct Poses<'w, 's> {
    posed:
        Query<'w, 's, (Option<Ref<'static, SkinnedMesh>>, Option<Ref<'static, MeshMorphWeights>>)>,
    transforms: Query<'w, 's, Ref<'static, GlobalTransform>>,
    morph_weights: Query<'w, 's, Ref<'static, MorphWeights>>,
    bind_poses: Option<Res<'w, Assets<SkinnedMeshInverseBindposes>>>,
}

impl Poses<'_, '_> {
    /// Whether the pose of an entity may be another one than in the last frame, apart from components that went.
    pub(crate) fn may_have_changed(&self, entity: Entity) -> bool {
        let (skin, morph) = self.posed.get(entity).unwrap_or_default();
        let has_moved = |entity| self.transforms.get(entity).map_or(true, |at| at.is_changed());
        let weights = match morph.as_deref() {
            Some(&MeshMorphWeights::Reference(source)) => {
                self.morph_weights.get(source).map_or(true, |weights| weights.is_changed())
            }
            _ => false,
        };
        weights
            || has_moved(entity)
            || morph.is_some_and(|morph| morph.is_changed())
            || self.bind_poses.as_ref().is_some_and(|poses| poses.is_changed())
            || skin.is_some_and(|skin| {
                skin.is_changed() || skin.joints.iter().any(|&joint| has_moved(joint))
            })
    }

    /// The pose of an entity; `None` if it is gone. `has_joints` says whether its mesh has joints.
    ///
    /// A missing joint or bind pose leaves the mesh at rest, at the transform of the entity.
    pub(crate) fn values(&self, entity: Entity, has_joints: bool) -> Option<PoseValues> {
        let transform = self.transforms.get(entity).ok()?;
        let (skin, morph) = self.posed.get(entity).unwrap_or_default();
        let (placement, joints) = skin
            .filter(|_| has_joints)
            .and_then(|skin| self.joints(&skin))
            .unwrap_or_else(|| (convert::daffine3(&transform), vec![]));
        let weights = match morph.as_deref() {
            Some(MeshMorphWeights::Value { weights }) => weights.clone(),
            Some(&MeshMorphWeights::Reference(source)) => self
                .morph_weights
                .get(source)
                .map_or_else(|_| vec![], |weights| weights.weights().to_vec()),
            None => vec![],
        };
        Some(PoseValues { placement, joints, weights })
    }

    /// The placement of a skinned mesh and the matrices of its joints relative to it.
    ///
    /// Bevy ignores the transform of a skinned entity: the joints place the vertices in the world. The
    /// posed positions are relative to the first joint, so that f32 holds them far from the origin.
    fn joints(&self, skin: &SkinnedMesh) -> Option<(DAffine3, Vec<DAffine3>)> {
        let bind_poses = self.bind_poses.as_ref()?.get(&skin.inverse_bindposes)?;
        let root = self.transforms.get(*skin.joints.first()?).ok()?;
        let origin = convert::dvec3(root.translation());
        let joints = skin.joints.iter().zip(bind_poses.iter()).map(|(&joint, inverse_bind)| {
            let mut to_world = convert::daffine3(&*self.transforms.get(joint).ok()?);
            to_world.translation -= origin;
            Some(to_world * convert::daffine3_from_mat4(inverse_bind))
        });
        Some((DAffine3::from_translation(origin), joints.collect::<Option<_>>()?))
    }
}
