//! Scenes: instances of trees in world space, in float64.

use std::sync::{PoisonError, RwLock};

use hitscan::{
    Hit, Side,
    glam::{DAffine3, DMat4, DVec3},
    scene::{self, Instance, InstanceId, QueryOptions, SceneHit, ScenePoint, WorldRay},
};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::{exceptions::PyValueError, prelude::*};
use rayon::prelude::*;

use crate::{
    answers::{HitArrays, check_len, slice},
    batch::{detached, in_steps_of},
    bvh::Bvh,
    errors::value_error,
    options::{faces, mode},
    rays::{Bound as RayBound, RayArrays, points},
};

/// Rays or points between two checks for signals.
const STEP: usize = 1 << 14;

/// The id that stands for no instance.
const NONE: i64 = -1;

/// A scene. Queries work on a snapshot, so edits never wait for them.
#[pyclass(frozen, module = "hitscan._hitscan")]
pub(crate) struct Scene {
    scene: RwLock<scene::Scene>,
}

type RayArguments<'py> = (
    PyReadonlyArray2<'py, f64>,
    Option<PyReadonlyArray2<'py, f64>>,
    f64,
    f64,
    Option<PyReadonlyArray1<'py, f64>>,
    Option<PyReadonlyArray1<'py, f64>>,
);

/// Options of a query: sides, layers, ignored ids, hidden and locked instances.
type OptionArguments = (String, u32, Vec<i64>, bool, bool);

/// The lists of many rays as arrays: `t`, `instance`, `triangle`, `uv`, `front`, `splits`.
type ListArrays<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<i64>>,
);

fn ray_arrays(rays: RayArguments<'_>) -> PyResult<RayArrays<'_, f64>> {
    let (rows, directions, t_min, t_max, each_t_min, each_t_max) = rays;
    let (t_min, t_max) = (RayBound::new(t_min, each_t_min), RayBound::new(t_max, each_t_max));
    RayArrays::new(rows, directions, t_min, t_max)
}

fn to_number(id: InstanceId) -> i64 {
    i64::from(id.generation) << 32 | i64::from(id.index)
}

fn to_id(number: i64) -> PyResult<InstanceId> {
    match u32::try_from(number >> 32) {
        Ok(generation) => Ok(InstanceId { index: number as u32, generation }),
        Err(_) => Err(PyValueError::new_err(format!("{number} is no instance of the scene"))),
    }
}

/// A transform from the 16 numbers of a matrix, row by row.
fn transform(numbers: &PyReadonlyArray1<'_, f64>) -> PyResult<DAffine3> {
    let rows: [f64; 16] = numbers
        .as_slice()?
        .try_into()
        .map_err(|_| PyValueError::new_err("a transform has another number of elements than 16"))?;
    if rows[12..] != [0.0, 0.0, 0.0, 1.0] {
        let found = &rows[12..];
        let text = format!("the last row of the transform is {found:?}, expected [0, 0, 0, 1]");
        return Err(PyValueError::new_err(text));
    }
    Ok(DAffine3::from_mat4(DMat4::from_cols_array(&rows).transpose()))
}

fn matrix<'py>(py: Python<'py>, transform: DAffine3) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, &DMat4::from(transform).transpose().to_cols_array())
}

impl Scene {
    /// A copy of the scene as it is now, in O(1) but for its chunks.
    fn snapshot(&self) -> scene::Scene {
        self.scene.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn edit<T>(
        &self,
        edit: impl FnOnce(&mut scene::Scene) -> Result<T, scene::SceneError>,
    ) -> PyResult<T> {
        let mut scene = self.scene.write().unwrap_or_else(PoisonError::into_inner);
        edit(&mut scene).map_err(|error| value_error(&error))
    }
}

/// Edits and properties.
#[pymethods]
impl Scene {
    #[new]
    fn new() -> Self {
        Self { scene: RwLock::new(scene::Scene::new()) }
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of an instance")]
    fn insert(
        &self,
        bvh: Option<&Bvh>,
        matrix: PyReadonlyArray1<'_, f64>,
        parent: Option<i64>,
        name: Option<String>,
        layers: u32,
        hidden: bool,
        locked: bool,
    ) -> PyResult<i64> {
        let instance = Instance {
            mesh: bvh.map(Bvh::mesh),
            transform: transform(&matrix)?,
            parent: parent.map(to_id).transpose()?,
            name: name.map(Into::into),
            layers,
            hidden,
            locked,
        };
        self.edit(|scene| scene.insert(instance)).map(to_number)
    }

    /// Removes an instance with its descendants. Returns all their ids.
    fn remove(&self, id: i64) -> PyResult<Vec<i64>> {
        let id = to_id(id)?;
        self.edit(|scene| {
            let removed = scene.remove(id)?;
            let ids = removed.ids().map(to_number).collect();
            scene.forget(removed);
            Ok(ids)
        })
    }

    fn set_transform(&self, id: i64, matrix: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let (id, transform) = (to_id(id)?, transform(&matrix)?);
        self.edit(|scene| scene.set_transform(id, transform))
    }

    fn set_world_transform(&self, id: i64, matrix: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let (id, transform) = (to_id(id)?, transform(&matrix)?);
        self.edit(|scene| scene.set_world_transform(id, transform))
    }

    fn set_bvh(&self, id: i64, bvh: Option<&Bvh>) -> PyResult<()> {
        let (id, mesh) = (to_id(id)?, bvh.map(Bvh::mesh));
        self.edit(|scene| scene.set_mesh(id, mesh))
    }

    fn set_hidden(&self, id: i64, hidden: bool) -> PyResult<()> {
        let id = to_id(id)?;
        self.edit(|scene| scene.set_hidden(id, hidden))
    }

    fn set_locked(&self, id: i64, locked: bool) -> PyResult<()> {
        let id = to_id(id)?;
        self.edit(|scene| scene.set_locked(id, locked))
    }

    fn set_layers(&self, id: i64, layers: u32) -> PyResult<()> {
        let id = to_id(id)?;
        self.edit(|scene| scene.set_layers(id, layers))
    }

    /// The ids in order of first insertion.
    fn ids(&self) -> Vec<i64> {
        let scene = self.snapshot();
        let order = |id: InstanceId| scene.insertion_order(id);
        let mut ids: Vec<InstanceId> = scene.iter().map(|(id, _)| id).collect();
        ids.sort_unstable_by_key(|&id| order(id));
        ids.into_iter().map(to_number).collect()
    }

    /// Local matrix, parent, name, layers, hidden, locked.
    #[expect(clippy::type_complexity, reason = "a tuple that Python unpacks")]
    fn record<'py>(
        &self,
        py: Python<'py>,
        id: i64,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Option<i64>, Option<String>, u32, bool, bool)> {
        let scene = self.snapshot();
        let Some(instance) = scene.get(to_id(id)?) else {
            return Err(PyValueError::new_err(format!("{id} is no instance of the scene")));
        };
        let name = instance.name.as_deref().map(str::to_owned);
        let parent = instance.parent.map(to_number);
        let Instance { layers, hidden, locked, .. } = *instance;
        Ok((matrix(py, instance.transform), parent, name, layers, hidden, locked))
    }

    fn world_transform<'py>(
        &self,
        py: Python<'py>,
        id: i64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let transform = self.snapshot().world_transform(to_id(id)?);
        let unknown = || PyValueError::new_err(format!("{id} is no instance of the scene"));
        Ok(matrix(py, transform.ok_or_else(unknown)?))
    }

    /// The minimum and the maximum corner; of an empty scene +inf and -inf.
    #[getter]
    fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        let bounds = self.snapshot().bounds();
        (bounds.min.to_array(), bounds.max.to_array())
    }
}

/// A query's view of the scene.
struct View {
    scene: scene::Scene,
    ignore: Vec<InstanceId>,
    options: QueryOptions<'static>,
}

impl View {
    fn new(scene: &Scene, arguments: OptionArguments) -> PyResult<Self> {
        let (sides, layers, ignore, include_hidden, include_locked) = arguments;
        let ignore = ignore.into_iter().map(to_id).collect::<PyResult<_>>()?;
        let faces = faces(&sides)?;
        let options =
            QueryOptions { faces, layers, include_hidden, include_locked, ..Default::default() };
        Ok(Self { scene: scene.snapshot(), ignore, options })
    }

    fn options(&self) -> QueryOptions<'_> {
        QueryOptions { ignore: &self.ignore, ..self.options }
    }
}

/// Queries.
#[pymethods]
impl Scene {
    #[expect(clippy::too_many_arguments, reason = "one array per answer")]
    fn closest_hits(
        &self,
        py: Python<'_>,
        rays: RayArguments<'_>,
        options: OptionArguments,
        threads: Option<usize>,
        mut t: PyReadwriteArray1<'_, f64>,
        mut instance: PyReadwriteArray1<'_, i64>,
        mut triangle: PyReadwriteArray1<'_, u32>,
        mut uv: PyReadwriteArray2<'_, f32>,
        mut front: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<()> {
        let (view, arrays) = (View::new(self, options)?, ray_arrays(rays)?);
        let rays = arrays.slices()?;
        let instance = slice("instance", &mut instance, arrays.len())?;
        let mut answers = HitArrays::new(arrays.len(), &mut t, &mut triangle, &mut uv, &mut front)?;
        let (mut buffer, mut hits) = (Vec::<WorldRay>::new(), Vec::<Option<SceneHit>>::new());
        in_steps_of(py, STEP, arrays.len(), threads, |range| {
            let first = range.start;
            buffer.clear();
            buffer.extend(range.map(|ray| rays.ray(ray)));
            hits.resize(buffer.len(), None);
            view.scene.closest_hit_batch(&buffer, &view.options(), &mut hits);
            answers.store(first, &hits);
            for (ray, hit) in (first..).zip(&hits) {
                instance[ray] = hit.map_or(NONE, |hit| to_number(hit.instance));
            }
            Ok(())
        })
    }

    fn any_hits(
        &self,
        py: Python<'_>,
        rays: RayArguments<'_>,
        options: OptionArguments,
        threads: Option<usize>,
        mut hit: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<()> {
        let (view, arrays) = (View::new(self, options)?, ray_arrays(rays)?);
        let rays = arrays.slices()?;
        let hit = slice("hit", &mut hit, arrays.len())?;
        let mut buffer = Vec::<WorldRay>::new();
        in_steps_of(py, STEP, arrays.len(), threads, |range| {
            buffer.clear();
            buffer.extend(range.clone().map(|ray| rays.ray(ray)));
            view.scene.is_occluded_batch(&buffer, &view.options(), &mut hit[range]);
            Ok(())
        })
    }

    fn count_crossings(
        &self,
        py: Python<'_>,
        rays: RayArguments<'_>,
        options: OptionArguments,
        threads: Option<usize>,
        mut count: PyReadwriteArray1<'_, u32>,
    ) -> PyResult<()> {
        let (view, arrays) = (View::new(self, options)?, ray_arrays(rays)?);
        let rays = arrays.slices()?;
        let count = slice("count", &mut count, arrays.len())?;
        in_steps_of(py, STEP, arrays.len(), threads, |range| {
            let count = count[range.clone()].par_iter_mut().with_min_len(64);
            range.into_par_iter().zip(count).for_each(|(ray, count)| {
                let n = view.scene.count_crossings(&rays.ray(ray), &view.options());
                *count = u32::try_from(n).unwrap_or(u32::MAX);
            });
            Ok(())
        })
    }

    /// The hits of each ray, all of them or the nearest `limit`.
    fn hit_lists<'py>(
        &self,
        py: Python<'py>,
        rays: RayArguments<'_>,
        options: OptionArguments,
        once: bool,
        limit: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<ListArrays<'py>> {
        let (mut view, arrays) = (View::new(self, options)?, ray_arrays(rays)?);
        view.options.mode = mode(once);
        let rays = arrays.slices()?;
        let (mut hits, mut splits) = (Vec::<SceneHit>::new(), vec![0i64]);
        in_steps_of(py, 1 << 12, arrays.len(), threads, |range| {
            let lists: Vec<Vec<SceneHit>> = range
                .into_par_iter()
                .with_min_len(16)
                .map(|ray| {
                    let (ray, mut hits) = (rays.ray(ray), Vec::new());
                    match limit {
                        None => view.scene.all_hits_into(&ray, &view.options(), &mut hits),
                        Some(n) => {
                            view.scene.nearest_hits_into(&ray, n, &view.options(), &mut hits);
                        }
                    }
                    hits
                })
                .collect();
            for list in lists {
                let n = hits.len() + list.len();
                hits.try_reserve(list.len()).map_err(|_| crate::errors::memory_error("hits", n))?;
                hits.extend(list);
                splits.push(hits.len() as i64);
            }
            Ok(())
        })?;
        let uv = hits.iter().flat_map(|hit| [hit.local.u, hit.local.v]);
        Ok((
            PyArray1::from_iter(py, hits.iter().map(|hit| hit.t)),
            PyArray1::from_iter(py, hits.iter().map(|hit| to_number(hit.instance))),
            PyArray1::from_iter(py, hits.iter().map(SceneHit::triangle)),
            PyArray1::from_iter(py, uv),
            PyArray1::from_iter(py, hits.iter().map(|hit| hit.side() == Side::Front)),
            PyArray1::from_vec(py, splits),
        ))
    }

    /// Points and normals of hits in world space; NaN for misses, and for normals of triangles without
    /// area.
    fn describe(
        &self,
        py: Python<'_>,
        instance: PyReadonlyArray1<'_, i64>,
        triangle: PyReadonlyArray1<'_, u32>,
        uv: PyReadonlyArray2<'_, f32>,
        mut point: PyReadwriteArray2<'_, f64>,
        mut normal: PyReadwriteArray2<'_, f64>,
    ) -> PyResult<()> {
        let (scene, instance, triangle) =
            (self.snapshot(), instance.as_slice()?, triangle.as_slice()?);
        let uv = uv.as_slice()?.as_chunks::<2>().0;
        check_len("triangle", triangle.len(), instance.len())?;
        check_len("uv", uv.len(), instance.len())?;
        check_len("point", point.as_slice()?.len(), 3 * instance.len())?;
        check_len("normal", normal.as_slice()?.len(), 3 * instance.len())?;
        let point = point.as_slice_mut()?.as_chunks_mut::<3>().0;
        let normal = normal.as_slice_mut()?.as_chunks_mut::<3>().0;
        detached(py, None, || {
            let answers = point.par_iter_mut().zip(normal).enumerate();
            answers.with_min_len(256).for_each(|(i, (point, normal))| {
                (*point, *normal) = ([f64::NAN; 3], [f64::NAN; 3]);
                if let Some((at, unit)) = locate(&scene, instance[i], triangle[i], uv[i]) {
                    *point = at.to_array();
                    *normal = unit.map_or([f64::NAN; 3], |unit| unit.to_array());
                }
            });
        })
    }

    #[expect(clippy::too_many_arguments, reason = "one array per answer")]
    fn closest_points(
        &self,
        py: Python<'_>,
        from: PyReadonlyArray2<'_, f64>,
        max_distance: f64,
        options: OptionArguments,
        threads: Option<usize>,
        mut point: PyReadwriteArray2<'_, f64>,
        mut distance: PyReadwriteArray1<'_, f64>,
        mut instance: PyReadwriteArray1<'_, i64>,
        mut triangle: PyReadwriteArray1<'_, u32>,
        mut uv: PyReadwriteArray2<'_, f32>,
    ) -> PyResult<()> {
        let (view, from) = (View::new(self, options)?, points(&from)?);
        check_len("point", point.as_slice()?.len(), 3 * from.len())?;
        check_len("uv", uv.as_slice()?.len(), 2 * from.len())?;
        let point = point.as_slice_mut()?.as_chunks_mut::<3>().0;
        let uv = uv.as_slice_mut()?.as_chunks_mut::<2>().0;
        let distance = slice("distance", &mut distance, from.len())?;
        let instance = slice("instance", &mut instance, from.len())?;
        let triangle = slice("triangle", &mut triangle, from.len())?;
        let mut found: Vec<Option<ScenePoint>> = Vec::new();
        in_steps_of(py, 1 << 12, from.len(), threads, |range| {
            let first = range.start;
            let from = from[range].par_iter().with_min_len(64);
            from.map(|&from| view.scene.closest_point(from, max_distance, &view.options()))
                .collect_into_vec(&mut found);
            for (i, found) in (first..).zip(&found) {
                let found = found.as_ref();
                point[i] = found.map_or([f64::NAN; 3], |found| found.point.to_array());
                distance[i] = found.map_or(f64::INFINITY, |found| found.distance);
                instance[i] = found.map_or(NONE, |found| to_number(found.instance));
                triangle[i] = found.map_or(u32::MAX, |found| found.triangle);
                uv[i] = found.map_or([0.0; 2], |found| [found.u as f32, found.v as f32]);
            }
            Ok(())
        })
    }

    /// Signed distances; NaN where there is no surface or the point is not finite.
    fn signed_distances(
        &self,
        py: Python<'_>,
        from: PyReadonlyArray2<'_, f64>,
        options: OptionArguments,
        threads: Option<usize>,
        mut distance: PyReadwriteArray1<'_, f64>,
    ) -> PyResult<()> {
        let (view, from) = (View::new(self, options)?, points(&from)?);
        let distance = slice("distance", &mut distance, from.len())?;
        in_steps_of(py, 1 << 12, from.len(), threads, |range| {
            let answers = distance[range.clone()].par_iter_mut().with_min_len(64);
            from[range].par_iter().zip(answers).for_each(|(&from, answer)| {
                let found = view.scene.signed_distance(from, &view.options());
                *answer = found.unwrap_or(f64::NAN);
            });
            Ok(())
        })
    }
}

/// The point of a hit and the unit normal of its triangle, in world space.
fn locate(
    scene: &scene::Scene,
    instance: i64,
    triangle: u32,
    [u, v]: [f32; 2],
) -> Option<(DVec3, Option<DVec3>)> {
    let id = to_id(instance).ok()?;
    let n_triangles = scene.get(id)?.mesh.as_deref()?.tri_mesh().triangles().len();
    if triangle as usize >= n_triangles {
        return None;
    }
    let local = Hit { t: 0.0, u, v, triangle, side: Side::Front };
    let insertion_order = scene.insertion_order(id)?;
    let details = scene.describe(&SceneHit { t: 0.0, instance: id, insertion_order, local })?;
    Some((details.point(), details.normal()))
}
