//! Building a mesh polygon by polygon.

use std::{borrow::Cow, collections::HashMap};

use glam::Vec3;
use hitscan_files::LoadOptions;
use hitscan_primitives::{
    CornerAttributes, FaceRecords, LineRuns, MeshError, PolygonProperties, Runs, TriMesh,
};

/// The positions, triangles, attributes and records of a mesh under construction.
#[derive(Debug, Default)]
pub(crate) struct MeshBuilder {
    pub(crate) positions: Vec<Vec3>,
    /// The normals and texture coordinates that triangles refer to.
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
    indices: HashMap<String, u32>,
}

impl Names {
    fn index(&mut self, name: &str) -> u32 {
        if let Some(index) = self.indices.get(name) {
            return *index;
        }
        let index = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.indices.insert(name.to_owned(), index);
        index
    }
}

/// An optional name that many polygons share. The first lookup stores the index, because a lookup
/// takes time proportional to the length of the name.
#[derive(Debug, Default)]
pub(crate) struct Name<'a> {
    text: Option<Cow<'a, str>>,
    index: Option<u32>,
}

impl<'a> Name<'a> {
    pub(crate) fn new(text: Option<impl Into<Cow<'a, str>>>) -> Self {
        Self { text: text.map(Into::into), index: None }
    }
}

impl MeshBuilder {
    /// The index of a name in the records. Adds the name if it is new.
    pub(crate) fn name_index(&mut self, name: &mut Name<'_>) -> Option<u32> {
        if name.index.is_none() {
            name.index = name.text.as_deref().map(|text| self.names.index(text));
        }
        name.index
    }

    /// Begins a polygon with the indices of its object and material names, and its line.
    pub(crate) fn begin_polygon(
        &mut self,
        object: Option<u32>,
        material: Option<u32>,
        line: Option<u64>,
    ) {
        let polygon = self.counts.len() as u32;
        self.counts.push(0);
        self.objects.push(polygon, object);
        self.materials.push(polygon, material);
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

    /// The mesh, with the attributes and records that the options ask for.
    pub(crate) fn finish(self, options: &LoadOptions) -> Result<TriMesh, MeshError> {
        let Self { positions, mut attributes, triangles, counts, names, .. } = self;
        let mesh = TriMesh::from_vecs(positions, triangles)?;
        if !options.attributes {
            attributes = CornerAttributes::default();
        }
        if attributes.normals.is_empty() {
            attributes.normal_indices.clear();
        }
        if attributes.uvs.is_empty() {
            attributes.uv_indices.clear();
        }
        let mesh = mesh.with_attributes(attributes)?;
        if !options.records {
            return Ok(mesh);
        }
        let properties = PolygonProperties {
            names: names.names,
            objects: self.objects,
            materials: self.materials,
            lines: self.lines,
            ..PolygonProperties::default()
        };
        mesh.with_records(FaceRecords::from_triangle_counts(counts).with_properties(properties)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_up_once() {
        let mut builder = MeshBuilder::default();
        let (mut object, mut nameless) = (Name::new(Some("object")), Name::default());
        for _ in 0..3 {
            assert_eq!(builder.name_index(&mut object), Some(0));
            assert_eq!(builder.name_index(&mut nameless), None);
            // There is nothing left to look up by.
            object.text = Some("another".into());
        }
        assert_eq!(builder.name_index(&mut Name::new(Some("object"))), Some(0));
        assert_eq!(builder.names.names, ["object"]);
    }
}
