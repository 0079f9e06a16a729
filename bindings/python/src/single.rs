//! Queries of one ray or one point, without arrays.
//!
//! They keep the interpreter's lock, because they end after some microseconds.

use hitscan::{
    Ray, Side, Sphere, TriMesh,
    glam::{DVec3, Vec3},
    primitives::closest_point_on_triangle,
};
use pyo3::prelude::*;

use crate::{bvh::Bvh, mesh::point_in_file, options::faces};

/// `t`, the triangle, its `u` and `v`, whether its front is hit, the point, and the unit normal.
type SingleHit = (f32, u32, f32, f32, bool, [f64; 3], [f64; 3]);

/// The point, its distance, the triangle, its `u` and `v`, and the unit normal.
type SinglePoint = ([f64; 3], f64, u32, f32, f32, [f64; 3]);

#[pymethods]
impl Bvh {
    /// The closest hit of a ray. With `unit`, the direction is normalized first, so that `t` is a distance.
    fn closest_hit(
        &self,
        origin: [f64; 3],
        direction: [f64; 3],
        t_min: f64,
        t_max: f64,
        sides: &str,
        unit: bool,
    ) -> PyResult<Option<SingleHit>> {
        let (mesh, faces) = (self.mesh(), faces(sides)?);
        let direction = DVec3::from_array(direction);
        let direction = if unit { direction.normalize_or_zero() } else { direction };
        let ray = Ray {
            origin: self.local(origin),
            direction: direction.as_vec3(),
            t_min: t_min as f32,
            t_max: t_max as f32,
        };
        Ok(mesh.bvh().closest_hit(&ray, faces).map(|hit| {
            let tri_mesh = mesh.tri_mesh();
            let point = point_in_file(tri_mesh, tri_mesh.point(&hit)).to_array();
            let normal = normal_of(tri_mesh, hit.triangle);
            (hit.t, hit.triangle, hit.u, hit.v, hit.side == Side::Front, point, normal)
        }))
    }

    /// The point of the surface that is closest to a point.
    fn closest_point(&self, point: [f64; 3], max_distance: f64) -> Option<SinglePoint> {
        let mesh = self.mesh();
        let found = mesh.bvh().closest_point(self.local(point), max_distance)?;
        let tri_mesh = mesh.tri_mesh();
        let point = point_in_file(tri_mesh, found.point).to_array();
        let normal = normal_of(tri_mesh, found.triangle);
        Some((point, found.distance, found.triangle, found.u, found.v, normal))
    }
}

/// Three numbers for each closest point, the triangles, and the distances. Python's garbage collector would look through
/// a list of points again and again: they took ten times as long.
type TrianglePoints = (Vec<f64>, Vec<u32>, Vec<f64>);

#[pymethods]
impl Bvh {
    /// The closest point of each triangle that is nearer than `limit`, on a tree without an offset: nearest first, and of
    /// equal ones in the order of triangles.
    fn triangles_near(&self, point: [f64; 3], limit: f64) -> TrianglePoints {
        let (mesh, from) = (self.mesh(), DVec3::from_array(point));
        let (tri_mesh, bounds) = (mesh.tri_mesh(), mesh.tri_mesh().bounds());
        let [low, high] = [bounds.min, bounds.max].map(|corner| corner.as_dvec3());
        // The ball of a distance beyond the mesh holds everything; f32 would overflow before.
        let farthest = (from - low).abs().max((high - from).abs()).length();
        let center = from.as_vec3();
        // Larger than what the rounding to f32 takes away.
        let radius =
            (limit.min(1.001 * farthest) + (from - center.as_dvec3()).length()) * 1.000_001;
        let radius = radius as f32 + f32::MIN_POSITIVE;
        if limit.is_nan() || limit <= 0.0 || !radius.is_finite() {
            return TrianglePoints::default();
        }
        let mut triangles = Vec::new();
        mesh.bvh().overlapping_sphere_into(&Sphere { center, radius }, &mut triangles);
        let nearest = |triangle: u32| {
            let corners = tri_mesh.corners(triangle).map(|corner| corner.as_dvec3());
            let found = closest_point_on_triangle(corners, from);
            (found.point, triangle, found.distance_squared.sqrt())
        };
        let mut found: Vec<_> =
            triangles.into_iter().map(nearest).filter(|found| found.2 < limit).collect();
        found.sort_by(|a, b| a.2.total_cmp(&b.2));
        (
            found.iter().flat_map(|found| found.0.to_array()).collect(),
            found.iter().map(|found| found.1).collect(),
            found.iter().map(|found| found.2).collect(),
        )
    }
}

impl Bvh {
    /// A point of the file relative to the offset of the mesh.
    pub(crate) fn local(&self, point: [f64; 3]) -> Vec3 {
        (DVec3::from_array(point) - self.offset).as_vec3()
    }
}

/// The unit normal of a triangle; NaN without area.
fn normal_of(mesh: &TriMesh, triangle: u32) -> [f64; 3] {
    mesh.unit_normal(triangle).map_or([f64::NAN; 3], |unit| unit.to_array())
}
