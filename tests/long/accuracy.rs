//! The error of `t` and of the hit point against f64 geometry.

use hitscan::glam::{DVec3, Vec3};
use hitscan::{BuildOptions, Faces, Hit, MeshBvh, Ray, TriMesh};
use hitscan_testkit::{RayKind, Rng, SoupKind, soup_of};
use rayon::prelude::*;

use crate::meshes::meshes;
use crate::tally::{Part, Tally};

/// The maximum error of `t`, times the length of the direction, in units of u D / cos. One hit in ten
/// thousand may exceed the second value. u is 2^-24, D the maximum component of a corner minus the
/// origin, and cos is between the ray and the triangle's normal.
const WORST: f64 = 3.5;
const LARGE: f64 = 2.5;
/// The maximum distance between the point of `t` and that of `u` and `v`, by component, in units of u D.
/// The second value is for contacts, where `t` is zero.
const APART: f64 = 6.0;
const APART_IN_CONTACT: f64 = 8.5;

const RAYS: usize = 400_000;

/// Hits of every kind of ray, slivers included.
pub(crate) fn accuracy() -> Part {
    let subjects = subjects().len();
    Part {
        name: "accuracy",
        promise: "t within 3.5 u D / cos of f64 (one in ten thousand beyond 2.5; u = 2^-24, D the largest \
                  component of a corner less the origin), but for contact; the point from u, v within 6 u D \
                  of that of t, 8.5 in contact; seeds from 60,000,000 on",
        n_units: subjects,
        run: Box::new(|unit| {
            let (name, mesh) = subjects_at(unit);
            let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
            let check = |block: usize| {
                let seed = 60_000_000 + (unit * 100 + block) as u64;
                let mut rng = Rng::new(seed);
                let mut tally = Tally::default();
                for _ in 0..RAYS / 100 {
                    let ray = rng.pick(&RayKind::ALL).ray(&mesh, &mut rng);
                    tally.n_rays += 1;
                    let Some(hit) = bvh.closest_hit(&ray, Faces::Both) else { continue };
                    tally.n_hits += 1;
                    let (error, apart) = errors(&mesh, &ray, &hit);
                    let is_apart = apart > if hit.t == 0.0 { APART_IN_CONTACT } else { APART };
                    tally.worst = tally.worst.max(error);
                    tally.n_large += u64::from(error > LARGE);
                    if error > WORST || is_apart {
                        tally.wrong(|| {
                            format!("{name} (seed {seed}): {ray:?} {hit:?}: {error} {apart}")
                        });
                    }
                }
                tally
            };
            let tally: Tally = (0..100).into_par_iter().map(check).sum();
            let mut tally = Tally::of_mesh([&bvh]).plus(&tally);
            if tally.n_large * 10_000 > tally.n_hits {
                let (n_large, n_hits) = (tally.n_large, tally.n_hits);
                tally.wrong(|| format!("{name}: {n_large} of {n_hits} hits beyond {LARGE}"));
            }
            tally
        }),
    }
}

fn subjects() -> Vec<(String, TriMesh)> {
    let mut rng = Rng::new(6);
    let kinds = [SoupKind::Slivers, SoupKind::LongThin, SoupKind::Random, SoupKind::Offset];
    let soups = kinds.map(|kind| {
        let shape = soup_of(kind, &mut rng, 3000);
        (shape.name, shape.mesh)
    });
    meshes().into_iter().chain(soups).collect()
}

fn subjects_at(unit: usize) -> (String, TriMesh) {
    subjects().swap_remove(unit)
}

/// The error of `t` in units of u D / cos, and the distance of its point to that of `u` and `v` in units
/// of u D. The first is zero in contact, and for a triangle without area, whose plane is undefined.
fn errors(mesh: &TriMesh, ray: &Ray, hit: &Hit) -> (f64, f64) {
    let [a, b, c] = mesh.corners(hit.triangle).map(Vec3::as_dvec3);
    let (o, d) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    let largest = |p: DVec3| p.abs().max_element();
    let unit =
        [a, b, c].map(|p| largest(p - o)).into_iter().fold(0.0, f64::max) / f64::from(1 << 24);
    let apart = largest(mesh.point(hit) - (o + f64::from(hit.t) * d)) / unit;

    // From products that are exact or nearly so, because the differences are f32.
    let normal = (b - a).cross(c - a);
    let cos = (normal.dot(d) / (normal.length() * d.length())).abs();
    if hit.t == 0.0 || normal == DVec3::ZERO || cos == 0.0 {
        return (0.0, apart);
    }
    let t = (a - o).dot(normal) / d.dot(normal);
    ((f64::from(hit.t) - t).abs() * d.length() * cos / unit, apart)
}
