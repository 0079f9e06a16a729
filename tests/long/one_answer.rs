//! One answer: against brute force, and tree against tree.

use hitscan::{Faces, Hit, MeshBvh, Ray};
use hitscan_testkit::{BothFaces, Rng, Shape, Twin, aimed_ray, hard_rays, soup};
use rayon::prelude::*;

use crate::asking::{ALL_FACES, Batch, ask, every_bvh, first_difference};
use crate::meshes::meshes;
use crate::tally::{Part, Tally};

const SOUPS: usize = 10_000;
const SOUPS_OF_UNIT: usize = 50;
const RAYS_OF_SOUP: usize = 5000;

/// Every query of every tree of soups, against brute force.
pub(crate) fn soups() -> Part {
    Part {
        name: "soups",
        promise: "every query, quality, layout, instruction set and batch gives the bits of brute force; \
                  soups of 1 to 3000 triangles, seeds from 10,000,000 on",
        n_units: SOUPS / SOUPS_OF_UNIT,
        run: Box::new(|unit| {
            let soups = unit * SOUPS_OF_UNIT..(unit + 1) * SOUPS_OF_UNIT;
            let check = |number: usize| {
                let seed = 10_000_000 + number as u64;
                let mut rng = Rng::new(seed);
                let shape = soup(&mut rng, 3000);
                // A stack of triangles gives fewer rays than asked for, so ask until there are enough.
                let mut tally = Tally { n_meshes: 1, ..Tally::default() };
                while tally.n_rays < RAYS_OF_SOUP as u64 {
                    let n = RAYS_OF_SOUP - tally.n_rays as usize;
                    let rays = hard_rays(&shape.mesh, n, &mut rng);
                    tally = tally.plus(&compare(&shape, &rays, seed));
                }
                tally
            };
            soups.into_par_iter().map(check).sum()
        }),
    }
}

const RAYS_OF_MESH: usize = 100_000;

/// As [`soups`], on real meshes.
pub(crate) fn real_meshes() -> Part {
    const BLOCK: usize = 1000;
    Part {
        name: "meshes",
        promise: "the same on real and generated meshes, seeds from 20,000,000 on",
        n_units: meshes().len(),
        run: Box::new(|unit| {
            let (name, mesh) = meshes().swap_remove(unit);
            let shape = Shape { name, mesh };
            let twin = Twin::new(&shape.mesh);
            let trees = every_bvh(&shape.mesh);
            let check = |block: usize| {
                let seed = 20_000_000 + (unit * RAYS_OF_MESH / BLOCK + block) as u64;
                let mut rng = Rng::new(seed);
                let rays: Vec<Ray> = (0..BLOCK).map(|_| aimed_ray(&shape.mesh, &mut rng)).collect();
                let expected: Vec<BothFaces> = rays.iter().map(|ray| twin.answers(ray)).collect();
                compare_with(&shape.name, &trees, &rays, &expected, seed)
            };
            let tally: Tally = (0..RAYS_OF_MESH / BLOCK).into_par_iter().map(check).sum();
            Tally { n_meshes: 1, ..tally }
        }),
    }
}

fn compare(shape: &Shape, rays: &[Ray], seed: u64) -> Tally {
    let twin = Twin::new(&shape.mesh);
    let expected: Vec<BothFaces> = rays.iter().map(|ray| twin.answers(ray)).collect();
    compare_with(&shape.name, &every_bvh(&shape.mesh), rays, &expected, seed)
}

fn compare_with(
    name: &str,
    trees: &[(String, MeshBvh)],
    rays: &[Ray],
    expected: &[BothFaces],
    seed: u64,
) -> Tally {
    let n_hits = expected.iter().filter(|hits| !hits.closed.is_empty()).count() as u64;
    let mut tally = Tally { n_rays: rays.len() as u64, n_hits, ..Tally::default() };
    for (tree, bvh) in trees {
        let single = first_difference(rays, expected, |ray, faces| ask(bvh, ray, faces));
        let batches = ALL_FACES.into_iter().filter_map(|faces| {
            Batch::ask(bvh, rays, faces).first_difference(rays, expected, faces)
        });
        for difference in single.into_iter().chain(batches) {
            tally.wrong(|| format!("{tree} on {name} (seed {seed})\n{difference}"));
        }
    }
    tally
}

/// The trees of real meshes against each other, with many more rays.
pub(crate) fn trees() -> Part {
    const BLOCK: usize = 1 << 14;
    const BLOCKS: usize = 256;
    Part {
        name: "trees",
        promise: "closest hits of all trees and instruction sets, single and in batches, are the same bits",
        n_units: 2 * meshes().len(),
        run: Box::new(|unit| {
            let n_meshes = meshes().len();
            let (name, mesh) = meshes().swap_remove(unit % n_meshes);
            let trees = every_bvh(&mesh);
            let check = |block: usize| {
                let seed = 30_000_000 + (unit * BLOCKS + block) as u64;
                let mut rng = Rng::new(seed);
                let rays: Vec<Ray> = (0..BLOCK).map(|_| aimed_ray(&mesh, &mut rng)).collect();
                let (_, first) = &trees[0];
                let closest = |ray: &Ray| first.closest_hit(ray, Faces::Both);
                let expected: Vec<Option<Hit>> = rays.iter().map(closest).collect();
                let n_hits = expected.iter().flatten().count() as u64;
                let mut tally = Tally { n_rays: BLOCK as u64, n_hits, ..Tally::default() };
                let mut found = vec![None; BLOCK];
                for (tree, bvh) in &trees {
                    bvh.closest_hits(&rays, Faces::Both, &mut found);
                    for ((ray, expected), found) in rays.iter().zip(&expected).zip(&found) {
                        let single = bvh.closest_hit(ray, Faces::Both);
                        let bits = |hit: &Option<Hit>| hit.map(|hit| hit.to_bits());
                        if [bits(found), bits(&single)] != [bits(expected); 2] {
                            tally.wrong(|| {
                                format!("{tree} on {name} (seed {seed}), {ray:?}: single {single:?}, in a batch {found:?}, by another tree {expected:?}")
                            });
                        }
                    }
                }
                tally
            };
            let tally: Tally = (0..BLOCKS).into_par_iter().map(check).sum();
            Tally { n_meshes: 1, ..tally }
        }),
    }
}
