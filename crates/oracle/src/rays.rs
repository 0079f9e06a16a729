//! Lists and streams of hostile rays.

use hitscan_primitives::glam::Vec3;
use hitscan_primitives::{Ray, TriMesh};

use crate::bundle::tile;
use crate::oracle::Oracle;
use crate::ray_kind::{RayKind, size_of};
use crate::rng::Rng;

/// An endless stream of hostile rays at a mesh. The same mesh and seed give the same rays.
///
/// The stream cycles through all kinds of rays, a tile of neighbours, and an invalid ray. Tiles give a
/// batch coherent and incoherent parts.
#[derive(Clone, Debug)]
pub struct HostileRays<'a> {
    mesh: &'a TriMesh,
    rng: Rng,
    n_turns: usize,
}

impl<'a> HostileRays<'a> {
    /// The stream of a seed.
    pub fn new(mesh: &'a TriMesh, seed: u64) -> Self {
        Self { mesh, rng: Rng::new(seed), n_turns: 0 }
    }

    /// The next `n` rays.
    pub fn next_rays(&mut self, n: usize) -> Vec<Ray> {
        let Self { mesh, rng, n_turns } = self;
        let mut rays = Vec::with_capacity(n);
        while rays.len() < n {
            let turn = *n_turns % (RayKind::ALL.len() + 2);
            *n_turns += 1;
            match RayKind::ALL.get(turn) {
                Some(kind) => rays.push(kind.ray(mesh, rng)),
                None if turn == RayKind::ALL.len() => rays.extend(tile(mesh, rng)),
                None => {
                    let Ray { origin, direction, .. } = RayKind::AtFace.ray(mesh, rng);
                    let invalid = invalid_rays(origin, origin + direction);
                    rays.push(invalid[rng.below(invalid.len())].1);
                }
            }
        }
        rays.truncate(n);
        rays
    }
}

/// A ray of a random kind, with a rescaled direction and a narrowed interval at random. Half of the
/// rays keep their interval. The others start past 0, are short, reach behind the origin, or are lines.
pub fn aimed_ray(mesh: &TriMesh, rng: &mut Rng) -> Ray {
    let mut ray = rng.pick(&RayKind::ALL).ray(mesh, rng);
    let length = ray.direction.length();
    let factor = match rng.below(4) {
        0 => 10f32.powf(rng.between(-3.0, 3.0)),
        1 if length > 0.0 => 1.0 / length,
        _ => 1.0,
    };
    ray.direction *= factor;
    ray = ray.with_range(ray.t_min / factor, ray.t_max / factor);

    let reach = size_of(mesh) / ray.direction.length();
    let (start, length) = (reach * rng.between(0.0, 2.0), reach * rng.power_of_two(-8.0, 1.0));
    match rng.below(16) {
        0..=7 => ray,
        8..=10 => ray.with_range(start, start + length),
        11 => ray.with_range(start, f32::INFINITY),
        12 => ray.with_range(0.0, start),
        13 => ray.with_range(-start, length),
        14 => ray.with_range(-start - length, -start),
        _ => ray.with_range(f32::NEG_INFINITY, ray.t_max),
    }
}

/// Rays of all kinds. One in eight repeats the ray before it with an interval that starts or ends
/// exactly on one of its hits.
///
/// The list has at most `n` rays, and fewer if a ray meets a whole stack of triangles. It stops at about
/// ten hits per ray, because a test would otherwise spend its time on lists of hits.
pub fn hard_rays(mesh: &TriMesh, n: usize, rng: &mut Rng) -> Vec<Ray> {
    let oracle = Oracle::new(mesh);
    let mut rays = Vec::with_capacity(n);
    let mut n_hits = 0;
    while rays.len() < n && n_hits < 10 * n {
        let ray = aimed_ray(mesh, rng);
        rays.push(ray);
        let hits = oracle.hits(&ray).every_triangle;
        n_hits += hits.len();
        if !hits.is_empty() && rng.one_in(4) {
            let t = rng.pick(&hits).t;
            rays.push(rng.pick(&[
                ray.with_range(ray.t_min, t),
                ray.with_range(t, ray.t_max),
                ray.with_range(t, t),
                ray.with_range(ray.t_min, t.next_down()),
            ]));
        }
    }
    rays.truncate(n);
    rays
}

/// Invalid rays, which hit nothing by definition, each with its defect. Apart from the defect each ray
/// aims at `target` from `origin`.
pub fn invalid_rays(origin: Vec3, target: Vec3) -> Vec<(String, Ray)> {
    let valid = Ray::new(origin, target - origin);
    let mut rays = Vec::new();
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let directions = [Vec3::ZERO, -Vec3::ZERO, Vec3::new(0.0, -0.0, 0.0), Vec3::new(inf, 0.0, 0.0)];
    for direction in directions {
        rays.push((format!("direction {direction}"), Ray { direction, ..valid }));
    }
    for bad in [nan, -nan, inf, -inf] {
        for axis in 0..3 {
            let (mut at_origin, mut at_direction) = (valid, valid);
            at_origin.origin[axis] = bad;
            at_direction.direction[axis] = bad;
            rays.push((format!("origin[{axis}] = {bad}"), at_origin));
            rays.push((format!("direction[{axis}] = {bad}"), at_direction));
        }
    }
    let ranges =
        [(2.0, 0.5), (0.0, -1.0), (0.0, -inf), (inf, 0.0), (nan, 1.0), (0.0, nan), (nan, nan)];
    for (t_min, t_max) in ranges {
        rays.push((format!("t in [{t_min}, {t_max}]"), valid.with_range(t_min, t_max)));
    }
    rays
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::bundle;
    use hitscan_primitives::generate;

    #[test]
    fn a_seed_always_gives_the_same_rays() {
        let mesh = generate::sphere(1.0, 100).unwrap();
        let rays = |seed, n| format!("{:?}", HostileRays::new(&mesh, seed).next_rays(n));
        assert_eq!(rays(1, 200), rays(1, 200));
        assert_ne!(rays(1, 200), rays(2, 200));
    }

    #[test]
    fn many_rays_hit_many_meet_edges_and_some_are_invalid() {
        let mesh = generate::cuboid(2.0, 3.0, 4.0, 2).unwrap();
        let oracle = Oracle::new(&mesh);
        let rays = HostileRays::new(&mesh, 1).next_rays(3300);
        let hits: Vec<_> = rays.iter().map(|ray| oracle.hits(ray)).collect();
        assert!(hits.iter().filter(|hits| !hits.every_triangle.is_empty()).count() > 1500);
        let n_on_edges = hits
            .iter()
            .filter(|hits| hits.once_per_crossing.len() < hits.every_triangle.len())
            .count();
        assert!(n_on_edges > 300, "{n_on_edges}");
        assert!(rays.iter().filter(|ray| !ray.is_valid()).count() > 50);
    }

    #[test]
    fn bundles_and_hard_rays_hit_often_enough() {
        let mesh = generate::terrain(200, 1).unwrap();
        let (oracle, mut rng) = (Oracle::new(&mesh), Rng::new(2));
        let bundles: Vec<Ray> = (0..20).flat_map(|_| bundle(&mesh, &mut rng)).collect();
        for rays in [bundles, hard_rays(&mesh, 1280, &mut rng)] {
            let n_hits =
                rays.iter().filter(|ray| !oracle.hits(ray).every_triangle.is_empty()).count();
            assert!(rays.len() == 1280 && n_hits > 300, "{n_hits} of {}", rays.len());
        }
    }

    #[test]
    fn invalid_rays_are_invalid() {
        for (what, ray) in invalid_rays(Vec3::new(0.1, 0.2, 3.0), Vec3::ZERO) {
            assert!(ray.checked().is_err(), "{what}");
        }
    }

    #[test]
    fn a_mesh_without_triangles_gets_rays_too() {
        let (mesh, mut rng) = (TriMesh::default(), Rng::new(6));
        let n_valid = (0..1000).filter(|_| aimed_ray(&mesh, &mut rng).is_valid()).count();
        assert!(n_valid > 900, "{n_valid}");
        assert_eq!(HostileRays::new(&mesh, 1).next_rays(100).len(), 100);
    }
}
