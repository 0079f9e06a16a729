//! Queries of points and regions on scenes.

use std::{ops::ControlFlow, sync::Arc};

use hitscan::{
    glam::{DAffine3, DVec3},
    scene::{self, InstanceId, WorldBox, WorldRegion},
};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::{
    answers::{
        Answers, NO_INSTANCE, SceneArguments, SurfaceArguments, SurfaceArrays, limits, slice,
    },
    batch::{MIN_SLOW, Steps, in_steps},
    bvh_points::for_each_point,
    rays::{check_radius, points},
    scene::{Scene, to_number},
    scene_queries::{OptionArguments, Query},
};

/// The instances and the triangles of a list.
type TriangleArrays<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>);

/// Queries without a ray.
#[pymethods]
impl Scene {
    fn closest_points(
        &self,
        py: Python<'_>,
        from: PyReadonlyArray2<'_, f64>,
        max_distance: PyReadonlyArray1<'_, f64>,
        options: OptionArguments,
        threads: Option<usize>,
        answers: SceneArguments<'_, SurfaceArguments<'_>>,
    ) -> PyResult<()> {
        let (query, from) = (Query::new(self, options)?, points(&from)?);
        let (mut instance, mut answers) = answers;
        let max_distance = limits(&max_distance, from.len())?;
        let instance = slice("instance", &mut instance, from.len())?;
        let mut answers = SurfaceArrays::new(from.len(), &mut answers)?;
        in_steps(py, Steps::SLOW, from.len(), threads, |range| {
            let entries = answers.entries(range.clone()).zip(&mut instance[range.clone()]);
            let entries = entries.with_min_len(MIN_SLOW);
            entries.zip(range).for_each(|((entry, instance), i)| {
                let found = query.scene.closest_point(from[i], max_distance(i), &query.options());
                *instance = found.as_ref().map_or(NO_INSTANCE, |found| to_number(found.instance));
                entry.store(found.map(|found| {
                    let uv = [found.u as f32, found.v as f32];
                    (found.point, found.distance, found.triangle, uv)
                }));
            });
            Ok(())
        })
    }

    /// Signed distances; NaN where there is no surface or the point is not finite.
    fn signed_distances<'py>(
        &self,
        py: Python<'py>,
        from: PyReadonlyArray2<'_, f64>,
        options: OptionArguments,
        threads: Option<usize>,
    ) -> Answers<'py, f64> {
        let query = Query::new(self, options)?;
        for_each_point(py, &from, threads, |from| {
            query.scene.signed_distance(from, &query.options()).unwrap_or(f64::NAN)
        })
    }

    /// Whether any instance contains each point.
    fn is_inside<'py>(
        &self,
        py: Python<'py>,
        from: PyReadonlyArray2<'_, f64>,
        options: OptionArguments,
        threads: Option<usize>,
    ) -> Answers<'py, bool> {
        let query = Query::new(self, options)?;
        for_each_point(py, &from, threads, |from| {
            !query.scene.instances_containing(from, &query.options()).is_empty()
        })
    }

    /// The sums of the winding numbers of all instances, each in its own space and wrong by at most
    /// `tolerance` divided by the number of instances.
    fn winding_numbers<'py>(
        &self,
        py: Python<'py>,
        from: PyReadonlyArray2<'_, f64>,
        tolerance: f64,
        options: OptionArguments,
        threads: Option<usize>,
    ) -> Answers<'py, f64> {
        let solids = solids(&Query::new(self, options)?);
        let each = tolerance / solids.len().max(1) as f64;
        for_each_point(py, &from, threads, |from| {
            let of_solid = |(mesh, to_local): &(Arc<scene::Mesh>, DAffine3)| {
                let local = to_local.transform_point3(DVec3::from_array(from)).as_vec3();
                mesh.winding_tree().winding_number(local, each).value
            };
            solids.iter().map(of_solid).fold(0.0, |sum, one| sum + one)
        })
    }

    /// The triangles that share a point with a box in world space.
    fn overlapping_box<'py>(
        &self,
        py: Python<'py>,
        min: [f64; 3],
        max: [f64; 3],
        options: OptionArguments,
    ) -> PyResult<TriangleArrays<'py>> {
        self.overlapping(py, &WorldRegion::Box(WorldBox::new(min, max)), options)
    }

    /// The triangles that share a point with a ball in world space.
    fn overlapping_sphere<'py>(
        &self,
        py: Python<'py>,
        center: [f64; 3],
        radius: f64,
        options: OptionArguments,
    ) -> PyResult<TriangleArrays<'py>> {
        check_radius(radius)?;
        let center = DVec3::from_array(center);
        self.overlapping(py, &WorldRegion::Sphere { center, radius }, options)
    }
}

impl Scene {
    fn overlapping<'py>(
        &self,
        py: Python<'py>,
        region: &WorldRegion,
        options: OptionArguments,
    ) -> PyResult<TriangleArrays<'py>> {
        let (query, mut found) = (Query::new(self, options)?, Vec::new());
        py.detach(|| query.scene.overlapping_into(region, &query.options(), &mut found));
        let instances: Vec<i64> = found.iter().map(|one| to_number(one.instance)).collect();
        let triangles: Vec<u32> = found.iter().map(|one| one.triangle).collect();
        Ok((instances.to_pyarray(py), triangles.to_pyarray(py)))
    }
}

/// The meshes of a query in order of insertion, each with the map from the world to its space.
fn solids(query: &Query) -> Vec<(Arc<scene::Mesh>, DAffine3)> {
    let (scene, mut ids) = (&query.scene, Vec::<InstanceId>::new());
    let _: ControlFlow<()> = scene.visit(
        &query.options(),
        |_| true,
        |id| {
            ids.push(id);
            ControlFlow::Continue(())
        },
    );
    ids.sort_unstable_by_key(|&id| scene.insertion_order(id));
    let solid = |id| Some((scene.get(id)?.mesh.clone()?, scene.mesh_to_world(id)?.inverse()));
    ids.into_iter().filter_map(solid).collect()
}
