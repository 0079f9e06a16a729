//! Meshes of primitives.

use std::collections::HashMap;

use glam::{Vec2, Vec3};
use gltf::{
    Accessor, Semantic,
    mesh::{Mode, Primitive},
};
use hitscan_primitives::{CornerAttributes, TriMesh};

use super::{accessor, buffers::Buffers, materials};
use crate::{
    FormatErrorKind, LoadOptions,
    mesh_builder::{MeshBuilder, Name},
    report::Report,
};

/// Reads meshes, and keeps count of what all of them take.
#[derive(Debug)]
pub(super) struct MeshReader<'a> {
    buffers: &'a Buffers<'a>,
    limit: u64,
    n_read: u64,
}

/// The names of a mesh and, by their indices, of its materials.
#[derive(Debug)]
struct Names<'a> {
    object: Name<'a>,
    materials: HashMap<Option<usize>, Name<'a>>,
}

impl<'a> MeshReader<'a> {
    pub(super) fn new(buffers: &'a Buffers<'a>, options: &LoadOptions) -> Self {
        Self { buffers, limit: options.vertex_limit(), n_read: 0 }
    }

    pub(super) fn read(
        &mut self,
        mesh: &gltf::Mesh<'_>,
        report: &mut Report,
    ) -> Result<TriMesh, FormatErrorKind> {
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
                FormatErrorKind::wrong(found, "it")
            })?;
            self.add(&mut builder, &mut names, &primitive, &positions, report)?;
        }
        Ok(builder.finish()?)
    }

    /// Counts the items of an accessor before there is memory for them.
    fn count(&mut self, accessor: &Accessor<'_>) -> Result<(), FormatErrorKind> {
        self.n_read = self.n_read.saturating_add(accessor.count() as u64);
        if self.n_read > 4 * self.limit {
            let (what, found, limit) = ("vertices and indices", self.n_read, 4 * self.limit);
            return Err(FormatErrorKind::TooLarge { what, found, limit });
        }
        Ok(())
    }

    fn add(
        &mut self,
        builder: &mut MeshBuilder,
        names: &mut Names<'_>,
        primitive: &Primitive<'_>,
        positions: &Accessor<'_>,
        report: &mut Report,
    ) -> Result<(), FormatErrorKind> {
        self.count(positions)?;
        let positions = accessor::floats::<3>(positions, self.buffers)?;
        let n = positions.len();
        let indices = match primitive.indices() {
            None => (0..n as u32).collect(),
            Some(indices) => {
                self.count(&indices)?;
                accessor::integers(&indices, self.buffers)?
            }
        };
        let first_vertex = builder.positions.len() as u32;
        let is_finite: Vec<bool> =
            positions.iter().map(|&p| Vec3::from_array(p).is_finite()).collect();
        // What is not finite keeps its number, and no triangle.
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
                // Down here, and up everywhere else.
                builder.attributes.uvs.extend(uvs.into_iter().map(|[u, v]| Vec2::new(u, 1.0 - v)));
                Some(first)
            }
            None => None,
        };

        let material = primitive.material();
        let material_name = || Name::new(materials::name(&material));
        let material_name = names.materials.entry(material.index()).or_insert_with(material_name);
        let n_triangles = match primitive.mode() {
            Mode::Triangles => indices.len() / 3,
            _ => indices.len().saturating_sub(2),
        };
        if primitive.mode() == Mode::Triangles {
            report.add("indices after the last triangle", (indices.len() % 3) as u64);
        }
        for triangle in 0..n_triangles {
            let places = match primitive.mode() {
                Mode::Triangles => [3 * triangle, 3 * triangle + 1, 3 * triangle + 2],
                // Every other triangle of a strip runs the other way.
                Mode::TriangleStrip if triangle % 2 == 1 => [triangle + 1, triangle, triangle + 2],
                Mode::TriangleStrip => [triangle, triangle + 1, triangle + 2],
                _ => [0, triangle + 1, triangle + 2],
            };
            let corners = places.map(|place| indices[place]);
            if let Some(index) = corners.into_iter().find(|&index| index as usize >= n) {
                let found = format!("index {index} of triangle {triangle} of a primitive");
                return Err(FormatErrorKind::wrong(found, format!("less than its {n} vertices")));
            }
            if !corners.iter().all(|&vertex| is_finite[vertex as usize]) {
                report.add("triangles at a vertex that is not finite", 1);
                continue;
            }
            let from = |first: Option<u32>| match first {
                Some(first) => corners.map(|vertex| vertex + first),
                None => [CornerAttributes::NONE; 3],
            };
            let object = builder.place(&mut names.object);
            let material = builder.place(material_name);
            builder.begin_polygon(object, material, None);
            builder.add_triangle(
                corners.map(|vertex| vertex + first_vertex),
                from(first_normal),
                from(first_uv),
            );
        }
        Ok(())
    }

    /// The values of an attribute of `n` vertices, if there is one.
    fn attribute<const N: usize>(
        &mut self,
        primitive: &Primitive<'_>,
        semantic: &Semantic,
        n: usize,
    ) -> Result<Option<Vec<[f32; N]>>, FormatErrorKind> {
        let Some(accessor) = primitive.get(semantic) else { return Ok(None) };
        self.count(&accessor)?;
        if accessor.count() != n {
            let found = format!("{} {} of a primitive", accessor.count(), semantic.to_string());
            return Err(FormatErrorKind::wrong(found, format!("one for each of its {n} vertices")));
        }
        Ok(Some(accessor::floats(&accessor, self.buffers)?))
    }
}
