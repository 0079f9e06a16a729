//! Converting the node hierarchy to instances, with and without their parents.

use std::{collections::HashMap, sync::Arc};

use glam::{DAffine3, DQuat, DVec3};
use hitscan_files::ReadErrorKind;
use serde::Deserialize;

use super::{
    accessor::{Source, at},
    document::{Attributes, Mesh, Node, Root},
    extensions::{GPU_INSTANCING, NODE_VISIBILITY, RTC},
    lenient::Index,
    pose::{PosedMesh, has_joints},
    transforms::{local, rotation},
};
use crate::{Instance, LoadReport, SceneNode};

/// The instances of a scene, and its hierarchy. Their meshes are indices in `posed`.
pub(super) struct Hierarchy {
    pub(super) instances: Vec<Instance>,
    /// The nodes with a mesh, and their ancestors.
    pub(super) nodes: Vec<SceneNode>,
    /// Each mesh once for each of its poses.
    pub(super) posed: Vec<PosedMesh>,
}

/// A node that waits for its visit.
struct Pending {
    node: usize,
    /// The world transform of the parent.
    parent_world: DAffine3,
    /// The index of the parent; `None` for a root, and below a transform without an inverse.
    parent: Option<usize>,
    is_hidden: bool,
}

/// A hierarchy under construction.
struct Walk<'a, 'r> {
    source: Source<'a>,
    report: &'r mut LoadReport,
    instances: Vec<Instance>,
    nodes: Vec<SceneNode>,
    posed: Vec<PosedMesh>,
    index_of_posed: HashMap<PosedMesh, usize>,
    /// By the index of the mesh.
    names_of_meshes: HashMap<usize, Arc<str>>,
    /// The transform of the whole scene.
    origin: DAffine3,
}

#[derive(Deserialize)]
struct Visibility {
    visible: Option<bool>,
}

#[derive(Deserialize)]
struct Rtc {
    center: [f64; 3],
}

#[derive(Deserialize)]
struct Instancing<'a> {
    #[serde(borrow, default)]
    attributes: Attributes<'a>,
}

/// Returns the hierarchy of the default scene, or else of all nodes without parents. Nodes keep the
/// order of the file, each before its children.
pub(super) fn hierarchy(
    source: Source<'_>,
    report: &mut LoadReport,
) -> Result<Hierarchy, ReadErrorKind> {
    let root = source.root;
    let center = root.extensions.get::<Rtc>(RTC, "the document")?;
    let origin = center.map_or(DVec3::ZERO, |rtc| DVec3::from_array(rtc.center));
    let mut walk = Walk {
        source,
        report,
        instances: Vec::new(),
        nodes: Vec::new(),
        posed: Vec::new(),
        index_of_posed: HashMap::new(),
        names_of_meshes: HashMap::new(),
        origin: DAffine3::from_translation(origin),
    };
    if root.meshes.len() > 0 && root.nodes.iter().all(|(_, node)| node.mesh.is_none()) {
        walk.place_all_meshes();
    }
    walk.scene()?;
    let Walk { instances, nodes, posed, .. } = walk;
    Ok(Hierarchy { instances, nodes: with_meshes(nodes), posed })
}

impl Walk<'_, '_> {
    /// Places the meshes of a file without an instance of any at the origin.
    fn place_all_meshes(&mut self) {
        for (index, mesh) in self.source.root.meshes.iter() {
            let name = self.name_of_mesh(index, mesh).unwrap_or(format!("mesh {index}").into());
            let weights = weights(mesh, None);
            let posed = self.posed(PosedMesh::new(index, weights, None));
            self.add(Some(name), None, posed, self.origin, self.origin);
        }
        let n = self.source.root.meshes.len() as u64;
        self.report.add_as("meshes without a node in the file", "placed at the origin", n);
    }

    fn scene(&mut self) -> Result<(), ReadErrorKind> {
        let list = &self.source.root.nodes;
        let mut seen = vec![false; list.len()];
        let root =
            |node| Pending { node, parent_world: self.origin, parent: None, is_hidden: false };
        let roots = roots(self.source.root)?;
        let mut to_do: Vec<Pending> = roots.into_iter().rev().map(root).collect();
        let (mut n_seen, mut n_hidden) = (0, 0);
        while let Some(pending) = to_do.pop() {
            let index = pending.node;
            if std::mem::replace(&mut seen[index], true) {
                let found = format!("nodes[{index}]: twice in the scene");
                return Err(ReadErrorKind::syntax(found, "it once, below one parent"));
            }
            n_seen += 1;
            let path = format!("nodes[{index}]");
            let node = list.get(Index(index), &path)?;
            let visibility = node.extensions.get::<Visibility>(NODE_VISIBILITY, &path)?;
            let is_shown = visibility.is_none_or(|value| value.visible.unwrap_or(true));
            let is_hidden = pending.is_hidden || !is_shown;
            let local = local(node, self.report).map_err(at(&path))?;
            let world = pending.parent_world * local;
            let children = node.children.as_deref().unwrap_or_default();
            let parent = if is_hidden {
                n_hidden += u64::from(node.mesh.is_some());
                None
            } else {
                self.node(&pending, node, &path, local, world)?
            };
            let first_child = to_do.len();
            for (i, &child) in children.iter().enumerate() {
                list.get(child, format_args!("{path}.children[{i}]"))?;
                to_do.push(Pending { node: child.0, parent_world: world, parent, is_hidden });
            }
            to_do[first_child..].reverse();
        }
        self.report.add("hidden nodes", n_hidden);
        self.report.add("nodes outside the scene", (list.len() - n_seen) as u64);
        Ok(())
    }

    /// Adds a visible node with its instances. Returns its index as a parent, if its transform has an inverse.
    fn node(
        &mut self,
        pending: &Pending,
        node: &Node<'_>,
        path: &str,
        local: DAffine3,
        world: DAffine3,
    ) -> Result<Option<usize>, ReadErrorKind> {
        let index = pending.node;
        let mesh = match node.mesh {
            None => None,
            Some(mesh) => {
                let read = self.source.root.meshes.get(mesh, format_args!("{path}.mesh"))?;
                Some((mesh.0, read))
            }
        };
        let name: Option<Arc<str>> = match (node.name.0.as_deref(), mesh) {
            (Some(name), _) => Some(name.into()),
            (None, Some((of, mesh))) => {
                Some(self.name_of_mesh(of, mesh).unwrap_or(format!("node {index}").into()))
            }
            (None, None) => None,
        };
        let instancing = node.extensions.get::<Instancing<'_>>(GPU_INSTANCING, path)?;
        // A child of a node without an inverse is in the space of the scene.
        let in_parent = if pending.parent.is_some() { local } else { world };
        let Some((mesh_index, mesh)) = mesh else {
            return Ok(self.group(name, pending.parent, in_parent, world));
        };
        let skin = match node.skin {
            Some(skin) if mesh.primitives.iter().any(|(_, primitive)| has_joints(primitive)) => {
                self.source.root.skins.get(skin, format_args!("{path}.skin"))?;
                Some(skin.0)
            }
            _ => None,
        };
        let weights = weights(mesh, node.weights.as_deref());
        if let Some(skin) = skin {
            // Joints place a skinned mesh in the scene, whatever the transform of its node.
            let all_move = mesh.primitives.iter().all(|(_, primitive)| has_joints(primitive));
            let rigid = (!all_move).then_some(index);
            let posed = self.posed(PosedMesh::new(mesh_index, weights, Some((skin, rigid))));
            self.report.add_as("nodes with a skin", "read in the rest pose", 1);
            let ignored = u64::from(instancing.is_some());
            self.report.add("instances of skinned meshes after the first", ignored);
            self.add(name.clone(), None, posed, self.origin, self.origin);
        } else {
            let posed = self.posed(PosedMesh::new(mesh_index, weights, None));
            let Some(instancing) = instancing else {
                return Ok(self.add(name, pending.parent, posed, in_parent, world));
            };
            for transform in self.instance_transforms(&instancing.attributes, path)? {
                let (in_parent, world) = (in_parent * transform, world * transform);
                self.add(name.clone(), pending.parent, posed, in_parent, world);
            }
        }
        // The children are below the node, not below an instance.
        Ok(self.group(name, pending.parent, in_parent, world))
    }

    /// Adds an instance. Returns its index as a node, unless its transform has no inverse.
    fn add(
        &mut self,
        name: Option<Arc<str>>,
        parent: Option<usize>,
        posed: usize,
        in_parent: DAffine3,
        world: DAffine3,
    ) -> Option<usize> {
        if !is_invertible(&world) {
            self.report.add("nodes whose transform has no inverse", 1);
            return None;
        }
        self.instances.push(Instance { mesh: posed, transform: world, name: name.clone() });
        self.nodes.push(SceneNode { name, parent, mesh: Some(posed), transform: in_parent });
        Some(self.nodes.len() - 1)
    }

    fn group(
        &mut self,
        name: Option<Arc<str>>,
        parent: Option<usize>,
        in_parent: DAffine3,
        world: DAffine3,
    ) -> Option<usize> {
        is_invertible(&world).then(|| {
            self.nodes.push(SceneNode { name, parent, mesh: None, transform: in_parent });
            self.nodes.len() - 1
        })
    }

    fn posed(&mut self, posed: PosedMesh) -> usize {
        let n = self.posed.len();
        let index = *self.index_of_posed.entry(posed.clone()).or_insert(n);
        if index == n {
            self.posed.push(posed);
        }
        index
    }

    fn name_of_mesh(&mut self, index: usize, mesh: &Mesh<'_>) -> Option<Arc<str>> {
        let name = mesh.name.0.as_deref()?;
        Some(self.names_of_meshes.entry(index).or_insert_with(|| name.into()).clone())
    }

    /// The transforms of `EXT_mesh_gpu_instancing`, from the space of the mesh to that of the node.
    fn instance_transforms(
        &self,
        attributes: &Attributes<'_>,
        path: &str,
    ) -> Result<Vec<DAffine3>, ReadErrorKind> {
        let mut n = None;
        for name in attributes.0.keys() {
            let Some(index) = attributes.get(name) else { continue };
            let is_transform = matches!(&**name, "TRANSLATION" | "ROTATION" | "SCALE");
            let path = format!("{path}.extensions.{GPU_INSTANCING}.attributes.{name}");
            let count = match self.source.accessor(index, &path) {
                Ok(accessor) => accessor.count(),
                // A property of the instances that places nothing.
                Err(_) if !is_transform => continue,
                Err(error) => return Err(error),
            };
            if *n.get_or_insert(count) != count && is_transform {
                let found = format!("{path}: {count} values");
                let expected = format!("{}, as another attribute has", n.unwrap_or_default());
                return Err(ReadErrorKind::syntax(found, expected));
            }
        }
        let n = n.unwrap_or(1);
        let what_if_shared = "instances of nodes that share data";
        let n_all = (self.instances.len() as u64).saturating_add(n as u64);
        self.source.check("instances", what_if_shared, n_all)?;
        let read = |name| match attributes.get(name) {
            None => Ok(None),
            Some(index) => {
                let path = format!("{path}.extensions.{GPU_INSTANCING}.attributes.{name}");
                self.source.accessor(index, &path).map(|accessor| Some((accessor, path)))
            }
        };
        let vectors = |name, default: DVec3| match read(name)? {
            None => Ok::<_, ReadErrorKind>(vec![default; n]),
            Some((accessor, path)) => {
                let values = self.source.floats::<3>(accessor, None).map_err(at(path))?;
                Ok(values.into_iter().map(|v| DVec3::from(v.map(f64::from))).collect())
            }
        };
        let translations = vectors("TRANSLATION", DVec3::ZERO)?;
        let scales = vectors("SCALE", DVec3::ONE)?;
        let rotations = match read("ROTATION")? {
            None => vec![DQuat::IDENTITY; n],
            Some((accessor, path)) => {
                let values = self.source.floats::<4>(accessor, None).map_err(at(path))?;
                values.into_iter().map(|q| rotation(q.map(f64::from))).collect()
            }
        };
        let parts = translations.into_iter().zip(rotations).zip(scales);
        Ok(parts
            .map(|((translation, rotation), scale)| {
                DAffine3::from_scale_rotation_translation(scale, rotation, translation)
            })
            .collect())
    }
}

/// The initial weights of the morph targets: those of the node, or else of the mesh.
fn weights<'a>(mesh: &'a Mesh<'_>, of_node: Option<&'a [f64]>) -> &'a [f64] {
    let has_targets = mesh.primitives.iter().any(|(_, primitive)| primitive.targets.is_some());
    let weights = of_node.or(mesh.weights.as_deref()).unwrap_or_default();
    if has_targets { weights } else { &[] }
}

/// The nodes of the default scene without parents, or else all nodes without parents.
fn roots(root: &Root<'_>) -> Result<Vec<usize>, ReadErrorKind> {
    let scene = match root.scene {
        Some(scene) if root.scenes.len() > 0 => Some((scene, root.scenes.get(scene, "scene")?)),
        _ if root.scenes.len() > 0 => Some((Index(0), root.scenes.get(Index(0), "scenes")?)),
        _ => None,
    };
    if let Some((Index(index), scene)) = scene {
        let nodes = scene.nodes.as_deref().unwrap_or_default();
        for (i, &node) in nodes.iter().enumerate() {
            root.nodes.get(node, format_args!("scenes[{index}].nodes[{i}]"))?;
        }
        return Ok(nodes.iter().map(|node| node.0).collect());
    }
    let mut has_parent = vec![false; root.nodes.len()];
    for child in root.nodes.iter().flat_map(|(_, node)| node.children.iter().flatten()) {
        if let Some(has_parent) = has_parent.get_mut(child.0) {
            *has_parent = true;
        }
    }
    Ok((0..root.nodes.len()).filter(|&node| !has_parent[node]).collect())
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
