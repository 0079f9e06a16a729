//! Hide, isolate and show.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Instant;

use hitscan::TriMesh;
use hitscan::picking::Element;
use hitscan::scene::InstanceId;

use super::Session;
use crate::hidden::n_polygons;
use crate::parts::Item;
use crate::protocol::{SelectionReport, ToPage};

/// The chosen parts of an instance.
#[derive(Debug, Default)]
struct Chosen {
    is_whole: bool,
    polygons: BTreeSet<u32>,
    edges: HashSet<[u32; 2]>,
    vertices: HashSet<u32>,
}

impl Session {
    /// Hides the selected instances, parts and faces. Of a selected edge or vertex it hides the
    /// faces that share it.
    pub(super) fn hide(&mut self, now: Instant) -> Vec<ToPage> {
        if self.selection.is_empty() {
            return vec![];
        }
        for (instance, chosen) in self.chosen() {
            let Some(order) = self.subject.scene().insertion_order(instance) else { continue };
            if chosen.is_whole {
                self.hidden.instances.insert(order);
            } else if let Some(n) = self.n_polygons(instance) {
                self.hidden.hide_faces(order, n, chosen.polygons);
            }
        }
        self.selection.clear();
        self.apply_hidden(now)
    }

    /// Hides everything but the selected instances, parts and faces.
    pub(super) fn isolate(&mut self, now: Instant) -> Vec<ToPage> {
        let chosen = self.chosen();
        if chosen.is_empty() {
            return vec![];
        }
        let scene = self.subject.scene().clone();
        for &id in self.subject.instances() {
            let Some(order) = scene.insertion_order(id) else { continue };
            if let Some(chosen) = chosen.get(&id) {
                if let Some(n) = self.n_polygons(id).filter(|_| !chosen.is_whole) {
                    let others = (0..n as u32).filter(|polygon| !chosen.polygons.contains(polygon));
                    self.hidden.hide_faces(order, n, others);
                }
                continue;
            }
            // Ancestors and descendants of a chosen instance stay visible with it.
            let is_related = chosen.iter().any(|(other, chosen)| {
                scene.path(*other).contains(&id)
                    || chosen.is_whole && scene.path(id).contains(other)
            });
            if !is_related {
                self.hidden.instances.insert(order);
            }
        }
        self.apply_hidden(now)
    }

    /// The parts of each instance that the selection chooses.
    fn chosen(&self) -> BTreeMap<InstanceId, Chosen> {
        let mut all: BTreeMap<InstanceId, Chosen> = BTreeMap::new();
        for item in &self.selection {
            let chosen = all.entry(item.instance()).or_default();
            match item {
                Item::Part(part) => {
                    let polygons = self.shown.parts.polygons(part);
                    let ranges = polygons.into_iter().flat_map(|polygons| polygons.ranges.clone());
                    chosen.polygons.extend(ranges.flatten());
                }
                Item::Element(selected) => match selected.element {
                    Element::Object => chosen.is_whole = true,
                    Element::Face(polygon) => _ = chosen.polygons.insert(polygon),
                    Element::Edge(ends) => _ = chosen.edges.insert(ends),
                    Element::Vertex(vertex) => _ = chosen.vertices.insert(vertex),
                },
            }
        }
        for (&instance, chosen) in &mut all {
            if !(chosen.edges.is_empty() && chosen.vertices.is_empty())
                && let Some(mesh) = self.mesh(instance)
            {
                chosen.add_faces_of_edges_and_vertices(mesh);
            }
        }
        all
    }

    /// Applies what is hidden to the model's scene.
    pub(super) fn apply_hidden(&mut self, now: Instant) -> Vec<ToPage> {
        let scene = self.shown.model.subject.scene().clone();
        let scene = self.reduced.apply(&self.hidden, scene);
        self.subject.set_scene(scene);
        let left = self.selection.iter().copied().filter(|item| self.is_visible(item)).collect();
        self.hovered = None;
        self.last_click = None;
        self.renderer.invalidate_costs(now);
        vec![
            self.state_report(),
            self.visibility_report(),
            self.set_selection(left, false, SelectionReport::default()),
        ]
    }

    /// The mesh of an instance, without hidden faces.
    fn mesh(&self, id: InstanceId) -> Option<&TriMesh> {
        let instance = self.subject.scene().get(id)?;
        Some(instance.mesh.as_deref()?.tri_mesh())
    }

    pub(super) fn n_polygons(&self, id: InstanceId) -> Option<usize> {
        self.mesh(id).map(n_polygons)
    }
}

impl Chosen {
    fn add_faces_of_edges_and_vertices(&mut self, mesh: &TriMesh) {
        for (triangle, corners) in (0..).zip(mesh.triangles()) {
            let [a, b, c] = *corners;
            let edges = [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
            let is_chosen = edges.iter().any(|edge| self.edges.contains(edge))
                || corners.iter().any(|vertex| self.vertices.contains(vertex));
            if is_chosen {
                self.polygons.insert(mesh.polygon_of(triangle));
            }
        }
    }
}
