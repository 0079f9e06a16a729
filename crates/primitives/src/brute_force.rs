//! Every query as a loop over all triangles: the definition of its answer.
//!
//! Every hierarchy of hitscan returns the same bits, except for the value of the winding number, which a
//! tree approximates. Use these functions to test a faster implementation. Rays, points and boxes are
//! in the mesh's own space. An invalid ray hits nothing, and every query costs O(triangles).

use std::{
    borrow::Cow,
    ops::{ControlFlow, Range},
};

use glam::{DVec3, Vec3};

use crate::{
    Aabb, ConvexRegion, Faces, Hit, HitMode, HitOptions, MAX_WINDING_COORDINATE, Ray, SectionPlane,
    SectionPolyline, SectionSegments, Sphere, SphereCast, SphereContact, SurfacePoint, TriMesh,
    TrianglePoint, WatertightRay, WindingSum, closest_point_on_triangle, solid_angle,
    triangle_overlaps_box,
};

/// The first hit by `(t, triangle)`.
pub fn closest_hit(mesh: &TriMesh, ray: &Ray, faces: Faces) -> Option<Hit> {
    BruteForce::new(mesh).closest_hit(ray, faces)
}

/// Whether the ray hits anything.
pub fn is_occluded(mesh: &TriMesh, ray: &Ray, faces: Faces) -> bool {
    BruteForce::new(mesh).is_occluded(ray, faces)
}

/// All hits, sorted by `(t, triangle)`.
pub fn all_hits(mesh: &TriMesh, ray: &Ray, options: &HitOptions) -> Vec<Hit> {
    BruteForce::new(mesh).all_hits(ray, options)
}

/// The number of surface crossings: hits by [`HitMode::OncePerCrossing`].
pub fn count_crossings(mesh: &TriMesh, ray: &Ray, faces: Faces) -> usize {
    all_hits(mesh, ray, &HitOptions { faces, mode: HitMode::OncePerCrossing }).len()
}

/// The hits by [`HitMode::OncePerCrossing`] on the front, less those on the back.
pub fn signed_crossings(mesh: &TriMesh, ray: &Ray) -> i64 {
    let n = |faces| count_crossings(mesh, ray, faces) as i64;
    n(Faces::Front) - n(Faces::Back)
}

/// The first contact of a moving ball by `(t, triangle)`; see [`SphereCast`].
pub fn sphere_cast(mesh: &TriMesh, cast: &SphereCast) -> Option<SphereContact> {
    BruteForce::new(mesh).sphere_cast(cast)
}

/// The first contact of a moving ball with each triangle that it touches, sorted by `(t, triangle)`.
pub fn sphere_cast_all(mesh: &TriMesh, cast: &SphereCast) -> Vec<SphereContact> {
    BruteForce::new(mesh).sphere_cast_all(cast)
}

/// The first point of the surface by `(distance, triangle)`, if it is within `max_distance`. `None` if
/// `point` is not finite or `max_distance` is NaN or negative.
pub fn closest_point(
    mesh: &TriMesh,
    point: impl Into<[f32; 3]>,
    max_distance: f64,
) -> Option<SurfacePoint> {
    BruteForce::new(mesh).closest_point(point, max_distance)
}

/// The triangles that have a point in common with a box, by [`triangle_overlaps_box`], in order.
pub fn overlapping_box(mesh: &TriMesh, aabb: &Aabb) -> Vec<u32> {
    BruteForce::new(mesh).overlapping_box(aabb)
}

/// The triangles that have a point in common with a ball, in order. A triangle counts if its closest
/// point, by [`closest_point_on_triangle`], is within the radius.
pub fn overlapping_sphere(mesh: &TriMesh, sphere: &Sphere) -> Vec<u32> {
    BruteForce::new(mesh).overlapping_sphere(sphere)
}

/// The triangles that have a point in common with a convex region, by
/// [`ConvexRegion::overlaps_triangle`], in order.
pub fn overlapping_convex(mesh: &TriMesh, region: &ConvexRegion) -> Vec<u32> {
    BruteForce::new(mesh).overlapping_convex(region)
}

/// The winding number of the surface around a point: 1 inside a closed mesh, 0 outside of it. 0 for a
/// point that is not finite. See [`WindingSum`].
pub fn winding_number(mesh: &TriMesh, point: impl Into<[f32; 3]>) -> f64 {
    BruteForce::new(mesh).winding_sum(point).winding_number()
}

/// Whether the winding number around a point is greater than 1/2 or less than -1/2.
pub fn is_inside(mesh: &TriMesh, point: impl Into<[f32; 3]>) -> bool {
    BruteForce::new(mesh).winding_sum(point).is_inside()
}

/// [`is_inside`] for a point in f64, which nothing rounds to f32.
pub fn is_inside_f64(mesh: &TriMesh, point: impl Into<[f64; 3]>) -> bool {
    BruteForce::new(mesh).winding_sum_f64(point).is_inside()
}

/// The polylines in which a plane cuts the surface, by the rules of [`SectionSegments`], in the order of their least
/// triangles.
pub fn section(mesh: &TriMesh, plane: &SectionPlane) -> Vec<SectionPolyline> {
    BruteForce::new(mesh).section(plane)
}

/// A mesh prepared for many queries, scaled by [`TriMesh::query_scale`].
#[derive(Clone, Debug)]
pub struct BruteForce<'a> {
    positions: Cow<'a, [Vec3]>,
    triangles: &'a [[u32; 3]],
    scale: f64,
}

impl<'a> BruteForce<'a> {
    /// Prepares `mesh`. O(1) if [`TriMesh::query_scale`] is 1; otherwise copies the positions.
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

    /// The first hit by `(t, triangle)`.
    pub fn closest_hit(&self, ray: &Ray, faces: Faces) -> Option<Hit> {
        self.closest_hit_among(0..self.triangles.len(), ray, faces)
    }

    /// The first hit by `(t, triangle)` among a range of triangles, for scans that run in parallel.
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
        self.for_each_hit(triangles, ray, faces, HitMode::EveryTriangle, |hit| {
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
        self.for_each_hit(0..self.triangles.len(), ray, faces, HitMode::EveryTriangle, |_| {
            occluded = true;
            ControlFlow::Break(())
        });
        occluded
    }

    /// All hits, sorted by `(t, triangle)`.
    pub fn all_hits(&self, ray: &Ray, options: &HitOptions) -> Vec<Hit> {
        let &HitOptions { faces, mode } = options;
        let mut hits = Vec::new();
        self.for_each_hit(0..self.triangles.len(), ray, faces, mode, |hit| {
            hits.push(hit);
            ControlFlow::Continue(())
        });
        hits.sort_by(Hit::cmp_along_ray);
        hits
    }

    /// The first contact of a moving ball by `(t, triangle)`; see [`SphereCast`].
    pub fn sphere_cast(&self, cast: &SphereCast) -> Option<SphereContact> {
        self.sphere_cast_all(cast).into_iter().next()
    }

    /// The first contact of a moving ball with each triangle that it touches, sorted by `(t, triangle)`.
    pub fn sphere_cast_all(&self, cast: &SphereCast) -> Vec<SphereContact> {
        if let Some(ray) = cast.as_ray() {
            let hits = self.all_hits(&ray, &HitOptions::default());
            return hits.iter().map(|hit| cast.contact_of_hit(hit, hit.t.into())).collect();
        }
        let scaled = cast.scaled(self.scale);
        let contact = |(triangle, corners)| {
            let contact = scaled.intersect(corners)?;
            Some(SphereContact::new(triangle, &contact, self.scale))
        };
        let mut contacts: Vec<SphereContact> = self.surface().filter_map(contact).collect();
        contacts.sort_by(SphereContact::cmp_along_ray);
        contacts
    }

    /// The first point of the surface by `(distance, triangle)`, if it is within `max_distance`. `None`
    /// if `point` is not finite or `max_distance` is NaN or negative.
    pub fn closest_point(
        &self,
        point: impl Into<[f32; 3]>,
        max_distance: f64,
    ) -> Option<SurfacePoint> {
        let point = Vec3::from_array(point.into());
        // Written so that NaN is rejected.
        let is_searched = point.is_finite() && max_distance >= 0.0;
        if !is_searched {
            return None;
        }
        let from = point.as_dvec3() * self.scale;
        let mut closest: Option<(u32, TrianglePoint)> = None;
        let mut limit = (max_distance * self.scale).powi(2);
        for (triangle, corners) in self.surface() {
            let found = closest_point_on_triangle(corners, from);
            let is_first = closest.is_none() && found.distance_squared <= limit;
            if is_first || found.distance_squared < limit {
                limit = found.distance_squared;
                closest = Some((triangle, found));
            }
        }
        closest.map(|(triangle, found)| SurfacePoint::new(triangle, &found, self.scale))
    }

    /// The triangles that have a point in common with a box, in order.
    pub fn overlapping_box(&self, aabb: &Aabb) -> Vec<u32> {
        let (min, max) = (aabb.min.as_dvec3() * self.scale, aabb.max.as_dvec3() * self.scale);
        self.surface_where(|corners| triangle_overlaps_box(corners, min, max))
    }

    /// The triangles that have a point in common with a ball, in order.
    pub fn overlapping_sphere(&self, sphere: &Sphere) -> Vec<u32> {
        let radius = f64::from(sphere.radius) * self.scale;
        let is_ball = sphere.center.is_finite() && radius >= 0.0;
        if !is_ball {
            return vec![];
        }
        let center = sphere.center.as_dvec3() * self.scale;
        self.surface_where(|corners| {
            closest_point_on_triangle(corners, center).distance_squared <= radius * radius
        })
    }

    /// The triangles that have a point in common with a convex region, in order.
    pub fn overlapping_convex(&self, region: &ConvexRegion) -> Vec<u32> {
        let region = region.scaled(self.scale);
        self.surface_where(|corners| region.overlaps_triangle(corners))
    }

    /// The winding number around a point; 0 for a point that is not finite.
    pub fn winding_sum(&self, point: impl Into<[f32; 3]>) -> WindingSum {
        self.winding_sum_f64(Vec3::from_array(point.into()).as_dvec3())
    }

    /// The winding number around a point in f64; 0 for a point that is not finite or beyond
    /// [`MAX_WINDING_COORDINATE`].
    pub fn winding_sum_f64(&self, point: impl Into<[f64; 3]>) -> WindingSum {
        let point = DVec3::from_array(point.into());
        let mut sum = WindingSum::default();
        // Of a NaN the comparison is false.
        if point.abs().cmple(DVec3::splat(MAX_WINDING_COORDINATE)).all() {
            let from = point * self.scale;
            for (_, corners) in self.surface() {
                sum.add_solid_angle(solid_angle(corners, from));
            }
        }
        sum
    }

    /// The polylines in which a plane cuts the surface, in the order of their least triangles.
    pub fn section(&self, plane: &SectionPlane) -> Vec<SectionPolyline> {
        let plane = plane.scaled(self.scale);
        let mut segments = SectionSegments::new(&plane);
        for (triangle, corners) in self.scaled_triangles() {
            segments.add(triangle, corners, corners.map(|corner| corner.as_dvec3()));
        }
        segments.join(self.scale)
    }

    fn surface_where(&self, mut test: impl FnMut([DVec3; 3]) -> bool) -> Vec<u32> {
        self.surface().filter(|&(_, corners)| test(corners)).map(|(triangle, _)| triangle).collect()
    }

    /// The triangles with their corners in the scaled space, in order.
    pub(crate) fn scaled_triangles(&self) -> impl Iterator<Item = (u32, [Vec3; 3])> {
        self.triangles.iter().enumerate().map(|(triangle, indices)| {
            (triangle as u32, indices.map(|index| self.positions[index as usize]))
        })
    }

    /// All triangles in the scaled space.
    fn surface(&self) -> impl Iterator<Item = (u32, [DVec3; 3])> {
        self.scaled_triangles()
            .map(|(triangle, corners)| (triangle, corners.map(|corner| corner.as_dvec3())))
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
            let counts = mode == HitMode::EveryTriangle || ray.owns_crossing(corners);
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
    let narrow = scale as f32;
    if f64::from(narrow) == scale {
        // As f64, because the scale is a power of two: the product is exact, and rounded once.
        return position * narrow;
    }
    (position.as_dvec3() * scale).as_vec3()
}

/// A ray whose origin and direction are scaled by a mesh's [`query_scale`](TriMesh::query_scale):
/// the same `t`. Overflow makes the ray invalid.
#[inline]
pub fn scaled_ray(ray: &Ray, scale: f64) -> Ray {
    if scale == 1.0 {
        return *ray;
    }
    Ray { origin: scaled(ray.origin, scale), direction: scaled(ray.direction, scale), ..*ray }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::SplitMix64;

    #[test]
    fn a_power_of_two_scales_alike_in_f32_and_in_f64() {
        let mut rng = SplitMix64::new(1);
        let mut n_subnormal = 0;
        for exponent in -149..=160 {
            let scale = 2f64.powi(exponent);
            for _ in 0..50 {
                let position = Vec3::splat(f32::from_bits(rng.next_u64() as u32));
                let (found, expected) =
                    (scaled(position, scale).x, (f64::from(position.x) * scale) as f32);
                assert!(found.to_bits() == expected.to_bits() || position.x.is_nan());
                n_subnormal += usize::from(found.is_subnormal());
            }
        }
        assert!(n_subnormal > 100);
    }
}
