//! A mesh in the making.

use std::collections::HashMap;

use glam::Vec3;
use hitscan_primitives::{CornerAttributes, FaceRecords, LineRuns, MeshError, Runs, TriMesh};

/// Positions, triangles and what belongs to them, one polygon after the other.
#[derive(Debug, Default)]
pub(crate) struct MeshBuilder {
    pub(crate) positions: Vec<Vec3>,
    /// Normals and texture coordinates, which triangles name.
    pub(crate) attributes: CornerAttributes,
    triangles: Vec<[u32; 3]>,
    /// The number of triangles of each polygon.
    counts: Vec<u32>,
    names: Names,
    objects: Runs<Option<u32>>,
    materials: Runs<Option<u32>>,
    lines: LineRuns,
}

#[derive(Debug, Default)]
struct Names {
    names: Vec<String>,
    places: HashMap<String, u32>,
}

impl Names {
    fn place(&mut self, name: &str) -> u32 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        place
    }
}

impl MeshBuilder {
    /// Begins a polygon with the names of its object and material, and its line.
    pub(crate) fn begin_polygon(
        &mut self,
        object: Option<&str>,
        material: Option<&str>,
        line: Option<u64>,
    ) {
        let polygon = self.counts.len() as u32;
        self.counts.push(0);
        self.objects.push(polygon, object.map(|name| self.names.place(name)));
        self.materials.push(polygon, material.map(|name| self.names.place(name)));
        if let Some(line) = line {
            self.lines.push(polygon, line);
        }
    }

    /// Adds a triangle to the last polygon, with the indices of its normals and texture coordinates.
    pub(crate) fn add_triangle(&mut self, vertices: [u32; 3], normals: [u32; 3], uvs: [u32; 3]) {
        self.triangles.push(vertices);
        self.attributes.normal_indices.push(normals);
        self.attributes.uv_indices.push(uvs);
        if let Some(count) = self.counts.last_mut() {
            *count += 1;
        }
    }

    pub(crate) fn finish(self) -> Result<TriMesh, MeshError> {
        let Self { positions, mut attributes, triangles, counts, names, .. } = self;
        if attributes.normals.is_empty() {
            attributes.normal_indices.clear();
        }
        if attributes.uvs.is_empty() {
            attributes.uv_indices.clear();
        }
        let mut records = FaceRecords::from_triangle_counts(counts);
        records.names = names.names;
        records.objects = self.objects;
        records.materials = self.materials;
        records.lines = self.lines;
        TriMesh::from_vecs(positions, triangles)?.with_attributes(attributes)?.with_records(records)
    }
}
