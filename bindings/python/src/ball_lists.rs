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
    answers::{Answers, answer_lists},
    balls::feature_code,
    batch::{Steps, in_steps},
    bvh::Bvh,
    memory,
    rays::{RaySlices, WorldRayArguments, check_radius, world_rays},
    scene::{Scene, to_number},
    scene_queries::{OptionArguments, Query, for_each_ray},
};

#[pymethods]
impl Bvh {
    /// All contacts of each ball.
    fn sphere_cast_lists<'py>(
        &self,
        py: Python<'py>,
        rays: WorldRayArguments<'_>,
        radius: f64,
        threads: Option<usize>,
    ) -> PyResult<ContactArrays<'py>> {
        let mesh = self.mesh();
        let offset = mesh.tri_mesh().offset();
        all(py, rays, radius, threads, offset, |cast| {
            let contacts = mesh.bvh().sphere_cast_all(&moved(cast, offset));
            contacts.into_iter().map(|contact| (None, contact)).collect()
        })
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
    ) -> PyResult<ContactArrays<'py>> {
        let query = Query::new(self, options)?;
        all(py, rays, radius, threads, DVec3::ZERO, |cast| {
            let contacts = query.scene.sphere_cast_all(cast, &query.options());
            contacts.into_iter().map(|found| (Some(found.instance), found.contact)).collect()
        })
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

/// All contacts, with `offset` added to each point.
fn all<'py>(
    py: Python<'py>,
    rays: WorldRayArguments<'_>,
    radius: f64,
    threads: Option<usize>,
    offset: DVec3,
    contacts: impl Fn(&SphereCast) -> Vec<(Option<InstanceId>, SphereContact)> + Sync,
) -> PyResult<ContactArrays<'py>> {
    check_radius(radius)?;
    let arrays = world_rays(rays)?;
    let (rays, n) = (arrays.slices()?, arrays.len());
    let mut columns = Columns::new();
    in_steps(py, Steps::SLOW, n, threads, |range| {
        let of_ray =
            |ray| cast_of(&rays, ray, radius).map_or_else(Vec::new, |cast| contacts(&cast));
        let lists: Vec<_> = range.into_par_iter().with_min_len(16).map(of_ray).collect();
        lists.iter().try_for_each(|list| columns.extend(list, offset))
    })?;
    Ok(columns.into_arrays(py))
}

answer_lists! {
    /// The contacts of many balls. Those of a tree have no instance.
    Columns, ContactArrays {
        t: f64, triangle: u32, point: f64, normal: f64, feature: u8, splits: i64, instance: i64,
    }
}

impl Columns {
    /// The bytes of a contact.
    const ROW_BYTES: usize = 7 * size_of::<f64>() + size_of::<i64>() + size_of::<u32>() + 1;

    /// Adds the list of a ball.
    fn extend(
        &mut self,
        contacts: &[(Option<InstanceId>, SphereContact)],
        offset: DVec3,
    ) -> PyResult<()> {
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
            self.point.extend((contact.point + offset).to_array());
            self.normal.extend(contact.normal.to_array());
            self.feature.push(feature_code(contact.feature));
        }
        self.splits.push(n as i64);
        Ok(())
    }
}
