//! Highlights of the selection and of the element under the pointer, painted over a picture.

use std::collections::{BTreeSet, HashSet};

use hitscan::TriMesh;
use hitscan::glam::{DAffine3, DVec2, DVec3};
use hitscan::picking::{Element, Selected, View};
use hitscan::primitives::Aabb;
use hitscan::scene::{InstanceId, Scene};
use hitscan_render::{Picture, Stroke, VisibleFace};

use crate::overlay;
use crate::parts::{Item, PartKind, SceneParts};

/// Colours of selected elements and of the element under the pointer.
const SELECTED: [u8; 3] = [255, 150, 40];
const HOVERED: [u8; 3] = [90, 205, 255];

/// Opacity of a highlighted surface, inside and at its border.
const FILL: f32 = 0.42;
const BORDER: f32 = 0.9;

/// Only this many selected elements get outlines that show through surfaces. Of the others only
/// visible surface is highlighted.
const MAX_OUTLINED: usize = 400;

/// The elements to highlight, and further lines to draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Highlight<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) parts: &'a SceneParts,
    pub(crate) selection: &'a BTreeSet<Item>,
    pub(crate) hovered: Option<Item>,
    /// Whether borders between faces are drawn.
    pub(crate) edges: bool,
    /// Edges in world space that are drawn as open.
    pub(crate) open_edges: &'a [[DVec3; 2]],
}

impl Highlight<'_> {
    /// Whether any highlighted element has a surface, or edges are drawn, so that [`paint`](Self::paint) needs an ID
    /// buffer.
    pub(crate) fn needs_ids(&self) -> bool {
        let has_area = |item: &Item| element_of(item).is_none_or(has_area);
        self.edges
            || self.selection.iter().any(has_area)
            || self.hovered.as_ref().is_some_and(has_area)
    }

    /// Paints highlights over a picture with the ID buffer `ids`. Skips surfaces if the buffer is
    /// empty.
    pub(crate) fn paint(&self, picture: &mut Picture, ids: &[Option<VisibleFace>], view: &View) {
        let size = [picture.width(), picture.height()];
        let viewport = view.viewport().size;
        let scale = DVec2::new(f64::from(size[0]), f64::from(size[1])) / viewport;
        if self.edges {
            overlay::paint_edges(picture, ids, scale.y);
        }
        if ids.len() == picture.pixels().len() {
            self.fill(picture, ids);
        }
        overlay::paint_open_edges(picture, view, scale, self.open_edges);
        let selected = self.selection.iter().take(MAX_OUTLINED).map(|&element| (element, SELECTED));
        for (element, color) in selected.chain(self.hovered.map(|element| (element, HOVERED))) {
            let is_line = matches!(element_of(&element), Some(Element::Edge(_)));
            let half_width = if is_line { 1.4 } else { 0.6 } * scale.y.max(0.5) as f32;
            let is_box = matches!(element_of(&element), None | Some(Element::Object));
            let share = if is_box { 0.55 } else { 1.0 };
            let stroke = Stroke { view, scale, half_width };
            for [from, to] in self.lines_of(element) {
                stroke.pixels(from, to, size, |x, y, coverage| {
                    picture.blend(x, y, color, share * coverage);
                });
            }
            if let Some(point) = self.point_of(element) {
                dot(picture, view, scale, point, color);
            }
        }
        overlay::paint_axes(picture, view, scale);
    }

    /// Tints the visible surface of highlighted elements.
    fn fill(&self, picture: &mut Picture, ids: &[Option<VisibleFace>]) {
        let selection: HashSet<Item> = self.selection.iter().copied().collect();
        let is_used = |kind| {
            let is_of_kind = |item: &Item| matches!(item, Item::Part(part) if part.kind == kind);
            self.selection.iter().chain(&self.hovered).any(is_of_kind)
        };
        let kinds: Vec<PartKind> =
            PartKind::ALL.into_iter().filter(|&kind| is_used(kind)).collect();
        let color_of = |id: &Option<VisibleFace>| -> Option<[u8; 3]> {
            let VisibleFace { instance, polygon } = (*id)?;
            let element = |element| Item::Element(Selected { instance, element });
            let parts = kinds.iter().filter_map(|&kind| {
                self.parts.of_polygon(self.scene, instance, polygon, kind).map(Item::Part)
            });
            let items = [element(Element::Object), element(Element::Face(polygon))];
            let items: Vec<Item> = items.into_iter().chain(parts).collect();
            if self.hovered.is_some_and(|hovered| items.contains(&hovered)) {
                return Some(HOVERED);
            }
            items.iter().any(|item| selection.contains(item)).then_some(SELECTED)
        };
        // Reuse the previous colour, because neighbours usually show the same face.
        let mut last = (None, None);
        let colors: Vec<Option<[u8; 3]>> = ids
            .iter()
            .map(|id| {
                if last.0 != *id {
                    last = (*id, color_of(id));
                }
                last.1
            })
            .collect();
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        for y in 0..height {
            for x in 0..width {
                let index = y * width + x;
                let Some(color) = colors[index] else { continue };
                let differs = |other: usize| colors[other] != Some(color);
                let at_border = x > 0 && differs(index - 1)
                    || x + 1 < width && differs(index + 1)
                    || y > 0 && differs(index - width)
                    || y + 1 < height && differs(index + width);
                let share = if at_border { BORDER } else { FILL };
                picture.blend(x as i32, y as i32, color, share);
            }
        }
    }

    /// World-space edges of an item. Objects and parts are outlined by their bounding boxes.
    fn lines_of(&self, item: Item) -> Vec<[DVec3; 2]> {
        let Some((mesh, world)) = self.mesh_of(item.instance()) else { return vec![] };
        let position_of = |vertex: u32| {
            let position = mesh.positions().get(vertex as usize).copied().unwrap_or_default();
            world.transform_point3(position.as_dvec3())
        };
        let selected = match item {
            Item::Part(part) => {
                let polygons = self.parts.polygons(&part);
                return polygons.map_or(vec![], |polygons| box_edges(polygons.bounds, &world));
            }
            Item::Element(selected) => selected,
        };
        match selected.element {
            Element::Object => box_edges(mesh.bounds(), &world),
            Element::Face(polygon) => {
                edges_of(mesh, polygon).into_iter().map(|edge| edge.map(position_of)).collect()
            }
            Element::Edge(ends) => vec![ends.map(position_of)],
            Element::Vertex(_) => vec![],
        }
    }

    fn point_of(&self, item: Item) -> Option<DVec3> {
        let Element::Vertex(vertex) = element_of(&item)? else { return None };
        let (mesh, world) = self.mesh_of(item.instance())?;
        Some(world.transform_point3(mesh.positions().get(vertex as usize)?.as_dvec3()))
    }

    fn mesh_of(&self, id: InstanceId) -> Option<(&TriMesh, DAffine3)> {
        let mesh = self.scene.get(id)?.mesh.as_deref()?.tri_mesh();
        Some((mesh, self.scene.mesh_to_world(id)?))
    }

    /// World positions of all corners of the selection.
    pub(crate) fn corners(&self) -> Vec<DVec3> {
        let corners = self.selection.iter().flat_map(|&selected| {
            let lines = self.lines_of(selected).into_iter().flatten();
            lines.chain(self.point_of(selected))
        });
        corners.collect()
    }
}

/// The element of an item; `None` for a part.
fn element_of(item: &Item) -> Option<Element> {
    match item {
        Item::Element(selected) => Some(selected.element),
        Item::Part(_) => None,
    }
}

fn has_area(element: Element) -> bool {
    matches!(element, Element::Object | Element::Face(_))
}

/// Boundary edges of a polygon: the triangle edges that occur once.
fn edges_of(mesh: &TriMesh, polygon: u32) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = mesh
        .triangles_of(polygon)
        .filter_map(|triangle| mesh.triangles().get(triangle as usize))
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    let single = edges.chunk_by(|a, b| a == b).filter(|equal| equal.len() == 1);
    single.map(|edge| edge[0]).collect()
}

/// The twelve edges of a box in a mesh's space, in world space.
fn box_edges(bounds: Aabb, world: &DAffine3) -> Vec<[DVec3; 2]> {
    if bounds.is_empty() {
        return vec![];
    }
    let ends = [bounds.min.as_dvec3(), bounds.max.as_dvec3()];
    let corner = |corner_index: usize| {
        let [x, y, z] = [0, 1, 2].map(|axis| ends[corner_index >> axis & 1][axis]);
        world.transform_point3(DVec3::new(x, y, z))
    };
    let upwards = |axis: usize| {
        let lower = (0..8).filter(move |corner_index| corner_index >> axis & 1 == 0);
        lower.map(move |corner_index| [corner(corner_index), corner(corner_index | 1 << axis)])
    };
    (0..3).flat_map(upwards).collect()
}

/// Draws a disc at a world position.
fn dot(picture: &mut Picture, view: &View, scale: DVec2, point: DVec3, color: [u8; 3]) {
    let Some(projected) = view.project(point) else { return };
    let center = scale * projected.pixel;
    let size = DVec2::new(f64::from(picture.width()), f64::from(picture.height()));
    if center.cmplt(DVec2::ZERO).any() || center.cmpge(size).any() {
        return;
    }
    let radius = 4.5 * scale.y.max(0.5);
    let half_side = radius as i32 + 2;
    let (x, y) = (center.x as i32, center.y as i32);
    for y in y - half_side..=y + half_side {
        for x in x - half_side..=x + half_side {
            let away = center.distance(DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5));
            let within = |radius: f64| (radius + 0.5 - away).clamp(0.0, 1.0) as f32;
            picture.blend(x, y, [20, 22, 26], within(radius + 1.2));
            picture.blend(x, y, color, within(radius));
        }
    }
}

#[cfg(test)]
mod tests {
    use hitscan::primitives::FaceRecords;

    use super::*;

    #[test]
    fn polygon_edges_exclude_diagonals_and_a_box_has_twelve() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        assert_eq!(edges_of(&mesh, 1), [[0, 2], [0, 3], [2, 3]]);
        let quad = mesh.with_records(FaceRecords::from_triangle_counts([2])).unwrap();
        assert_eq!(edges_of(&quad, 0), [[0, 1], [0, 3], [1, 2], [2, 3]]);
        let edges = box_edges(quad.bounds(), &DAffine3::IDENTITY);
        assert_eq!(edges.len(), 12);
        let length: f64 = edges.iter().map(|[a, b]| a.distance(*b)).sum();
        assert!((length - 8.0).abs() < 1e-12, "{length}");
    }
}
