//! One answer: against brute force, and tree against tree.

use hitscan::{Faces, Hit, Isa, MeshBvh, Ray, TriMesh};
use hitscan_testkit::{Oracle, Rng, Shape, SoupKind, aimed_ray, hard_rays, soup, soup_of};
use rayon::prelude::*;

use crate::asking::{ALL_FACES, Expected, every_bvh};
use crate::crossings::mixed_scales;
use crate::meshes::meshes;
use crate::tally::{Part, Tally};

const UNITS: usize = 200;
const RAYS_OF_UNIT: usize = 250_000;
const RAYS_OF_SOUP: usize = 5000;

/// One mesh in `SCALAR_EVERY`, and one block of rays of a mesh, also runs with the scalar instruction
/// set, the reference of the others. With every mesh it would take half of the time.
const SCALAR_EVERY: usize = 16;

/// [`every_bvh`], with the scalar instruction set only every `SCALAR_EVERY` turns.
fn trees_in_turn(mesh: &TriMesh, turn: usize) -> Vec<(String, MeshBvh)> {
    let trees = every_bvh(mesh);
    if turn.is_multiple_of(SCALAR_EVERY) { trees } else { without_scalar(trees) }
}

/// The trees of the other instruction sets; all trees if there is no other.
fn without_scalar(mut trees: Vec<(String, MeshBvh)>) -> Vec<(String, MeshBvh)> {
    if Isa::available().len() > 1 {
        trees.retain(|(_, bvh)| bvh.isa().name() != "scalar");
    }
    trees
}

/// Every query of every tree of soups, against brute force.
pub(crate) fn soups() -> Part {
    Part {
        name: "soups",
        promise: "every query, quality, layout, instruction set and batch gives the bits of brute force: \
                  each tree answers every query for each ray alone, for one choice of faces, and in \
                  batches, for one choice of faces, both alternating; the scalar \
                  instruction set with every sixteenth soup; soups of 1 to 3000 triangles, each with 5000 rays, or fewer where a ray meets more than ten triangles or tests more than \
                  5 blocks of them on average; seeds from 10,000,000 on",
        n_units: UNITS,
        run: Box::new(|unit| soups_of_unit(10_000_000 + unit * 1000, |rng| soup(rng, 3000))),
    }
}

/// As [`soups`], of triangles whose sizes differ by up to 2^40.
pub(crate) fn mixed_soups() -> Part {
    Part {
        name: "soups, mixed scales",
        promise: "the same on soups of clusters and needles whose sizes and distances from zero differ by up to 2^40; \
                  seeds from 15,000,000 on",
        n_units: 16,
        run: Box::new(|unit| {
            soups_of_unit(15_000_000 + unit * 1000, |rng| {
                let n = 1 + rng.below(3000);
                soup_of(SoupKind::MixedScales, rng, n)
            })
        }),
    }
}

/// The rays of a unit at soups by seeds from `first_seed` on.
fn soups_of_unit(first_seed: usize, shape: impl Fn(&mut Rng) -> Shape + Sync) -> Tally {
    let check = |seed: usize| {
        let mut rng = Rng::new(seed as u64);
        let shape = shape(&mut rng);
        let trees = trees_in_turn(&shape.mesh, seed);
        let rays = hard_rays(&shape.mesh, RAYS_OF_SOUP, &mut rng);
        let rays = &rays[..n_affordable(&rays, &trees[0].1)];
        let expected = Expected::new(&shape.mesh, rays);
        let tally = compare(&shape.name, &trees, &expected, seed as u64);
        Tally::of_mesh(trees.iter().map(|(_, bvh)| bvh)).plus(&tally)
    };
    let mut seed = first_seed;
    let mut tally = Tally::default();
    // Soups with fewer rays leave their share to later ones.
    while tally.n_rays < RAYS_OF_UNIT as u64 {
        let n = (RAYS_OF_UNIT - tally.n_rays as usize).div_ceil(RAYS_OF_SOUP);
        let more: Tally = (seed..seed + n).into_par_iter().map(check).sum();
        tally = tally.plus(&more);
        seed += n;
    }
    tally
}

/// The average number of blocks that a closest hit may test, and the minimum number of rays.
const BLOCKS_OF_RAY: usize = 5;
const LEAST_RAYS: usize = 500;

/// The number of leading rays that fit the time. Where all triangles lie in one place, on one line or
/// have almost no size, every tree tests most of them for every ray. One soup in ten took four fifths of
/// the time.
fn n_affordable(rays: &[Ray], bvh: &MeshBvh) -> usize {
    let mut n_blocks = 0;
    let is_too_much = |ray: &Ray| {
        n_blocks += bvh.closest_hit_with_work(ray, Faces::Both).1.blocks as usize;
        n_blocks > BLOCKS_OF_RAY * RAYS_OF_SOUP
    };
    let n = rays.iter().position(is_too_much).unwrap_or(rays.len());
    n.max(LEAST_RAYS.min(rays.len()))
}

/// The rays of a block, and the blocks of all meshes together.
const BLOCK: usize = 1000;
const BLOCKS_OF_MESHES: usize = 2000;

/// As [`soups`], on real meshes.
pub(crate) fn real_meshes() -> Part {
    let sizes: Vec<usize> = meshes().iter().map(|(_, mesh)| mesh.triangles().len()).collect();
    let n_blocks = shares(&sizes, BLOCKS_OF_MESHES);
    Part {
        name: "meshes",
        promise: "the same on real and generated meshes, the more rays the fewer triangles; the scalar \
                  instruction set with every sixteenth block of 1000 rays; seeds from 20,000,000 on",
        n_units: sizes.len(),
        run: Box::new(move |unit| {
            let (name, mesh) = meshes().swap_remove(unit);
            let (oracle, every) = (Oracle::new(&mesh), every_bvh(&mesh));
            let others = without_scalar(every.clone());
            let check = |block: usize| {
                let seed = 20_000_000 + (unit * 10_000 + block) as u64;
                let mut rng = Rng::new(seed);
                let rays: Vec<Ray> = (0..BLOCK).map(|_| aimed_ray(&mesh, &mut rng)).collect();
                let expected = Expected::of(&oracle, &rays);
                let trees = if block.is_multiple_of(SCALAR_EVERY) { &every } else { &others };
                compare(&name, trees, &expected, seed)
            };
            let tally: Tally = (0..n_blocks[unit]).into_par_iter().map(check).sum();
            Tally::of_mesh(every.iter().map(|(_, bvh)| bvh)).plus(&tally)
        }),
    }
}

/// Shares out `n` blocks of rays over meshes of these sizes. A share falls with the square root of the
/// size, and is 1 or more.
fn shares(sizes: &[usize], n: usize) -> Vec<usize> {
    let weight = |&size: &usize| 1.0 / (size.max(1) as f64).sqrt();
    let whole: f64 = sizes.iter().map(weight).sum();
    let (mut sum, mut n_before) = (0.0, 0);
    let mut share = |size| {
        // Carries the rounding error over to the next mesh.
        sum += n as f64 * weight(size) / whole;
        let n_here = (sum.round() as usize).saturating_sub(n_before).max(1);
        n_before += n_here;
        n_here
    };
    sizes.iter().map(&mut share).collect()
}

fn compare(name: &str, trees: &[(String, MeshBvh)], expected: &Expected<'_>, seed: u64) -> Tally {
    let n_hits = expected.hits.iter().filter(|hits| !hits.every_triangle.is_empty()).count() as u64;
    let mut tally = Tally { n_rays: expected.rays.len() as u64, n_hits, ..Tally::default() };
    for (i, (tree, bvh)) in trees.iter().enumerate() {
        let single = expected.single_difference(bvh);
        // Goes round from tree to tree and from seed to seed, as that of single rays from ray to ray.
        let faces = ALL_FACES[(seed as usize + i) % 3];
        let batch = expected.batch_difference(bvh, faces);
        for difference in single.into_iter().chain(batch) {
            tally.wrong(|| format!("{tree} on {name} (seed {seed})\n{difference}"));
        }
    }
    tally
}

/// The trees of real meshes against each other, with many more rays.
pub(crate) fn trees() -> Part {
    const UNITS: usize = 96;
    let sizes: Vec<usize> = meshes().iter().map(|(_, mesh)| mesh.triangles().len()).collect();
    // Alternating, so that an early part of the run covers most meshes.
    let mut left = shares(&sizes, UNITS);
    let mut mesh_of_unit = vec![];
    while left.iter().any(|&n| n > 0) {
        for (mesh, n) in left.iter_mut().enumerate().filter(|(_, n)| **n > 0) {
            mesh_of_unit.push(mesh);
            *n -= 1;
        }
    }
    Part {
        name: "trees",
        promise: "closest hits of all trees and instruction sets, single and in batches, are the same bits; \
                  2^20 rays a unit, more units the fewer triangles; the scalar instruction set with every \
                  sixteenth block of 2^13 rays; seeds from 30,000,000 on",
        n_units: mesh_of_unit.len(),
        run: Box::new(move |unit| {
            let (name, mesh) = meshes().swap_remove(mesh_of_unit[unit]);
            trees_of(&name, &mesh, 30_000_000 + unit * TREE_BLOCKS)
        }),
    }
}

/// As [`trees`], of meshes whose parts differ in size by 2^40.
pub(crate) fn mixed_trees() -> Part {
    Part {
        name: "trees, mixed scales",
        promise: "the same on meshes of three closed parts whose sizes and distances from zero are 2^20, 1 and 2^-20 times as large, \
                  a mesh a unit; seeds from 35,000,000 on",
        n_units: 8,
        run: Box::new(|unit| {
            let seed = 35_000_000 + unit * TREE_BLOCKS;
            let (mesh, _) = mixed_scales(&mut Rng::new(seed as u64));
            trees_of("mixed scales", &mesh, seed)
        }),
    }
}

/// The rays of a block of [`trees`], and the blocks of a unit: 2^20 rays.
const TREE_BLOCK: usize = 1 << 13;
const TREE_BLOCKS: usize = 1 << 7;

/// The closest hits of all trees of a mesh, by seeds from `first_seed` on.
fn trees_of(name: &str, mesh: &TriMesh, first_seed: usize) -> Tally {
    let every = every_bvh(mesh);
    let others = without_scalar(every.clone());
    let check = |block: usize| {
        let seed = (first_seed + block) as u64;
        let mut rng = Rng::new(seed);
        let rays: Vec<Ray> = (0..TREE_BLOCK).map(|_| aimed_ray(mesh, &mut rng)).collect();
        let (_, first) = &every[0];
        let closest = |ray: &Ray| first.closest_hit(ray, Faces::Both);
        let expected: Vec<Option<Hit>> = rays.iter().map(closest).collect();
        let n_hits = expected.iter().flatten().count() as u64;
        let mut tally = Tally { n_rays: TREE_BLOCK as u64, n_hits, ..Tally::default() };
        let mut found = vec![None; TREE_BLOCK];
        let trees = if block.is_multiple_of(SCALAR_EVERY) { &every } else { &others };
        for (tree, bvh) in trees {
            bvh.closest_hit_batch(&rays, Faces::Both, &mut found);
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
    let tally: Tally = (0..TREE_BLOCKS).into_par_iter().map(check).sum();
    Tally::of_mesh(every.iter().map(|(_, bvh)| bvh)).plus(&tally)
}
