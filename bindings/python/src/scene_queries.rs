//! Queries of scenes.

use hitscan::{
    Hit, Side,
    glam::DVec3,
    scene::{self, InstanceId, QueryOptions, SceneHit, WorldRay},
};
use numpy::{Element, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray2};
use pyo3::{exceptions::PyValueError, prelude::*};
use rayon::prelude::*;

use crate::{
    answers::{
        Answers, HitArguments, HitArrays, NO_INSTANCE, SceneArguments, answer_lists, check_len,
        one_per, row_slice, slice,
    },
    batch::{MIN_SLOW, Steps, in_steps},
    memory,
    options::{faces, mode},
    rays::{WorldRayArguments, world_rays},
    scene::{Scene, to_id, to_number},
};

/// The rays that one thread converts and casts at a time: enough for whole rows of a picture.
pub(crate) const CHUNK: usize = 1 << 15;

/// Options of a query: sides, layers, ignored ids, hidden and locked instances.
pub(crate) type OptionArguments = (String, u32, Vec<i64>, bool, bool);

/// A snapshot of a scene with the options of a query.
pub(crate) struct Query {
    pub(crate) scene: scene::Scene,
    ignore: Vec<InstanceId>,
    options: QueryOptions<'static>,
}

impl Query {
    /// A query of the scene as it is now.
    ///
    /// # Errors
    /// `ValueError` for an id to ignore that the scene does not have.
    pub(crate) fn new(scene: &Scene, arguments: OptionArguments) -> PyResult<Self> {
        let (sides, layers, ignore, include_hidden, include_locked) = arguments;
        let scene = scene.snapshot();
        let is_known = |&id: &i64| to_id(id).is_ok_and(|id| scene.contains(id));
        if let Some(id) = ignore.iter().find(|id| !is_known(id)) {
            let text = format!("ignore has {id}, which is no instance of the scene");
            return Err(PyValueError::new_err(text));
        }
        let ignore = ignore.into_iter().map(to_id).collect::<PyResult<_>>()?;
        let faces = faces(&sides)?;
        let options =
            QueryOptions { faces, layers, include_hidden, include_locked, ..Default::default() };
        Ok(Self { scene, ignore, options })
    }

    pub(crate) fn options(&self) -> QueryOptions<'_> {
        QueryOptions { ignore: &self.ignore, ..self.options }
    }
}

/// Queries.
#[pymethods]
impl Scene {
    fn closest_hits(
        &self,
        py: Python<'_>,
        rays: WorldRayArguments<'_>,
        options: OptionArguments,
        threads: Option<usize>,
        answers: SceneArguments<'_, HitArguments<'_, f64>>,
    ) -> PyResult<()> {
        let (query, arrays) = (Query::new(self, options)?, world_rays(rays)?);
        let rays = arrays.slices()?;
        let (mut instance, mut answers) = answers;
        let instance = slice("instance", &mut instance, arrays.len())?;
        let mut answers = HitArrays::new(arrays.len(), &mut answers)?;
        in_steps(py, Steps::RAYS, arrays.len(), threads, |range| {
            let instances = instance[range.clone()].par_chunks_mut(CHUNK);
            let chunks = answers.chunks(range.clone(), CHUNK).zip(instances).enumerate();
            let buffers = || (Vec::<WorldRay>::new(), Vec::<Option<SceneHit>>::new());
            chunks.for_each_init(buffers, |(buffer, hits), (n, (mut chunk, instance))| {
                let first = range.start + n * CHUNK;
                rays.collect(first..first + chunk.len(), buffer);
                hits.resize(buffer.len(), None);
                query.scene.closest_hit_batch(buffer, &query.options(), hits);
                chunk.store(hits);
                for (instance, hit) in instance.iter_mut().zip(hits) {
                    *instance = hit.map_or(NO_INSTANCE, |hit| to_number(hit.instance));
                }
            });
            Ok(())
        })
    }

    fn is_occluded<'py>(
        &self,
        py: Python<'py>,
        rays: WorldRayArguments<'_>,
        options: OptionArguments,
        threads: Option<usize>,
    ) -> Answers<'py, bool> {
        let (query, arrays) = (Query::new(self, options)?, world_rays(rays)?);
        let rays = arrays.slices()?;
        one_per(py, arrays.len(), "rays", |hit| {
            in_steps(py, Steps::RAYS, arrays.len(), threads, |range| {
                let chunks = hit[range.clone()].par_chunks_mut(CHUNK).enumerate();
                chunks.for_each_init(Vec::<WorldRay>::new, |buffer, (n, hit)| {
                    let first = range.start + n * CHUNK;
                    rays.collect(first..first + hit.len(), buffer);
                    query.scene.is_occluded_batch(buffer, &query.options(), hit);
                });
                Ok(())
            })
        })
    }

    fn count_crossings<'py>(
        &self,
        py: Python<'py>,
        rays: WorldRayArguments<'_>,
        options: OptionArguments,
        threads: Option<usize>,
    ) -> Answers<'py, u32> {
        let query = Query::new(self, options)?;
        for_each_ray(py, Steps::RAYS, rays, "rays", threads, |ray| {
            let n = query.scene.count_crossings(&ray, &query.options());
            u32::try_from(n).unwrap_or(u32::MAX)
        })
    }

    fn signed_crossings<'py>(
        &self,
        py: Python<'py>,
        rays: WorldRayArguments<'_>,
        options: OptionArguments,
        threads: Option<usize>,
    ) -> Answers<'py, i32> {
        let query = Query::new(self, options)?;
        for_each_ray(py, Steps::RAYS, rays, "rays", threads, |ray| {
            let n = query.scene.signed_crossings(&ray, &query.options());
            n.clamp(i32::MIN.into(), i32::MAX.into()) as i32
        })
    }

    /// The hits of each ray, all of them or the nearest `n`.
    fn hit_lists<'py>(
        &self,
        py: Python<'py>,
        rays: WorldRayArguments<'_>,
        options: OptionArguments,
        once_per_crossing: bool,
        n: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<SceneHitArrays<'py>> {
        let (mut query, arrays) = (Query::new(self, options)?, world_rays(rays)?);
        query.options.mode = mode(once_per_crossing);
        let rays = arrays.slices()?;
        let mut columns = SceneHitColumns::new();
        in_steps(py, Steps::SLOW, arrays.len(), threads, |range| {
            let lists: Vec<Vec<SceneHit>> = range
                .into_par_iter()
                .with_min_len(16)
                .map(|ray| {
                    let (ray, mut hits) = (rays.ray(ray), Vec::new());
                    match n {
                        None => query.scene.all_hits_into(&ray, &query.options(), &mut hits),
                        Some(n) => {
                            query.scene.nearest_hits_into(&ray, n, &query.options(), &mut hits);
                        }
                    }
                    hits
                })
                .collect();
            lists.iter().try_for_each(|list| columns.extend(list))
        })?;
        Ok(columns.into_arrays(py))
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
        let point = row_slice::<_, 3>("point", &mut point, instance.len())?;
        let normal = row_slice::<_, 3>("normal", &mut normal, instance.len())?;
        in_steps(py, Steps::RAYS, instance.len(), None, |range| {
            let first = range.start;
            let answers = point[range.clone()].par_iter_mut().zip(&mut normal[range]).enumerate();
            answers.with_min_len(256).for_each(|(i, (point, normal))| {
                let i = first + i;
                (*point, *normal) = ([f64::NAN; 3], [f64::NAN; 3]);
                if let Some((at, unit)) = locate(&scene, instance[i], triangle[i], uv[i]) {
                    *point = at.to_array();
                    *normal = unit.map_or([f64::NAN; 3], |unit| unit.to_array());
                }
            });
            Ok(())
        })
    }
}

/// Returns the answer of each ray. `of` names them in errors.
pub(crate) fn for_each_ray<'py, T: Element + Send>(
    py: Python<'py>,
    steps: Steps,
    rays: WorldRayArguments<'_>,
    of: &str,
    threads: Option<usize>,
    answer: impl Fn(WorldRay) -> T + Sync,
) -> Answers<'py, T> {
    let arrays = world_rays(rays)?;
    let (rays, n) = (arrays.slices()?, arrays.len());
    one_per(py, n, of, |answers| {
        in_steps(py, steps, n, threads, |range| {
            let slots = answers[range.clone()].par_iter_mut().zip(range).with_min_len(MIN_SLOW);
            slots.for_each(|(slot, ray)| *slot = answer(rays.ray(ray)));
            Ok(())
        })
    })
}

answer_lists! {
    /// The hits of many rays.
    SceneHitColumns, SceneHitArrays {
        t: f64, instance: i64, triangle: u32, uv: f32, front: bool, splits: i64,
    }
}

impl SceneHitColumns {
    /// Adds the list of the next ray.
    ///
    /// # Errors
    /// `MemoryError` if the lists do not fit into memory.
    fn extend(&mut self, hits: &[SceneHit]) -> PyResult<()> {
        let n = self.t.len() + hits.len();
        if n > self.t.capacity() {
            // Vectors double. A hit takes 29 bytes.
            memory::check(&format!("the {n} hits so far"), 2 * 29 * n as u64)?;
        }
        for hit in hits {
            self.t.push(hit.t);
            self.instance.push(to_number(hit.instance));
            self.triangle.push(hit.triangle());
            self.uv.extend([hit.local.u, hit.local.v]);
            self.front.push(hit.side() == Side::Front);
        }
        self.splits.push(n as i64);
        Ok(())
    }
}

/// The point of a hit and the unit normal of its triangle, in world space.
pub(crate) fn locate(
    scene: &scene::Scene,
    instance: i64,
    triangle: u32,
    [u, v]: [f32; 2],
) -> Option<(DVec3, Option<DVec3>)> {
    // A miss, for which `to_id` would write a message.
    if instance == NO_INSTANCE {
        return None;
    }
    let id = to_id(instance).ok()?;
    let local = Hit { t: 0.0, u, v, triangle, side: Side::Front };
    let details = scene.describe(&SceneHit { t: 0.0, instance: id, insertion_order: 0, local })?;
    Some((details.point(), details.normal()))
}
