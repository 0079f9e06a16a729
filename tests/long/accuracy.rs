//! How near `t` and the point are to those of f64 geometry.

use hitscan::glam::{DVec3, Vec3};
use hitscan::{BuildOptions, Faces, Hit, MeshBvh, Ray, TriMesh};
use hitscan_testkit::{RayKind, Rng, SoupKind, soup_of};
use rayon::prelude::*;

use crate::meshes::meshes;
use crate::tally::{Part, Tally};

/// The error of `t`, times the length of the direction, as a share of `scale / cos`: the greatest that
/// is allowed, and the one that one hit in ten thousand may exceed.
const WORST: f64 = 2e-6;
const LARGE: f64 = 1e-6;
/// Planes seen flatter than this are not measured.
const LEAST_COS: f64 = 1e-3;
/// How far the point may be from the ray, as a share of the box's farthest extent from the origin.
const BESIDE: f64 = 1.0 / (1 << 18) as f64;

const RAYS: usize = 400_000;

/// Hits of every kind of ray, slivers included.
pub(crate) fn accuracy() -> Part {
    let subjects = subjects().len();
    Part {
        name: "accuracy",
        promise: "t within 2e-6 scale / cos of f64 (one in ten thousand beyond 1e-6), the point from u, v \
                  within 2^-18 of the farthest extent from the ray; seeds from 60,000,000 on",
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
                    let (error, beside) = errors(&mesh, &ray, &hit);
                    tally.worst = tally.worst.max(error);
                    tally.n_large += u64::from(error > LARGE);
                    if error > WORST || beside > BESIDE {
                        tally.wrong(|| {
                            format!("{name} (seed {seed}): {ray:?} {hit:?}: {error:e} {beside:e}")
                        });
                    }
                }
                tally
            };
            let tally: Tally = (0..100).into_par_iter().map(check).sum();
            let mut tally = Tally::of_mesh([&bvh]).plus(&tally);
            if tally.n_large * 10_000 > tally.n_hits {
                let (n_large, n_hits) = (tally.n_large, tally.n_hits);
                tally.wrong(|| format!("{name}: {n_large} of {n_hits} hits beyond {LARGE:e}"));
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

/// The error of `t` as a share of `scale / cos`, and how far the point is beside the ray as a share of
/// the farthest extent of the mesh's box from the origin. Zero where the plane is seen too flat.
fn errors(mesh: &TriMesh, ray: &Ray, hit: &Hit) -> (f64, f64) {
    let [a, b, c] = mesh.corners(hit.triangle).map(Vec3::as_dvec3);
    let (o, d) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    let bounds = mesh.bounds();
    let (low, high) = (bounds.min.as_dvec3() - o, bounds.max.as_dvec3() - o);
    let reach = low.abs().max(high.abs()).max_element();
    let (u, v) = (f64::from(hit.u), f64::from(hit.v));
    let point = a + u * (b - a) + v * (c - a);
    let along = d.normalize();
    let from_origin = point - o;
    let beside = (from_origin - from_origin.dot(along) * along).length() / reach;

    let normal = (b - a).cross(c - a);
    let cos = (normal.dot(d) / (normal.length() * d.length())).abs();
    if cos < LEAST_COS {
        return (0.0, beside);
    }
    let t = (a - o).dot(normal) / d.dot(normal);
    let largest = |p: DVec3| p.abs().max_element();
    let scale = (t.abs() * d.length())
        .max(largest(o))
        .max(largest(bounds.min.as_dvec3()))
        .max(largest(bounds.max.as_dvec3()));
    ((f64::from(hit.t) - t).abs() * d.length() * cos / scale, beside)
}
