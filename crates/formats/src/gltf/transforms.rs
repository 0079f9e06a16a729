//! The transforms of nodes.

use std::collections::HashMap;

use glam::{DAffine3, DMat3, DQuat, DVec3};
use hitscan_files::ReadErrorKind;

use super::{
    accessor::at,
    document::{Node, Root},
    lenient::Index,
};
use crate::LoadReport;

/// The transforms of nodes to the space of the scene, for the joints of skins.
pub(super) struct Worlds<'a> {
    root: &'a Root<'a>,
    parents: Vec<Option<usize>>,
    known: HashMap<usize, DAffine3>,
}

impl<'a> Worlds<'a> {
    pub(super) fn new(root: &'a Root<'a>) -> Self {
        let mut parents = vec![None; root.nodes.len()];
        for (parent, node) in root.nodes.iter() {
            for child in node.children.iter().flatten() {
                if let Some(of_child) = parents.get_mut(child.0) {
                    of_child.get_or_insert(parent);
                }
            }
        }
        Self { root, parents, known: HashMap::new() }
    }

    /// The transform of a node that exists, without that of `CESIUM_RTC`.
    pub(super) fn of(&mut self, node: usize) -> Result<DAffine3, ReadErrorKind> {
        let (mut chain, mut next) = (Vec::new(), Some(node));
        let mut world = DAffine3::IDENTITY;
        while let Some(node) = next {
            if let Some(known) = self.known.get(&node) {
                world = *known;
                break;
            }
            if chain.len() == self.parents.len() {
                let found = format!("nodes[{node}]: its own ancestor");
                return Err(ReadErrorKind::syntax(found, "a tree of nodes"));
            }
            chain.push(node);
            next = self.parents[node];
        }
        for node in chain.into_iter().rev() {
            let path = format!("nodes[{node}]");
            let read = self.root.nodes.get(Index(node), &path)?;
            world *= local(read, &mut LoadReport::default()).map_err(at(&path))?;
            self.known.insert(node, world);
        }
        Ok(world)
    }
}

/// The transform from the space of a node to that of its parent.
pub(super) fn local(node: &Node<'_>, report: &mut LoadReport) -> Result<DAffine3, ReadErrorKind> {
    /// The largest rounding error of the last row of a matrix that writers multiplied in single precision.
    const ROUNDING: f64 = 1e-5;
    if let Some(matrix) = &node.matrix {
        let row = [matrix[3], matrix[7], matrix[11], matrix[15]];
        let error = row.iter().zip([0.0, 0.0, 0.0, 1.0]).map(|(a, b)| (a - b).abs());
        let error = error.fold(0.0, f64::max);
        if error > ROUNDING {
            let found = format!("matrix with the last row {row:?}");
            return Err(ReadErrorKind::syntax(found, "0, 0, 0, 1"));
        }
        report.add_as("matrices with a rounded last row", "mended", u64::from(error > 0.0));
        let column = |i: usize| DVec3::from_slice(&matrix[4 * i..]);
        return Ok(DAffine3 {
            matrix3: DMat3::from_cols(column(0), column(1), column(2)),
            translation: column(3),
        });
    }
    let scale = node.scale.map_or(DVec3::ONE, DVec3::from);
    let rotation = node.rotation.map_or(DQuat::IDENTITY, rotation);
    let translation = node.translation.map_or(DVec3::ZERO, DVec3::from);
    Ok(DAffine3::from_scale_rotation_translation(scale, rotation, translation))
}

/// A rotation of length 1; none for a quaternion without a direction.
pub(super) fn rotation(quaternion: [f64; 4]) -> DQuat {
    let rotation = DQuat::from_array(quaternion);
    let length = rotation.length();
    if length > 0.0 && length.is_finite() { rotation * (1.0 / length) } else { DQuat::IDENTITY }
}
