//! Closed meshes: rays from inside hit, and every ray crosses the surface with the right parity.

use hitscan::glam::Vec3;
use hitscan::{BuildOptions, Faces, MeshBvh, Ray, TriMesh};
use hitscan_testkit::{Rng, StitchedKind, rays_from_inside, rays_from_outside, stitched};
use rayon::prelude::*;

use crate::asking::every_bvh;
use crate::meshes::closed_meshes;
use crate::tally::{Part, Tally};

/// Scaled to unit size and moved far away, where many triangles collapse. `None` if the mesh collapses
/// into a plane, because then it has no inside.
fn moved(mesh: &TriMesh) -> Option<TriMesh> {
    let size = mesh.bounds().extent().max_element();
    let far = Vec3::new(148_376.0, 1_234.0, -223_423.0);
    let positions = mesh.positions().iter().map(|&p| p / size + far);
    let moved = mesh.with_positions(positions).expect("finite stays finite here");
    (moved.bounds().extent().min_element() > 0.0).then_some(moved)
}

/// The suffix of the names of moved meshes.
const MOVED: &str = ", moved";

fn in_place_and_moved() -> Vec<(String, TriMesh)> {
    let both = closed_meshes().into_iter().flat_map(|(name, mesh)| {
        let moved = moved(&mesh).map(|mesh| (format!("{name}{MOVED}"), mesh));
        [Some((name, mesh)), moved]
    });
    both.flatten().collect()
}

/// A sample of the rays at a moved mesh. The rounding of its coordinates is about its size, so the build
/// inflates boxes by a large part of it. A ray then tests most of the triangles.
fn affordable(name: &str, mesh: &TriMesh, rays: Vec<Ray>, rng: &mut Rng) -> Vec<Ray> {
    const TESTS: usize = 300_000_000;
    let n = TESTS / mesh.triangles().len();
    if !name.ends_with(MOVED) || rays.len() <= n {
        return rays;
    }
    (0..n).map(|_| rng.pick(&rays)).collect()
}

/// Traces rays that must cross the surface an odd or an even number of times.
fn check(name: &str, bvh: &MeshBvh, rays: &[Ray], parity: usize, seed: u64) -> Tally {
    let mut batch = vec![None; rays.len()];
    bvh.closest_hit_batch(rays, Faces::Both, &mut batch);
    let ask = |(ray, in_batch): (&Ray, &Option<_>)| {
        let n = bvh.count_crossings(ray, Faces::Both);
        let hit = bvh.closest_hit(ray, Faces::Both);
        let hits = [bvh.is_occluded(ray, Faces::Both), hit.is_some(), in_batch.is_some()];
        let mut tally = Tally { n_rays: 1, n_hits: hits[0].into(), ..Tally::default() };
        if n % 2 != parity || (parity == 1 && hits != [true; 3]) {
            tally.wrong(|| format!("{name} (seed {seed}): {ray:?} crosses {n} times, {hits:?}"));
        }
        tally
    };
    let tally: Tally = rays.par_iter().zip(&batch).map(ask).sum();
    Tally::of_mesh([bvh]).plus(&tally)
}

/// Rays from inside at every vertex and edge, and the same number in random directions.
pub(crate) fn leaks() -> Part {
    let n_meshes = in_place_and_moved().len();
    Part {
        name: "leaks",
        promise: "rays from inside closed meshes at vertices and edges, and random ones, all hit, and \
                  cross an odd number of times; in place, and of unit size at (148376, 1234, -223423), the fewer rays the more triangles; \
                  seeds from 40,000,000 on",
        n_units: 4 * n_meshes,
        run: Box::new(move |unit| {
            let (name, mesh) = in_place_and_moved().swap_remove(unit % n_meshes);
            let seed = 40_000_000 + unit as u64;
            let mut rng = Rng::new(seed);
            let rays = rays_from_inside(&mesh, &mut rng);
            let rays = affordable(&name, &mesh, rays, &mut rng);
            let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
            check(&name, &bvh, &rays, 1, seed)
        }),
    }
}

/// Rays from outside at every vertex and edge.
pub(crate) fn parity() -> Part {
    let n_meshes = in_place_and_moved().len();
    Part {
        name: "parity",
        promise: "rays from outside at vertices and edges cross an even number of times; seeds from \
                  50,000,000 on",
        n_units: 4 * n_meshes,
        run: Box::new(move |unit| {
            let (name, mesh) = in_place_and_moved().swap_remove(unit % n_meshes);
            let seed = 50_000_000 + unit as u64;
            let mut rng = Rng::new(seed);
            let rays = rays_from_outside(&mesh, &mut rng);
            let rays = affordable(&name, &mesh, rays, &mut rng);
            let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
            check(&name, &bvh, &rays, 0, seed)
        }),
    }
}

/// As [`leaks`], through the seams of stitched meshes.
pub(crate) fn stitched_leaks() -> Part {
    Part {
        name: "leaks, stitched",
        promise: "the same on closed meshes of every kind that was hard to keep closed (stitched by \
                  triangles without area, folded by rounding, thin, far, huge, tiny), one tree of all \
                  qualities, layouts and instruction sets, alternating; seeds from 70,000,000 on",
        n_units: 50,
        run: Box::new(|unit| {
            through_seams(200_000, 70_000_000 + 100_000 * unit as u64, 1, rays_from_inside)
        }),
    }
}

/// As [`parity`], through the seams of stitched meshes.
pub(crate) fn stitched_parity() -> Part {
    Part {
        name: "parity, stitched",
        promise: "rays from outside cross these an even number of times; seeds from 80,000,000 on",
        n_units: 25,
        run: Box::new(|unit| {
            through_seams(200_000, 80_000_000 + 100_000 * unit as u64, 0, rays_from_outside)
        }),
    }
}

/// As [`leaks`], from inside the parts of meshes whose parts differ in size by 2^40.
pub(crate) fn mixed_leaks() -> Part {
    Part {
        name: "leaks, mixed scales",
        promise: "the same on meshes of three closed parts whose sizes and distances from zero are 2^20, 1 and 2^-20 times as \
                  large, from inside each part, one tree of all qualities, layouts and instruction sets, alternating; \
                  seeds from 90,000,000 on",
        n_units: 50,
        run: Box::new(|unit| through_mixed_scales(200_000, 90_000_000 + 100_000 * unit as u64)),
    }
}

/// `n` rays from inside the parts of [`mixed_scales`], 3000 to a mesh.
fn through_mixed_scales(n: usize, first_seed: u64) -> Tally {
    const RAYS_OF_PART: usize = 1000;
    let check_mesh = |i: u64| {
        let seed = first_seed + i;
        let mut rng = Rng::new(seed);
        let (whole, parts) = mixed_scales(&mut rng);
        let trees = every_bvh(&whole);
        let (tree, bvh) = &trees[seed as usize % trees.len()];
        let name = format!("{tree} of mixed scales");
        let check_part = |part: &TriMesh| {
            let rays = rays_from_inside(part, &mut rng);
            let rays: Vec<Ray> = (0..RAYS_OF_PART).map(|_| rng.pick(&rays)).collect();
            check(&name, bvh, &rays, 1, seed)
        };
        parts.iter().map(check_part).sum::<Tally>()
    };
    (0..n.div_ceil(3 * RAYS_OF_PART) as u64).into_par_iter().map(check_mesh).sum()
}

/// Closed parts of the sizes 2^20, 1 and 2^-20, each beside zero at about four times its size, and all of them in
/// one mesh.
pub(crate) fn mixed_scales(rng: &mut Rng) -> (TriMesh, Vec<TriMesh>) {
    let (mut positions, mut triangles) = (Vec::<Vec3>::new(), vec![]);
    let parts: Vec<TriMesh> = [20.0, 0.0, -20.0]
        .map(|exponent: f32| {
            // Thinner ones would lose their inside by rounding.
            const THINNEST: f32 = 1.0 / 64.0;
            let (shape, middle, size) = loop {
                let kind = rng.pick(&StitchedKind::ALL);
                let shape = stitched(kind, rng, 60);
                let bounds = shape.mesh.bounds();
                let size = bounds.extent().max_element();
                if bounds.extent().min_element() > THINNEST * size {
                    break (shape, bounds.center(), size);
                }
            };
            let part = shape.mesh.positions().iter().map(|&position| {
                ((position - middle) / size + Vec3::new(4.0, 1.0, -2.0)) * exponent.exp2()
            });
            shape.mesh.with_positions(part).expect("finite stays finite here")
        })
        .to_vec();
    for part in &parts {
        let first = positions.len() as u32;
        positions.extend(part.positions());
        triangles.extend(part.triangles().iter().map(|corners| corners.map(|i| first + i)));
    }
    (TriMesh::new(positions, triangles).expect("finite corners"), parts)
}

/// `n` rays or more, shared out over the kinds of stitched meshes, 1000 to a mesh.
fn through_seams(
    n: usize,
    first_seed: u64,
    parity: usize,
    rays_of: impl Fn(&TriMesh, &mut Rng) -> Vec<Ray> + Sync,
) -> Tally {
    const RAYS_OF_MESH: usize = 1000;
    let n_meshes = n.div_ceil(RAYS_OF_MESH) as u64;
    let check_mesh = |i: u64| {
        let seed = first_seed + i;
        let mut rng = Rng::new(seed);
        let kind = StitchedKind::ALL[i as usize % StitchedKind::ALL.len()];
        let size = rng.power_of_two(5.0, 10.0) as usize;
        let shape = stitched(kind, &mut rng, size);
        let trees = every_bvh(&shape.mesh);
        let (tree, bvh) = &trees[seed as usize % trees.len()];
        let mut rays = rays_of(&shape.mesh, &mut rng);
        while rays.len() < RAYS_OF_MESH {
            rays.extend(rays_of(&shape.mesh, &mut rng));
        }
        // A sample, so that every kind gets the same number of rays.
        let rays: Vec<Ray> = (0..RAYS_OF_MESH).map(|_| rng.pick(&rays)).collect();
        check(&format!("{tree} of {}", shape.name), bvh, &rays, parity, seed)
    };
    (0..n_meshes).into_par_iter().map(check_mesh).sum()
}
