//! The elements of a mesh within some pixels of the cursor.

use glam::{DVec2, DVec3, DVec4, Vec4Swizzles};

use hitscan_primitives::{Faces, Side, TriMesh};

use crate::{
    clip::ClippedPolygon,
    element::{Element, polygon_edges},
    projected_mesh::ProjectedMesh,
    screen_frustum::ScreenFrustum,
    screen_map::{ScreenMap, ScreenPoint},
};

/// The kind of point to search near the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchTarget {
    Object,
    Face,
    Edge,
    /// An edge, by its midpoint.
    EdgeMidpoint,
    Vertex,
}

/// An element near the cursor, by its point nearest to the cursor on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NearbyElement {
    pub(crate) element: Element,
    /// The distance from the cursor on the screen, in pixels.
    pub(crate) distance: f64,
    pub(crate) pixel: DVec2,
    /// Grows along every line of sight. Not a distance.
    pub(crate) depth: f64,
    /// The point, in the space of the mesh.
    pub(crate) point: DVec3,
    /// The feature that contains the point, for visibility tests.
    pub(crate) feature: Feature,
}

/// The smallest feature of a mesh that contains a point. Triangles that contain the feature never hide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    Vertex(u32),
    Edge([u32; 2]),
    Triangle(u32),
}

impl Feature {
    /// Whether a triangle contains the feature. Compares vertices by position, because files often repeat
    /// vertices along seams.
    pub(crate) fn is_in_triangle(self, mesh: &TriMesh, triangle: u32) -> bool {
        let corners = mesh.corners(triangle);
        let has = |vertex: u32| corners.contains(&mesh.positions()[vertex as usize]);
        match self {
            Self::Vertex(vertex) => has(vertex),
            Self::Edge([a, b]) => has(a) && has(b),
            Self::Triangle(own) => own == triangle,
        }
    }
}

/// The elements of a kind within `radius` pixels of the cursor, visible or hidden, unsorted.
///
/// The search skips faces under the cursor, because a ray finds them. It reports objects and faces once per
/// triangle on one of the sides `faces`. It reports a triangle of zero area as its segment or point, on
/// any side, because a ray may miss it or hit it from either side.
pub(crate) fn near_pixel(
    projected: &ProjectedMesh<'_>,
    cursor: DVec2,
    radius: f64,
    faces: Faces,
    target: SearchTarget,
) -> Vec<NearbyElement> {
    let search = PixelSearch { projected, cursor, radius };
    let frustum = ScreenFrustum::new(&projected.map, cursor - radius, cursor + radius);
    if projected.bvh.bounds().is_empty() || frustum.misses_box(&projected.bvh.bounds()) {
        return vec![];
    }
    let mut triangles = vec![];
    frustum.visit_triangles(projected.bvh, |triangle| triangles.push(triangle));
    match target {
        SearchTarget::Vertex => search.vertices(&triangles),
        SearchTarget::Edge => search.edges(&triangles, |edge| search.nearest_on_edge(edge)),
        SearchTarget::EdgeMidpoint => {
            search.edges(&triangles, |edge| search.midpoint_of_edge(edge))
        }
        SearchTarget::Face => search.faces(&triangles, faces, |triangle| {
            Element::Face(projected.mesh.polygon_of(triangle))
        }),
        SearchTarget::Object => search.faces(&triangles, faces, |_| Element::Object),
    }
}

struct PixelSearch<'a> {
    projected: &'a ProjectedMesh<'a>,
    cursor: DVec2,
    radius: f64,
}

impl PixelSearch<'_> {
    fn near(&self, element: Element, at: &ScreenPoint, feature: Feature) -> Option<NearbyElement> {
        let pixel = at.pixel();
        let distance = pixel.distance(self.cursor);
        let (depth, point) = (at.near, at.point);
        (distance <= self.radius).then_some(NearbyElement {
            element,
            distance,
            pixel,
            depth,
            point,
            feature,
        })
    }

    /// Whether a point may be within the radius. Needs no division, and half of the projection.
    fn may_be_near(&self) -> impl Fn(DVec3) -> bool {
        let ScreenMap { x, y, w, .. } = self.projected.map;
        let cursor = self.cursor;
        // Exceeds the rounding of the products and of the division that this test leaves out.
        let reach = self.radius + 1e-9 * (self.radius + cursor.abs().max_element());
        move |point| {
            let value = |form: DVec4| form.xyz().dot(point) + form.w;
            let w = value(w);
            (value(x) - cursor.x * w).abs() <= reach * w
                && (value(y) - cursor.y * w).abs() <= reach * w
        }
    }

    fn vertices(&self, triangles: &[u32]) -> Vec<NearbyElement> {
        let corners = |&triangle: &u32| self.projected.mesh.triangles()[triangle as usize];
        let mut vertices: Vec<u32> = triangles.iter().flat_map(corners).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let may_be_near = self.may_be_near();
        let near = vertices.into_iter().filter_map(|vertex| {
            let position = self.projected.mesh.positions()[vertex as usize].as_dvec3();
            may_be_near(position).then_some(())?;
            let at = self.projected.map.project(position);
            self.projected.map.shows(&at).then_some(())?;
            self.near(Element::Vertex(vertex), &at, Feature::Vertex(vertex))
        });
        near.collect()
    }

    /// The edges near the cursor, each by the point that `point_of` returns.
    fn edges(
        &self,
        triangles: &[u32],
        point_of: impl Fn([u32; 2]) -> Option<(ScreenPoint, Feature)>,
    ) -> Vec<NearbyElement> {
        let edges = polygon_edges(self.projected.mesh, triangles.iter().copied());
        let near = edges.into_iter().filter_map(|edge| {
            let (at, feature) = point_of(edge)?;
            self.near(Element::Edge(edge), &at, feature)
        });
        near.collect()
    }

    fn faces(
        &self,
        triangles: &[u32],
        faces: Faces,
        element: impl Fn(u32) -> Element,
    ) -> Vec<NearbyElement> {
        let mut near = vec![];
        for &triangle in triangles {
            let clipped = self.projected.clipped(triangle);
            let is_under =
                clipped.covers(self.cursor) && !self.projected.mesh.is_degenerate(triangle);
            if clipped.points().is_empty() || is_under {
                continue;
            }
            let nearest = if clipped.is_cut {
                nearest_on_outline(clipped.points(), self.cursor)
                    .map(|at| (at, Feature::Triangle(triangle)))
            } else {
                let [a, b, c] = self.projected.mesh.triangles()[triangle as usize];
                let edges = [[a, b], [b, c], [c, a]];
                let on_edges = edges.into_iter().filter_map(|edge| self.nearest_on_edge(edge));
                on_edges.min_by(|(a, _), (b, _)| {
                    let distance = |at: &ScreenPoint| at.pixel().distance_squared(self.cursor);
                    distance(a).total_cmp(&distance(b))
                })
            };
            near.extend(nearest.and_then(|(at, feature)| {
                self.faces_camera(triangle, &at, faces).then_some(())?;
                self.near(element(triangle), &at, feature)
            }));
        }
        near
    }

    /// Whether the side of a triangle that faces the camera at one of its points is one of `faces`.
    fn faces_camera(&self, triangle: u32, at: &ScreenPoint, faces: Faces) -> bool {
        if faces == Faces::Both || self.projected.mesh.is_degenerate(triangle) {
            return true;
        }
        let Some((_, along)) = self.projected.map.line_of_sight(at.pixel()) else { return false };
        let [a, b, c] = self.projected.mesh.corners(triangle).map(|corner| corner.as_dvec3());
        let toward = (b - a).cross(c - a).dot(along);
        faces.accepts(if toward < 0.0 { Side::Front } else { Side::Back })
    }

    fn midpoint_of_edge(&self, edge: [u32; 2]) -> Option<(ScreenPoint, Feature)> {
        let [a, b] = edge.map(|vertex| self.projected.mesh.positions()[vertex as usize].as_dvec3());
        let midpoint = self.projected.map.project(a.midpoint(b));
        self.projected.map.shows(&midpoint).then_some((midpoint, Feature::Edge(edge)))
    }

    fn nearest_on_edge(&self, [a, b]: [u32; 2]) -> Option<(ScreenPoint, Feature)> {
        let (from, to) = (self.projected.vertex(a), self.projected.vertex(b));
        let clipped = ClippedPolygon::new(&self.projected.map, &[from, to]);
        let at = match clipped.points() {
            [] => return None,
            [only] => *only,
            [from, to, ..] => nearest_on_segment(from, to, self.cursor),
        };
        let feature = match at.point {
            point if point == from.point => Feature::Vertex(a),
            point if point == to.point => Feature::Vertex(b),
            _ => Feature::Edge([a, b]),
        };
        Some((at, feature))
    }
}

/// The point of a segment nearest to the cursor on the screen.
pub(crate) fn nearest_on_segment(a: &ScreenPoint, b: &ScreenPoint, cursor: DVec2) -> ScreenPoint {
    let (from, to) = (a.pixel(), b.pixel());
    let along = to - from;
    let share = (cursor - from).dot(along) / along.length_squared();
    // NaN if the image of the segment is a point: take the nearer end.
    if share.is_nan() {
        return if a.near <= b.near { *a } else { *b };
    }
    match share {
        s if s <= 0.0 => *a,
        s if s >= 1.0 => *b,
        // Convert the fraction on the screen to the fraction in space.
        s => a.lerp(b, s * a.w / (b.w + s * (a.w - b.w))),
    }
}

/// The point of a polygon's outline nearest to the cursor on the screen.
fn nearest_on_outline(corners: &[ScreenPoint], cursor: DVec2) -> Option<ScreenPoint> {
    let edges = (0..corners.len()).map(|i| (&corners[i], &corners[(i + 1) % corners.len()]));
    edges.map(|(a, b)| nearest_on_segment(a, b, cursor)).min_by(|a, b| {
        let distance = |at: &ScreenPoint| at.pixel().distance_squared(cursor);
        distance(a).total_cmp(&distance(b))
    })
}
