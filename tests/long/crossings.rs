//! Closed meshes: rays from inside hit, and all cross the surface as often as they must.

use hitscan::glam::Vec3;
use hitscan::{BuildOptions, Faces, MeshBvh, Ray, TriMesh};
use hitscan_testkit::{Rng, rays_from_inside, rays_from_outside};
use rayon::prelude::*;

use crate::meshes::closed_meshes;
use crate::tally::{Part, Tally};

/// Scaled to unit size and moved far off; `None` if a triangle loses its area there.
fn moved(mesh: &TriMesh) -> Option<TriMesh> {
    let size = mesh.bounds().extent().max_element();
    let far = Vec3::new(148_376.0, 1_234.0, -223_423.0);
    let positions = mesh.positions().iter().map(|&p| p / size + far);
    let moved = mesh.with_positions(positions).expect("finite stays finite here");
    (moved.n_degenerate() == 0).then_some(moved)
}

fn in_place_and_moved() -> Vec<(String, TriMesh)> {
    let both = closed_meshes().into_iter().flat_map(|(name, mesh)| {
        let moved = moved(&mesh).map(|mesh| (format!("{name}, moved"), mesh));
        [Some((name, mesh)), moved]
    });
    both.flatten().collect()
}

/// Asks about rays that must cross the surface an odd or an even number of times.
fn check(name: &str, mesh: &TriMesh, rays: &[Ray], parity: usize, seed: u64) -> Tally {
    let bvh = MeshBvh::build(mesh, &BuildOptions::default());
    let mut batch = vec![None; rays.len()];
    bvh.closest_hits(rays, Faces::Both, &mut batch);
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
    Tally::of_mesh([&bvh]).plus(&tally)
}

/// Rays from inside at every vertex and edge, and as many in random directions.
pub(crate) fn leaks() -> Part {
    let n_meshes = in_place_and_moved().len();
    Part {
        name: "leaks",
        promise: "rays from inside closed meshes at vertices and edges, and random ones, all hit, and \
                  cross an odd number of times; in place, and of unit size at (148376, 1234, -223423); \
                  seeds from 40,000,000 on",
        n_units: 6 * n_meshes,
        run: Box::new(move |unit| {
            let (name, mesh) = in_place_and_moved().swap_remove(unit % n_meshes);
            let seed = 40_000_000 + unit as u64;
            let rays = rays_from_inside(&mesh, &mut Rng::new(seed));
            check(&name, &mesh, &rays, 1, seed)
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
            let rays = rays_from_outside(&mesh, &mut Rng::new(seed));
            check(&name, &mesh, &rays, 0, seed)
        }),
    }
}
