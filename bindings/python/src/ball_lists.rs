//! Sphere casts: all contacts of balls along rays, and whether there is any.

use hitscan::{
    SphereCast, SphereContact,
    glam::DVec3,
    scene::{InstanceId, WorldRay},
};
use numpy::PyArray1;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::{
    answers::Answers,
    balls::feature_code,
    batch::{Steps, in_steps},
    bvh::Bvh,
    memory,
    rays::{RaySlices, WorldRayArguments, check_radius, world_rays},
    scene::{Scene, to_number},
    scene_queries::{OptionArguments, Query, for_each_ray},
};

/// `t`, triangles, points, normals and features of all contacts, and the end of each ball's list behind a zero.
type ListArrays<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<i64>>,
);

#[pymethods]
impl Bvh {
    /// All contacts of each ball.
    fn sphere_cast_lists<'py>(
        &self,
        py: Python<'py>,
        rays: WorldRayArguments<'_>,
        radius: f64,
        threads: Option<usize>,
    ) -> PyResult<ListArrays<'py>> {
        let mesh = self.mesh();
        let offset = mesh.tri_mesh().offset();
        let mut columns = Columns { offset, ..Columns::default() };
        columns.fill(py, rays, radius, threads, |cast| {
            let contacts = mesh.bvh().sphere_cast_all(&moved(cast, offset));
            contacts.into_iter().map(|contact| (None, contact)).collect()
        })?;
        Ok(columns.into_arrays(py).0)
    }

    /// Whether each ball touches anything.
    fn sphere_casts_any<'py>(
        &self,
        py: Python<'py>,
        rays: WorldRayArguments<'_>,
        radius: f64,
        threads: Option<usize>,
    ) -> Answers<'py, bool> {
        let mesh = self.mesh();
        let offset = mesh.tri_mesh().offset();
        any(py, rays, radius, threads, |cast| mesh.bvh().sphere_cast_any(&moved(cast, offset)))
    }
}

#[pymethods]
impl Scene {
    /// All contacts of each ball, and the instance of each contact.
    fn sphere_cast_lists<'py>(
        &self,
        py: Python<'py>,
        rays: WorldRayArguments<'_>,
        radius: f64,
        options: OptionArguments,
        threads: Option<usize>,
    ) -> PyResult<(ListArrays<'py>, Bound<'py, PyArray1<i64>>)> {
        let query = Query::new(self, options)?;
        let mut columns = Columns::default();
        columns.fill(py, rays, radius, threads, |cast| {
            let contacts = query.scene.sphere_cast_all(cast, &query.options());
            contacts.into_iter().map(|found| (Some(found.instance), found.contact)).collect()
        })?;
        Ok(columns.into_arrays(py))
    }

    /// Whether each ball touches anything.
    fn sphere_casts_any<'py>(
        &self,
        py: Python<'py>,
        rays: WorldRayArguments<'_>,
        radius: f64,
        options: OptionArguments,
        threads: Option<usize>,
    ) -> Answers<'py, bool> {
        let query = Query::new(self, options)?;
        any(py, rays, radius, threads, |cast| query.scene.sphere_cast_any(cast, &query.options()))
    }
}

/// The cast relative to the offset of a mesh.
fn moved(cast: &SphereCast, offset: DVec3) -> SphereCast {
    let ray = cast.ray();
    let ray = WorldRay { origin: ray.origin - offset, ..*ray };
    SphereCast::new(ray, cast.radius()).unwrap_or(*cast)
}

/// The cast of a ray; `None` if the ray is invalid.
fn cast_of(rays: &RaySlices<'_, f64>, ray: usize, radius: f64) -> Option<SphereCast> {
    SphereCast::new(rays.ray(ray), radius).ok()
}

fn any<'py>(
    py: Python<'py>,
    rays: WorldRayArguments<'_>,
    radius: f64,
    threads: Option<usize>,
    touches: impl Fn(&SphereCast) -> bool + Sync,
) -> Answers<'py, bool> {
    check_radius(radius)?;
    for_each_ray(py, Steps::SLOW, rays, "balls", threads, |ray| {
        SphereCast::new(ray, radius).is_ok_and(|cast| touches(&cast))
    })
}

/// The contacts of many balls, as they grow.
#[derive(Default)]
struct Columns {
    /// What is added to each point.
    offset: DVec3,
    t: Vec<f64>,
    instance: Vec<i64>,
    triangle: Vec<u32>,
    point: Vec<f64>,
    normal: Vec<f64>,
    feature: Vec<u8>,
    splits: Vec<i64>,
}

impl Columns {
    /// The bytes of a contact.
    const ROW_BYTES: usize = 7 * size_of::<f64>() + size_of::<i64>() + size_of::<u32>() + 1;

    fn fill(
        &mut self,
        py: Python<'_>,
        rays: WorldRayArguments<'_>,
        radius: f64,
        threads: Option<usize>,
        contacts: impl Fn(&SphereCast) -> Vec<(Option<InstanceId>, SphereContact)> + Sync,
    ) -> PyResult<()> {
        check_radius(radius)?;
        let arrays = world_rays(rays)?;
        let (rays, n) = (arrays.slices()?, arrays.len());
        self.splits.push(0);
        in_steps(py, Steps::SLOW, n, threads, |range| {
            let of_ray =
                |ray| cast_of(&rays, ray, radius).map_or_else(Vec::new, |cast| contacts(&cast));
            let lists: Vec<_> = range.into_par_iter().with_min_len(16).map(of_ray).collect();
            lists.iter().try_for_each(|list| self.extend(list))
        })
    }

    /// Adds the list of a ball.
    fn extend(&mut self, contacts: &[(Option<InstanceId>, SphereContact)]) -> PyResult<()> {
        let n = self.t.len() + contacts.len();
        if n > self.t.capacity() {
            // Vectors double.
            let bytes = 2 * n * Self::ROW_BYTES;
            memory::check(&format!("the {n} contacts so far"), bytes as u64)?;
        }
        for (instance, contact) in contacts {
            self.t.push(contact.t);
            self.instance.extend(instance.map(to_number));
            self.triangle.push(contact.triangle);
            self.point.extend((contact.point + self.offset).to_array());
            self.normal.extend(contact.normal.to_array());
            self.feature.push(feature_code(contact.feature));
        }
        self.splits.push(n as i64);
        Ok(())
    }

    fn into_arrays(self, py: Python<'_>) -> (ListArrays<'_>, Bound<'_, PyArray1<i64>>) {
        let lists = (
            PyArray1::from_vec(py, self.t),
            PyArray1::from_vec(py, self.triangle),
            PyArray1::from_vec(py, self.point),
            PyArray1::from_vec(py, self.normal),
            PyArray1::from_vec(py, self.feature),
            PyArray1::from_vec(py, self.splits),
        );
        (lists, PyArray1::from_vec(py, self.instance))
    }
}
