//! bvh: a binary tree over this program's shapes. Its iterators yield candidates for this program's triangle test.

use bvh::aabb::{Aabb, Bounded};
use bvh::bounding_hierarchy::{BHShape, BoundingHierarchy};
use bvh::bvh::Bvh;
use hitscan::glam::Vec3;
use hitscan::{Hit, Ray, Side, TriMesh};
use nalgebra::{Point3, Vector3};

use super::{Contender, Engine};

pub(super) fn contenders() -> Vec<Contender> {
    vec![Contender::new("bvh nearest", |mesh: &TriMesh| {
        let mut triangles: Vec<_> = (0..mesh.triangles().len() as u32)
            .map(|id| Triangle::new(id, mesh.corners(id)))
            .collect();
        let tree = Bvh::build_par(&mut triangles);
        Ok(Nearest { tree, triangles })
    })]
}

struct Nearest {
    tree: Bvh<f32, 3>,
    triangles: Vec<Triangle>,
}

impl Engine for Nearest {
    fn closest(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        for (ray, hit) in rays.iter().zip(hits) {
            let query = converted(ray);
            let (mut closest, mut t_max) = (None, ray.t_max);
            for triangle in self.tree.nearest_traverse_iterator(&query, &self.triangles) {
                // Candidates come in the order of their boxes, so none behind a hit is nearer.
                let box_entry = query.intersection_slice_for_aabb(&triangle.aabb());
                if box_entry.is_some_and(|(entry, _)| entry > t_max) {
                    break;
                }
                if let Some(t) = triangle.intersect(ray, t_max) {
                    t_max = t;
                    let (triangle, side) = (triangle.id, Side::Front);
                    closest = Some(Hit { t, u: 0.0, v: 0.0, triangle, side });
                }
            }
            *hit = closest;
        }
    }

    fn occluded(&self, rays: &[Ray], occluded: &mut [bool]) {
        for (ray, occluded) in rays.iter().zip(occluded) {
            let query = converted(ray);
            let mut candidates = self.tree.traverse_iterator(&query, &self.triangles);
            *occluded = candidates.any(|triangle| triangle.intersect(ray, ray.t_max).is_some());
        }
    }
}

fn converted(ray: &Ray) -> bvh::ray::Ray<f32, 3> {
    bvh::ray::Ray::new(Point3::from(ray.origin.to_array()), Vector3::from(ray.direction.to_array()))
}

/// A corner, two edges, and the data that the tree needs.
struct Triangle {
    corner: Vec3,
    edge1: Vec3,
    edge2: Vec3,
    id: u32,
    node: usize,
}

impl Triangle {
    fn new(id: u32, [a, b, c]: [Vec3; 3]) -> Self {
        Self { corner: a, edge1: b - a, edge2: c - a, id, node: 0 }
    }

    /// Möller and Trumbore, "Fast, minimum storage ray-triangle intersection", 1997; both sides.
    #[inline]
    fn intersect(&self, ray: &Ray, t_max: f32) -> Option<f32> {
        let p = ray.direction.cross(self.edge2);
        let inverse = 1.0 / self.edge1.dot(p);
        let from_corner = ray.origin - self.corner;
        let u = from_corner.dot(p) * inverse;
        if !(0.0..=1.0).contains(&u) {
            return None;
        }
        let q = from_corner.cross(self.edge1);
        let v = ray.direction.dot(q) * inverse;
        if v < 0.0 || u + v > 1.0 {
            return None;
        }
        let t = self.edge2.dot(q) * inverse;
        (ray.t_min <= t && t <= t_max).then_some(t)
    }
}

impl Bounded<f32, 3> for Triangle {
    fn aabb(&self) -> Aabb<f32, 3> {
        let [a, b, c] = [self.corner, self.corner + self.edge1, self.corner + self.edge2];
        let (min, max) = (a.min(b).min(c), a.max(b).max(c));
        Aabb::with_bounds(Point3::from(min.to_array()), Point3::from(max.to_array()))
    }
}

impl BHShape<f32, 3> for Triangle {
    fn set_bh_node_index(&mut self, node: usize) {
        self.node = node;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_triangle_test_agrees_with_the_reference_inside_and_outside() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = TriMesh::new(corners, vec![[0, 1, 2]]).unwrap();
        let triangle = Triangle::new(0, mesh.corners(0));
        for (x, y, z) in [(0.2, 0.3, 1.0), (0.2, 0.3, -1.0), (0.8, 0.3, 1.0), (-0.1, 0.5, 1.0)] {
            let ray = Ray::new([x, y, z], [0.0, 0.0, -z.signum()]);
            let expected = hitscan::brute_force::closest_hit(&mesh, &ray, hitscan::Faces::Both);
            assert_eq!(triangle.intersect(&ray, ray.t_max), expected.map(|hit| hit.t), "{ray:?}");
        }
    }
}
