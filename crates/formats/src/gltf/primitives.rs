//! Converting the primitives of a mesh.

use std::collections::HashMap;

use glam::{Vec2, Vec3};
use gltf::{
    Accessor, Semantic,
    mesh::{Mode, Primitive},
};
use hitscan_files::{LoadOptions, ReadErrorKind};
use hitscan_primitives::{CornerAttributes, TriMesh};

use super::{accessor, buffers::Buffers, materials};
use crate::{
    LoadReport,
    mesh_builder::{MeshBuilder, Name},
};

/// Reads meshes, and counts the vertices and triangles of all of them.
#[derive(Debug)]
pub(super) struct MeshReader<'a> {
    buffers: &'a Buffers<'a>,
    options: &'a LoadOptions,
    n_vertices: u64,
    n_triangles: u64,
}

/// The name of a mesh, and the names of its materials by index.
#[derive(Debug)]
struct Names<'a> {
    object: Name<'a>,
    materials: HashMap<Option<usize>, Name<'a>>,
}

impl<'a> MeshReader<'a> {
    pub(super) fn new(buffers: &'a Buffers<'a>, options: &'a LoadOptions) -> Self {
        Self { buffers, options, n_vertices: 0, n_triangles: 0 }
    }

    pub(super) fn read(
        &mut self,
        mesh: &gltf::Mesh<'_>,
        report: &mut LoadReport,
    ) -> Result<TriMesh, ReadErrorKind> {
        let mut builder = MeshBuilder::default();
        let mut names = Names { object: Name::new(mesh.name()), materials: HashMap::new() };
        for primitive in mesh.primitives() {
            let mode = primitive.mode();
            if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
                report.add("primitives of points or lines", 1);
                continue;
            }
            report.add("morph targets", primitive.morph_targets().count() as u64);
            let positions = primitive.get(&Semantic::Positions).ok_or_else(|| {
                let found = format!("a primitive of mesh {} without POSITION", mesh.index());
                ReadErrorKind::syntax(found, "it")
            })?;
            self.add(&mut builder, &mut names, &primitive, &positions, report)?;
        }
        Ok(builder.finish(self.options)?)
    }

    /// Counts the vertices and triangles of a primitive before memory is allocated for them.
    fn count(&mut self, n_vertices: usize, n_triangles: usize) -> Result<(), ReadErrorKind> {
        self.n_vertices = self.n_vertices.saturating_add(n_vertices as u64);
        self.n_triangles = self.n_triangles.saturating_add(n_triangles as u64);
        ReadErrorKind::check_vertices("vertices", self.n_vertices, self.options)?;
        ReadErrorKind::check_vertices("triangles", self.n_triangles, self.options)
    }

    fn add(
        &mut self,
        builder: &mut MeshBuilder,
        names: &mut Names<'_>,
        primitive: &Primitive<'_>,
        positions: &Accessor<'_>,
        report: &mut LoadReport,
    ) -> Result<(), ReadErrorKind> {
        let n = positions.count();
        let n_indices = primitive.indices().map_or(n, |indices| indices.count());
        let n_triangles = match primitive.mode() {
            Mode::Triangles => n_indices / 3,
            _ => n_indices.saturating_sub(2),
        };
        self.count(n, n_triangles)?;
        let positions = accessor::floats::<3>(positions, self.buffers)?;
        let indices = match primitive.indices() {
            None => (0..n as u32).collect(),
            Some(indices) => accessor::integers(&indices, self.buffers)?,
        };
        let first_vertex = builder.positions.len() as u32;
        let is_finite: Vec<bool> =
            positions.iter().map(|&p| Vec3::from_array(p).is_finite()).collect();
        // A vertex that is not finite keeps its index. Its triangles are skipped.
        builder.positions.extend(
            positions
                .iter()
                .zip(&is_finite)
                .map(|(&p, &ok)| if ok { p.into() } else { Vec3::ZERO }),
        );
        let first_normal = match self.attribute::<3>(primitive, &Semantic::Normals, n)? {
            Some(normals) => {
                let first = builder.attributes.normals.len() as u32;
                builder.attributes.normals.extend(normals.into_iter().map(Vec3::from_array));
                Some(first)
            }
            None => None,
        };
        let first_uv = match self.attribute::<2>(primitive, &Semantic::TexCoords(0), n)? {
            Some(uvs) => {
                let first = builder.attributes.uvs.len() as u32;
                // In glTF v grows downwards, and in `TriMesh` upwards.
                builder.attributes.uvs.extend(uvs.into_iter().map(|[u, v]| Vec2::new(u, 1.0 - v)));
                Some(first)
            }
            None => None,
        };

        let material = primitive.material();
        let material_name = || Name::new(materials::name(&material));
        let material_name = names.materials.entry(material.index()).or_insert_with(material_name);
        if primitive.mode() == Mode::Triangles {
            report.add("indices after the last triangle", (indices.len() % 3) as u64);
        }
        for triangle in 0..n_triangles {
            let positions_in_list = match primitive.mode() {
                Mode::Triangles => [3 * triangle, 3 * triangle + 1, 3 * triangle + 2],
                // Every other triangle of a strip has the opposite winding.
                Mode::TriangleStrip if triangle % 2 == 1 => [triangle + 1, triangle, triangle + 2],
                Mode::TriangleStrip => [triangle, triangle + 1, triangle + 2],
                _ => [0, triangle + 1, triangle + 2],
            };
            let corners = positions_in_list.map(|i| indices[i]);
            if let Some(index) = corners.into_iter().find(|&index| index as usize >= n) {
                let found = format!("index {index} of triangle {triangle} of a primitive");
                return Err(ReadErrorKind::syntax(found, format!("less than its {n} vertices")));
            }
            if !corners.iter().all(|&vertex| is_finite[vertex as usize]) {
                report.add("triangles at a vertex that is not finite", 1);
                continue;
            }
            let from = |first: Option<u32>| match first {
                Some(first) => corners.map(|vertex| vertex + first),
                None => [CornerAttributes::NONE; 3],
            };
            let object = builder.name_index(&mut names.object);
            let material = builder.name_index(material_name);
            builder.begin_polygon(object, material, None);
            builder.add_triangle(
                corners.map(|vertex| vertex + first_vertex),
                from(first_normal),
                from(first_uv),
            );
        }
        Ok(())
    }

    /// Reads an attribute of `n` vertices, if the primitive has it.
    fn attribute<const N: usize>(
        &self,
        primitive: &Primitive<'_>,
        semantic: &Semantic,
        n: usize,
    ) -> Result<Option<Vec<[f32; N]>>, ReadErrorKind> {
        let Some(accessor) = primitive.get(semantic) else { return Ok(None) };
        if accessor.count() != n {
            let found = format!("{} {} of a primitive", accessor.count(), semantic.to_string());
            return Err(ReadErrorKind::syntax(found, format!("one for each of its {n} vertices")));
        }
        Ok(Some(accessor::floats(&accessor, self.buffers)?))
    }
}
