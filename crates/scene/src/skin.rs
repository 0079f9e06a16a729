//! Skinning: the positions of a mesh in a pose of its skeleton.

use glam::{DAffine3, DVec3, Vec3};
use thiserror::Error;

/// The joints that move a vertex: up to four, each with a weight.
///
/// The weights need not sum to 1. The index of a joint with weight 0 may be out of range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VertexWeights {
    /// Indices of the joints in the list of matrices.
    pub joints: [u16; 4],
    /// The weight of each joint.
    pub weights: [f32; 4],
}

/// The positions of a skinned mesh in a pose. The weighted mean of its joints' matrices moves each vertex.
///
/// `positions` and `weights` have one entry per vertex. The positions are those of the bind pose, in the
/// mesh's own space. The matrix of a joint maps that space to itself: first the inverse of the joint's
/// bind transform, then its transform in the pose, both relative to the mesh. A vertex whose weights sum
/// to 0 keeps its position. [`Scene::refit`](crate::Scene::refit) takes the result.
///
/// Linear blend skinning (Magnenat-Thalmann, Laperrière and Thalmann, "Joint-Dependent Local Deformations
/// for Hand Animation and Object Grasping", 1988), in f64, rounded once. O(vertices).
///
/// # Errors
/// `positions` and `weights` of different lengths, or a nonzero weight of a joint without a matrix.
///
/// ```
/// use hitscan_scene::{VertexWeights, glam::{DAffine3, Vec3}, skin};
///
/// let half = VertexWeights { joints: [0, 1, 0, 0], weights: [0.5, 0.5, 0.0, 0.0] };
/// let joints = [DAffine3::IDENTITY, DAffine3::from_translation([0.0, 2.0, 0.0].into())];
/// assert_eq!(skin(&[Vec3::X], &[half], &joints)?, [Vec3::new(1.0, 1.0, 0.0)]);
/// # Ok::<(), hitscan_scene::SkinError>(())
/// ```
pub fn skin(
    positions: &[Vec3],
    weights: &[VertexWeights],
    joints: &[DAffine3],
) -> Result<Vec<Vec3>, SkinError> {
    if positions.len() != weights.len() {
        return Err(SkinError::Count { found: weights.len(), expected: positions.len() });
    }
    let skinned = |(vertex, (position, weights)): (usize, (&Vec3, &VertexWeights))| {
        let (position, mut moved, mut sum) = (position.as_dvec3(), DVec3::ZERO, 0.0);
        for (&joint, &weight) in weights.joints.iter().zip(&weights.weights) {
            if weight != 0.0 {
                let matrix = joints.get(usize::from(joint)).ok_or(SkinError::Joint {
                    vertex,
                    joint,
                    n_joints: joints.len(),
                })?;
                moved += f64::from(weight) * matrix.transform_point3(position);
                sum += f64::from(weight);
            }
        }
        Ok(if sum == 0.0 { position } else { moved / sum }.as_vec3())
    };
    positions.iter().zip(weights).enumerate().map(skinned).collect()
}

/// The reason why [`skin`] failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SkinError {
    /// The numbers of weights and positions differ.
    #[error("weights: {found} vertices, expected {expected}; give one entry per position")]
    Count {
        /// The number of weights.
        found: usize,
        /// The number of positions.
        expected: usize,
    },
    /// A vertex names a joint beyond the list of matrices.
    #[error(
        "vertex {vertex}: joint {joint}, expected less than {n_joints}; add its matrix or correct it"
    )]
    Joint {
        /// The index of the first such vertex.
        vertex: usize,
        /// The joint that the vertex names.
        joint: u16,
        /// The number of matrices.
        n_joints: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_a_mean_and_need_not_sum_to_one() {
        let joints =
            [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(|v| DAffine3::from_translation(v.into()));
        let weights = |weights| VertexWeights { joints: [0, 1, 9, 9], weights };
        let positions = [Vec3::Z; 3];
        let all = [
            weights([1.0, 0.0, 0.0, 0.0]),
            weights([0.5, 1.5, 0.0, 0.0]),
            VertexWeights::default(),
        ];
        let expected = [Vec3::new(2.0, 0.0, 1.0), Vec3::new(0.5, 3.0, 1.0), Vec3::Z];
        assert_eq!(skin(&positions, &all, &joints), Ok(expected.to_vec()));
    }

    #[test]
    fn a_joint_without_a_matrix_is_named() {
        let weights = VertexWeights { joints: [0, 7, 0, 0], weights: [0.5, 0.5, 0.0, 0.0] };
        let error = skin(&[Vec3::X], &[weights], &[DAffine3::IDENTITY]);
        assert_eq!(error, Err(SkinError::Joint { vertex: 0, joint: 7, n_joints: 1 }));
        let error = skin(&[Vec3::X], &[], &[DAffine3::IDENTITY]);
        assert_eq!(error, Err(SkinError::Count { found: 0, expected: 1 }));
    }
}
