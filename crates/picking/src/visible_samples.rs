//! The points at which a selection looks for an element; see [`Picker::select`](crate::Picker::select).

use std::ops::Range;

use glam::{DAffine3, DVec2, DVec3};
use hitscan_scene::InstanceId;

use crate::{
    clip::ClippedPolygon,
    element::Element,
    near_pixel::Feature,
    projected_mesh::ProjectedMesh,
    screen_frustum::ScreenFrustum,
    screen_map::ScreenPoint,
    screen_region::ScreenRegion,
    sight::{FeaturePoint, Look, Sight},
};

/// The maximum number of triangles to try for an object that no pixel centre shows.
const MAX_TRIANGLES_TRIED: usize = 16;

/// The maximum number of triangles that the search for these looks at without the tree.
const MAX_DIRECT_TRIANGLES: u32 = 64;

/// The sorted elements of one instance in a region.
pub(crate) struct InstanceElements<'a> {
    pub(crate) instance: InstanceId,
    pub(crate) to_view: DAffine3,
    pub(crate) projected: ProjectedMesh<'a>,
    pub(crate) elements: Vec<Element>,
}

/// The sample points of elements in a region.
#[derive(Clone, Copy)]
pub(crate) struct VisibleSamples<'a> {
    pub(crate) sight: Sight<'a>,
    pub(crate) region: &'a ScreenRegion,
    /// The bounding rectangle of the region, within the viewport.
    pub(crate) min: DVec2,
    pub(crate) max: DVec2,
}

/// The result of [`VisibleSamples::append`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sampling {
    /// The samples need no ray: the element is visible or hidden.
    Decided(bool),
    /// The looks decide. The flag says whether more samples follow the range.
    Looks(bool),
}

impl VisibleSamples<'_> {
    /// Calls `on_look` with the samples of an element, limited to those whose indices are in `range`.
    pub(crate) fn append(
        &self,
        group: &InstanceElements<'_>,
        element: Element,
        range: &Range<usize>,
        mut on_look: impl FnMut(Look),
    ) -> Sampling {
        let projected = &group.projected;
        match element {
            Element::Face(polygon) => {
                let triangles = projected.mesh.triangles_of(polygon);
                let has_more = triangles.len() > range.end;
                let is_flat = |triangle| projected.mesh.is_degenerate(triangle);
                if range.start == 0 && triangles.clone().all(is_flat) {
                    return Sampling::Decided(self.is_flat_element_visible(group, triangles));
                }
                for triangle in triangles.skip(range.start).take(range.len()) {
                    self.middle_of(projected, triangle).into_iter().for_each(&mut on_look);
                }
                Sampling::Looks(has_more)
            }
            Element::Object => {
                let triangles = self.first_triangles(projected);
                let is_flat = |&(triangle, _): &(u32, _)| projected.mesh.is_degenerate(triangle);
                if range.start == 0 && triangles.iter().all(is_flat) {
                    let triangles = triangles.into_iter().map(|(triangle, _)| triangle);
                    return Sampling::Decided(self.is_flat_element_visible(group, triangles));
                }
                let in_range = triangles.iter().skip(range.start).take(range.len());
                in_range.for_each(|&(_, look)| on_look(look));
                Sampling::Looks(triangles.len() > range.end)
            }
            Element::Edge(_) | Element::Vertex(_) => {
                let samples = self.thin_samples(group, element);
                let has_more = samples.len() > range.end;
                for at in samples.skip(range.start).take(range.len()).flatten() {
                    match self.sight.distance_to(self.sight.world_point(&at), at.pixel) {
                        None => {}
                        Some(distance) if distance <= 0.0 => return Sampling::Decided(true),
                        Some(distance) => {
                            on_look(Look { pixel: at.pixel, distance: Some(distance) });
                        }
                    }
                }
                Sampling::Looks(has_more)
            }
        }
    }

    /// The first triangles of a mesh, by index, with a middle in the region.
    fn first_triangles(&self, projected: &ProjectedMesh<'_>) -> Vec<(u32, Look)> {
        let with_look = |triangle| Some((triangle, self.middle_of(projected, triangle)?));
        // A mesh that lies in the region has them among its first triangles.
        let n_direct = MAX_DIRECT_TRIANGLES.min(projected.mesh.triangles().len() as u32);
        let first: Vec<_> = (0..n_direct).filter_map(with_look).take(MAX_TRIANGLES_TRIED).collect();
        if first.len() == MAX_TRIANGLES_TRIED {
            return first;
        }
        let frustum = ScreenFrustum::new(&projected.map, self.min, self.max);
        let mut triangles = vec![];
        frustum.visit_triangles(projected.bvh, |triangle| triangles.push(triangle));
        triangles.sort_unstable();
        triangles.into_iter().filter_map(with_look).take(MAX_TRIANGLES_TRIED).collect()
    }

    /// A point of a triangle in the region and the viewport: its middle, or else one between the middle
    /// and a corner.
    fn middle_of(&self, projected: &ProjectedMesh<'_>, triangle: u32) -> Option<Look> {
        let clipped = projected.clipped(triangle).pixels();
        let middle = clipped.iter().sum::<DVec2>() / clipped.len() as f64;
        let toward_corners = clipped.iter().map(|&corner| middle.lerp(corner, 0.9));
        let pixel = [middle].into_iter().chain(toward_corners).find(|&at| self.contains(at))?;
        Some(Look { pixel, distance: None })
    }

    fn contains(&self, pixel: DVec2) -> bool {
        pixel.cmpge(self.min).all() && pixel.cmple(self.max).all() && self.region.contains(pixel)
    }

    /// Whether triangles of zero area are visible as the edge or vertex that they look like.
    fn is_flat_element_visible(
        &self,
        group: &InstanceElements<'_>,
        mut triangles: impl Iterator<Item = u32>,
    ) -> bool {
        triangles.any(|triangle| {
            let mut samples = self.thin_samples(group, thin_element(&group.projected, triangle));
            samples.any(|at| at.is_some_and(|at| self.sight.is_feature_visible(&at)))
        })
    }

    /// The sample points of an edge or a vertex; `None` for one outside the region.
    fn thin_samples(
        &self,
        group: &InstanceElements<'_>,
        element: Element,
    ) -> impl ExactSizeIterator<Item = Option<FeaturePoint>> {
        let InstanceElements { instance, to_view, projected, .. } = group;
        let (instance, to_view) = (*instance, *to_view);
        let (feature, samples) = match element {
            Element::Vertex(vertex) => {
                (Feature::Vertex(vertex), EdgeSamples::at_point(projected.vertex(vertex)))
            }
            Element::Edge(edge) => {
                let clipped = ClippedPolygon::new(
                    &projected.map,
                    &edge.map(|vertex| projected.vertex(vertex)),
                );
                let samples = match clipped.points() {
                    [a, b] => EdgeSamples::along(a, b, self.min, self.max),
                    _ => EdgeSamples::none(),
                };
                (Feature::Edge(edge), samples)
            }
            Element::Object | Element::Face(_) => (Feature::Triangle(0), EdgeSamples::none()),
        };
        (0..samples.n).map(move |i| {
            let at = samples.at(i);
            let (point, pixel) = (at.point, at.pixel());
            self.contains(pixel).then_some(FeaturePoint {
                instance,
                to_view,
                point,
                pixel,
                feature,
            })
        })
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
struct EdgeSamples {
    a: ScreenPoint,
    b: ScreenPoint,
    /// The part of the segment in the rectangle, as fractions of its length on the screen.
    start: f64,
    end: f64,
    n: usize,
}

impl EdgeSamples {
    fn along(a: &ScreenPoint, b: &ScreenPoint, min: DVec2, max: DVec2) -> Self {
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
        Self { a: *a, b: *b, start, end, n: n as u32 as usize }
    }

    /// A single sample.
    fn at_point(point: ScreenPoint) -> Self {
        Self { a: point, b: point, start: 0.0, end: 0.0, n: 1 }
    }

    fn none() -> Self {
        let none = ScreenPoint { point: DVec3::ZERO, xy: DVec2::ZERO, w: 1.0, near: 0.0, far: 0.0 };
        Self { n: 0, ..Self::at_point(none) }
    }

    fn at(&self, i: usize) -> ScreenPoint {
        let Self { a, b, start, end, n } = self;
        let s = start + (i as f64 + 0.5) / *n as f64 * (end - start);
        // The fraction on the screen becomes the fraction in space.
        a.lerp(b, s * a.w / (b.w + s * (a.w - b.w)))
    }
}
