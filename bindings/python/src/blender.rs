//! What the drop-in for Blender asks for beyond trees: rays at polygons, answered in one pass.

use hitscan::{Faces, Hit, Ray, glam::DVec3};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::{
    answers::{check_len, limits, row_slice, slice},
    batch::{Steps, in_steps},
    bvh::Bvh,
    bvh_rays::{CHUNK, ClosestBatch},
    mesh::point_in_file,
    rays::{self, points},
};

/// The point, normal, polygon and distance of a miss.
const NOTHING: ([f64; 3], [f32; 3], i64, f32) = ([f64::NAN; 3], [f32::NAN; 3], -1, f32::INFINITY);

#[pymethods]
impl Bvh {
    /// The points, normals, polygons and distances that rays hit first. Directions have any length, and distances
    /// are below `max_distance`. `polygons` has the polygon of each triangle, and the normal of each polygon.
    #[expect(clippy::too_many_arguments, reason = "one array per answer")]
    fn rays_at_polygons(
        &self,
        py: Python<'_>,
        origins: PyReadonlyArray2<'_, f64>,
        directions: PyReadonlyArray2<'_, f64>,
        max_distance: PyReadonlyArray1<'_, f64>,
        polygons: (PyReadonlyArray1<'_, u32>, PyReadonlyArray2<'_, f32>),
        threads: Option<usize>,
        mut point: PyReadwriteArray2<'_, f64>,
        mut normal: PyReadwriteArray2<'_, f32>,
        mut index: PyReadwriteArray1<'_, i64>,
        mut distance: PyReadwriteArray1<'_, f32>,
    ) -> PyResult<()> {
        let (mesh, ways) = (self.mesh(), points(&directions)?);
        let n = ways.len();
        let origin = rays::origins(&origins, n)?;
        let (max_distance, tri_mesh) = (limits(&max_distance, n)?, mesh.tri_mesh());
        let (polygon_of, normals) = (polygons.0.as_slice()?, points(&polygons.1)?);
        check_len("polygons", polygon_of.len(), tri_mesh.triangles().len())?;
        let (point, normal) =
            (row_slice("point", &mut point, n)?, row_slice("normal", &mut normal, n)?);
        let (index, distance) =
            (slice("index", &mut index, n)?, slice("distance", &mut distance, n)?);
        let ray = |i: usize| Ray {
            origin: self.local(origin(i)),
            direction: DVec3::from_array(ways[i]).normalize_or_zero().as_vec3(),
            t_min: 0.0,
            t_max: max_distance(i) as f32,
        };
        let answer = |hit: Hit| {
            let polygon = polygon_of[hit.triangle as usize];
            let normal = normals.get(polygon as usize).copied().unwrap_or([f32::NAN; 3]);
            let point: [f64; 3] = point_in_file(tri_mesh, tri_mesh.point(&hit)).to_array();
            (point, normal, i64::from(polygon), hit.t)
        };
        in_steps(py, Steps::RAYS, n, threads, |range| {
            let points = point[range.clone()].par_chunks_mut(CHUNK);
            let normals = normal[range.clone()].par_chunks_mut(CHUNK);
            let indices = index[range.clone()].par_chunks_mut(CHUNK);
            let distances = distance[range.clone()].par_chunks_mut(CHUNK);
            let chunks = (points, normals, indices, distances).into_par_iter().enumerate();
            chunks.for_each(|(chunk, (points, normals, indices, distances))| {
                let first = range.start + chunk * CHUNK;
                ClosestBatch::with(|batch| {
                    batch.rays.clear();
                    batch.rays.extend((first..first + points.len()).map(ray));
                    let hits = batch.answer(mesh.bvh(), Faces::Both).iter().enumerate();
                    for (i, hit) in hits {
                        let near = hit.filter(|hit| f64::from(hit.t) < max_distance(first + i));
                        (points[i], normals[i], indices[i], distances[i]) =
                            near.map_or(NOTHING, answer);
                    }
                });
            });
            Ok(())
        })
    }
}
