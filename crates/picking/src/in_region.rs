//! The elements of a mesh that a region of the screen touches or encloses.

use std::ops::ControlFlow;

use crate::{
    clip::ClippedPolygon,
    element::{Element, ElementKind, polygon_edges},
    projected_mesh::ProjectedMesh,
    screen_frustum::{ScreenFrustum, box_containment},
    screen_region::{Containment, ScreenRegion},
};

/// The condition for a region to select an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RegionMode {
    /// A point of the element lies in the region, between the near and far planes.
    #[default]
    Touch,
    /// The whole element lies in the region. The region never encloses an element that the near or far
    /// plane clips, or that lies partly behind the camera.
    Enclose,
}

/// A search for the elements of one mesh in a region.
pub(crate) struct RegionSearch<'a> {
    projected: ProjectedMesh<'a>,
    frustum: ScreenFrustum,
    region: &'a ScreenRegion,
    mode: RegionMode,
}

impl<'a> RegionSearch<'a> {
    pub(crate) fn new(
        projected: ProjectedMesh<'a>,
        region: &'a ScreenRegion,
        mode: RegionMode,
    ) -> Self {
        let frustum = ScreenFrustum::new(&projected.map, region.min(), region.max());
        Self { projected, frustum, region, mode }
    }

    /// The elements of a kind, visible or hidden, sorted.
    pub(crate) fn elements(&self, kind: ElementKind) -> Vec<Element> {
        let mut elements: Vec<Element> = match kind {
            ElementKind::Object => {
                self.selects_object().then_some(Element::Object).into_iter().collect()
            }
            ElementKind::Face => self.faces(),
            ElementKind::Edge => self.edges(),
            ElementKind::Vertex => self.vertices(),
        };
        elements.sort_unstable();
        elements.dedup();
        elements
    }

    /// Whether the region selects a clipped point, segment or triangle.
    fn selects(&self, clipped: &ClippedPolygon) -> bool {
        let pixels = clipped.pixels();
        match self.mode {
            _ if pixels.is_empty() => false,
            RegionMode::Touch => self.region.touches(&pixels),
            RegionMode::Enclose => !clipped.is_cut_by_depth && self.region.encloses(&pixels),
        }
    }

    /// [`selects`](Self::selects) of a triangle.
    fn selects_triangle(&self, triangle: u32) -> bool {
        let corners = self.projected.triangle(triangle);
        // Spares the clipping of most triangles: a corner of a whole triangle decides.
        let is_touched = self.mode == RegionMode::Touch
            && corners.iter().all(|corner| self.projected.map.shows(corner))
            && self.region.contains(corners[0].pixel());
        is_touched || self.selects(&ClippedPolygon::new(&self.projected.map, &corners))
    }

    /// Whether the clipping planes hide a whole triangle.
    fn is_clipped_away(&self, triangle: u32) -> bool {
        self.projected.map.n_clips > 0 && self.projected.clipped(triangle).is_clipped_away
    }

    fn containment(&self, bounds: &hitscan_primitives::Aabb) -> Containment {
        box_containment(&self.projected.map, &self.frustum, self.region, bounds)
    }

    fn selects_object(&self) -> bool {
        let bounds = self.projected.bvh.bounds();
        if bounds.is_empty() {
            return false;
        }
        match self.containment(&bounds) {
            Containment::Outside => false,
            Containment::Inside => true,
            Containment::Crossing => match self.mode {
                RegionMode::Touch => self.touches_object(),
                RegionMode::Enclose => self.encloses_object(),
            },
        }
    }

    fn touches_object(&self) -> bool {
        // A box inside decides. A traversal can end only at a triangle, so it continues to the next one.
        let decided = std::cell::Cell::new(false);
        let done = self.projected.bvh.visit(
            |bounds| match self.containment(bounds) {
                _ if decided.get() => true,
                Containment::Outside => false,
                Containment::Crossing => true,
                Containment::Inside => {
                    decided.set(true);
                    true
                }
            },
            |triangle| {
                if decided.get() || self.selects_triangle(triangle) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        done.is_break()
    }

    fn encloses_object(&self) -> bool {
        // A box outside decides, in the same way. What the clipping planes hide does not.
        let decided = std::cell::Cell::new(false);
        let is_shown = std::cell::Cell::new(false);
        let done = self.projected.bvh.visit(
            |bounds| match self.containment(bounds) {
                _ if decided.get() => true,
                _ if self.frustum.clips_away(bounds) => false,
                Containment::Inside => {
                    is_shown.set(true);
                    false
                }
                Containment::Crossing => true,
                Containment::Outside => {
                    decided.set(true);
                    true
                }
            },
            |triangle| {
                if decided.get() {
                    return ControlFlow::Break(());
                }
                if self.selects_triangle(triangle) {
                    is_shown.set(true);
                } else if !self.is_clipped_away(triangle) {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            },
        );
        done.is_continue() && is_shown.get()
    }

    /// Visits the triangles below the boxes that meet the frustum.
    fn triangles_in_frustum(&self, on_triangle: impl FnMut(u32)) {
        if self.containment(&self.projected.bvh.bounds()) == Containment::Outside {
            return;
        }
        self.frustum.visit_triangles(self.projected.bvh, on_triangle);
    }

    fn faces(&self) -> Vec<Element> {
        let mut triangles = vec![];
        self.triangles_in_frustum(|triangle| {
            if self.selects_triangle(triangle) {
                triangles.push(triangle);
            }
        });
        triangles.sort_unstable();
        let mesh = self.projected.mesh;
        let polygons = triangles.chunk_by(|&a, &b| mesh.polygon_of(a) == mesh.polygon_of(b));
        let selected = polygons.filter_map(|of_polygon| {
            let polygon = mesh.polygon_of(of_polygon[0]);
            let of_mesh = mesh.triangles_of(polygon);
            let is_shown_whole = || {
                of_polygon.len() == of_mesh.len()
                    || of_mesh.clone().all(|triangle| {
                        of_polygon.binary_search(&triangle).is_ok()
                            || self.is_clipped_away(triangle)
                    })
            };
            (self.mode == RegionMode::Touch || is_shown_whole()).then_some(Element::Face(polygon))
        });
        selected.collect()
    }

    /// The edges in the region. The search takes the polygons that have a triangle in the frustum, because
    /// an edge in the region belongs to such a triangle.
    fn edges(&self) -> Vec<Element> {
        let mut triangles = vec![];
        self.triangles_in_frustum(|triangle| triangles.push(triangle));
        let mut edges = polygon_edges(self.projected.mesh, triangles);
        edges.retain(|edge| {
            let ends = edge.map(|v| self.projected.vertex(v));
            self.selects(&ClippedPolygon::new(&self.projected.map, &ends))
        });
        edges.into_iter().map(Element::Edge).collect()
    }

    fn vertices(&self) -> Vec<Element> {
        let mut vertices = vec![];
        self.triangles_in_frustum(|triangle| {
            vertices.extend(self.projected.mesh.triangles()[triangle as usize]);
        });
        vertices.sort_unstable();
        vertices.dedup();
        vertices.retain(|&vertex| {
            let at = self.projected.vertex(vertex);
            self.selects(&ClippedPolygon::new(&self.projected.map, &[at]))
        });
        vertices.into_iter().map(Element::Vertex).collect()
    }
}
