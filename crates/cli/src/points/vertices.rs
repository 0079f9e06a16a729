//! The vertices of a mesh, as a stream of points.

use std::collections::HashSet;

use hitscan::TriMesh;
use hitscan::glam::{DVec3, Vec3};

use crate::table::RowReader;

/// The vertices of a mesh that its triangles use, each position once, in the order of the file.
pub(crate) struct VertexPoints {
    points: std::vec::IntoIter<[f32; 3]>,
    /// The offset of the mesh.
    offset: DVec3,
    n_points: u64,
}

impl VertexPoints {
    pub(crate) fn new(mesh: &TriMesh) -> Self {
        let mut is_used = vec![false; mesh.positions().len()];
        mesh.triangles().as_flattened().iter().for_each(|&v| is_used[v as usize] = true);
        let mut seen = HashSet::new();
        let used = mesh.positions().iter().zip(is_used).filter(|(_, is_used)| *is_used);
        let points: Vec<[f32; 3]> = used
            .map(|(position, _)| position.to_array())
            .filter(|position| seen.insert(position.map(|x| (x + 0.0).to_bits())))
            .collect();
        let n_points = points.len() as u64;
        Self { points: points.into_iter(), offset: mesh.offset(), n_points }
    }
}

impl RowReader<[f32; 3], [f64; 3]> for VertexPoints {
    fn read(&mut self, points: &mut Vec<[f32; 3]>, max_rows: usize) -> anyhow::Result<()> {
        let offset = self.offset;
        let in_file = |point: [f32; 3]| match offset == DVec3::ZERO {
            true => point,
            false => (Vec3::from_array(point).as_dvec3() + offset).as_vec3().to_array(),
        };
        points.extend(self.points.by_ref().take(max_rows).map(in_file));
        Ok(())
    }

    fn read_f64(&mut self, points: &mut Vec<[f64; 3]>, max_rows: usize) -> anyhow::Result<()> {
        let in_file =
            |point: [f32; 3]| (Vec3::from_array(point).as_dvec3() + self.offset).to_array();
        points.extend(self.points.by_ref().take(max_rows).map(in_file));
        Ok(())
    }

    fn total(&self) -> Option<u64> {
        Some(self.n_points)
    }
}
