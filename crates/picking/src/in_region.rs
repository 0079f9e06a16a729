//! Which elements of a mesh a region of the screen touches or encloses.

use std::ops::ControlFlow;

use crate::{
    clip::ClippedPolygon,
    element::{Element, ElementKind, polygon_edges},
    projected_mesh::ProjectedMesh,
    screen_frustum::{ScreenFrustum, box_containment},
    screen_region::{Containment, ScreenRegion},
};

/// What a region does to the elements it selects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RegionMode {
    /// Some point of the element is seen in the region.
    #[default]
    Touch,
    /// The whole element is in the region. An element that the near or the far plane cuts off, or
    /// that lies behind the camera in projected, is not enclosed.
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

    /// The elements of a kind, hidden or not, in their order.
    pub(crate) fn elements(&self, kind: ElementKind) -> Vec<Element> {
        let mut elements: Vec<Element> = match kind {
            ElementKind::Object => self.object().then_some(Element::Object).into_iter().collect(),
            ElementKind::Face => self.faces(),
            ElementKind::Edge => self.edges(),
            ElementKind::Vertex => self.vertices(),
        };
        elements.sort_unstable();
        elements.dedup();
        elements
    }

    /// Whether the region selects what is seen of a point, segment or triangle.
    fn selects(&self, clipped: &ClippedPolygon) -> bool {
        let pixels = clipped.pixels();
        match self.mode {
            _ if pixels.is_empty() => false,
            RegionMode::Touch => self.region.touches(&pixels),
            RegionMode::Enclose => !clipped.is_cut && self.region.encloses(&pixels),
        }
    }

    fn containment(&self, bounds: &hitscan_primitives::Aabb) -> Containment {
        box_containment(&self.projected.map, &self.frustum, self.region, bounds)
    }

    fn object(&self) -> bool {
        let bounds = self.projected.bvh.bounds();
        if bounds.is_empty() {
            return false;
        }
        match self.containment(&bounds) {
            Containment::Outside => false,
            Containment::Inside => true,
            Containment::Crossing => match self.mode {
                RegionMode::Touch => self.object_touched(),
                RegionMode::Enclose => self.object_enclosed(),
            },
        }
    }

    fn object_touched(&self) -> bool {
        // A box inside decides. The walk can end only at a triangle, so the next one is gone to.
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
                if decided.get() || self.selects(&self.projected.clipped(triangle)) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        done.is_break()
    }

    fn object_enclosed(&self) -> bool {
        // A box outside decides, likewise.
        let decided = std::cell::Cell::new(false);
        let done = self.projected.bvh.visit(
            |bounds| match self.containment(bounds) {
                _ if decided.get() => true,
                Containment::Inside => false,
                Containment::Crossing => true,
                Containment::Outside => {
                    decided.set(true);
                    true
                }
            },
            |triangle| {
                if decided.get() || !self.selects(&self.projected.clipped(triangle)) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        done.is_continue()
    }

    /// The triangles below the boxes that are not outside.
    fn triangles_in_frustum(&self, mut found: impl FnMut(u32)) {
        if self.containment(&self.projected.bvh.bounds()) == Containment::Outside {
            return;
        }
        let _: ControlFlow<()> = self.projected.bvh.visit(
            |bounds| !self.frustum.misses_box(bounds),
            |triangle| {
                found(triangle);
                ControlFlow::Continue(())
            },
        );
    }

    fn faces(&self) -> Vec<Element> {
        let mut triangles = vec![];
        self.triangles_in_frustum(|triangle| {
            if self.selects(&self.projected.clipped(triangle)) {
                triangles.push(triangle);
            }
        });
        triangles.sort_unstable();
        let mesh = self.projected.mesh;
        let polygons = triangles.chunk_by(|&a, &b| mesh.polygon_of(a) == mesh.polygon_of(b));
        let selected = polygons.filter_map(|of_polygon| {
            let polygon = mesh.polygon_of(of_polygon[0]);
            let is_whole = of_polygon.len() == mesh.triangles_of(polygon).len();
            (self.mode == RegionMode::Touch || is_whole).then_some(Element::Face(polygon))
        });
        selected.collect()
    }

    /// The edges of all polygons that have a triangle about the region: an edge in the region is projected
    /// of such a triangle.
    fn edges(&self) -> Vec<Element> {
        let mut triangles = vec![];
        self.triangles_in_frustum(|triangle| triangles.push(triangle));
        let mut edges = polygon_edges(self.projected.mesh, triangles);
        edges.retain(|edge| {
            self.selects(&ClippedPolygon::new(&edge.map(|v| self.projected.vertex(v))))
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
        vertices
            .retain(|&vertex| self.selects(&ClippedPolygon::new(&[self.projected.vertex(vertex)])));
        vertices.into_iter().map(Element::Vertex).collect()
    }
}
