//! What the drop-in for MuJoCo asks for beyond scenes: rays at geoms, answered in one pass.

use hitscan::scene::{SceneHit, WorldRay};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::{
    answers::{row_slice, slice},
    batch::{Steps, in_steps},
    rays::{self, points},
    scene::{Scene, to_number},
    scene_queries::{CHUNK, OptionArguments, Query},
};

/// The `t`, geoms and normals of hits, as Python passes them.
type GeomArguments<'py> =
    (PyReadwriteArray1<'py, f64>, PyReadwriteArray1<'py, i32>, PyReadwriteArray2<'py, f64>);

#[pymethods]
impl Scene {
    /// The `t`, the geom and the outward normal of what each ray hits first. A miss has the `t` that `missing` says, -1
    /// and zeros. `geom_of` has the geom of each instance. There is one origin, or one for each ray.
    #[expect(clippy::too_many_arguments, reason = "rays, options, and arrays of answers")]
    fn rays_at_geoms(
        &self,
        py: Python<'_>,
        origins: PyReadonlyArray2<'_, f64>,
        directions: PyReadonlyArray2<'_, f64>,
        options: OptionArguments,
        geom_of: PyReadonlyArray1<'_, i64>,
        missing: f64,
        threads: Option<usize>,
        answers: GeomArguments<'_>,
    ) -> PyResult<()> {
        let (query, geom_of) = (Query::new(self, options)?, geom_of.as_slice()?);
        let ways = points(&directions)?;
        let n = ways.len();
        let origin = rays::origins(&origins, n)?;
        let (mut t, mut geom, mut normal) = answers;
        let (t, geom, normal) = (
            slice("t", &mut t, n)?,
            slice("geom", &mut geom, n)?,
            row_slice("normal", &mut normal, n)?,
        );
        let ray = |i: usize| WorldRay::new(origin(i), ways[i]);
        let geom_of = |hit: &SceneHit| geom_of.get(to_number(hit.instance) as usize).copied();
        in_steps(py, Steps::RAYS, n, threads, |range| {
            let all_t = t[range.clone()].par_chunks_mut(CHUNK);
            let geoms = geom[range.clone()].par_chunks_mut(CHUNK);
            let normals = normal[range.clone()].par_chunks_mut(CHUNK);
            let chunks = (all_t, geoms, normals).into_par_iter().enumerate();
            let buffers = || (Vec::<WorldRay>::new(), Vec::<Option<SceneHit>>::new());
            chunks.for_each_init(buffers, |(rays, hits), (chunk, (t, geoms, normals))| {
                let first = range.start + chunk * CHUNK;
                rays.clear();
                rays.extend((first..first + t.len()).map(ray));
                hits.resize(t.len(), None);
                query.scene.closest_hit_batch(rays, &query.options(), hits);
                // Neighbours often hit the same triangle.
                let mut last = (None, [0.0; 3]);
                for (i, hit) in hits.iter().enumerate() {
                    (t[i], geoms[i], normals[i]) = (missing, -1, [0.0; 3]);
                    if let Some(hit) = hit {
                        let at = Some((hit.instance, hit.triangle()));
                        if last.0 != at {
                            let details = query.scene.describe(hit);
                            let unit = details.and_then(|details| details.normal());
                            last = (at, unit.map_or([f64::NAN; 3], |unit| unit.to_array()));
                        }
                        t[i] = hit.t;
                        geoms[i] = geom_of(hit).map_or(-1, |geom| geom as i32);
                        normals[i] = last.1;
                    }
                }
            });
            Ok(())
        })
    }
}
