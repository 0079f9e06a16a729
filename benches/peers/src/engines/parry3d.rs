//! parry3d: the ray cast of its triangle mesh, in the form that names the triangle.

use hitscan::{Hit, Ray, Side, TriMesh};
use parry3d::query::RayCast;
use parry3d::shape::CompositeShapeRef;

use super::{Contender, Engine};

pub(super) fn contenders() -> Vec<Contender> {
    vec![Contender::new("parry3d", |mesh: &TriMesh| {
        let positions = mesh.positions().iter().map(|position| position.to_array().into());
        let mesh = parry3d::shape::TriMesh::new(positions.collect(), mesh.triangles().to_vec());
        mesh.map(Parry).map_err(|error| error.to_string())
    })]
}

struct Parry(parry3d::shape::TriMesh);

fn converted(ray: &Ray) -> parry3d::query::Ray {
    let (origin, direction) = (ray.origin.to_array(), ray.direction.to_array());
    parry3d::query::Ray::new(origin.into(), direction.into())
}

impl Engine for Parry {
    fn closest(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        let mesh = CompositeShapeRef(&self.0);
        for (ray, hit) in rays.iter().zip(hits) {
            let found = mesh.cast_local_ray(&converted(ray), ray.t_max.min(f32::MAX), false);
            *hit =
                found.map(|(triangle, t)| Hit { t, u: 0.0, v: 0.0, triangle, side: Side::Front });
        }
    }

    fn occluded(&self, rays: &[Ray], occluded: &mut [bool]) {
        for (ray, occluded) in rays.iter().zip(occluded) {
            *occluded = self.0.intersects_local_ray(&converted(ray), ray.t_max.min(f32::MAX));
        }
    }
}
