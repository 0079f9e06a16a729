//! The visible elements of a selection, decided by rays.

use std::{collections::HashSet, ops::ControlFlow};

use glam::{DAffine3, DVec2};
use hitscan_scene::{InstanceId, QueryOptions, SceneHit, WorldRay};

use crate::{
    clip::ClippedPolygon,
    element::{Element, ElementKind},
    near_pixel::Feature,
    picker::Picker,
    projected_mesh::ProjectedMesh,
    screen_frustum::ScreenFrustum,
    screen_map::ScreenPoint,
    screen_region::ScreenRegion,
};

/// The number of rays per batch.
const BATCH: usize = 1 << 14;

/// The maximum number of triangles to try for an object that no pixel centre shows.
const MAX_TRIANGLES_TRIED: usize = 16;

/// The sorted elements of one instance in a region.
pub(crate) struct InstanceElements<'a> {
    pub(crate) instance: InstanceId,
    pub(crate) to_view: DAffine3,
    pub(crate) projected: ProjectedMesh<'a>,
    pub(crate) elements: Vec<Element>,
}

/// Removes hidden elements from a selection; see [`Picker::select`] for the rule.
pub(crate) struct VisibleFilter<'a> {
    picker: &'a Picker<'a>,
    region: &'a ScreenRegion,
    query: &'a QueryOptions<'a>,
    kind: ElementKind,
    /// The bounding rectangle of the region, within the viewport.
    min: DVec2,
    max: DVec2,
}

impl<'a> VisibleFilter<'a> {
    pub(crate) fn new(
        picker: &'a Picker<'a>,
        region: &'a ScreenRegion,
        kind: ElementKind,
        query: &'a QueryOptions<'a>,
    ) -> Self {
        let viewport = picker.view.viewport();
        Self {
            picker,
            region,
            query,
            kind,
            min: region.min().max(viewport.min),
            max: region.max().min(viewport.max()),
        }
    }

    pub(crate) fn retain(&self, selection: &mut Vec<InstanceElements<'_>>) {
        match self.kind {
            ElementKind::Object | ElementKind::Face => {
                let n_expected = selection.iter().map(|group| group.elements.len()).sum();
                let visible = self.visible_at_centers(n_expected, selection);
                for group in selection.iter_mut() {
                    let mut elements = std::mem::take(&mut group.elements);
                    elements.retain(|&element| {
                        visible.contains(&(group.instance, element))
                            || self.is_visible_beside_centers(group, element)
                    });
                    group.elements = elements;
                }
            }
            ElementKind::Edge | ElementKind::Vertex => {
                for group in selection.iter_mut() {
                    let mut elements = std::mem::take(&mut group.elements);
                    elements.retain(|&element| self.is_thin_element_visible(group, element));
                    group.elements = elements;
                }
            }
        }
        selection.retain(|group| !group.elements.is_empty());
    }

    /// The elements that rays through the pixel centres of the region hit first. Ends early once all
    /// expected elements are visible.
    fn visible_at_centers(
        &self,
        n_expected: usize,
        expected: &[InstanceElements<'_>],
    ) -> HashSet<(InstanceId, Element)> {
        let expected: HashSet<(InstanceId, Element)> = expected
            .iter()
            .flat_map(|group| group.elements.iter().map(|&element| (group.instance, element)))
            .collect();
        let mut visible = HashSet::new();
        let mut centers = pixel_centers(self.region, self.min, self.max);
        let mut hits = vec![];
        while visible.len() < n_expected {
            let pixels = centers.by_ref().take(BATCH);
            let rays: Vec<WorldRay> = pixels.map(|pixel| self.picker.view.ray(pixel)).collect();
            if rays.is_empty() {
                break;
            }
            hits.clear();
            hits.resize(rays.len(), None);
            self.picker.scene.closest_hits(&rays, self.query, &mut hits);
            let ids = hits.iter().flatten().filter_map(|hit| self.element_of(hit));
            visible.extend(ids.filter(|id| expected.contains(id)));
        }
        visible
    }

    /// The object or face of a hit.
    fn element_of(&self, hit: &SceneHit) -> Option<(InstanceId, Element)> {
        let element = match self.kind {
            ElementKind::Face => {
                let mesh = self.picker.scene.get(hit.instance)?.mesh.as_deref()?;
                Element::Face(mesh.tri_mesh().polygon_of(hit.triangle()))
            }
            _ => Element::Object,
        };
        Some((hit.instance, element))
    }

    /// Whether an object or face is visible at the middle of one of its triangles in the region. If all
    /// have zero area, whether one is visible as the edge or vertex that it looks like.
    fn is_visible_beside_centers(&self, group: &InstanceElements<'_>, element: Element) -> bool {
        let InstanceElements { instance, projected, .. } = group;
        let triangles: Vec<u32> = match element {
            Element::Face(polygon) => projected.mesh.triangles_of(polygon).collect(),
            _ => self.first_triangles(projected),
        };
        if triangles.iter().all(|&triangle| projected.mesh.is_degenerate(triangle)) {
            let thin = triangles.into_iter().map(|triangle| thin_element(projected, triangle));
            return thin.into_iter().any(|element| self.is_thin_element_visible(group, element));
        }
        triangles.into_iter().any(|triangle| {
            let Some(pixel) = self.middle_in_region(&projected.clipped(triangle).pixels()) else {
                return false;
            };
            let hit = self.picker.scene.closest_hit(&self.picker.view.ray(pixel), self.query);
            hit.and_then(|hit| self.element_of(&hit)) == Some((*instance, element))
        })
    }

    /// The first triangles of a mesh, by index, with a middle in the region.
    fn first_triangles(&self, projected: &ProjectedMesh<'_>) -> Vec<u32> {
        let frustum = ScreenFrustum::new(&projected.map, self.min, self.max);
        let mut triangles = vec![];
        let _: ControlFlow<()> = projected.bvh.visit(
            |bounds| !frustum.misses_box(bounds),
            |triangle| {
                triangles.push(triangle);
                ControlFlow::Continue(())
            },
        );
        triangles.sort_unstable();
        triangles.retain(|&triangle| {
            self.middle_in_region(&projected.clipped(triangle).pixels()).is_some()
        });
        triangles.truncate(MAX_TRIANGLES_TRIED);
        triangles
    }

    /// A point of a convex polygon in the region and the viewport: its middle, or else one between the
    /// middle and a corner.
    fn middle_in_region(&self, polygon: &[DVec2]) -> Option<DVec2> {
        let middle = polygon.iter().sum::<DVec2>() / polygon.len() as f64;
        let toward_corners = polygon.iter().map(|&corner| middle.lerp(corner, 0.9));
        [middle].into_iter().chain(toward_corners).find(|&pixel| self.contains(pixel))
    }

    fn contains(&self, pixel: DVec2) -> bool {
        pixel.cmpge(self.min).all() && pixel.cmple(self.max).all() && self.region.contains(pixel)
    }

    /// Whether an edge or a vertex is visible in the region.
    fn is_thin_element_visible(&self, group: &InstanceElements<'_>, element: Element) -> bool {
        let InstanceElements { instance, to_view, projected, .. } = group;
        let is_visible = |at: &ScreenPoint, feature: Feature| {
            let pixel = at.pixel();
            self.contains(pixel)
                && self.picker.is_feature_visible(
                    *instance,
                    to_view,
                    (at.point, pixel),
                    feature,
                    self.query,
                )
        };
        match element {
            Element::Vertex(vertex) => {
                is_visible(&projected.vertex(vertex), Feature::Vertex(vertex))
            }
            Element::Edge(edge) => {
                let clipped = ClippedPolygon::new(&edge.map(|vertex| projected.vertex(vertex)));
                let [a, b] = clipped.points() else { return false };
                let mut samples = samples_along(a, b, self.min, self.max);
                samples.any(|at| is_visible(&at, Feature::Edge(edge)))
            }
            Element::Object | Element::Face(_) => false,
        }
    }
}

/// The element that a triangle of zero area looks like: its longest side, or a vertex.
fn thin_element(projected: &ProjectedMesh<'_>, triangle: u32) -> Element {
    let [a, b, c] = projected.mesh.triangles()[triangle as usize];
    let length = |[a, b]: [u32; 2]| {
        let [a, b] = [a, b].map(|vertex| projected.mesh.positions()[vertex as usize].as_dvec3());
        a.distance_squared(b)
    };
    let sides = [[a, b], [b, c], [c, a]];
    let longest = sides
        .into_iter()
        .fold([a, a], |longest, side| if length(side) > length(longest) { side } else { longest });
    if length(longest) == 0.0 { Element::Vertex(a) } else { Element::Edge(longest) }
}

/// Sample points along a segment: one per pixel of its length within a rectangle of the screen.
fn samples_along(
    a: &ScreenPoint,
    b: &ScreenPoint,
    min: DVec2,
    max: DVec2,
) -> impl Iterator<Item = ScreenPoint> {
    let (from, to) = (a.pixel(), b.pixel());
    let along = to - from;
    // Clip to the rectangle by slabs. A 0 / 0 leaves a bound unchanged.
    let (mut start, mut end) = (0.0f64, 1.0f64);
    for axis in 0..2 {
        let (first, second) =
            ((min[axis] - from[axis]) / along[axis], (max[axis] - from[axis]) / along[axis]);
        start = start.max(first.min(second));
        end = end.min(first.max(second));
    }
    // At most the diagonal, even if f64 overflows in the projection.
    let n = match start > end {
        true => 0.0,
        false => ((end - start) * along.length()).min((max - min).length()).ceil().max(1.0),
    };
    let at = move |i: f64| {
        let s = start + (i + 0.5) / n * (end - start);
        a.lerp(b, s * a.w / (b.w + s * (a.w - b.w)))
    };
    (0..n as u32).map(move |i| at(f64::from(i)))
}

/// The pixel centres of a rectangle that lie in the region, by rows.
fn pixel_centers(region: &ScreenRegion, min: DVec2, max: DVec2) -> impl Iterator<Item = DVec2> {
    // The first centre at or beyond the corner.
    let first = (min - 0.5).ceil() + 0.5;
    let rows = steps(first.y, max.y);
    rows.flat_map(move |y| steps(first.x, max.x).map(move |x| DVec2::new(x, y)))
        .filter(|&center| region.contains(center))
}

fn steps(first: f64, last: f64) -> impl Iterator<Item = f64> {
    // Beyond 2^53 adding one pixel has no effect, so stop.
    std::iter::successors(Some(first), |&at| (at + 1.0 > at).then_some(at + 1.0))
        .take_while(move |&at| at <= last)
}
