//! Queries of points and regions on a tree, and the points and normals of hits.

use hitscan::{Aabb, Hit, Side, Sphere, WindingNumber, glam::Vec3, scene};
use numpy::{
    Element, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray2,
    PyUntypedArrayMethods, ToPyArray,
};
use pyo3::{exceptions::PyValueError, prelude::*};
use rayon::prelude::*;

use crate::{
    answers::{
        Answers, SurfaceArguments, SurfaceArrays, check_len, limit_slice, one_per, row_slice,
    },
    batch::{FEW, MIN_SLOW, Steps, answer_each, in_steps},
    bvh::Bvh,
    mesh::point_in_file,
    pool::{NoFork, Threads},
    rays::{check_radius, points},
};

/// Queries without a ray.
#[pymethods]
impl Bvh {
    fn closest_points(
        &self,
        py: Python<'_>,
        from: PyReadonlyArray2<'_, f32>,
        max_distance: PyReadonlyArray1<'_, f64>,
        threads: Option<usize>,
        mut answers: SurfaceArguments<'_>,
    ) -> PyResult<()> {
        let (mesh, from) = (self.mesh(), points(&from)?);
        let max_distance = limit_slice(&max_distance, from.len())?;
        let mut answers = SurfaceArrays::new(from.len(), &mut answers)?;
        in_steps(py, Steps::SLOW, from.len(), threads, |range| {
            let (from, mut found) = (&from[range.clone()], vec![None; range.len()]);
            let limits = if max_distance.len() == 1 { 0..1 } else { range.clone() };
            mesh.bvh().closest_point_batch(from, &max_distance[limits], &mut found);
            let entries = answers.entries(range).with_min_len(MIN_SLOW);
            entries.zip(found).for_each(|(entry, found)| {
                entry.store(found.map(|found| {
                    let point = point_in_file(mesh.tri_mesh(), found.point);
                    (point, found.distance, found.triangle, [found.u, found.v])
                }));
            });
            Ok(())
        })
    }

    /// Signed distances; NaN for points that are not finite and for a mesh without triangles.
    fn signed_distances<'py>(
        &self,
        py: Python<'py>,
        from: PyReadonlyArray2<'_, f32>,
        threads: Option<usize>,
    ) -> Answers<'py, f64> {
        self.prepare_winding(py, from.shape()[0], threads)?;
        self.for_each_step(py, &from, threads, |mesh, from, distances| {
            let mut found = vec![None; from.len()];
            mesh.winding_tree().signed_distance_batch(from, &mut found);
            for (distance, found) in distances.iter_mut().zip(found) {
                *distance = found.unwrap_or(f64::NAN);
            }
        })
    }

    fn is_inside<'py>(
        &self,
        py: Python<'py>,
        from: PyReadonlyArray2<'_, f32>,
        threads: Option<usize>,
    ) -> Answers<'py, bool> {
        self.prepare_winding(py, from.shape()[0], threads)?;
        self.for_each_step(py, &from, threads, |mesh, from, inside| {
            mesh.winding_tree().is_inside_batch(from, inside);
        })
    }

    /// Winding numbers, wrong by at most `tolerance`.
    fn winding_numbers<'py>(
        &self,
        py: Python<'py>,
        from: PyReadonlyArray2<'_, f32>,
        tolerance: f64,
        threads: Option<usize>,
    ) -> Answers<'py, f64> {
        if tolerance.is_nan() || tolerance < 0.0 {
            let text = format!("tolerance is {tolerance}, expected a number from 0 on");
            return Err(PyValueError::new_err(text));
        }
        self.prepare_winding(py, from.shape()[0], threads)?;
        self.for_each_step(py, &from, threads, |mesh, from, numbers| {
            let mut found = vec![WindingNumber::default(); from.len()];
            mesh.winding_tree().winding_number_batch(from, tolerance, &mut found);
            for (number, found) in numbers.iter_mut().zip(found) {
                *number = found.value;
            }
        })
    }

    /// The triangles that share a point with a box, in order.
    fn overlapping_box<'py>(
        &self,
        py: Python<'py>,
        min: [f32; 3],
        max: [f32; 3],
    ) -> Bound<'py, PyArray1<u32>> {
        let mut triangles = Vec::new();
        self.mesh().bvh().overlapping_box_into(&Aabb::new(min, max), &mut triangles);
        triangles.to_pyarray(py)
    }

    /// The triangles that share a point with a ball, in order.
    fn overlapping_sphere<'py>(
        &self,
        py: Python<'py>,
        center: [f32; 3],
        radius: f32,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        check_radius(radius)?;
        let mut triangles = Vec::new();
        let sphere = Sphere { center: Vec3::from_array(center), radius };
        self.mesh().bvh().overlapping_sphere_into(&sphere, &mut triangles);
        Ok(triangles.to_pyarray(py))
    }
}

impl Bvh {
    /// Builds the tree of winding numbers for many points on all threads. The first step of a loop would build it on
    /// one, as it does for few points.
    fn prepare_winding(&self, py: Python<'_>, n: usize, threads: Option<usize>) -> PyResult<()> {
        if n <= FEW {
            return Ok(());
        }
        let (mesh, pool) = (self.mesh(), Threads::new(threads)?.pool()?);
        py.detach(|| {
            let _whole = NoFork::new();
            pool.install(|| {
                mesh.winding_tree();
            });
        });
        Ok(())
    }

    /// Calls `answer` with the points of each step and the slots of their answers, which it returns.
    pub(crate) fn for_each_step<'py, T: Element + Send>(
        &self,
        py: Python<'py>,
        from: &PyReadonlyArray2<'_, f32>,
        threads: Option<usize>,
        answer: impl Fn(&scene::Mesh, &[[f32; 3]], &mut [T]) + Sync,
    ) -> Answers<'py, T> {
        let (mesh, from) = (self.mesh(), points(from)?);
        one_per(py, from.len(), "points", |answers| {
            in_steps(py, Steps::SLOW, from.len(), threads, |range| {
                answer(&mesh, &from[range.clone()], &mut answers[range]);
                Ok(())
            })
        })
    }
}

/// Returns the answer of each point.
pub(crate) fn for_each_point<'py, T: Element + Send>(
    py: Python<'py>,
    from: &PyReadonlyArray2<'_, f64>,
    threads: Option<usize>,
    answer: impl Fn([f64; 3]) -> T + Sync,
) -> Answers<'py, T> {
    let from = points(from)?;
    one_per(py, from.len(), "points", |answers| {
        answer_each(py, from, answers, threads, |&from, slot| *slot = answer(from))
    })
}

/// Facts about hits and the tree.
#[pymethods]
impl Bvh {
    /// Points of hits, and unit normals of triangles; NaN for misses and triangles without area.
    fn describe(
        &self,
        py: Python<'_>,
        triangle: PyReadonlyArray1<'_, u32>,
        uv: PyReadonlyArray2<'_, f32>,
        mut point: PyReadwriteArray2<'_, f64>,
        mut normal: PyReadwriteArray2<'_, f64>,
    ) -> PyResult<()> {
        let (built, triangle) = (self.mesh(), triangle.as_slice()?);
        let mesh = built.tri_mesh();
        let uv = uv.as_slice()?.as_chunks::<2>().0;
        check_len("uv", uv.len(), triangle.len())?;
        let point = row_slice::<_, 3>("point", &mut point, triangle.len())?;
        let normal = row_slice::<_, 3>("normal", &mut normal, triangle.len())?;
        in_steps(py, Steps::RAYS, triangle.len(), None, |range| {
            let answers = point[range.clone()].par_iter_mut().zip(&mut normal[range.clone()]);
            let hits = (&triangle[range.clone()], &uv[range]).into_par_iter();
            answers.zip(hits).with_min_len(1024).for_each(
                |((point, normal), (&triangle, &[u, v]))| {
                    (*point, *normal) = ([f64::NAN; 3], [f64::NAN; 3]);
                    if (triangle as usize) < mesh.triangles().len() {
                        let hit = Hit { t: 0.0, u, v, triangle, side: Side::Front };
                        *point = point_in_file(mesh, mesh.point(&hit)).to_array();
                        let unit = mesh.unit_normal(triangle);
                        *normal = unit.map_or([f64::NAN; 3], |unit| unit.to_array());
                    }
                },
            );
            Ok(())
        })
    }
}
