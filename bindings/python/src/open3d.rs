//! What `hitscan.open3d` asks for beyond the queries of a tree: answers in the types of Open3D.

use hitscan::{Faces, Ray, scene::Mesh};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::{exceptions::PyValueError, prelude::*};
use rayon::prelude::*;

use crate::{
    answers::{Answers, NO_TRIANGLE, row_slice, slice},
    batch::{MIN_SLOW, Steps, in_steps},
    bvh::Bvh,
    bvh_rays::{CHUNK, ClosestBatch},
    rays::{LocalRayArguments, LocalRayArrays, points},
};

/// `t`, the mesh, its triangle, `uv` and `normal` of closest hits.
type CastArguments<'py> = (
    PyReadwriteArray1<'py, f32>,
    PyReadwriteArray1<'py, u32>,
    PyReadwriteArray1<'py, u32>,
    PyReadwriteArray2<'py, f32>,
    PyReadwriteArray2<'py, f32>,
);

#[pymethods]
impl Bvh {
    /// The closest hits on a tree of several meshes. `starts` has the first triangle of each mesh.
    fn cast_rays(
        &self,
        py: Python<'_>,
        rays: LocalRayArguments<'_>,
        threads: Option<usize>,
        starts: PyReadonlyArray1<'_, i64>,
        answers: CastArguments<'_>,
    ) -> PyResult<()> {
        let (mesh, arrays) = (self.mesh(), LocalRayArrays::new(rays)?);
        let (rays, n) = (arrays.slices()?, arrays.len());
        let starts = starts.as_slice()?;
        if starts.first() != Some(&0) {
            return Err(PyValueError::new_err("starts has no 0 in front, expected one"));
        }
        let (mut t, mut geometry, mut triangle, mut uv, mut normal) = answers;
        let (t, geometry) = (slice("t", &mut t, n)?, slice("geometry", &mut geometry, n)?);
        let triangle = slice("triangle", &mut triangle, n)?;
        let uv = row_slice::<_, 2>("uv", &mut uv, n)?;
        let normal = row_slice::<_, 3>("normal", &mut normal, n)?;
        in_steps(py, Steps::RAYS, n, threads, |range| {
            let chunks = (
                t[range.clone()].par_chunks_mut(CHUNK),
                geometry[range.clone()].par_chunks_mut(CHUNK),
                triangle[range.clone()].par_chunks_mut(CHUNK),
                uv[range.clone()].par_chunks_mut(CHUNK),
                normal[range.clone()].par_chunks_mut(CHUNK),
            );
            let chunks = chunks.into_par_iter().enumerate();
            chunks.for_each(|(n, (t, geometry, triangle, uv, normal))| {
                let first = range.start + n * CHUNK;
                ClosestBatch::with(|batch| {
                    rays.collect(first..first + t.len(), &mut batch.rays);
                    for (i, hit) in batch.answer(mesh.bvh(), Faces::Both).iter().enumerate() {
                        let Some(hit) = hit else {
                            (t[i], uv[i], normal[i]) = (f32::INFINITY, [0.0; 2], [0.0; 3]);
                            (geometry[i], triangle[i]) = (NO_TRIANGLE, NO_TRIANGLE);
                            continue;
                        };
                        let id =
                            starts.partition_point(|&start| start <= i64::from(hit.triangle)) - 1;
                        let unit = mesh.tri_mesh().unit_normal(hit.triangle);
                        (t[i], uv[i]) = (hit.t, [hit.u, hit.v]);
                        normal[i] = unit.map_or([0.0; 3], |unit| unit.as_vec3().to_array());
                        (geometry[i], triangle[i]) =
                            (id as u32, (i64::from(hit.triangle) - starts[id]) as u32);
                    }
                });
            });
            Ok(())
        })
    }

    /// Distances to the surface.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        from: PyReadonlyArray2<'_, f32>,
        threads: Option<usize>,
    ) -> Answers<'py, f32> {
        self.for_each_step(py, &from, threads, store_distances)
    }

    /// 1 for points inside, by the majority of rays in the directions `ways`, else 0.
    fn occupancy<'py>(
        &self,
        py: Python<'py>,
        from: PyReadonlyArray2<'_, f32>,
        ways: PyReadonlyArray2<'_, f32>,
        threads: Option<usize>,
    ) -> Answers<'py, f32> {
        let ways = points(&ways)?;
        self.for_each_step(py, &from, threads, |mesh, from, inside| {
            let pairs = from.par_iter().zip(inside).with_min_len(MIN_SLOW);
            pairs.for_each(|(&from, inside)| {
                *inside = f32::from(u8::from(is_inside(mesh, from, ways)));
            });
        })
    }

    /// Distances to the surface, negative for points inside.
    fn signed_distances_by_rays<'py>(
        &self,
        py: Python<'py>,
        from: PyReadonlyArray2<'_, f32>,
        ways: PyReadonlyArray2<'_, f32>,
        threads: Option<usize>,
    ) -> Answers<'py, f32> {
        let ways = points(&ways)?;
        self.for_each_step(py, &from, threads, |mesh, from, distances| {
            store_distances(mesh, from, distances);
            let pairs = from.par_iter().zip(distances).with_min_len(MIN_SLOW);
            pairs.filter(|&(&from, _)| is_inside(mesh, from, ways)).for_each(|(_, distance)| {
                *distance = -*distance;
            });
        })
    }
}

/// Stores the distances of points to the surface.
fn store_distances(mesh: &Mesh, from: &[[f32; 3]], distances: &mut [f32]) {
    let mut found = vec![None; from.len()];
    mesh.bvh().closest_point_batch(from, &[f64::INFINITY], &mut found);
    for (distance, found) in distances.iter_mut().zip(found) {
        *distance = found.map_or(f32::INFINITY, |found| found.distance as f32);
    }
}

/// Whether most rays from a point cross the surface an odd number of times.
fn is_inside(mesh: &Mesh, from: [f32; 3], ways: &[[f32; 3]]) -> bool {
    let is_odd =
        |way: &&[f32; 3]| mesh.bvh().count_crossings(&Ray::new(from, **way), Faces::Both) % 2 == 1;
    2 * ways.iter().filter(is_odd).count() > ways.len()
}
