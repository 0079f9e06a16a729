use std::{ops::ControlFlow, sync::Arc};

use glam::{DMat3, DVec3};
use hitscan_primitives::{Faces, Hit, WorldBox, WorldRay, generate, generate::SplitMix64};

use super::{
    instance_bvh::InstanceBvh,
    interleaved::Interleaved,
    placed_mesh::{InstanceFilter, InstanceTag, InstancedMesh, PlacedMesh},
    query::{Any, Batch, Closest, InstanceHit, MeshQuery},
};
use crate::{
    BuildOptions, Isa, MeshBvh,
    layout::{NO_LINK, link_to},
};

const ALL: InstanceFilter = InstanceFilter { layers: u32::MAX, excluded_flags: 0 };
/// Scenes per instruction set in the test of batches.
const N_SCENES: u64 = 40;

fn cube(isa: Isa) -> Arc<InstancedMesh> {
    let mesh = generate::cuboid(2.0, 2.0, 2.0, 0).expect("an ordinary size");
    let options = BuildOptions { isa, ..BuildOptions::default() };
    Arc::new(InstancedMesh::new(Arc::new(MeshBvh::build(&mesh, &options))))
}

/// A cube with half an edge of `size` around `center`, with its box.
fn place(
    mesh: &Arc<InstancedMesh>,
    center: DVec3,
    size: f64,
    order: u64,
) -> (PlacedMesh, WorldBox) {
    let inverse = DMat3::from_diagonal(DVec3::splat(1.0 / size));
    let tag = InstanceTag { layers: 1, order, ..InstanceTag::default() };
    // As a scene widens it: the mesh by 2^-14, the world by the rounding of f64.
    let half = DVec3::splat(size * 1.0001 + 1e-13 * center.abs().max_element());
    let bounds = WorldBox { min: center - half, max: center + half };
    (PlacedMesh::new(mesh.clone(), center, inverse, tag), bounds)
}

/// Checks the boxes and links of all nodes and items, and returns the items in order, and the depth.
fn validate(tree: &InstanceBvh) -> (Vec<u32>, usize) {
    let (mut found, mut deepest) = (Vec::new(), 0);
    let mut pending = vec![(0u32, NO_LINK, 1)];
    while let Some((index, link, depth)) = pending.pop() {
        let node = tree.nodes.get(index);
        assert_eq!(node.spare[0], link, "node {index}");
        deepest = deepest.max(depth);
        for slot in node.occupied() {
            let (child, link) = (node.child(slot), link_to(index, slot));
            let bounds = node.child_bounds(slot);
            if child.is_leaf() {
                let item = tree.items.get(child.first_block() as u32);
                let placed = tree.space.place(&item.bounds).expect("it is in the space");
                assert!(bounds.min.cmple(placed.min.into()).all());
                assert!(bounds.max.cmpge(placed.max.into()).all());
                assert_eq!(item.link, link);
                found.push(child.first_block() as u32);
            } else {
                let below = tree.nodes.get(child.node_index() as u32);
                for slot in below.occupied() {
                    let inner = below.child_bounds(slot);
                    assert_eq!(bounds.union(inner), bounds, "node {index} does not hold a child");
                }
                pending.push((child.node_index() as u32, link, depth + 1));
            }
        }
    }
    found.sort_unstable();
    (found, deepest)
}

#[test]
fn edits_keep_every_box_and_every_item() {
    let mesh = cube(Isa::default());
    let mut rng = SplitMix64::new(3);
    let mut tree = InstanceBvh::default();
    let mut present = [false; 300];
    for step in 0..6000 {
        let item = rng.below(300) as u32;
        if rng.below(4) == 0 {
            tree.remove(item);
            present[item as usize] = false;
        } else {
            // Now and then outside of the space of the last build.
            let reach = if step % 500 == 499 { 1e4 } else { 10.0 };
            let center = DVec3::from_array([(); 3].map(|()| rng.range(-reach, reach)));
            let (placed, bounds) = place(&mesh, center, rng.range(0.01, 2.0), item.into());
            tree.set(item, placed, bounds);
            present[item as usize] = true;
        }
        if step % 50 == 0 {
            let expected = (0..300).filter(|&item| present[item as usize]).collect::<Vec<u32>>();
            assert_eq!(validate(&tree).0, expected, "step {step}");
        }
    }
}

#[test]
fn items_that_move_together_keep_every_box_and_every_item() {
    let mesh = cube(Isa::default());
    let mut rng = SplitMix64::new(4);
    let mut tree = InstanceBvh::default();
    let mut at = |reach: f64| DVec3::from_array([(); 3].map(|()| rng.range(-reach, reach)));
    for item in 0..300 {
        let (placed, bounds) = place(&mesh, at(10.0), 0.5, item.into());
        tree.set(item, placed, bounds);
    }
    // By a little, anywhere, anywhere outside of the space, by a little there, and a few.
    for (n, reach, step) in
        [(300, 0.0, 0.1), (200, 10.0, 0.0), (300, 1e4, 0.0), (300, 0.0, 0.5), (20, 5e4, 0.0)]
    {
        let before = tree.clone();
        let moves: Vec<_> = (0..n)
            .map(|item| {
                let bounds = tree.items.get(item).bounds;
                let center = if reach > 0.0 { at(reach) } else { bounds.center() + at(step) };
                let (placed, bounds) = place(&mesh, center, 0.5, item.into());
                (item, placed, bounds)
            })
            .collect();
        let bounds: Vec<WorldBox> = moves.iter().map(|(_, _, bounds)| *bounds).collect();
        for (item, placed, bounds) in moves {
            tree.replace(item, placed, bounds);
        }
        tree.follow(&(0..n).collect::<Vec<u32>>());
        assert_eq!(validate(&tree).0, (0..300).collect::<Vec<u32>>(), "{n} within {reach}");
        assert!((0..n).zip(bounds).all(|(item, bounds)| tree.items.get(item).bounds == bounds));
        validate(&before);
        let cost = tree.cost(&tree.reachable());
        tree.rebuild();
        assert!(cost <= 1.5 * tree.built_cost, "{cost}, rebuilt {}", tree.built_cost);
    }
}

#[test]
fn items_in_a_row_and_coincident_and_nested_ones_make_no_deep_tree() {
    let mesh = cube(Isa::default());
    for (growth, step) in [(0.0, 0.0), (1e-3, 0.0), (-1e-5, 0.0), (0.0, 2.5), (1e-3, 2.5)] {
        let mut tree = InstanceBvh::default();
        for item in 0..5000u32 {
            let size = 1.0 + growth * f64::from(item);
            let center = DVec3::X * step * f64::from(item);
            let (placed, bounds) = place(&mesh, center, size, item.into());
            tree.set(item, placed, bounds);
        }
        let (items, depth) = validate(&tree);
        assert_eq!(items.len(), 5000);
        assert!(depth <= 20, "growth {growth}, step {step}: {depth} levels");
    }
}

#[test]
fn a_snapshot_keeps_its_items() {
    let mesh = cube(Isa::default());
    let mut tree = InstanceBvh::default();
    for item in 0..200 {
        let (placed, bounds) = place(&mesh, DVec3::X * f64::from(item) * 3.0, 1.0, item.into());
        tree.set(item, placed, bounds);
    }
    let before = tree.clone();
    for item in 0..200 {
        tree.remove(item);
    }
    assert_eq!((validate(&before).0.len(), validate(&tree).0.len()), (200, 0));
    let ray = WorldRay::new([-5.0, 0.1, 0.2], [1.0, 0.0, 0.0]);
    assert_eq!(
        before.closest_hit(&ray, Faces::Both, ALL).map(|hit| (hit.item, hit.t)),
        Some((0, 4.0))
    );
    assert!(!tree.is_occluded(&ray, Faces::Both, ALL));
}

/// The closest hit by a loop over all items.
fn by_loop(tree: &InstanceBvh, ray: &WorldRay, n: u32) -> Option<(u64, u32, u32)> {
    let mut best: Option<(f64, u64, u32, u32)> = None;
    for item in 0..n {
        let Some(placed) = tree.placed(item) else { continue };
        let Some(mesh) = placed.mesh() else { continue };
        let local = hitscan_primitives::LocalRay::new(&placed.frame(mesh), ray);
        let Some(local) = local.filter(|_| ray.is_valid()) else { continue };
        let Some(hit) = mesh.bvh().closest_hit(&local.ray, Faces::Both) else { continue };
        let found = (local.world_t(hit.t), placed.tag().order, item, hit.triangle);
        if best.is_none_or(|best| found < best) {
            best = Some(found);
        }
    }
    best.map(|(t, _, item, triangle)| (t.to_bits(), item, triangle))
}

/// Rays that start near, far, before or within, along axes and edges, with long, short and invalid directions.
fn hostile_ray(rng: &mut SplitMix64, aim: DVec3, size: f64) -> WorldRay {
    let mut vector = |limit: f64| DVec3::from_array([(); 3].map(|()| rng.range(-limit, limit)));
    let target = aim + vector(0.3 * size);
    let distances = [0.0, 1.0, 30.0, 1e3, 1e6, 1e9, 1e12];
    let (away, toward) = (vector(1.0), vector(1.0));
    let distance = distances[rng.below(7) as usize] * size;
    let origin = target + distance * away;
    let mut direction = if rng.below(4) == 0 { size * toward } else { target - origin };
    for axis in 0..3 {
        if rng.below(16) == 0 {
            direction[axis] = [0.0, -0.0, 1e-30][rng.below(3) as usize] * size;
        }
    }
    direction *= [1e-8, 1e8, 1e-150, 1e150, 1.0][(rng.below(16) as usize).min(4)];
    let ray = WorldRay::new(origin, direction);
    match rng.below(8) {
        0 => WorldRay::line(origin, direction),
        1 => ray.with_range(0.5, 1.5),
        2 => ray.with_range(-2.0, 1.0),
        3 => WorldRay { origin: DVec3::NAN, ..ray },
        4 => ray.with_range(1.0, 0.0),
        5 => ray.with_range(-0.0, 2.0),
        _ => ray,
    }
}

#[test]
fn every_ray_has_the_hit_that_a_loop_over_the_items_finds_on_every_instruction_set() {
    let mut n_hits = 0;
    for isa in Isa::available() {
        let mesh = cube(isa);
        for seed in 0..60 {
            let mut rng = SplitMix64::new(seed);
            let size = [1.0, 1e-6, 1e-20, 1e7, 1e30][rng.below(5) as usize];
            let middle = size * [DVec3::ZERO, DVec3::new(1e7, -2e6, 3e5)][rng.below(2) as usize];
            let mut tree = InstanceBvh::default();
            let n = 1 + rng.below(80) as u32;
            let mut centers = vec![];
            for item in 0..3 * n {
                let item = item % n;
                let offset = DVec3::from_array([(); 3].map(|()| rng.range(-10.0, 10.0))).round();
                let own = size * [0.3, 1.0, 1.0, 1e-3][rng.below(4) as usize];
                centers.push(middle + size * offset);
                let (placed, bounds) = place(&mesh, middle + size * offset, own, (n - item).into());
                tree.set(item, placed, bounds);
                if rng.below(6) == 0 {
                    tree.remove(item);
                }
            }
            for _ in 0..400 {
                let aim = centers[rng.below(centers.len() as u64) as usize];
                let ray = hostile_ray(&mut rng, aim, size);
                let expected = by_loop(&tree, &ray, n);
                let found = tree.closest_hit(&ray, Faces::Both, ALL);
                let found = found.map(|hit| (hit.t.to_bits(), hit.item, hit.hit.triangle));
                assert_eq!(found, expected, "{isa:?}, seed {seed}, {ray:?}");
                assert_eq!(tree.is_occluded(&ray, Faces::Both, ALL), expected.is_some());
                let mut is_passed_on = false;
                tree.visit_ray(&ray, ALL, &mut |item, _, limit| {
                    is_passed_on |= expected.is_some_and(|(_, hit, _)| hit == item);
                    ControlFlow::Continue(limit)
                });
                assert_eq!(is_passed_on, expected.is_some(), "{isa:?}, seed {seed}, {ray:?}");
                n_hits += usize::from(expected.is_some());
                // The interval may begin and end at the hit.
                let Some((t, ..)) = expected else { continue };
                let t = f64::from_bits(t);
                for ray in [ray.with_range(t, t), ray.with_range(ray.t_min, t)] {
                    let found = tree.closest_hit(&ray, Faces::Both, ALL);
                    let found = found.map(|hit| (hit.t.to_bits(), hit.item, hit.hit.triangle));
                    assert_eq!(found, by_loop(&tree, &ray, n), "{isa:?}, seed {seed}, {ray:?}");
                }
            }
        }
    }
    assert!(n_hits > 5000, "{n_hits} hits");
}

/// A scene of few or many items, and runs of 32 rays: alike, alike but for a few, and without anything in common.
fn scene_and_runs(isa: Isa, seed: u64) -> (InstanceBvh, Vec<WorldRay>) {
    let mut rng = SplitMix64::new(seed);
    let (mesh, mut tree) = (cube(isa), InstanceBvh::default());
    let size = [1.0, 1e-6, 1e7][rng.below(3) as usize];
    let n = [1, 30, 400][rng.below(3) as usize];
    let mut centers = vec![];
    for item in 0..n {
        let offset = DVec3::from_array([(); 3].map(|()| rng.range(-10.0, 10.0))).round();
        let own = size * [0.3, 1.0, 1e-3][rng.below(3) as usize];
        centers.push(size * offset);
        let (placed, bounds) = place(&mesh, size * offset, own, u64::from(n - item));
        tree.set(item, placed, bounds);
    }
    let mut rays = vec![];
    for run in 0..24 {
        let aim = centers[rng.below(centers.len() as u64) as usize];
        let first = hostile_ray(&mut rng, aim, size);
        let eye = aim + size * DVec3::new(20.0, 11.0, 13.0);
        for _ in 0..32 {
            let mut number = |limit: f64| rng.range(-limit, limit);
            let near = size * DVec3::new(number(1.0), number(1.0), number(1.0));
            let ray = match run % 4 {
                0 => WorldRay { direction: first.direction * (1.0 + 1e-3 * number(1.0)), ..first },
                1 => WorldRay::new(eye, aim + near - eye),
                2 if rng.below(40) > 0 => WorldRay::segment(aim + near, aim + near * 3.0 - eye),
                _ => hostile_ray(&mut rng, aim, size),
            };
            rays.push(ray);
        }
    }
    (tree, rays)
}

fn batch_of<'a, 'b, Q: MeshQuery>(
    tree: &'a InstanceBvh,
    rays: &'b [WorldRay],
    outputs: &'b mut [Q::Output],
) -> Batch<'a, 'b, Q> {
    Batch { tree, rays, faces: Faces::Both, filter: ALL, outputs }
}

#[test]
fn rays_of_a_batch_have_the_hits_of_single_rays_on_every_instruction_set() {
    let faces = Faces::Both;
    let (mut n_hits, mut n_alone) = (0, 0);
    for isa in Isa::available() {
        for seed in 0..N_SCENES {
            let (tree, rays) = scene_and_runs(isa, seed);
            let single: Vec<_> = rays.iter().map(|ray| tree.closest_hit(ray, faces, ALL)).collect();
            let bits = |hits: &[Option<InstanceHit>]| -> Vec<_> {
                let of = |hit: InstanceHit| {
                    let Hit { t, u, v, triangle, side } = hit.hit;
                    (hit.item, hit.t.to_bits(), [t, u, v].map(f32::to_bits), triangle, side)
                };
                hits.iter().map(|hit| hit.map(of)).collect()
            };
            let expected = bits(&single);
            n_hits += single.iter().flatten().count();
            let mut hits = vec![None; rays.len()];
            tree.closest_hit_batch(&rays, faces, ALL, &mut hits, |&hit| hit);
            assert_eq!(bits(&hits), expected, "{isa:?}, seed {seed}");
            let mut occluded = vec![false; rays.len()];
            tree.is_occluded_batch(&rays, faces, ALL, &mut occluded);
            let is_hit = || expected.iter().map(Option::is_some);
            assert!(occluded.iter().copied().eq(is_hit()), "{isa:?}, seed {seed}");

            // Interleaved, whatever the batch chose.
            let batch = batch_of::<Closest>;
            let mut hits = vec![None; rays.len()];
            isa.run(Interleaved { batch: batch(&tree, &rays, &mut hits) });
            assert_eq!(bits(&hits), expected, "{isa:?}, seed {seed}, interleaved");
            let mut occluded = vec![false; rays.len()];
            let batch = batch_of::<Any>(&tree, &rays, &mut occluded);
            isa.run(Interleaved { batch });
            assert!(occluded.iter().copied().eq(is_hit()), "{isa:?}, seed {seed}, interleaved");
            if tree.n_items == 1 {
                n_alone += 1;
                let mut hits = vec![None; rays.len()];
                tree.answer_by_mesh::<Closest, _>(0, &rays, faces, ALL, &mut hits, |hit| hit);
                assert_eq!(bits(&hits), expected, "{isa:?}, seed {seed}, by the mesh");
                let mut occluded = vec![false; rays.len()];
                tree.answer_by_mesh::<Any, _>(0, &rays, faces, ALL, &mut occluded, |hit| hit);
                assert!(occluded.iter().copied().eq(is_hit()), "{isa:?}, seed {seed}, by the mesh");
            }
        }
    }
    assert!(
        n_hits > 100 * N_SCENES as usize && n_alone > 5,
        "{n_hits} hits, {n_alone} of one item"
    );
}

/// A cube, behind empty places.
fn one_item(n_places: u32) -> InstanceBvh {
    let (mesh, mut tree) = (cube(Isa::default()), InstanceBvh::default());
    for item in 0..n_places {
        let (placed, bounds) = place(&mesh, DVec3::new(1.0, 0.5, 0.25), 0.7, item.into());
        tree.set(item, placed, bounds);
    }
    for item in 0..n_places - 1 {
        tree.remove(item);
    }
    tree
}

/// The rays of a picture, row by row.
fn picture(width: usize, height: usize) -> Vec<WorldRay> {
    let pixels = (0..width * height).map(|i| (i % width, i / width));
    let way = |(x, y)| {
        let [x, y] = [x as f64 / width as f64, y as f64 / height as f64].map(|i| 0.6 * i - 0.3);
        [x, y, -1.0]
    };
    pixels.map(|pixel| WorldRay::new([1.0, 1.0, 12.0], way(pixel))).collect()
}

#[test]
fn a_picture_of_one_item_goes_to_its_mesh_and_has_the_hits_of_single_rays() {
    let mut rays = picture(100, 60);
    rays[50].direction = DVec3::ZERO;
    rays[2750] = rays[2750].with_range(9.0, 2.0);
    for n_places in [1, 3] {
        let tree = one_item(n_places);
        assert_eq!(tree.item_for_all(&rays), Some(n_places - 1));
        for (filter, passes) in [(ALL, true), (InstanceFilter { layers: 2, ..ALL }, false)] {
            let mut hits = vec![None; rays.len()];
            tree.closest_hit_batch(&rays, Faces::Both, filter, &mut hits, |hit| (hit.t, hit.item));
            let mut occluded = vec![false; rays.len()];
            tree.is_occluded_batch(&rays, Faces::Both, filter, &mut occluded);
            let n_hits = hits.iter().flatten().count();
            assert!(if passes { n_hits > 200 && n_hits < rays.len() } else { n_hits == 0 });
            for ((ray, hit), is_occluded) in rays.iter().zip(hits).zip(occluded) {
                let single = tree.closest_hit(ray, Faces::Both, filter);
                assert_eq!(hit, single.map(|hit| (hit.t, hit.item)), "{ray:?}");
                assert_eq!(is_occluded, single.is_some(), "{ray:?}");
            }
        }
    }
}

#[test]
fn two_items_few_rays_and_rays_without_order_do_not_go_to_one_mesh() {
    let (rays, tree) = (picture(100, 60), one_item(1));
    assert_eq!(tree.item_for_all(&rays[..200]), None);
    let scattered: Vec<_> = (0..rays.len()).map(|i| rays[i * 2741 % rays.len()]).collect();
    assert_eq!(tree.item_for_all(&scattered), None);
    let mut two = tree.clone();
    let (placed, bounds) = place(&cube(Isa::default()), DVec3::ZERO, 1.0, 7);
    two.set(1, placed, bounds);
    assert_eq!((two.item_for_all(&rays), tree.item_for_all(&rays)), (None, Some(0)));
}

#[test]
fn a_filter_skips_layers_and_flags() {
    let mesh = cube(Isa::default());
    let mut tree = InstanceBvh::default();
    for item in 0..3 {
        let (placed, bounds) = place(&mesh, DVec3::X * f64::from(item) * 3.0, 1.0, item.into());
        tree.set(item, placed, bounds);
        let tag = tree.placed(item).expect("it is there").tag();
        tree.set_tag(item, InstanceTag { layers: 1 << item, flags: 1 << item, ..tag });
    }
    let ray = WorldRay::new([-5.0, 0.1, 0.2], [1.0, 0.0, 0.0]);
    let first = |filter| tree.closest_hit(&ray, Faces::Both, filter).map(|hit| hit.item);
    assert_eq!(first(ALL), Some(0));
    assert_eq!(first(InstanceFilter { layers: 0b110, ..ALL }), Some(1));
    assert_eq!(first(InstanceFilter { excluded_flags: 0b11, ..ALL }), Some(2));
    assert_eq!(first(InstanceFilter { layers: 0b11, excluded_flags: 0b11 }), None);
}
