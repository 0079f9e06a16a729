//! The joints and morph targets of a mesh, and positions and boxes in a pose.

use hitscan::{
    glam::{DAffine3, DVec3, Vec3},
    scene::{SkinError, VertexWeights, WorldBox, skin},
};

use crate::bevy_api::{Mesh, joints, morph_target};

/// The joints of an asset with the boxes of their vertices, and the boxes of its morph targets.
#[derive(Debug)]
pub(crate) struct SkinSource {
    /// One entry per vertex; empty without joints.
    weights: Vec<VertexWeights>,
    /// The boxes of the vertices that each joint moves, in the space of the mesh.
    joint_boxes: Vec<JointBox>,
    /// The box of the displacements of each morph target, once a pose needs it.
    target_boxes: Vec<Option<WorldBox>>,
}

#[derive(Debug)]
struct JointBox {
    /// `None` for vertices that no joint moves.
    joint: Option<u16>,
    bounds: WorldBox,
}

/// The values that decide the positions of a posed mesh.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PoseValues {
    /// The transform of the instance: from the space of the posed positions to the world.
    pub(crate) placement: DAffine3,
    /// For each joint, the matrix from the space of the mesh to that of the posed positions. Empty without
    /// joints; both spaces are one then.
    pub(crate) joints: Vec<DAffine3>,
    /// The weights of the morph targets.
    pub(crate) weights: Vec<f32>,
}

impl PoseValues {
    /// Whether two poses have the same positions, wherever they are in the world.
    pub(crate) fn has_same_positions(&self, other: &Self) -> bool {
        self.joints == other.joints && self.weights == other.weights
    }
}

impl SkinSource {
    /// Reads the joints of a mesh. `positions` are those of its tree. O(vertices).
    pub(crate) fn new(mesh: &Mesh, positions: &[Vec3]) -> Self {
        let mut weights = vec![];
        if let Some((indices, values)) = joints(mesh) {
            let vertices = indices.iter().zip(values);
            weights =
                vertices.map(|(&joints, &weights)| VertexWeights { joints, weights }).collect();
            // An attribute of another length than the positions cannot pose the mesh.
            if weights.len() != positions.len() {
                weights.clear();
            }
        }
        let mut boxes = vec![WorldBox::EMPTY; 1];
        for (vertex, position) in positions.iter().enumerate() {
            let point = WorldBox { min: position.as_dvec3(), max: position.as_dvec3() };
            let mut is_moved = false;
            if let Some(VertexWeights { joints, weights }) = weights.get(vertex) {
                for (&joint, &weight) in joints.iter().zip(weights) {
                    if weight != 0.0 {
                        is_moved = true;
                        let at = usize::from(joint) + 1;
                        if boxes.len() <= at {
                            boxes.resize(at + 1, WorldBox::EMPTY);
                        }
                        boxes[at] = boxes[at].union(point);
                    }
                }
            }
            if !is_moved {
                boxes[0] = boxes[0].union(point);
            }
        }
        let joint_boxes = boxes
            .into_iter()
            .enumerate()
            .filter(|(_, bounds)| !bounds.is_empty())
            .map(|(at, bounds)| JointBox { joint: at.checked_sub(1).map(|j| j as u16), bounds })
            .collect();
        Self { weights, joint_boxes, target_boxes: vec![] }
    }

    /// The positions in a pose: morph targets first, then joints.
    ///
    /// # Errors
    /// A joint that the pose does not have.
    pub(crate) fn positions(
        &self,
        mesh: &Mesh,
        rest: &[Vec3],
        pose: &PoseValues,
    ) -> Result<Vec<Vec3>, SkinError> {
        let mut positions = rest.to_vec();
        for (target, &weight) in pose.weights.iter().enumerate() {
            if weight != 0.0
                && let Some(displacements) = morph_target(mesh, target)
            {
                for (position, displacement) in positions.iter_mut().zip(displacements) {
                    *position += weight * Vec3::from_array(displacement.position.to_array());
                }
            }
        }
        if self.is_skinned(pose) {
            return skin(&positions, &self.weights, &pose.joints);
        }
        Ok(positions)
    }

    /// Whether joints move the vertices.
    pub(crate) fn has_joints(&self) -> bool {
        !self.weights.is_empty()
    }

    fn is_skinned(&self, pose: &PoseValues) -> bool {
        self.has_joints() && !pose.joints.is_empty()
    }

    /// A box in world space around the mesh in a pose, without computing its positions.
    ///
    /// A vertex is a mean of its images under its joints, so it lies in the hull of the joints' boxes.
    pub(crate) fn bounds(&mut self, mesh: &Mesh, pose: &PoseValues) -> WorldBox {
        let displacement = self.displacement(mesh, &pose.weights);
        let mut bounds = WorldBox::EMPTY;
        for JointBox { joint, bounds: rest } in &self.joint_boxes {
            let moved =
                WorldBox { min: rest.min + displacement.min, max: rest.max + displacement.max };
            let matrix = match joint {
                Some(joint) if self.is_skinned(pose) => pose.joints.get(usize::from(*joint)),
                _ => Some(&DAffine3::IDENTITY),
            };
            if let Some(matrix) = matrix {
                bounds = bounds.union(image(&(pose.placement * *matrix), &moved));
            }
        }
        // Positions are rounded to f32 in the space of the mesh and in that of the pose.
        let size = bounds.max - bounds.min;
        let margin = 1e-5 * (size + (pose.placement.translation - bounds.min).abs());
        WorldBox { min: bounds.min - margin, max: bounds.max + margin }
    }

    /// The box of the sums of weighted displacements.
    fn displacement(&mut self, mesh: &Mesh, weights: &[f32]) -> WorldBox {
        let mut sum = WorldBox { min: DVec3::ZERO, max: DVec3::ZERO };
        for (target, &weight) in weights.iter().enumerate() {
            if weight == 0.0 {
                continue;
            }
            if self.target_boxes.len() <= target {
                self.target_boxes.resize(target + 1, None);
            }
            let bounds = *self.target_boxes[target].get_or_insert_with(|| {
                let displacements = morph_target(mesh, target).unwrap_or(&[]).iter();
                let zero = WorldBox { min: DVec3::ZERO, max: DVec3::ZERO };
                displacements.fold(zero, |bounds, displacement| {
                    let point = DVec3::from_array(displacement.position.to_array().map(f64::from));
                    bounds.union(WorldBox { min: point, max: point })
                })
            });
            let (a, b) = (f64::from(weight) * bounds.min, f64::from(weight) * bounds.max);
            sum = WorldBox { min: sum.min + a.min(b), max: sum.max + a.max(b) };
        }
        sum
    }
}

/// The box around the image of a box.
fn image(transform: &DAffine3, bounds: &WorldBox) -> WorldBox {
    let center = transform.transform_point3(0.5 * (bounds.min + bounds.max));
    let half = transform.matrix3.abs() * (0.5 * (bounds.max - bounds.min));
    WorldBox { min: center - half, max: center + half }
}
