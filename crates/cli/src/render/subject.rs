//! What a picture is of, and what is seen of it.

use std::collections::HashMap;

use hitscan::glam::Vec3;
use hitscan::obj::Loaded;
use hitscan::primitives::Runs;
use hitscan::{Faces, Hit, MeshBvh, Ray, TriMesh};

/// A mesh with its tree, and which sides of it are seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) tree: &'a MeshBvh,
    pub(crate) faces: Faces,
}

/// By which names of the file something is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    Object,
    Material,
}

impl<'a> Subject<'a> {
    pub(super) fn mesh(&self) -> &'a TriMesh {
        &self.loaded.mesh
    }

    /// What each ray hits first.
    pub(super) fn hits(&self, rays: &[Ray]) -> Vec<Option<Hit>> {
        let mut hits = vec![None; rays.len()];
        self.tree.closest_hits(rays, self.faces, &mut hits);
        hits
    }

    /// The polygon that a triangle is of; the triangle itself if nothing is known of polygons.
    pub(super) fn polygon(&self, triangle: u32) -> u32 {
        self.mesh().records().map_or(triangle, |records| records.polygon(triangle))
    }

    /// The name of a triangle as a place in the file's names.
    pub(super) fn name(&self, triangle: u32, naming: Naming) -> Option<u32> {
        let records = self.mesh().records()?;
        let runs: &Runs<Option<u32>> = match naming {
            Naming::Object => &records.objects,
            Naming::Material => &records.materials,
        };
        *runs.get(records.polygon(triangle))?
    }

    /// All names of the file.
    pub(super) fn names(&self) -> &'a [String] {
        self.mesh().records().map_or(&[], |records| &records.names)
    }

    /// The diffuse colour of each of [`names`](Self::names) that is a material's and has one.
    pub(super) fn diffuse_colors(&self) -> Vec<Option<Vec3>> {
        // Of equal names the last counts.
        let colors: HashMap<&str, _> = self
            .loaded
            .materials
            .iter()
            .map(|material| (material.name.as_str(), material.diffuse.map(Vec3::from)))
            .collect();
        self.names().iter().map(|name| colors.get(name.as_str()).copied().flatten()).collect()
    }
}
