//! The triangles of an STL file, text or binary.

use std::collections::HashMap;

use glam::Vec3;
use hitscan_files::{Limit, LoadOptions, ReadErrorKind};
use hitscan_primitives::{CornerAttributes, Recentring, TriMesh, Triangulator};

use crate::{
    LoadReport,
    error_at::ErrorAt,
    mesh_builder::{MeshBuilder, Name},
};

/// The solids of a file as one mesh.
#[derive(Debug)]
pub(super) struct Solids<'a> {
    builder: MeshBuilder,
    vertices: HashMap<[u32; 3], u32>,
    triangulator: Triangulator,
    pub(super) report: LoadReport,
    n_triangles: u64,
    options: &'a LoadOptions,
    pub(super) recentring: &'a mut Recentring,
}

impl<'a> Solids<'a> {
    pub(super) fn new(options: &'a LoadOptions, recentring: &'a mut Recentring) -> Self {
        Self {
            builder: MeshBuilder::default(),
            vertices: HashMap::new(),
            triangulator: Triangulator::default(),
            report: LoadReport::default(),
            n_triangles: 0,
            options,
            recentring,
        }
    }

    /// Adds a facet of three or more corners.
    pub(super) fn add(
        &mut self,
        corners: &[Vec3],
        object: &mut Name<'_>,
        line: Option<u64>,
    ) -> Result<(), ErrorAt> {
        if !corners.iter().all(|corner| corner.is_finite()) {
            self.report.add("triangles at a vertex that is not finite", 1);
            return Ok(());
        }
        let (found, limit) = (corners.len() as u64, u64::from(self.options.max_polygon_corners));
        if found > limit.max(3) {
            let (what, raised_by) = ("corners of a facet", Some(Limit::PolygonCorners));
            return Err(ReadErrorKind::TooLarge { what, found, limit, raised_by }.into());
        }
        self.n_triangles += found - 2;
        ReadErrorKind::check_vertices("triangles", self.n_triangles, self.options)?;
        let object = self.builder.name_index(object);
        self.builder.begin_polygon(object, None, line);
        let none = [CornerAttributes::NONE; 3];
        if let &[a, b, c] = corners {
            let vertices = [a, b, c].map(|corner| self.vertex(corner));
            self.builder.add_triangle(vertices, none, none);
            return Ok(());
        }
        self.report.add_as("facets of more than 3 corners", "cut into triangles", 1);
        let vertices: Vec<u32> = corners.iter().map(|&corner| self.vertex(corner)).collect();
        let Self { triangulator, builder, .. } = self;
        triangulator.triangulate(corners, |triangle| {
            builder.add_triangle(triangle.map(|corner| vertices[corner as usize]), none, none);
        });
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(TriMesh, LoadReport), ErrorAt> {
        Ok((self.builder.finish(self.options)?, self.report))
    }

    /// The one vertex at a position. -0 and 0 are the same position.
    fn vertex(&mut self, position: Vec3) -> u32 {
        let key = position.to_array().map(|x| (x + 0.0).to_bits());
        let positions = &mut self.builder.positions;
        *self.vertices.entry(key).or_insert_with(|| {
            positions.push(position);
            positions.len() as u32 - 1
        })
    }
}
