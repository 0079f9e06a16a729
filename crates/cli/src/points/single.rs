//! The streams of a single point, and of the vertices of a mesh.

use std::collections::HashSet;

use hitscan::TriMesh;

use super::reader::PointReader;

/// The single point of a command line, as a stream.
pub(crate) struct SinglePoint(pub(crate) Option<[f32; 3]>);

impl PointReader for SinglePoint {
    fn read(&mut self, points: &mut Vec<[f32; 3]>, max_points: usize) -> anyhow::Result<()> {
        points.extend(self.0.take_if(|_| max_points > 0));
        Ok(())
    }

    fn total(&self) -> Option<u64> {
        Some(1)
    }
}

/// The vertices of a mesh that its triangles use, each position once, in the order of the file.
pub(crate) struct VertexPoints {
    points: std::vec::IntoIter<[f32; 3]>,
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
        Self { points: points.into_iter(), n_points }
    }
}

impl PointReader for VertexPoints {
    fn read(&mut self, points: &mut Vec<[f32; 3]>, max_points: usize) -> anyhow::Result<()> {
        points.extend(self.points.by_ref().take(max_points));
        Ok(())
    }

    fn total(&self) -> Option<u64> {
        Some(self.n_points)
    }
}
