//! Hover, click and region messages, and the selection.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use hitscan::glam::DVec2;
use hitscan::picking::{
    Element, ElementKind, Pick, PickOptions, Picker, RegionMode, ScreenRegion, SelectOptions,
    Selected,
};

use super::Session;
use crate::command_line::{CommandLine, Query};
use crate::hidden::{Visibility, n_polygons};
use crate::parts::{Item, Part, PartKind};
use crate::protocol::{ElementName, PickReport, SelectionReport, ToPage};
use crate::report;

/// Maximum number of selected elements that a report describes.
const MAX_NAMED: usize = 50;

/// Maximum distance between two clicks at the same pixel, in pixels.
const CLICK_TOLERANCE: f64 = 4.0;

impl Session {
    /// The part of a mesh that the current element stands for.
    fn part_kind(&self) -> Option<PartKind> {
        match self.element {
            // Without objects in the meshes, an object is an instance.
            ElementName::Object => self.shown.parts.has_objects().then_some(PartKind::Object),
            ElementName::Group => Some(PartKind::Group),
            ElementName::Material => Some(PartKind::Material),
            ElementName::Face | ElementName::Edge | ElementName::Vertex => None,
        }
    }

    /// The kind that finds the current element. Parts are found by their faces.
    fn picked_kind(&self) -> ElementKind {
        match self.element {
            _ if self.part_kind().is_some() => ElementKind::Face,
            ElementName::Edge => ElementKind::Edge,
            ElementName::Vertex => ElementKind::Vertex,
            ElementName::Face => ElementKind::Face,
            _ => ElementKind::Object,
        }
    }

    fn options(&self) -> PickOptions<'static> {
        PickOptions { x_ray: self.x_ray, ..PickOptions::for_kind(self.picked_kind()) }
    }

    /// The element or part that a found element stands for.
    fn item_of(&self, found: Selected) -> Item {
        let (Some(kind), Element::Face(polygon)) = (self.part_kind(), found.element) else {
            return Item::Element(found);
        };
        let scene = self.subject.scene();
        let part = self.shown.parts.of_polygon(scene, found.instance, polygon, kind);
        let whole = Selected { element: Element::Object, ..found };
        part.map_or(Item::Element(whole), Item::Part)
    }

    pub(super) fn hover(&mut self, pixel: DVec2, id: u32) -> ToPage {
        let Some(view) = self.view() else { return ToPage::Hover { id, pick: None } };
        let pick = Picker::new(self.subject.scene(), &view).pick(pixel, &self.options());
        self.hover_over(pick.map(|pick| self.item_of(selected(&pick))));
        let report = pick.map(|pick| self.report(pixel, &pick, 1));
        ToPage::Hover { id, pick: report }
    }

    pub(super) fn hover_over(&mut self, item: Option<Item>) {
        if self.hovered != item {
            self.hovered = item;
            self.renderer.invalidate_highlight();
        }
    }

    pub(super) fn click(&mut self, pixel: DVec2, extend: bool) -> ToPage {
        let (pick, click) = self.next_pick(pixel).unzip();
        let item = pick.map(|pick| self.item_of(selected(&pick)));
        let report = pick.map(|pick| self.report(pixel, &pick, click.unwrap_or(1)));
        let report = SelectionReport { pick: report, ..SelectionReport::default() };
        self.set_selection(item.into_iter().collect(), extend, report)
    }

    /// The pick of a click, and the index from 1 of the click that picks it on the command line.
    /// The first click at a pixel picks the visible element, further clicks what is behind it, in
    /// the order of `ClickCycle`. Of a part, only its first face counts.
    fn next_pick(&mut self, pixel: DVec2) -> Option<(Pick, usize)> {
        let view = self.view()?;
        let options = self.options();
        let picker = Picker::new(self.subject.scene(), &view);
        let first = picker.pick(pixel, &options);
        let again = self.last_click.filter(|(at, _)| at.distance(pixel) <= CLICK_TOLERANCE);
        let all = if again.is_some() { picker.pick_all(pixel, &options) } else { vec![] };
        let is_first = |pick: &Pick| first.is_some_and(|first| selected(&first) == selected(pick));
        let others = all.into_iter().filter(|pick| !is_first(pick));
        let mut seen = HashSet::new();
        let picks: Vec<(usize, Pick, Item)> = (first.into_iter().chain(others))
            .enumerate()
            .map(|(index, pick)| (index, pick, self.item_of(selected(&pick))))
            .filter(|(_, _, item)| seen.insert(*item))
            .collect();
        let last = again.and_then(|(_, last)| picks.iter().position(|(_, _, item)| *item == last));
        let next = last.map_or(0, |last| (last + 1) % picks.len());
        let picked = picks.get(next).copied();
        // Keep the position of the first click, because a drifting pointer would cycle for ever.
        let at = again.map_or(pixel, |(at, _)| at);
        self.last_click = picked.map(|(_, _, item)| (at, item));
        picked.map(|(index, pick, _)| (pick, index + 1))
    }

    fn report(&self, pixel: DVec2, pick: &Pick, click: usize) -> PickReport {
        let command = self.command(&Query::Pixel { at: pixel, click, x_ray: self.x_ray });
        let scene = self.subject.scene();
        let mut report = report::of_pick(scene, pick, click, command);
        if let Item::Part(part) = self.item_of(selected(pick)) {
            report.element = part.kind.into();
        } else if self.part_kind().is_some() {
            report.element = ElementName::Object;
        }
        if let Some(hit) = &mut report.hit {
            hit.triangle = self.reduced.whole_triangle(report.instance, hit.triangle);
        }
        report
    }

    fn command(&self, query: &Query<'_>) -> String {
        let command = CommandLine {
            file: &self.shown.model.file,
            camera: &self.orbit.camera(),
            window: self.window,
            kind: self.picked_kind(),
            hidden: &self.hidden,
            clip: self.section.map(|section| section.coefficients),
        };
        command.for_query(query)
    }

    pub(super) fn select(
        &mut self,
        region: Option<ScreenRegion>,
        query: &Query<'_>,
        enclose: bool,
        extend: bool,
    ) -> ToPage {
        self.last_click = None;
        let found = region.map_or_else(BTreeSet::new, |region| self.found_in(&region, enclose));
        let command = Some(self.command(query));
        self.set_selection(found, extend, SelectionReport { command, ..SelectionReport::default() })
    }

    /// The elements or parts in a region: those that it touches, or those that it encloses.
    fn found_in(&self, region: &ScreenRegion, enclose: bool) -> BTreeSet<Item> {
        let Some(view) = self.view() else { return BTreeSet::new() };
        let picker = Picker::new(self.subject.scene(), &view);
        let options = |enclose, visible_only| SelectOptions {
            kind: self.picked_kind(),
            mode: if enclose { RegionMode::Enclose } else { RegionMode::Touch },
            visible_only,
            query: self.options().query,
        };
        let items = |found: Vec<Selected>| found.into_iter().map(move |found| self.item_of(found));
        if !enclose || self.part_kind().is_none() {
            return items(picker.select(region, &options(enclose, !self.x_ray))).collect();
        }
        // A part is enclosed if all its faces are.
        let mut n_enclosed: BTreeMap<Item, usize> = BTreeMap::new();
        for item in items(picker.select(region, &options(true, false))) {
            *n_enclosed.entry(item).or_default() += 1;
        }
        n_enclosed.retain(|item, n| *n == self.n_visible_faces(item));
        let enclosed: BTreeSet<Item> = n_enclosed.into_keys().collect();
        if self.x_ray {
            return enclosed;
        }
        let visible = items(picker.select(region, &options(false, true)));
        visible.filter(|item| enclosed.contains(item)).collect()
    }

    /// Number of faces of a part or instance that this tab does not hide.
    fn n_visible_faces(&self, item: &Item) -> usize {
        let scene = self.subject.scene();
        let mesh = scene.get(item.instance()).and_then(|instance| instance.mesh.as_deref());
        let Some(mesh) = mesh.map(|mesh| mesh.tri_mesh()) else { return 0 };
        let has_triangles = |polygon: &u32| !mesh.triangles_of(*polygon).is_empty();
        match item {
            Item::Part(part) => self.shown.parts.polygons(part).map_or(0, |polygons| {
                polygons.ranges.iter().cloned().flatten().filter(has_triangles).count()
            }),
            Item::Element(_) => (0..n_polygons(mesh) as u32).filter(has_triangles).count(),
        }
    }

    /// Replaces the selection, or extends it. Extending by a single element that is already
    /// selected removes that element.
    pub(super) fn set_selection(
        &mut self,
        mut found: BTreeSet<Item>,
        extend: bool,
        report: SelectionReport,
    ) -> ToPage {
        if extend {
            let single = (found.len() == 1).then(|| found.first().copied()).flatten();
            if single.is_some_and(|single| self.selection.remove(&single)) {
                found.clear();
            }
            self.selection.append(&mut found);
        } else {
            self.selection = found;
        }
        self.renderer.invalidate_highlight();
        let facts = self.facts();
        let scene = self.subject.scene();
        let first = self.selection.iter().take(MAX_NAMED);
        ToPage::Selection(SelectionReport {
            n: self.selection.len(),
            first: first.map(|item| report::describe(scene, item)).collect(),
            entries: (self.selection.iter())
                .filter_map(|item| self.shown.entries.index_of(item))
                .collect(),
            facts,
            ..report
        })
    }

    /// Whether this tab shows any of an item.
    pub(super) fn is_visible(&self, item: &Item) -> bool {
        let scene = self.subject.scene();
        let instance = item.instance();
        let order = scene.insertion_order(instance).unwrap_or_default();
        scene.is_hidden(instance) == Some(false)
            && match item {
                Item::Part(part) => self.part_visibility(order, part) != Visibility::Hidden,
                Item::Element(selected) => match selected.element {
                    Element::Object => true,
                    Element::Face(polygon) => !self.hidden.is_face_hidden(order, polygon),
                    // Their faces may be hidden.
                    Element::Edge(_) | Element::Vertex(_) => !self.hidden.has_hidden_faces(order),
                },
            }
    }

    pub(super) fn part_visibility(&self, order: u64, part: &Part) -> Visibility {
        let polygons = self.shown.parts.polygons(part);
        polygons.map_or(Visibility::Full, |part| self.hidden.visibility(order, &part.ranges))
    }
}

fn selected(pick: &Pick) -> Selected {
    Selected { instance: pick.instance, element: pick.element }
}
