//! Sphere casts: balls along rays, at a tree or a scene.

use std::ops::Range;

use hitscan::{SphereCast, SphereContact, TriangleFeature, glam::DVec3, scene::WorldRay};
use numpy::{PyReadwriteArray1, PyReadwriteArray2};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::{
    answers::{NO_INSTANCE, NO_TRIANGLE, SceneArguments, answer_arrays, row_slice, slice},
    batch::{MIN_SLOW, Steps, in_steps},
    bvh::Bvh,
    rays::{WorldRayArguments, check_radius, world_rays},
    scene::{Scene, to_number},
    scene_queries::{OptionArguments, Query},
};

/// The code of no feature.
const NO_FEATURE: u8 = u8::MAX;

#[pymethods]
impl Bvh {
    fn sphere_casts(
        &self,
        py: Python<'_>,
        rays: WorldRayArguments<'_>,
        radius: f64,
        threads: Option<usize>,
        mut answers: ContactArguments<'_>,
    ) -> PyResult<()> {
        check_radius(radius)?;
        let (mesh, arrays) = (self.mesh(), world_rays(rays)?);
        let (rays, n, offset) = (arrays.slices()?, arrays.len(), mesh.tri_mesh().offset());
        let mut contacts = ContactArrays::new(n, &mut answers)?;
        in_steps(py, Steps::SLOW, n, threads, |range| {
            let answers = contacts.entries(range.clone()).zip(range).with_min_len(MIN_SLOW);
            answers.for_each(|(entry, ray)| {
                let ray = rays.ray(ray);
                let ray = WorldRay { origin: ray.origin - offset, ..ray };
                let contact = SphereCast::new(ray, radius).ok();
                let contact = contact.and_then(|cast| mesh.bvh().sphere_cast(&cast));
                entry.store(contact.as_ref(), offset);
            });
            Ok(())
        })
    }
}

#[pymethods]
impl Scene {
    fn sphere_casts(
        &self,
        py: Python<'_>,
        rays: WorldRayArguments<'_>,
        radius: f64,
        options: OptionArguments,
        threads: Option<usize>,
        answers: SceneArguments<'_, ContactArguments<'_>>,
    ) -> PyResult<()> {
        check_radius(radius)?;
        let (query, arrays) = (Query::new(self, options)?, world_rays(rays)?);
        let (rays, n) = (arrays.slices()?, arrays.len());
        let (mut instance, mut answers) = answers;
        let instance = slice("instance", &mut instance, n)?;
        let mut contacts = ContactArrays::new(n, &mut answers)?;
        in_steps(py, Steps::SLOW, n, threads, |range| {
            let instances = &mut instance[range.clone()];
            let entries = contacts.entries(range.clone()).zip(instances);
            entries.zip(range).with_min_len(MIN_SLOW).for_each(|((entry, instance), ray)| {
                let cast = SphereCast::new(rays.ray(ray), radius).ok();
                let found = cast.and_then(|cast| query.scene.sphere_cast(&cast, &query.options()));
                *instance = found.map_or(NO_INSTANCE, |found| to_number(found.instance));
                let contact = found.map(|found| found.contact);
                entry.store(contact.as_ref(), DVec3::ZERO);
            });
            Ok(())
        })
    }
}

answer_arrays! {
    /// The arrays of contacts, with an entry for each ball.
    ContactArguments, ContactArrays, Contact {
        t: f64 = slice(PyReadwriteArray1<f64>),
        triangle: u32 = slice(PyReadwriteArray1<u32>),
        point: [f64; 3] = row_slice(PyReadwriteArray2<f64>),
        normal: [f64; 3] = row_slice(PyReadwriteArray2<f64>),
        feature: u8 = slice(PyReadwriteArray1<u8>),
    }
}

impl Contact<'_> {
    /// Stores a contact, with its point moved by the offset of the mesh.
    fn store(self, contact: Option<&SphereContact>, offset: DVec3) {
        *self.t = contact.map_or(f64::INFINITY, |contact| contact.t);
        *self.triangle = contact.map_or(NO_TRIANGLE, |contact| contact.triangle);
        let nowhere = [f64::NAN; 3];
        *self.point = contact.map_or(nowhere, |contact| (contact.point + offset).to_array());
        *self.normal = contact.map_or(nowhere, |contact| contact.normal.to_array());
        *self.feature = contact.map_or(NO_FEATURE, |contact| feature_code(contact.feature));
    }
}

/// The face is 0, edges are 1 to 3, corners 4 to 6.
pub(crate) fn feature_code(feature: TriangleFeature) -> u8 {
    match feature {
        TriangleFeature::Face => 0,
        TriangleFeature::Edge(edge) => 1 + edge,
        TriangleFeature::Vertex(corner) => 4 + corner,
    }
}
