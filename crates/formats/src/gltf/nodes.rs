//! Converting the node hierarchy to instances.

use std::{collections::HashMap, sync::Arc};

use glam::{DAffine3, DMat4, DQuat, DVec3, DVec4};
use gltf::{Document, Node, scene::Transform};
use hitscan_files::ReadErrorKind;

use crate::{Instance, LoadReport};

/// Returns the instances of the default scene, or else of all nodes without parents. Nodes keep the
/// order of the file, each before its children.
pub(super) fn instances(
    document: &Document,
    report: &mut LoadReport,
) -> Result<Vec<Instance>, ReadErrorKind> {
    let n_nodes = document.nodes().count();
    let mut n_parents = vec![0u32; n_nodes];
    for node in document.nodes() {
        for child in node.children() {
            n_parents[child.index()] += 1;
        }
    }
    // Every node has at most one parent, so the nodes below the roots form trees.
    if let Some(node) = n_parents.iter().position(|&n| n > 1) {
        let found = format!("node {node} with {} parents", n_parents[node]);
        return Err(ReadErrorKind::syntax(found, "at most one"));
    }
    let roots: Vec<Node<'_>> = match document.default_scene().or_else(|| document.scenes().next()) {
        Some(scene) => scene.nodes().collect(),
        None => document.nodes().filter(|node| n_parents[node.index()] == 0).collect(),
    };
    let mut seen = vec![false; n_nodes];
    let mut instances = Vec::new();
    // By the index of the mesh.
    let mut names_of_meshes: HashMap<usize, Arc<str>> = HashMap::new();
    let mut to_do: Vec<(Node<'_>, DAffine3)> =
        roots.into_iter().rev().map(|root| (root, DAffine3::IDENTITY)).collect();
    while let Some((node, parent)) = to_do.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            let found = format!("node {} twice in the scene", node.index());
            return Err(ReadErrorKind::syntax(found, "it once"));
        }
        let transform = parent * local(&node)?;
        if let Some(mesh) = node.mesh() {
            let determinant = transform.matrix3.determinant();
            if transform.is_finite() && determinant.is_finite() && determinant != 0.0 {
                let name = match (node.name(), mesh.name()) {
                    (Some(name), _) => name.into(),
                    (None, Some(name)) => {
                        names_of_meshes.entry(mesh.index()).or_insert_with(|| name.into()).clone()
                    }
                    (None, None) => format!("node {}", node.index()).into(),
                };
                instances.push(Instance { mesh: mesh.index(), transform, name: Some(name) });
            } else {
                report.add("nodes whose transform has no inverse", 1);
            }
        }
        let first_child = to_do.len();
        to_do.extend(node.children().map(|child| (child, transform)));
        to_do[first_child..].reverse();
    }
    report.add("nodes outside the scene", seen.iter().filter(|&&seen| !seen).count() as u64);
    Ok(instances)
}

/// The transform from the space of a node to that of its parent.
fn local(node: &Node<'_>) -> Result<DAffine3, ReadErrorKind> {
    Ok(match node.transform() {
        Transform::Matrix { matrix } => {
            let columns = matrix.map(|column| DVec4::from(column.map(f64::from)));
            let [x, y, z, w] = columns;
            let matrix = DMat4::from_cols(x, y, z, w);
            if matrix.row(3) != DVec4::W {
                let found = format!("a matrix of node {} that is not affine", node.index());
                return Err(ReadErrorKind::syntax(found, "a last row of 0, 0, 0, 1"));
            }
            DAffine3::from_mat4(matrix)
        }
        Transform::Decomposed { translation, rotation, scale } => {
            let rotation = DQuat::from_array(rotation.map(f64::from));
            let length = rotation.length();
            let rotation = if length > 0.0 && length.is_finite() {
                rotation * (1.0 / length)
            } else {
                DQuat::IDENTITY
            };
            let [scale, translation] = [scale, translation].map(|v| DVec3::from(v.map(f64::from)));
            DAffine3::from_scale_rotation_translation(scale, rotation, translation)
        }
    })
}
