//! Random and hostile rays for a mesh, of kinds that have broken ray casters before.

use std::f32::consts::TAU;

use hitscan::glam::Vec3;
use hitscan::primitives::generate::SplitMix64;
use hitscan::{Aabb, Ray, TriMesh};

/// The kinds of rays; the stream cycles through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// From and to anywhere near the mesh.
    Random,
    /// Through a vertex.
    Vertex,
    /// Through a point of an edge.
    Edge,
    /// Through a point inside a triangle.
    Face,
    /// Along an axis through a vertex, the other components zero of either sign.
    Axis,
    /// In the plane of a triangle, towards one of its corners.
    InPlane,
    /// Along an edge, starting before it.
    AlongEdge,
    /// Almost in the plane of a triangle.
    Grazing,
    /// In a face of the bounding box.
    BoundsFace,
    /// From a vertex, or a point of a face, outwards.
    FromSurface,
    /// From inside the bounds.
    FromInside,
    /// From up to ten million times the size of the mesh away.
    Far,
    /// A segment that ends on a vertex or a face.
    EndsOnTarget,
    /// An interval that is a point, or a few roundings wide, around the target.
    ShortWindow,
    /// An interval that begins, or lies, behind the origin.
    Behind,
    /// A direction of extreme length.
    ExtremeLength,
    /// Sixteen neighbours through a small window, as a camera sends them.
    Tile,
    /// An invalid ray, which hits nothing.
    Invalid,
}

const KINDS: [Kind; 18] = [
    Kind::Random,
    Kind::Vertex,
    Kind::Edge,
    Kind::Face,
    Kind::Axis,
    Kind::InPlane,
    Kind::AlongEdge,
    Kind::Grazing,
    Kind::BoundsFace,
    Kind::FromSurface,
    Kind::FromInside,
    Kind::Far,
    Kind::EndsOnTarget,
    Kind::ShortWindow,
    Kind::Behind,
    Kind::ExtremeLength,
    Kind::Tile,
    Kind::Invalid,
];

/// An endless stream of hostile rays. The same mesh and seed give the same rays.
#[derive(Debug)]
pub(crate) struct HostileRays<'a> {
    mesh: &'a TriMesh,
    bounds: Aabb,
    /// The largest edge of the bounds, or 1.
    size: f32,
    rng: SplitMix64,
    n_made: usize,
}

impl<'a> HostileRays<'a> {
    pub(crate) fn new(mesh: &'a TriMesh, seed: u64) -> Self {
        let bounds = match mesh.bounds() {
            bounds if bounds.is_empty() => Aabb::new([-1.0; 3], [1.0; 3]),
            bounds => bounds,
        };
        let size = bounds.extent().max_element();
        let size = if size > 0.0 && size.is_finite() { size } else { 1.0 };
        Self { mesh, bounds, size, rng: SplitMix64::new(seed), n_made: 0 }
    }

    /// Replaces `rays` by the next `n` of the stream. Tiles of neighbours give a batch coherent and
    /// incoherent parts.
    pub(crate) fn take(&mut self, n: usize, rays: &mut Vec<Ray>) {
        rays.clear();
        while rays.len() < n {
            let kind = KINDS[self.n_made % KINDS.len()];
            self.n_made += 1;
            if kind == Kind::Tile {
                self.tile(rays);
            } else {
                let ray = self.ray(kind);
                rays.push(ray);
            }
        }
        rays.truncate(n);
    }

    fn ray(&mut self, kind: Kind) -> Ray {
        let outside = self.outside(2.0);
        let corners = self.triangle();
        match kind {
            Kind::Random | Kind::Tile => Ray::new(self.inside(1.5), self.direction()),
            Kind::Vertex => through(outside, corners[0]),
            Kind::Edge => {
                let target = self.on_edge(corners);
                through(outside, target)
            }
            Kind::Face => {
                let target = self.on_face(corners);
                through(outside, target)
            }
            Kind::Axis => self.along_axis(corners[0]),
            Kind::InPlane => {
                let weights = [self.between(-3.0, 3.0), self.between(-3.0, 3.0)];
                let origin = self.in_plane(corners, weights);
                through(origin, corners[0])
            }
            Kind::AlongEdge => {
                let [a, b, _] = corners;
                let before = self.between(0.0, 3.0);
                Ray::new(a - before * (b - a), b - a)
            }
            Kind::Grazing => {
                let weights = [self.between(-3.0, 3.0), self.between(-3.0, 3.0)];
                let origin = self.in_plane(corners, weights);
                let lift = self.power_of_ten(-9.0, -2.0) * self.size;
                let origin = origin + lift * normal(corners);
                let target = self.on_face(corners);
                through(origin, target)
            }
            Kind::BoundsFace => self.in_bounds_face(),
            Kind::FromSurface => {
                let origin = if self.coin() { corners[0] } else { self.on_face(corners) };
                Ray::new(origin, self.direction())
            }
            Kind::FromInside => {
                let origin = self.inside(1.0);
                let target = self.on_face(corners);
                if self.coin() {
                    through(origin, target)
                } else {
                    Ray::new(origin, self.direction())
                }
            }
            Kind::Far => {
                // At the largest distances rounding makes the ray as wide as the mesh. It then meets
                // thousands of triangles and takes as long as a thousand other rays.
                let farthest = if self.rng.below(16) == 0 { 7.0 } else { 4.0 };
                let distance = self.power_of_ten(1.0, farthest);
                let target = self.on_edge(corners);
                through(self.outside(distance), target)
            }
            Kind::EndsOnTarget => {
                let target = if self.coin() { corners[0] } else { self.on_face(corners) };
                Ray::segment(outside, target)
            }
            Kind::ShortWindow => {
                let target = self.on_face(corners);
                let ulps = self.rng.below(4) as u32;
                let t = 1.0f32;
                let [low, high] = [t.to_bits() - ulps, t.to_bits() + ulps].map(f32::from_bits);
                Ray::segment(outside, target).with_range(low, high)
            }
            Kind::Behind => {
                let target = self.on_face(corners);
                let ray = Ray::new(outside, outside - target);
                let lower = if self.coin() { f32::NEG_INFINITY } else { -2.0 };
                let upper = if self.coin() { f32::INFINITY } else { -0.5 };
                ray.with_range(lower, upper)
            }
            Kind::ExtremeLength => {
                let target = self.on_face(corners);
                let length = 2f32.powi(self.rng.below(121) as i32 - 60);
                Ray::new(outside, (target - outside) * length)
            }
            Kind::Invalid => self.invalid(outside),
        }
    }

    /// Sixteen rays from one point through neighbours on a small square around a target.
    fn tile(&mut self, rays: &mut Vec<Ray>) {
        let origin = self.outside(1.5);
        let corners = self.triangle();
        let target = self.on_face(corners);
        let forward = target - origin;
        let spacing = self.power_of_ten(-5.0, -1.5);
        let right =
            forward.any_orthogonal_vector().normalize_or_zero() * forward.length() * spacing;
        let up = forward.normalize_or_zero().cross(right);
        for i in 0..16 {
            let (x, y) = ((i % 4) as f32 - 1.5, (i / 4) as f32 - 1.5);
            rays.push(Ray::new(origin, forward + x * right + y * up));
        }
    }

    fn along_axis(&mut self, through: Vec3) -> Ray {
        let axis = self.rng.below(3) as usize;
        let zero = if self.coin() { 0.0 } else { -0.0 };
        let mut direction = Vec3::splat(zero);
        direction[axis] = if self.coin() { 1.0 } else { -1.0 };
        let mut origin = through;
        origin[axis] = self.bounds.center()[axis] - 1.5 * self.size * direction[axis];
        Ray::new(origin, direction)
    }

    /// A ray in a face plane of the bounds, from outside the face to a point in it.
    fn in_bounds_face(&mut self) -> Ray {
        let axis = self.rng.below(3) as usize;
        let plane = if self.coin() { self.bounds.min } else { self.bounds.max };
        let (mut origin, mut target) = (self.outside(1.0), self.inside(1.0));
        origin[axis] = plane[axis];
        target[axis] = plane[axis];
        through(origin, target)
    }

    fn invalid(&mut self, origin: Vec3) -> Ray {
        let direction = self.direction();
        let ray = Ray::new(origin, direction);
        match self.rng.below(7) {
            0 => Ray::new(origin, [0.0, -0.0, 0.0]),
            1 => Ray::new(origin, [direction.x, f32::NAN, direction.z]),
            2 => Ray::new(origin, [f32::INFINITY, 0.0, 0.0]),
            3 => Ray::new([f32::NAN, origin.y, origin.z], direction),
            4 => Ray::new([origin.x, f32::NEG_INFINITY, origin.z], direction),
            5 => ray.with_range(1.0, 0.5),
            _ => ray.with_range(f32::NAN, 1.0),
        }
    }

    /// The corners of a triangle in a random rotation; a point of the bounds without triangles.
    fn triangle(&mut self) -> [Vec3; 3] {
        let n_triangles = self.mesh.triangles().len() as u64;
        if n_triangles == 0 {
            return [self.inside(1.0), self.inside(1.0), self.inside(1.0)];
        }
        let mut corners = self.mesh.corners(self.rng.below(n_triangles) as u32);
        corners.rotate_left(self.rng.below(3) as usize);
        corners
    }

    fn on_edge(&mut self, [a, b, _]: [Vec3; 3]) -> Vec3 {
        let share = if self.coin() { 0.5 } else { self.between(0.0, 1.0) };
        a + share * (b - a)
    }

    fn on_face(&mut self, [a, b, c]: [Vec3; 3]) -> Vec3 {
        let (u, v) = (self.between(0.0, 1.0), self.between(0.0, 1.0));
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        a + u * (b - a) + v * (c - a)
    }

    fn in_plane(&self, [a, b, c]: [Vec3; 3], [u, v]: [f32; 2]) -> Vec3 {
        a + u * (b - a) + v * (c - a)
    }

    /// A point of the bounds, grown by a factor around their middle.
    fn inside(&mut self, factor: f32) -> Vec3 {
        let half = 0.5 * self.bounds.extent();
        let share = Vec3::from_array([(); 3].map(|()| self.between(-factor, factor)));
        self.bounds.center() + share * half
    }

    /// A point at a number of sizes from the middle.
    fn outside(&mut self, distance: f32) -> Vec3 {
        self.bounds.center() + self.direction() * (distance * self.size)
    }

    /// Evenly distributed on the unit sphere.
    fn direction(&mut self) -> Vec3 {
        let (z, turn) = (self.between(-1.0, 1.0), self.between(0.0, TAU));
        let r = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(r * turn.cos(), r * turn.sin(), z)
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        self.rng.range(f64::from(low), f64::from(high)) as f32
    }

    fn power_of_ten(&mut self, low: f32, high: f32) -> f32 {
        10f32.powf(self.between(low, high))
    }

    fn coin(&mut self) -> bool {
        self.rng.below(2) == 0
    }
}

/// The half-line from `origin` through `target`, which is at t = 1.
fn through(origin: Vec3, target: Vec3) -> Ray {
    Ray::new(origin, target - origin)
}

fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a).normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use hitscan::primitives::brute_force::BruteForce;
    use hitscan::primitives::generate;
    use hitscan::{Faces, HitMode};

    use super::*;

    #[test]
    fn a_seed_always_gives_the_same_rays() {
        let mesh = generate::sphere(1.0, 100).unwrap();
        let [mut once, mut again, mut other] = [const { Vec::new() }; 3];
        HostileRays::new(&mesh, 1).take(200, &mut once);
        HostileRays::new(&mesh, 1).take(200, &mut again);
        HostileRays::new(&mesh, 2).take(200, &mut other);
        let bits = |rays: &[Ray]| rays.iter().map(|ray| format!("{ray:?}")).collect::<Vec<_>>();
        assert_eq!(bits(&once), bits(&again));
        assert_ne!(bits(&once), bits(&other));
    }

    #[test]
    fn many_rays_hit_many_meet_edges_and_some_are_invalid() {
        let mesh = generate::cuboid(2.0, 3.0, 4.0, 2).unwrap();
        let mut rays = Vec::new();
        HostileRays::new(&mesh, 1).take(3300, &mut rays);
        let scan = BruteForce::new(&mesh);
        let hits = |mode| move |ray: &Ray| scan.all_hits(ray, Faces::Both, mode).len();
        let closed: Vec<usize> = rays.iter().map(hits(HitMode::Closed)).collect();
        let scan = BruteForce::new(&mesh);
        let once = |ray: &Ray| scan.all_hits(ray, Faces::Both, HitMode::Once).len();
        let on_edges = rays.iter().zip(&closed).filter(|(ray, n)| once(ray) < **n).count();
        assert!(closed.iter().filter(|n| **n > 0).count() > 1500);
        assert!(on_edges > 300, "{on_edges}");
        assert!(rays.iter().filter(|ray| !ray.is_valid()).count() > 50);
    }

    #[test]
    fn a_mesh_without_triangles_gets_rays_too() {
        let mut rays = Vec::new();
        HostileRays::new(&TriMesh::default(), 1).take(100, &mut rays);
        assert_eq!(rays.len(), 100);
    }
}
