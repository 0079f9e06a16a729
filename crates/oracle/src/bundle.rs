//! Bundles of rays that a batch may trace together.

use hitscan_primitives::glam::Vec3;
use hitscan_primitives::{Ray, TriMesh};

use crate::ray_kind::RayKind;
use crate::rng::Rng;

/// The number of rays in a bundle: a multiple of the rays that a tree traces together.
pub const BUNDLE: usize = 64;

/// [`BUNDLE`] rays that a tree may trace together: a narrow or a wide bundle, or each ray at a different
/// vertex, edge or face. A quarter of the bundles share an interval.
pub fn bundle(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let rays = if rng.one_in(2) { narrow_bundle(mesh, rng) } else { aimed_bundle(mesh, rng) };
    let window = rng.one_in(4).then(|| (rng.between(0.0, 1.0), rng.between(0.5, 2.0)));
    let in_window =
        |ray: Ray| window.map_or(ray, |(t_min, length)| ray.with_range(t_min, t_min + length));
    rays.into_iter().map(in_window).collect()
}

/// Rays from near one point to near another, which lies on the mesh, or about parallel to the ray
/// between the two. They often share the exact origin or the exact target.
fn narrow_bundle(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let aimed = [RayKind::AtVertex, RayKind::AtEdge, RayKind::AtFace, RayKind::FarOrigin];
    let first = rng.pick(&aimed).ray(mesh, rng);
    let (eye, target) = (first.origin, first.origin + first.direction);
    let size = mesh.bounds().extent().max_element();
    let spread = |rng: &mut Rng| rng.pick(&[0.0, 1e-7, 1e-4, 1e-2, 0.1, 0.4]) * size;
    let (at_eye, at_target, are_parallel) = (spread(rng), spread(rng), rng.one_in(2));
    let mut ray = || {
        let origin = eye + rng.in_cube() * at_eye;
        let towards = if are_parallel { origin + first.direction } else { target };
        Ray::new(origin, towards + rng.in_cube() * at_target - origin)
    };
    (0..BUNDLE).map(|_| ray()).collect()
}

/// Rays at vertices, edges and faces all over the mesh, where ties and box faces are. Their common origin
/// is so far away, sometimes very far, that they share octant and dominant axis. A few end at their target.
fn aimed_bundle(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let size = mesh.bounds().extent().max_element();
    let mut away = Vec3::new(1.0, rng.between(0.4, 0.8), rng.between(0.4, 0.8));
    for axis in 0..3 {
        away[axis] *= rng.pick(&[1.0, -1.0]);
    }
    away = rng.pick(&[away, Vec3::new(away.y, away.z, away.x), Vec3::new(away.z, away.x, away.y)]);
    let distance = size * rng.pick(&[4.0, 4.0, 30.0, 1e3, 1e5]);
    let eye = mesh.bounds().center() + away * distance;
    let kinds = [RayKind::AtVertex, RayKind::AtVertex, RayKind::AtEdge, RayKind::AtFace];
    let mut ray = || {
        let aimed = rng.pick(&kinds).ray(mesh, rng);
        let target = aimed.origin + aimed.direction;
        let ray = Ray::new(eye, target - eye);
        if rng.one_in(8) { ray.with_range(0.0, 1.0) } else { ray }
    };
    (0..BUNDLE).map(|_| ray()).collect()
}

/// Sixteen rays from one point through a small square grid around a target, as a camera sends them.
pub(crate) fn tile(mesh: &TriMesh, rng: &mut Rng) -> [Ray; 16] {
    let Ray { origin, direction: forward, .. } = RayKind::AtFace.ray(mesh, rng);
    let spacing = 10f32.powf(rng.between(-5.0, -1.5));
    let right = forward.any_orthogonal_vector().normalize_or_zero() * forward.length() * spacing;
    let up = forward.normalize_or_zero().cross(right);
    std::array::from_fn(|i| {
        let (x, y) = ((i % 4) as f32 - 1.5, (i / 4) as f32 - 1.5);
        Ray::new(origin, forward + x * right + y * up)
    })
}
