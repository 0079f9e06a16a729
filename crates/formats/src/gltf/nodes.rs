//! Converting the node hierarchy to instances, with and without their parents.

use std::{collections::HashMap, sync::Arc};

use glam::{DAffine3, DMat4, DQuat, DVec3, DVec4};
use gltf::{Document, Node, scene::Transform};
use hitscan_files::ReadErrorKind;

use crate::{Instance, LoadReport, SceneNode};

/// The instances of a scene, and its hierarchy.
pub(super) struct Hierarchy {
    pub(super) instances: Vec<Instance>,
    /// The nodes with a mesh, and their ancestors.
    pub(super) nodes: Vec<SceneNode>,
}

/// A node that waits for its visit.
struct Pending<'a> {
    node: Node<'a>,
    /// The world transform of the parent.
    parent_world: DAffine3,
    /// The index of the parent; `None` for a root, and below a transform without an inverse.
    parent: Option<usize>,
}

/// Returns the hierarchy of the default scene, or else of all nodes without parents. Nodes keep the
/// order of the file, each before its children.
pub(super) fn hierarchy(
    document: &Document,
    report: &mut LoadReport,
) -> Result<Hierarchy, ReadErrorKind> {
    let mut seen = vec![false; document.nodes().count()];
    let mut instances = Vec::new();
    let mut nodes: Vec<SceneNode> = Vec::new();
    // By the index of the mesh.
    let mut names_of_meshes: HashMap<usize, Arc<str>> = HashMap::new();
    let root = |node| Pending { node, parent_world: DAffine3::IDENTITY, parent: None };
    let mut to_do: Vec<Pending<'_>> = roots(document)?.into_iter().rev().map(root).collect();
    while let Some(Pending { node, parent_world, parent }) = to_do.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            let found = format!("node {} twice in the scene", node.index());
            return Err(ReadErrorKind::syntax(found, "it once"));
        }
        let local = local(&node)?;
        let world = parent_world * local;
        let is_invertible = is_invertible(&world);
        let mesh = node.mesh();
        if mesh.is_some() && !is_invertible {
            report.add("nodes whose transform has no inverse", 1);
        }
        let mesh = mesh.filter(|_| is_invertible);
        let name: Option<Arc<str>> = match (node.name(), &mesh) {
            (Some(name), _) => Some(name.into()),
            (None, Some(mesh)) => Some(match mesh.name() {
                Some(name) => {
                    names_of_meshes.entry(mesh.index()).or_insert_with(|| name.into()).clone()
                }
                None => format!("node {}", node.index()).into(),
            }),
            (None, None) => None,
        };
        if let Some(mesh) = &mesh {
            instances.push(Instance { mesh: mesh.index(), transform: world, name: name.clone() });
        }
        let index = is_invertible.then(|| {
            // A parent without an inverse is left out, so its children stand in the scene.
            let transform = if parent.is_some() { local } else { world };
            nodes.push(SceneNode { name, parent, mesh: mesh.map(|mesh| mesh.index()), transform });
            nodes.len() - 1
        });
        let first_child = to_do.len();
        let child = |node| Pending { node, parent_world: world, parent: index };
        to_do.extend(node.children().map(child));
        to_do[first_child..].reverse();
    }
    report.add("nodes outside the scene", seen.iter().filter(|&&seen| !seen).count() as u64);
    Ok(Hierarchy { instances, nodes: with_meshes(nodes) })
}

/// The nodes of the default scene without parents, or else all nodes without parents.
fn roots(document: &Document) -> Result<Vec<Node<'_>>, ReadErrorKind> {
    let mut n_parents = vec![0u32; document.nodes().count()];
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
    Ok(match document.default_scene().or_else(|| document.scenes().next()) {
        Some(scene) => scene.nodes().collect(),
        None => document.nodes().filter(|node| n_parents[node.index()] == 0).collect(),
    })
}

fn is_invertible(transform: &DAffine3) -> bool {
    let determinant = transform.matrix3.determinant();
    transform.is_finite() && determinant.is_finite() && determinant != 0.0
}

/// The nodes with a mesh at or below them: bones, cameras and lights are left out.
fn with_meshes(nodes: Vec<SceneNode>) -> Vec<SceneNode> {
    let mut is_kept: Vec<bool> = nodes.iter().map(|node| node.mesh.is_some()).collect();
    for (index, node) in nodes.iter().enumerate().rev() {
        if let (true, Some(parent)) = (is_kept[index], node.parent) {
            is_kept[parent] = true;
        }
    }
    let mut new_index = vec![0; nodes.len()];
    let mut kept: Vec<SceneNode> = Vec::new();
    for (index, mut node) in nodes.into_iter().enumerate() {
        if is_kept[index] {
            node.parent = node.parent.map(|parent| new_index[parent]);
            new_index[index] = kept.len();
            kept.push(node);
        }
    }
    kept
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
