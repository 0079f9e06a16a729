//! The rest pose of a mesh: morph targets with their initial weights, and the joints of a skin.

use std::{collections::HashMap, sync::Arc};

use glam::{DAffine3, DMat3, DVec3, Vec3};
use hitscan_files::ReadErrorKind;

use super::{
    accessor::{Source, at},
    deforming::{Deforming, Vertices},
    document::{Attributes, Primitive, Skin},
    lenient::Index,
    transforms::Worlds,
};

/// A mesh with the pose that a node gives it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PosedMesh {
    pub(super) mesh: usize,
    /// The bits of the weights of the morph targets; empty if none has an effect.
    weights: Vec<u64>,
    /// The skin, and the node for the primitives that no joint moves.
    pub(super) skin: Option<(usize, Option<usize>)>,
}

impl PosedMesh {
    pub(super) fn new(mesh: usize, weights: &[f64], skin: Option<(usize, Option<usize>)>) -> Self {
        let is_rest = weights.iter().all(|&weight| weight == 0.0);
        let weights = if is_rest { &[] } else { weights };
        Self { mesh, weights: weights.iter().map(|weight| weight.to_bits()).collect(), skin }
    }

    /// Whether the vertices are those of the file.
    pub(super) fn is_plain(&self) -> bool {
        self.weights.is_empty() && self.skin.is_none()
    }
}

/// The matrices of skins, each computed once.
#[derive(Debug, Default)]
pub(super) struct Skins {
    by_index: HashMap<usize, Arc<[DAffine3]>>,
}

impl Skins {
    pub(super) fn pose(
        &mut self,
        posed: &PosedMesh,
        source: Source<'_>,
        worlds: &mut Worlds<'_>,
    ) -> Result<Pose, ReadErrorKind> {
        let mut skin = None;
        if let Some((index, node)) = posed.skin {
            let joints = match self.by_index.get(&index) {
                Some(joints) => joints.clone(),
                None => {
                    let read = source.root.skins.get(Index(index), "")?;
                    let joints: Arc<[DAffine3]> = joints(index, read, source, worlds)?.into();
                    self.by_index.insert(index, joints.clone());
                    joints
                }
            };
            let rigid = node.map(|node| worlds.of(node)).transpose()?.unwrap_or_default();
            skin = Some(PosedSkin { index, joints, rigid });
        }
        Ok(Pose { weights: posed.weights.iter().map(|&bits| f64::from_bits(bits)).collect(), skin })
    }
}

/// The matrices from the space of a mesh to that of the scene, for each joint.
fn joints(
    index: usize,
    skin: &Skin<'_>,
    source: Source<'_>,
    worlds: &mut Worlds<'_>,
) -> Result<Vec<DAffine3>, ReadErrorKind> {
    let n = skin.joints.len();
    let path = format!("skins[{index}].inverseBindMatrices");
    let inverse_bind = match skin.inverse_bind_matrices {
        None => vec![DAffine3::IDENTITY; n],
        Some(accessor) => {
            let accessor = source.accessor(accessor, &path)?;
            if accessor.count() < n {
                let found = format!("{path}: {} matrices", accessor.count());
                return Err(ReadErrorKind::syntax(found, format!("one for each of {n} joints")));
            }
            // Of a longer accessor only the matrices of joints.
            let used: Vec<u32> = (0..n as u32).collect();
            let matrices = source.floats::<16>(accessor, Some(&used)).map_err(at(&path))?;
            matrices.iter().map(affine).collect()
        }
    };
    let joints = skin.joints.iter().enumerate().zip(inverse_bind);
    joints
        .map(|((i, &joint), inverse_bind)| {
            source.root.nodes.get(joint, format_args!("skins[{index}].joints[{i}]"))?;
            Ok(worlds.of(joint.0)? * inverse_bind)
        })
        .collect()
}

/// The first three rows of a matrix in columns of four. The last row is 0, 0, 0, 1 but for rounding.
fn affine(matrix: &[f32; 16]) -> DAffine3 {
    let column = |i: usize| Vec3::from_slice(&matrix[4 * i..]).as_dvec3();
    DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
}

/// The pose of a mesh in the space of the scene, or in its own space if it has no skin.
#[derive(Debug, Default)]
pub(super) struct Pose {
    weights: Vec<f64>,
    skin: Option<PosedSkin>,
}

#[derive(Debug)]
struct PosedSkin {
    index: usize,
    joints: Arc<[DAffine3]>,
    /// The transform of the primitives that no joint moves.
    rigid: DAffine3,
}

/// The values that a pose moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    Positions,
    Normals,
}

impl Pose {
    /// The accessors beside `POSITION` on which the moved vertices of a primitive depend.
    pub(super) fn key(&self, primitive: &Primitive<'_>) -> Vec<usize> {
        let mut key = Vec::new();
        if self.skin.is_some() {
            let sets = sets(primitive);
            key.extend(sets.iter().flat_map(|(joints, weights)| [joints.0, weights.0]));
        }
        for (_, target) in self.targets(primitive) {
            let index = |name| target.get(name).map_or(usize::MAX, |index| index.0);
            key.extend([index("POSITION"), index("NORMAL")]);
        }
        key
    }

    /// The targets with an effect.
    fn targets<'p>(
        &self,
        primitive: &'p Primitive<'_>,
    ) -> impl Iterator<Item = (usize, &'p Attributes<'p>)> {
        let targets = primitive.targets.iter().flatten().enumerate();
        targets.filter(|(i, _)| self.weights.get(*i).is_some_and(|&weight| weight != 0.0))
    }

    /// Moves the positions or normals of a primitive, which are those of the file.
    pub(super) fn apply(
        &self,
        vertices: Vertices<'_>,
        moved: Moved,
        values: &mut [Vec3],
        deforming: &mut Deforming<'_>,
    ) -> Result<(), ReadErrorKind> {
        let mut exact: Vec<DVec3> = values.iter().map(|value| value.as_dvec3()).collect();
        for (i, target) in self.targets(vertices.primitive) {
            let name = if moved == Moved::Positions { "POSITION" } else { "NORMAL" };
            let Some(accessor) = target.get(name) else { continue };
            let path = format!("{}.targets[{i}].{name}", vertices.path);
            if deforming.is_zero(accessor, &path)? {
                continue;
            }
            let displacements = deforming.floats::<3>(accessor, vertices, &path)?;
            for (value, displacement) in exact.iter_mut().zip(displacements) {
                *value += self.weights[i] * Vec3::from_array(displacement).as_dvec3();
            }
        }
        if let Some(skin) = &self.skin {
            let matrices = skin.matrices(vertices, deforming)?;
            for (vertex, value) in exact.iter_mut().enumerate() {
                let matrix = matrices.of(vertex);
                *value = match moved {
                    Moved::Positions => matrix.transform_point3(*value),
                    Moved::Normals => {
                        let linear = matrix.matrix3;
                        let turned = match linear.determinant() != 0.0 {
                            true => linear.inverse().transpose() * *value,
                            false => linear * *value,
                        };
                        turned.normalize_or(DVec3::ZERO)
                    }
                };
            }
        }
        for (value, exact) in values.iter_mut().zip(exact) {
            *value = exact.as_vec3();
        }
        Ok(())
    }
}

/// The accessors of joints and weights, four of both a set.
fn sets(primitive: &Primitive<'_>) -> Vec<(Index, Index)> {
    let get = |name: String| primitive.attributes.get(&name);
    let set = |i: u32| get(format!("JOINTS_{i}")).zip(get(format!("WEIGHTS_{i}")));
    (0..).map_while(set).collect()
}

/// Whether joints move the vertices of a primitive.
pub(super) fn has_joints(primitive: &Primitive<'_>) -> bool {
    !sets(primitive).is_empty()
}

/// Four joints of each vertex, and their weights.
type JointsAndWeights = (Vec<[u32; 4]>, Vec<[f32; 4]>);

/// The matrices of vertices: sums over their joints.
struct Matrices<'a> {
    skin: &'a PosedSkin,
    sets: Vec<JointsAndWeights>,
}

impl PosedSkin {
    fn matrices(
        &self,
        vertices: Vertices<'_>,
        deforming: &mut Deforming<'_>,
    ) -> Result<Matrices<'_>, ReadErrorKind> {
        let path = |name: &str, i: usize| format!("{}.attributes.{name}_{i}", vertices.path);
        let mut read = Vec::new();
        for (i, (joints, weights)) in sets(vertices.primitive).into_iter().enumerate() {
            let joints = deforming.integers::<4>(joints, vertices, &path("JOINTS", i))?;
            let weights = deforming.floats::<4>(weights, vertices, &path("WEIGHTS", i))?;
            // A joint without weight may have any index.
            let pairs = joints.iter().zip(&weights).enumerate();
            for (vertex, (joints, weights)) in pairs {
                for (&joint, &weight) in joints.iter().zip(weights) {
                    if weight != 0.0 && joint as usize >= self.joints.len() {
                        let found =
                            format!("{}: joint {joint} of vertex {vertex}", path("JOINTS", i));
                        let n = self.joints.len();
                        let expected = format!("less than the {n} joints of skins[{}]", self.index);
                        return Err(ReadErrorKind::syntax(found, expected));
                    }
                }
            }
            read.push((joints, weights));
        }
        Ok(Matrices { skin: self, sets: read })
    }
}

impl Matrices<'_> {
    fn of(&self, vertex: usize) -> DAffine3 {
        if self.sets.is_empty() {
            return self.skin.rigid;
        }
        let (mut sum, mut total) = (DAffine3::from_scale(DVec3::ZERO), 0.0);
        for (joints, weights) in &self.sets {
            for (&joint, &weight) in joints[vertex].iter().zip(&weights[vertex]) {
                if weight != 0.0 {
                    let (matrix, weight) = (&self.skin.joints[joint as usize], f64::from(weight));
                    sum.matrix3 += matrix.matrix3 * weight;
                    sum.translation += matrix.translation * weight;
                    total += weight;
                }
            }
        }
        // The weights of rounded integers need not sum to 1. A vertex without weights follows its first joint.
        match total != 0.0 {
            true => DAffine3 {
                matrix3: sum.matrix3 * total.recip(),
                translation: sum.translation * total.recip(),
            },
            false => {
                let first = self.sets[0].0[vertex][0] as usize;
                self.skin.joints.get(first).copied().unwrap_or(self.skin.rigid)
            }
        }
    }
}
