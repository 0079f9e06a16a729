//! obvhs: its binary tree and its compressed 8-wide tree. Its own triangle test runs over triangles in
//! the tree's order, as its examples recommend.

use std::time::Duration;

use hitscan::{Hit, Ray, Side, TriMesh};
use obvhs::BvhBuildParams;
use obvhs::bvh2::{Bvh2, builder::build_bvh2_from_tris};
use obvhs::cwbvh::{CwBvh, builder::build_cwbvh_from_tris};
use obvhs::ray::RayHit;
use obvhs::rt_triangle::RtTriangle;
use obvhs::triangle::Triangle;

use super::{Contender, Engine};

pub(super) fn contenders() -> Vec<Contender> {
    let wide = |name, params| {
        Contender::new(name, move |mesh: &TriMesh| {
            let triangles = triangles(mesh);
            let tree = build_cwbvh_from_tris(&triangles, params, &mut Duration::default());
            let ordered = in_order(&triangles, &tree.primitive_indices);
            Ok(Wide { tree, ordered })
        })
    };
    let binary = |name, params| {
        Contender::new(name, move |mesh: &TriMesh| {
            let triangles = triangles(mesh);
            let tree = build_bvh2_from_tris(&triangles, params, &mut Duration::default());
            let ordered = in_order(&triangles, &tree.primitive_indices);
            Ok(Binary { tree, ordered })
        })
    };
    vec![
        wide("obvhs cwbvh medium", BvhBuildParams::medium_build()),
        wide("obvhs cwbvh very slow", BvhBuildParams::very_slow_build()),
        binary("obvhs bvh2 medium", BvhBuildParams::medium_build()),
    ]
}

fn triangles(mesh: &TriMesh) -> Vec<Triangle> {
    let corners = (0..mesh.triangles().len() as u32).map(|triangle| mesh.corners(triangle));
    corners
        .map(|corners| {
            let [v0, v1, v2] = corners.map(|corner| corner.to_array().into());
            Triangle { v0, v1, v2 }
        })
        .collect()
}

fn in_order(triangles: &[Triangle], order: &[u32]) -> Vec<RtTriangle> {
    order.iter().map(|&triangle| RtTriangle::from(&triangles[triangle as usize])).collect()
}

fn converted(ray: &Ray) -> obvhs::ray::Ray {
    let (origin, direction) = (ray.origin.to_array(), ray.direction.to_array());
    obvhs::ray::Ray::new(origin.into(), direction.into(), ray.t_min, ray.t_max)
}

fn answer(is_hit: bool, hit: &RayHit, order: &[u32]) -> Option<Hit> {
    is_hit.then(|| {
        let triangle = order[hit.primitive_id as usize];
        Hit { t: hit.t, u: 0.0, v: 0.0, triangle, side: Side::Front }
    })
}

/// The compressed tree.
struct Wide {
    tree: CwBvh,
    ordered: Vec<RtTriangle>,
}

impl Engine for Wide {
    fn closest(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        for (ray, hit) in rays.iter().zip(hits) {
            let mut found = RayHit::none();
            let test = |ray: &obvhs::ray::Ray, place: usize| self.ordered[place].intersect(ray);
            let is_hit = self.tree.ray_traverse(converted(ray), &mut found, test);
            *hit = answer(is_hit, &found, &self.tree.primitive_indices);
        }
    }

    fn occluded(&self, rays: &[Ray], occluded: &mut [bool]) {
        for (ray, occluded) in rays.iter().zip(occluded) {
            let test = |ray: &obvhs::ray::Ray, place: usize| self.ordered[place].intersect(ray);
            *occluded = !self.tree.ray_traverse_miss(converted(ray), test);
        }
    }
}

/// The binary tree.
struct Binary {
    tree: Bvh2,
    ordered: Vec<RtTriangle>,
}

impl Engine for Binary {
    fn closest(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        for (ray, hit) in rays.iter().zip(hits) {
            let mut found = RayHit::none();
            let test = |ray: &obvhs::ray::Ray, place: usize| self.ordered[place].intersect(ray);
            let is_hit = self.tree.ray_traverse(converted(ray), &mut found, test);
            *hit = answer(is_hit, &found, &self.tree.primitive_indices);
        }
    }

    fn occluded(&self, rays: &[Ray], occluded: &mut [bool]) {
        for (ray, occluded) in rays.iter().zip(occluded) {
            let test = |ray: &obvhs::ray::Ray, place: usize| self.ordered[place].intersect(ray);
            *occluded = !self.tree.ray_traverse_miss(converted(ray), test);
        }
    }
}
