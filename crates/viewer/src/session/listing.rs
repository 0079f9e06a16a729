//! The list of objects: what the page shows of it, and its clicks.

use std::time::Instant;

use hitscan::picking::Element;
use hitscan::{BoundaryLoop, SameVertex, Topology, TriMesh};

use super::Session;
use crate::entries::{Entry, world_bounds};
use crate::hidden::{Visibility, n_polygons};
use crate::parts::Item;
use crate::protocol::{EntryReport, FactsReport, SelectionReport, SurfaceFacts, ToPage};
use crate::report;

/// Objects of more triangles are not examined, because the page would wait for a second or more.
const MAX_EXAMINED: usize = 2_000_000;

/// Maximum number of open edges that are drawn.
const MAX_OPEN_DRAWN: usize = 20_000;

impl Session {
    /// The list of objects.
    pub(super) fn list_report(&self) -> ToPage {
        let entries = &self.shown.entries;
        let report = |entry: &Entry| EntryReport {
            name: entry.name.clone(),
            n_triangles: entry.n_triangles,
        };
        ToPage::Objects {
            entries: entries.all().iter().map(report).collect(),
            n_more: entries.n_more,
        }
    }

    /// How much of each listed object is visible: 0 nothing, 1 a part, 2 all.
    pub(super) fn visibility_report(&self) -> ToPage {
        let state = |entry: &Entry| self.visibility(&entry.item) as u8;
        ToPage::Visibility { states: self.shown.entries.all().iter().map(state).collect() }
    }

    fn visibility(&self, item: &Item) -> Visibility {
        let scene = self.subject.scene();
        if scene.is_hidden(item.instance()) != Some(false) {
            return Visibility::Hidden;
        }
        let order = scene.insertion_order(item.instance()).unwrap_or_default();
        match item {
            Item::Part(part) => self.part_visibility(order, part),
            Item::Element(_) if self.hidden.has_hidden_faces(order) => Visibility::Partial,
            Item::Element(_) => Visibility::Full,
        }
    }

    /// Selects a listed object, hidden or not.
    pub(super) fn select_entry(&mut self, entry: usize, extend: bool) -> Vec<ToPage> {
        let Some(entry) = self.shown.entries.all().get(entry) else { return vec![] };
        let found = [entry.item].into();
        self.last_click = None;
        vec![self.set_selection(found, extend, SelectionReport::default())]
    }

    /// Hides a listed object, or shows it if all of it is hidden.
    pub(super) fn toggle_entry(&mut self, entry: usize, now: Instant) -> Vec<ToPage> {
        let Some(entry) = self.shown.entries.all().get(entry) else { return vec![] };
        let item = entry.item;
        let scene = self.subject.scene();
        let Some(order) = scene.insertion_order(item.instance()) else { return vec![] };
        let is_shown = self.visibility(&item) != Visibility::Hidden;
        let polygons = match &item {
            Item::Part(part) => self.shown.parts.polygons(part).map(|part| part.ranges.clone()),
            Item::Element(_) => None,
        };
        let n = self.n_polygons(item.instance()).unwrap_or(0);
        match (polygons, is_shown) {
            (Some(ranges), true) => {
                self.hidden.hide_faces(order, n, ranges.into_iter().flatten());
            }
            (None, true) => _ = self.hidden.instances.insert(order),
            (ranges, false) => {
                // A hidden parent hides its children, so it is shown as well.
                let path = self.subject.scene().path(item.instance());
                let mut was_hidden = false;
                for order in path.iter().filter_map(|&id| self.subject.scene().insertion_order(id))
                {
                    was_hidden |= self.hidden.instances.remove(&order);
                }
                match ranges {
                    Some(ranges) => {
                        if was_hidden {
                            // Only this object comes back, not the others of its instance.
                            self.hidden.hide_faces(order, n, 0..n as u32);
                        }
                        self.hidden.show_faces(order, ranges.into_iter().flatten());
                    }
                    None => self.hidden.show_faces(order, 0..n as u32),
                }
            }
        }
        self.apply_hidden(now)
    }

    /// Facts about the selected object or part, or about the whole scene if none is selected. Also
    /// remembers the open edges of the object.
    pub(super) fn facts(&mut self) -> Option<FactsReport> {
        self.open_edges.clear();
        let mut items = self.selection.iter();
        match (items.next().copied(), items.next().is_some()) {
            (Some(item), false) => self.facts_of(&item),
            (Some(_), true) => None,
            (None, _) => Some(self.facts_of_scene()),
        }
    }

    /// Facts about an object or part; `None` for a face, an edge or a vertex.
    fn facts_of(&mut self, item: &Item) -> Option<FactsReport> {
        let shown = self.shown.clone();
        let scene = shown.model.subject.scene();
        let instance = item.instance();
        let mesh = scene.get(instance)?.mesh.as_deref()?.tri_mesh();
        let ranges = match item {
            Item::Part(part) => self.shown.parts.polygons(part)?.ranges.clone(),
            Item::Element(selected) if selected.element == Element::Object => {
                [0..n_polygons(mesh) as u32].into()
            }
            Item::Element(_) => return None,
        };
        let triangles: Vec<u32> = (ranges.iter().cloned().flatten())
            .flat_map(|polygon| mesh.triangles_of(polygon))
            .collect();
        let bounds = world_bounds(scene, instance, triangles.iter().copied());
        let surface = (triangles.len() <= MAX_EXAMINED).then(|| topology_of(mesh, &triangles));
        if let (Some(surface), Some(world)) = (&surface, scene.mesh_to_world(instance)) {
            let position =
                |vertex: u32| world.transform_point3(mesh.positions()[vertex as usize].as_dvec3());
            let edges = surface.boundary_loops.iter().flat_map(BoundaryLoop::edges);
            let drawn = edges.take(MAX_OPEN_DRAWN);
            self.open_edges = drawn.map(|(edge, _)| edge.map(position)).collect();
        }
        Some(FactsReport {
            surface: surface.as_ref().map(surface_facts),
            name: report::describe(scene, item),
            n_polygons: ranges.iter().map(|range| range.len()).sum(),
            n_triangles: triangles.len(),
            bounds: bounds.map(|bounds| bounds.map(|p| p.to_array())),
        })
    }

    fn facts_of_scene(&self) -> FactsReport {
        let subject = &self.shown.model.subject;
        let meshes = subject
            .instances()
            .iter()
            .filter_map(|&id| Some(subject.scene().get(id)?.mesh.as_deref()?.tri_mesh()));
        FactsReport {
            surface: None,
            name: "whole scene".to_owned(),
            n_polygons: meshes.map(n_polygons).sum(),
            n_triangles: subject.n_triangles(),
            bounds: subject.world_bounds().map(|bounds| bounds.map(|p| p.to_array())),
        }
    }
}

/// How some triangles of a mesh meet.
fn topology_of(mesh: &TriMesh, triangles: &[u32]) -> Topology {
    let corners = triangles.iter().map(|&triangle| mesh.triangles()[triangle as usize]).collect();
    let part = TriMesh::from_vecs(mesh.positions().to_vec(), corners);
    Topology::new(&part.expect("a part of a valid mesh is valid"), SameVertex::ByPosition)
}

fn surface_facts(surface: &Topology) -> SurfaceFacts {
    SurfaceFacts {
        is_closed: surface.is_closed(),
        n_open_edges: surface.n_open_edges(),
        n_boundary_loops: surface.boundary_loops.len(),
        n_non_manifold_edges: surface.non_manifold_edges.len(),
        n_inconsistent_edges: surface.inconsistent_edges.len(),
        n_duplicate_triangles: surface.duplicate_triangles.len(),
        n_degenerate_triangles: surface.zero_area_triangles.len(),
        n_components: surface.n_components,
    }
}
