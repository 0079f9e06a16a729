//! A mesh with its map to the screen.

use hitscan_bvh::MeshBvh;
use hitscan_primitives::TriMesh;

use crate::{
    clip::ClippedPolygon,
    screen_map::{ScreenMap, ScreenPoint},
};

/// A mesh with its hierarchy, and the map from its own space to the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProjectedMesh<'a> {
    pub(crate) mesh: &'a TriMesh,
    pub(crate) bvh: &'a MeshBvh,
    pub(crate) map: ScreenMap,
}

impl ProjectedMesh<'_> {
    /// The image of a vertex.
    pub(crate) fn vertex(&self, vertex: u32) -> ScreenPoint {
        self.map.project(self.mesh.positions()[vertex as usize].as_dvec3())
    }

    /// The images of a triangle's corners.
    pub(crate) fn triangle(&self, triangle: u32) -> [ScreenPoint; 3] {
        self.mesh.triangles()[triangle as usize].map(|vertex| self.vertex(vertex))
    }

    /// The part of the triangle that the view shows.
    pub(crate) fn clipped(&self, triangle: u32) -> ClippedPolygon {
        ClippedPolygon::new(&self.map, &self.triangle(triangle))
    }
}
