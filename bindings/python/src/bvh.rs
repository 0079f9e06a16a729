//! A mesh with its tree, and the queries of both.

use std::{
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
};

use hitscan::{
    Aabb, BuildQuality, Hit, HitLists, HitOptions, MeshBvh, Ray, Side, Sphere, SurfacePoint,
    cache::{self, BuiltMesh},
    glam::Vec3,
    scene,
};
use numpy::{
    PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2, ToPyArray,
};
use pyo3::{exceptions::PyValueError, prelude::*};
use rayon::prelude::*;

use crate::{
    answers::{HitArrays, HitColumns, check_len, slice},
    batch::{detached, in_steps, in_steps_of},
    errors::{io_error, value_error},
    mesh::Mesh,
    options::{build_options, faces, mode},
    rays::{Bound as RayBound, RayArrays, RaySlices, points},
};

/// Points between two checks for signals. A closest point may take a hundred times as long as a ray.
const POINTS: usize = 1 << 12;

/// A mesh with its tree. A refit replaces both; queries that run keep the old ones.
#[pyclass(frozen, module = "hitscan._hitscan")]
pub(crate) struct Bvh {
    built: RwLock<Built>,
}

#[derive(Clone)]
struct Built {
    mesh: Arc<scene::Mesh>,
    quality: BuildQuality,
}

/// The lists of many rays as arrays: `t`, `triangle`, `uv`, `front`, `splits`.
type ListArrays<'py> = (
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<i64>>,
);

impl Bvh {
    fn of(built: Built) -> Self {
        Self { built: RwLock::new(built) }
    }

    fn built(&self) -> Built {
        self.built.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn mesh(&self) -> Arc<scene::Mesh> {
        self.built().mesh
    }

    fn from_cache(built: BuiltMesh) -> PyResult<Self> {
        let quality = built.quality;
        let mesh = scene::Mesh::from_built(built.mesh, built.bvh);
        Ok(Self::of(Built { mesh: Arc::new(mesh.map_err(|error| value_error(&error))?), quality }))
    }

    fn to_cache(&self) -> BuiltMesh {
        let Built { mesh, quality } = self.built();
        BuiltMesh { quality, ..BuiltMesh::new(mesh.tri_mesh().clone(), mesh.bvh().clone()) }
    }
}

/// Construction, files and properties.
#[pymethods]
impl Bvh {
    #[new]
    #[pyo3(signature = (mesh, quality, layout, isa, threads))]
    fn new(
        py: Python<'_>,
        mesh: &Mesh,
        quality: &str,
        layout: &str,
        isa: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let options = build_options(quality, layout, isa)?;
        let mesh = detached(py, threads, || scene::Mesh::new((*mesh.mesh).clone(), &options))?;
        Ok(Self::of(Built { mesh: Arc::new(mesh), quality: options.quality }))
    }

    /// Reads a cache file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let built = detached(py, None, || cache::load(&path))?;
        Self::from_cache(built.map_err(|error| match &error.kind {
            cache::CacheErrorKind::Io(io) => io_error(io, error.to_string()),
            _ => value_error(&error),
        })?)
    }

    /// Writes a cache file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let built = self.to_cache();
        let saved = detached(py, None, || cache::save(&built, &path))?;
        saved.map_err(|error| match &error.kind {
            cache::CacheErrorKind::Io(io) => io_error(io, error.to_string()),
            _ => value_error(&error),
        })
    }

    /// The bytes of a cache file, as a new array of uint8.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let built = self.to_cache();
        let mut bytes = Vec::new();
        detached(py, None, || cache::write(&built, &mut bytes))?
            .map_err(|error| value_error(&error))?;
        Ok(PyArray1::from_vec(py, bytes))
    }

    /// Reads the bytes of a cache file, and checks them.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: PyReadonlyArray1<'_, u8>) -> PyResult<Self> {
        let bytes = data.as_slice()?;
        let built = detached(py, None, || cache::read(bytes, "the pickled tree"))?;
        Self::from_cache(built.map_err(|error| value_error(&error))?)
    }

    #[getter(mesh)]
    fn mesh_of(&self) -> Mesh {
        Mesh { mesh: Arc::new(self.mesh().tri_mesh().clone()) }
    }

    #[getter]
    fn n_triangles(&self) -> usize {
        self.mesh().bvh().n_triangles()
    }

    #[getter]
    fn bounds(&self) -> ([f32; 3], [f32; 3]) {
        let bounds = self.mesh().bvh().bounds();
        (bounds.min.to_array(), bounds.max.to_array())
    }

    #[getter]
    fn isa(&self) -> &'static str {
        self.mesh().bvh().isa().name()
    }

    /// The bytes of the tree.
    #[getter]
    fn nbytes(&self) -> usize {
        self.mesh().bvh().stats().bytes
    }

    /// Moves the vertices. Returns whether building anew would pay.
    fn refit(&self, py: Python<'_>, positions: PyReadonlyArray2<'_, f32>) -> PyResult<bool> {
        let positions = points(&positions)?;
        let mut built = self.built();
        let report = detached(py, None, || {
            let mesh = Arc::make_mut(&mut built.mesh);
            mesh.refit(positions.iter().map(|&point| Vec3::from_array(point)))
        })?;
        let report = report.map_err(|error| value_error(&error))?;
        *self.built.write().unwrap_or_else(PoisonError::into_inner) = built;
        Ok(report.rebuild_pays())
    }
}

/// The arrays of rays that every query of rays takes, in one argument.
type RayArguments<'py> = (
    PyReadonlyArray2<'py, f32>,
    Option<PyReadonlyArray2<'py, f32>>,
    f32,
    f32,
    Option<PyReadonlyArray1<'py, f32>>,
    Option<PyReadonlyArray1<'py, f32>>,
);

fn ray_arrays(rays: RayArguments<'_>) -> PyResult<RayArrays<'_, f32>> {
    let (rows, directions, t_min, t_max, each_t_min, each_t_max) = rays;
    let (t_min, t_max) = (RayBound::new(t_min, each_t_min), RayBound::new(t_max, each_t_max));
    RayArrays::new(rows, directions, t_min, t_max)
}

/// The rays of a range.
fn collect(rays: &RaySlices<'_, f32>, range: std::ops::Range<usize>, buffer: &mut Vec<Ray>) {
    range.into_par_iter().with_min_len(1 << 12).map(|ray| rays.ray(ray)).collect_into_vec(buffer);
}

/// Queries of rays.
#[pymethods]
impl Bvh {
    #[expect(clippy::too_many_arguments, reason = "one array per answer")]
    fn closest_hits(
        &self,
        py: Python<'_>,
        rays: RayArguments<'_>,
        sides: &str,
        threads: Option<usize>,
        mut t: PyReadwriteArray1<'_, f32>,
        mut triangle: PyReadwriteArray1<'_, u32>,
        mut uv: PyReadwriteArray2<'_, f32>,
        mut front: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<()> {
        let (mesh, faces, arrays) = (self.mesh(), faces(sides)?, ray_arrays(rays)?);
        let rays = arrays.slices()?;
        let mut answers = HitArrays::new(arrays.len(), &mut t, &mut triangle, &mut uv, &mut front)?;
        let (mut buffer, mut hits) = (Vec::new(), Vec::new());
        in_steps(py, arrays.len(), threads, |range| {
            let first = range.start;
            collect(&rays, range, &mut buffer);
            hits.resize(buffer.len(), None);
            mesh.bvh().closest_hit_batch(&buffer, faces, &mut hits);
            answers.store(first, &hits);
            Ok(())
        })
    }

    fn any_hits(
        &self,
        py: Python<'_>,
        rays: RayArguments<'_>,
        sides: &str,
        threads: Option<usize>,
        mut hit: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<()> {
        let (mesh, faces, arrays) = (self.mesh(), faces(sides)?, ray_arrays(rays)?);
        let rays = arrays.slices()?;
        let hit = slice("hit", &mut hit, arrays.len())?;
        let mut buffer = Vec::new();
        in_steps(py, arrays.len(), threads, |range| {
            collect(&rays, range.clone(), &mut buffer);
            mesh.bvh().is_occluded_batch(&buffer, faces, &mut hit[range]);
            Ok(())
        })
    }

    fn count_crossings(
        &self,
        py: Python<'_>,
        rays: RayArguments<'_>,
        sides: &str,
        threads: Option<usize>,
        mut count: PyReadwriteArray1<'_, u32>,
    ) -> PyResult<()> {
        let (mesh, faces, arrays) = (self.mesh(), faces(sides)?, ray_arrays(rays)?);
        let rays = arrays.slices()?;
        let count = slice("count", &mut count, arrays.len())?;
        let mut buffer = Vec::new();
        in_steps(py, arrays.len(), threads, |range| {
            collect(&rays, range.clone(), &mut buffer);
            mesh.bvh().count_crossings_batch(&buffer, faces, &mut count[range]);
            Ok(())
        })
    }

    /// The hits of each ray, all of them or the nearest `limit`.
    fn hit_lists<'py>(
        &self,
        py: Python<'py>,
        rays: RayArguments<'_>,
        sides: &str,
        once: bool,
        limit: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<ListArrays<'py>> {
        let (mesh, arrays) = (self.mesh(), ray_arrays(rays)?);
        let options = HitOptions { faces: faces(sides)?, mode: mode(once) };
        let rays = arrays.slices()?;
        let mut columns = HitColumns { splits: vec![0], ..HitColumns::default() };
        let mut buffer = Vec::new();
        // Rays may have many hits each, so steps are short.
        in_steps_of(py, 1 << 14, arrays.len(), threads, |range| {
            collect(&rays, range, &mut buffer);
            let lists = match limit {
                None => mesh.bvh().all_hits_batch(&buffer, &options),
                Some(limit) => nearest_lists(mesh.bvh(), &buffer, limit, &options),
            };
            columns.extend(&lists)
        })?;
        Ok((
            PyArray1::from_vec(py, columns.t),
            PyArray1::from_vec(py, columns.triangle),
            PyArray1::from_vec(py, columns.uv),
            PyArray1::from_vec(py, columns.front),
            PyArray1::from_vec(py, columns.splits),
        ))
    }
}

/// The nearest hits of each ray, on all threads of the pool.
fn nearest_lists(bvh: &MeshBvh, rays: &[Ray], limit: usize, options: &HitOptions) -> HitLists {
    let lists: Vec<Vec<Hit>> = rays
        .par_iter()
        .with_min_len(256)
        .map(|ray| {
            let mut hits = Vec::new();
            bvh.nearest_hits_into(ray, limit, options, &mut hits);
            hits
        })
        .collect();
    let mut all = HitLists::default();
    for list in lists {
        all.hits.extend(list);
        all.starts.push(all.hits.len());
    }
    all
}

/// Queries without a ray.
#[pymethods]
impl Bvh {
    #[expect(clippy::too_many_arguments, reason = "one array per answer")]
    fn closest_points(
        &self,
        py: Python<'_>,
        from: PyReadonlyArray2<'_, f32>,
        max_distance: f64,
        threads: Option<usize>,
        mut point: PyReadwriteArray2<'_, f64>,
        mut distance: PyReadwriteArray1<'_, f64>,
        mut triangle: PyReadwriteArray1<'_, u32>,
        mut uv: PyReadwriteArray2<'_, f32>,
    ) -> PyResult<()> {
        let (mesh, from) = (self.mesh(), points(&from)?);
        check_len("point", point.as_slice()?.len(), 3 * from.len())?;
        check_len("uv", uv.as_slice()?.len(), 2 * from.len())?;
        let point = point.as_slice_mut()?.as_chunks_mut::<3>().0;
        let uv = uv.as_slice_mut()?.as_chunks_mut::<2>().0;
        let distance = slice("distance", &mut distance, from.len())?;
        let triangle = slice("triangle", &mut triangle, from.len())?;
        let mut found: Vec<Option<SurfacePoint>> = Vec::new();
        in_steps_of(py, POINTS, from.len(), threads, |range| {
            let first = range.start;
            let from = from[range].par_iter().with_min_len(64);
            from.map(|&from| mesh.bvh().closest_point(from, max_distance))
                .collect_into_vec(&mut found);
            for (i, found) in (first..).zip(&found) {
                point[i] = found.map_or([f64::NAN; 3], |found| found.point.to_array());
                distance[i] = found.map_or(f64::INFINITY, |found| found.distance);
                triangle[i] = found.map_or(u32::MAX, |found| found.triangle);
                uv[i] = found.map_or([0.0; 2], |found| [found.u, found.v]);
            }
            Ok(())
        })
    }

    /// Signed distances; NaN for points that are not finite and for a mesh without triangles.
    fn signed_distances(
        &self,
        py: Python<'_>,
        from: PyReadonlyArray2<'_, f32>,
        threads: Option<usize>,
        mut distance: PyReadwriteArray1<'_, f64>,
    ) -> PyResult<()> {
        let distance_of = |mesh: &scene::Mesh, from: [f32; 3]| {
            mesh.winding_tree().signed_distance(from).unwrap_or(f64::NAN)
        };
        self.for_each_point(py, from, threads, &mut distance, distance_of)
    }

    fn contains(
        &self,
        py: Python<'_>,
        from: PyReadonlyArray2<'_, f32>,
        threads: Option<usize>,
        mut inside: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<()> {
        let is_inside = |mesh: &scene::Mesh, from: [f32; 3]| mesh.winding_tree().is_inside(from);
        self.for_each_point(py, from, threads, &mut inside, is_inside)
    }

    /// Winding numbers, exact to `tolerance`.
    fn winding_numbers(
        &self,
        py: Python<'_>,
        from: PyReadonlyArray2<'_, f32>,
        tolerance: f64,
        threads: Option<usize>,
        mut number: PyReadwriteArray1<'_, f64>,
    ) -> PyResult<()> {
        let winding = |mesh: &scene::Mesh, from: [f32; 3]| {
            mesh.winding_tree().winding_number(from, tolerance).value
        };
        self.for_each_point(py, from, threads, &mut number, winding)
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
        if !(radius >= 0.0 && radius.is_finite()) {
            let text = format!("radius is {radius}, expected a finite number from 0 on");
            return Err(PyValueError::new_err(text));
        }
        let mut triangles = Vec::new();
        let sphere = Sphere { center: Vec3::from_array(center), radius };
        self.mesh().bvh().overlapping_sphere_into(&sphere, &mut triangles);
        Ok(triangles.to_pyarray(py))
    }
}

impl Bvh {
    fn for_each_point<T: numpy::Element + Send>(
        &self,
        py: Python<'_>,
        from: PyReadonlyArray2<'_, f32>,
        threads: Option<usize>,
        answers: &mut PyReadwriteArray1<'_, T>,
        answer: impl Fn(&scene::Mesh, [f32; 3]) -> T + Sync,
    ) -> PyResult<()> {
        let (mesh, from) = (self.mesh(), points(&from)?);
        let answers = slice("the array of answers", answers, from.len())?;
        in_steps_of(py, POINTS, from.len(), threads, |range| {
            let from = from[range.clone()].par_iter().with_min_len(64);
            from.zip(&mut answers[range]).for_each(|(&from, slot)| *slot = answer(&mesh, from));
            Ok(())
        })
    }
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
        check_len("point", point.as_slice()?.len(), 3 * triangle.len())?;
        check_len("normal", normal.as_slice()?.len(), 3 * triangle.len())?;
        let point = point.as_slice_mut()?.as_chunks_mut::<3>().0;
        let normal = normal.as_slice_mut()?.as_chunks_mut::<3>().0;
        detached(py, None, || {
            let answers = point.par_iter_mut().zip(normal).enumerate();
            answers.with_min_len(1024).for_each(|(i, (point, normal))| {
                (*point, *normal) = ([f64::NAN; 3], [f64::NAN; 3]);
                let ([u, v], triangle) = (uv[i], triangle[i]);
                if (triangle as usize) < mesh.triangles().len() {
                    let hit = Hit { t: 0.0, u, v, triangle, side: Side::Front };
                    *point = mesh.point(&hit).to_array();
                    let unit = mesh.unit_normal(triangle);
                    *normal = unit.map_or([f64::NAN; 3], |unit| unit.to_array());
                }
            });
        })
    }

    #[getter]
    fn quality(&self) -> &'static str {
        match self.built().quality {
            BuildQuality::Fast => "fast",
            BuildQuality::Balanced => "balanced",
            BuildQuality::High => "high",
        }
    }

    #[getter]
    fn layout(&self) -> &'static str {
        match self.mesh().bvh().layout() {
            hitscan::Layout::Full => "full",
            hitscan::Layout::Compact => "compact",
        }
    }
}
