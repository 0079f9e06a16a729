//! What the drop-in for PyVista asks for beyond trees: the hits of rays at cells, answered in one pass.

use std::ops::Range;

use hitscan::{Faces, Hit, HitMode, HitOptions, TriMesh};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::{
    answers::check_len,
    batch::{Steps, in_steps},
    bvh::Bvh,
    bvh_rays::{CHUNK, ClosestBatch},
    memory,
    mesh::point_in_file,
    rays::{LocalRayArguments, LocalRayArrays},
};

/// The points, rays and cells of hits.
type CellHitArrays<'py> =
    (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

#[derive(Default)]
struct CellHits {
    points: Vec<[f64; 3]>,
    rays: Vec<i64>,
    cells: Vec<i64>,
}

impl CellHits {
    fn push(&mut self, mesh: &TriMesh, cells: &[i64], ray: usize, hit: &Hit) {
        self.points.push(point_in_file(mesh, mesh.point(hit)).to_array());
        self.rays.push(ray as i64);
        self.cells.push(cells[hit.triangle as usize]);
    }

    /// Adds the hits of further rays.
    ///
    /// # Errors
    /// `MemoryError` if the hits do not fit into memory.
    fn extend(&mut self, hits: &Self) -> PyResult<()> {
        let n = self.rays.len() + hits.rays.len();
        if n > self.rays.capacity() {
            // Vectors double. A hit takes 40 bytes.
            memory::check(&format!("the {n} hits so far"), 2 * 40 * n as u64)?;
        }
        self.points.extend_from_slice(&hits.points);
        self.rays.extend_from_slice(&hits.rays);
        self.cells.extend_from_slice(&hits.cells);
        Ok(())
    }
}

#[pymethods]
impl Bvh {
    /// The first hit or all hits of each ray, on a tree without an offset. `cells` has the cell of each triangle.
    fn hits_at_cells<'py>(
        &self,
        py: Python<'py>,
        rays: LocalRayArguments<'_>,
        cells: PyReadonlyArray1<'_, i64>,
        first: bool,
        threads: Option<usize>,
    ) -> PyResult<CellHitArrays<'py>> {
        let (mesh, arrays, cells) = (self.mesh(), LocalRayArrays::new(rays)?, cells.as_slice()?);
        let (rays, tri_mesh) = (arrays.slices()?, mesh.tri_mesh());
        check_len("cells", cells.len(), tri_mesh.triangles().len())?;
        let options = HitOptions { faces: Faces::Both, mode: HitMode::OncePerCrossing };
        let hits_of = |range: Range<usize>| {
            let mut found = CellHits::default();
            ClosestBatch::with(|batch| {
                rays.collect(range.clone(), &mut batch.rays);
                if first {
                    for (ray, hit) in range.zip(batch.answer(mesh.bvh(), Faces::Both)) {
                        if let Some(hit) = hit {
                            found.push(tri_mesh, cells, ray, hit);
                        }
                    }
                    return;
                }
                let lists = mesh.bvh().all_hits_batch(&batch.rays, &options);
                for (i, ray) in range.enumerate() {
                    lists.of(i).iter().for_each(|hit| found.push(tri_mesh, cells, ray, hit));
                }
            });
            found
        };
        let mut all = CellHits::default();
        let steps = if first { Steps::RAYS } else { Steps::SLOW };
        in_steps(py, steps, arrays.len(), threads, |range| {
            let starts: Vec<usize> = range.clone().step_by(CHUNK).collect();
            let chunks: Vec<CellHits> = starts
                .into_par_iter()
                .map(|start| hits_of(start..range.end.min(start + CHUNK)))
                .collect();
            chunks.iter().try_for_each(|hits| all.extend(hits))
        })?;
        let n = all.rays.len();
        let points = PyArray1::from_vec(py, all.points.into_flattened()).reshape([n, 3])?;
        Ok((points, PyArray1::from_vec(py, all.rays), PyArray1::from_vec(py, all.cells)))
    }
}
