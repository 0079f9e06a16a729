//! The answers by definition: every triangle, one after the other.
//!
//! This is the twin that every hierarchy of hitscan equals to the last bit, and what a test or a
//! user compares with. O(n) per ray.

use std::{
    borrow::Cow,
    ops::{ControlFlow, Range},
};

use glam::Vec3;

use crate::{Faces, Hit, HitMode, Ray, TriMesh, WatertightRay};

/// The hit with the least `(t, triangle)`.
pub fn closest_hit(mesh: &TriMesh, ray: &Ray, faces: Faces) -> Option<Hit> {
    BruteForce::new(mesh).closest_hit(ray, faces)
}

/// Whether the ray hits anything.
pub fn is_occluded(mesh: &TriMesh, ray: &Ray, faces: Faces) -> bool {
    BruteForce::new(mesh).is_occluded(ray, faces)
}

/// All hits, sorted by `(t, triangle)`.
pub fn all_hits(mesh: &TriMesh, ray: &Ray, faces: Faces, mode: HitMode) -> Vec<Hit> {
    BruteForce::new(mesh).all_hits(ray, faces, mode)
}

/// The number of surface crossings: hits by [`HitMode::Once`].
pub fn count_crossings(mesh: &TriMesh, ray: &Ray, faces: Faces) -> usize {
    all_hits(mesh, ray, faces, HitMode::Once).len()
}

/// A mesh ready to be scanned: scaled by [`TriMesh::query_scale`] if it needs to be.
#[derive(Clone, Debug)]
pub struct BruteForce<'a> {
    positions: Cow<'a, [Vec3]>,
    triangles: &'a [[u32; 3]],
    scale: f64,
}

impl<'a> BruteForce<'a> {
    /// Prepares `mesh`. Free for meshes of ordinary size, a copy of the positions for others.
    pub fn new(mesh: &'a TriMesh) -> Self {
        let scale = mesh.query_scale();
        let positions = if scale == 1.0 {
            Cow::Borrowed(mesh.positions())
        } else {
            Cow::Owned(mesh.positions().iter().map(|&p| scaled(p, scale)).collect())
        };
        Self { positions, triangles: mesh.triangles(), scale }
    }

    /// The number of triangles.
    pub fn n_triangles(&self) -> usize {
        self.triangles.len()
    }

    /// The hit with the least `(t, triangle)`.
    pub fn closest_hit(&self, ray: &Ray, faces: Faces) -> Option<Hit> {
        self.closest_hit_among(0..self.triangles.len(), ray, faces)
    }

    /// The hit with the least `(t, triangle)` among a range of triangles: a part of a scan that runs
    /// in parallel.
    ///
    /// # Panics
    /// If the range reaches past the last triangle.
    pub fn closest_hit_among(
        &self,
        triangles: Range<usize>,
        ray: &Ray,
        faces: Faces,
    ) -> Option<Hit> {
        let mut closest: Option<Hit> = None;
        self.for_each_hit(triangles, ray, faces, HitMode::Closed, |hit| {
            if closest.is_none_or(|closest| hit.cmp_along_ray(&closest).is_lt()) {
                closest = Some(hit);
            }
            ControlFlow::Continue(())
        });
        closest
    }

    /// Whether the ray hits anything.
    pub fn is_occluded(&self, ray: &Ray, faces: Faces) -> bool {
        let mut occluded = false;
        self.for_each_hit(0..self.triangles.len(), ray, faces, HitMode::Closed, |_| {
            occluded = true;
            ControlFlow::Break(())
        });
        occluded
    }

    /// All hits, sorted by `(t, triangle)`.
    pub fn all_hits(&self, ray: &Ray, faces: Faces, mode: HitMode) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.for_each_hit(0..self.triangles.len(), ray, faces, mode, |hit| {
            hits.push(hit);
            ControlFlow::Continue(())
        });
        hits.sort_by(Hit::cmp_along_ray);
        hits
    }

    fn for_each_hit(
        &self,
        triangles: Range<usize>,
        ray: &Ray,
        faces: Faces,
        mode: HitMode,
        mut found: impl FnMut(Hit) -> ControlFlow<()>,
    ) {
        let Some(ray) = WatertightRay::new(&scaled_ray(ray, self.scale)) else { return };
        let (first, positions) = (triangles.start, &*self.positions);
        for (i, corners) in self.triangles[triangles].iter().enumerate() {
            let corners = corners.map(|index| positions[index as usize]);
            let Some(hit) = ray.intersect(corners) else { continue };
            let counts = mode == HitMode::Closed || ray.owns_crossing(corners);
            if faces.accepts(hit.side)
                && counts
                && found(Hit::new((first + i) as u32, hit)).is_break()
            {
                return;
            }
        }
    }
}

/// A position scaled by a mesh's [`query_scale`](TriMesh::query_scale), rounded once.
#[inline]
pub fn scaled(position: Vec3, scale: f64) -> Vec3 {
    (position.as_dvec3() * scale).as_vec3()
}

/// A ray whose origin and direction are scaled by a mesh's [`query_scale`](TriMesh::query_scale):
/// the same `t`. What overflows is an invalid ray.
#[inline]
pub fn scaled_ray(ray: &Ray, scale: f64) -> Ray {
    if scale == 1.0 {
        return *ray;
    }
    Ray { origin: scaled(ray.origin, scale), direction: scaled(ray.direction, scale), ..*ray }
}
