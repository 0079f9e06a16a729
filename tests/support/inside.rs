//! Rays with a known parity of crossings with a closed mesh.

use std::collections::BTreeSet;

use hitscan_primitives::brute_force::BruteForce;
use hitscan_primitives::glam::Vec3;
use hitscan_primitives::{Ray, TriMesh};

use crate::Rng;

/// Every vertex of a triangle, and for every edge its midpoint and a random point.
pub fn surface_points(mesh: &TriMesh, rng: &mut Rng) -> Vec<Vec3> {
    let (mut vertices, mut edges) = (BTreeSet::new(), BTreeSet::new());
    for &[a, b, c] in mesh.triangles() {
        vertices.extend([a, b, c]);
        edges.extend([(a, b), (b, c), (c, a)].map(|(a, b)| (a.min(b), a.max(b))));
    }
    let at = |vertex: u32| mesh.positions()[vertex as usize];
    let mut points: Vec<Vec3> = vertices.into_iter().map(at).collect();
    for (a, b) in edges {
        points.extend([0.5 * at(a) + 0.5 * at(b), at(a).lerp(at(b), rng.unit())]);
    }
    points
}

/// A point inside of a closed mesh, and no nearer to its surface than 32 u of the mesh's extent, u =
/// 2^-24. So no rounding can put it outside. Where parts of the mesh overlap, the point is in an odd
/// number of them, because a ray leaves two of them twice.
///
/// # Panics
/// If many samples contain no such point: the mesh has almost no inside.
pub fn inside_point(mesh: &TriMesh, rng: &mut Rng) -> Vec3 {
    let (scan, bounds) = (BruteForce::new(mesh), mesh.bounds());
    for attempt in 0..10_000 {
        let point = if attempt % 2 == 0 {
            bounds.min + (0.5 + 0.5 * rng.in_cube()) * bounds.extent()
        } else {
            // Between vertices, because the box of an oblique needle is nearly empty.
            let [a, b, c, d] = [0; 4].map(|_| rng.pick(mesh.positions()));
            a.lerp(b, rng.unit()).lerp(c.lerp(d, rng.unit()), rng.unit())
        };
        let reach = f64::from(bounds.extent().max_element());
        let is_clear = scan.closest_point(point, reach / f64::from(1 << 19)).is_none();
        let n_around = scan.winding_sum(point).winding_number().round();
        if is_clear && n_around.rem_euclid(2.0) == 1.0 {
            return point;
        }
    }
    panic!("a mesh without an inside: {} triangles in {:?}", mesh.triangles().len(), mesh.bounds());
}

/// Rays from a few points inside of a closed mesh at all [`surface_points`], and the same number in
/// random directions. Each must hit, and cross the surface an odd number of times.
///
/// # Panics
/// As [`inside_point`].
pub fn rays_from_inside(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let origins: Vec<Vec3> = (0..8).map(|_| inside_point(mesh, rng)).collect();
    let size = mesh.bounds().extent().max_element();
    let mut rays = Vec::new();
    for target in surface_points(mesh, rng) {
        let origin = rng.pick(&origins);
        rays.push(Ray::new(origin, target - origin));
        rays.push(Ray::new(rng.pick(&origins), rng.direction() * size));
    }
    rays
}

/// Rays from all around a closed mesh at all [`surface_points`]. Each must cross the surface an even
/// number of times.
pub fn rays_from_outside(mesh: &TriMesh, rng: &mut Rng) -> Vec<Ray> {
    let (middle, size) = (mesh.bounds().center(), mesh.bounds().extent().length());
    let at = |target: Vec3, rng: &mut Rng| {
        let origin = middle + rng.direction() * size;
        Ray::new(origin, target - origin)
    };
    surface_points(mesh, rng).into_iter().map(|target| at(target, rng)).collect()
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::{Faces, brute_force, generate};

    use super::*;
    use crate::closed_shapes;

    #[test]
    fn a_point_in_two_parts_at_once_is_not_inside() {
        let ball = |x: f32| {
            let ball = generate::sphere(1.0, 200).expect("it is a sphere");
            let moved = ball.positions().iter().map(|&p| p + Vec3::new(x, 0.0, 0.0));
            ball.with_positions(moved).expect("the same number of positions")
        };
        let (one, other) = (ball(0.0), ball(1.0));
        let n = one.positions().len() as u32;
        let positions = [one.positions(), other.positions()].concat();
        let shifted = other.triangles().iter().map(|triangle| triangle.map(|vertex| vertex + n));
        let triangles = one.triangles().iter().copied().chain(shifted).collect();
        let both = TriMesh::new(positions, triangles).expect("the parts fit");
        let mut rng = Rng::new(3);
        for _ in 0..200 {
            let point = inside_point(&both, &mut rng);
            let n = [&one, &other].map(|mesh| brute_force::is_inside(mesh, point));
            assert_ne!(n[0], n[1], "{point}");
        }
    }

    #[test]
    fn rays_cross_closed_shapes_as_they_must() {
        for shape in closed_shapes(60) {
            let mut rng = Rng::new(21);
            let both = [
                (rays_from_inside(&shape.mesh, &mut rng), 1),
                (rays_from_outside(&shape.mesh, &mut rng), 0),
            ];
            for (rays, parity) in both {
                assert!(rays.len() > 60);
                for ray in rays {
                    let n = brute_force::count_crossings(&shape.mesh, &ray, Faces::Both);
                    assert_eq!(n % 2, parity, "{}: {ray:?}", shape.name);
                }
            }
        }
    }
}
