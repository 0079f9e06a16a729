//! Scenes that are edited, against the loop over all instances and their triangles.

use std::ops::Not;
use std::sync::Arc;

use hitscan::glam::DVec3;
use hitscan::scene::{
    InstanceId, KeepTransform, Mesh, QueryOptions, RemovedSubtree, Scene, SceneError, SceneHit,
    WorldRay,
};
use hitscan::{BuildOptions, BuildQuality, Faces, HitMode, Isa, Layout};
use hitscan_testkit::Rng;

use crate::making::{bits, brute_hits, random_ray, random_scene, random_transform, vector};
use crate::solids::part;
use crate::tally::{Part, Tally};

const SCENES: usize = 500;
/// Of each scene, with edits before each.
const ROUNDS: usize = 8;
const MAX_EDITS: usize = 12;
/// Of each round, in runs of rays that are alike or have nothing in common.
const RUNS: usize = 4;
const RAYS: usize = 32;

/// Scenes between random edits.
pub(crate) fn scenes() -> Part {
    part(
        "scenes",
        "closest, any, all, nearest and filtered hits and crossings of a scene, alone and in batches, after random edits \
         (insertions one by one and many at once, moves, removals, undoing, new parents, meshes and layers, snapshots), are those of \
         the loop over all instances and triangles to the last bit; 5 to 60 instances, nested, mirrored, sheared, hidden and \
         locked ones, at the origin or as far as 1e9 from it, for one instruction set, quality and layout in each scene; seeds from \
         95,000,000 on",
        95_000_000,
        SCENES,
        |rng, tally| {
            let far = rng.direction().as_dvec3() * rng.pick(&[0.0, 0.0, 1e3, 1e7, 1e9]);
            let n = 5 + rng.below(56);
            let isa = rng.pick(&Isa::available());
            let mut scene = random_scene(rng, n, far);
            rebuild_meshes(&mut scene, isa, rng);
            tally.n_meshes += 1;
            tally.isas.insert(isa.name());
            let (mut removed, mut snapshot) = (Vec::new(), None);
            for _ in 0..ROUNDS {
                for _ in 0..rng.below(MAX_EDITS) {
                    edit(&mut scene, &mut removed, far, rng);
                }
                check(&scene, rng, tally);
                if rng.one_in(4) {
                    // The snapshot must keep its answers while the scene goes on.
                    if let Some(before) = snapshot.replace(scene.clone()) {
                        check(&before, rng, tally);
                    }
                }
            }
        },
    )
}

/// Gives all instances meshes of one instruction set, quality and layout, and the hierarchy new items.
fn rebuild_meshes(scene: &mut Scene, isa: Isa, rng: &mut Rng) {
    let (quality, layout) = (rng.pick(&BuildQuality::ALL), rng.pick(&Layout::ALL));
    let with_mesh: Vec<(InstanceId, Arc<Mesh>)> =
        scene.iter().filter_map(|(id, instance)| Some((id, instance.mesh.clone()?))).collect();
    let mut built: Vec<(Arc<Mesh>, Arc<Mesh>)> = Vec::new();
    for (id, mesh) in with_mesh {
        let known = built.iter().find(|(before, _)| Arc::ptr_eq(before, &mesh));
        let new = if let Some((_, new)) = known {
            new.clone()
        } else {
            let options = BuildOptions { quality, layout, isa };
            let new = Arc::new(Mesh::new(mesh.tri_mesh().clone(), &options));
            built.push((mesh, new.clone()));
            new
        };
        scene.set_mesh(id, Some(new)).expect("it is in the scene");
    }
}

/// An edit of any kind. One that would make a transform singular changes nothing.
fn edit(scene: &mut Scene, removed: &mut Vec<RemovedSubtree>, far: DVec3, rng: &mut Rng) {
    let ids: Vec<InstanceId> = scene.iter().map(|(id, _)| id).collect();
    if ids.is_empty() {
        if let Some(subtree) = removed.pop() {
            let _ = scene.restore(&subtree);
        }
        return;
    }
    let id = rng.pick(&ids);
    let mut transform = random_transform(rng, 20.0);
    if scene.get(id).is_some_and(|instance| instance.parent.is_none()) {
        transform.translation += far;
    }
    // An error leaves the scene as it was, which the next queries check.
    let _ = match rng.below(12) {
        0 | 1 => scene.set_transform(id, transform),
        2 => {
            let step = vector(rng) * 3.0;
            let moved = ids.iter().filter(|_| rng.one_in(2)).filter_map(|&id| {
                let mut transform = scene.get(id)?.transform;
                transform.translation += step;
                Some((id, transform))
            });
            let moved: Vec<_> = moved.collect();
            scene.set_transforms(moved)
        }
        3 => insert_copies(scene, id, 1 + rng.below(3)),
        4 => {
            let mut instance = scene.get(id).cloned().expect("it is in the scene");
            instance.transform = transform;
            scene.insert(instance).map(|_| ())
        }
        5 => scene.remove(id).map(|subtree| removed.push(subtree)),
        6 | 7 if !removed.is_empty() => {
            let i = rng.below(removed.len());
            scene.restore(&removed.swap_remove(i)).map(|_| ())
        }
        8 => {
            let parent = rng.one_in(2).then(|| rng.pick(&ids));
            let keep = rng.pick(&[KeepTransform::World, KeepTransform::Local]);
            scene.reparent(id, parent, keep)
        }
        9 => {
            let mesh = rng.one_in(4).not().then(|| scene.get(rng.pick(&ids))?.mesh.clone());
            scene.set_mesh(id, mesh.flatten())
        }
        10 => scene.set_layers(id, 1 << rng.below(3)),
        _ => {
            let (hidden, locked) = (rng.one_in(3), rng.one_in(3));
            scene.set_hidden(id, hidden).and_then(|()| scene.set_locked(id, locked))
        }
    };
}

/// Inserts copies of an instance at once, in a row that begins where it is.
fn insert_copies(scene: &mut Scene, id: InstanceId, n: usize) -> Result<(), SceneError> {
    let instance = scene.get(id).cloned().expect("it is in the scene");
    let copies = (0..n).map(|i| {
        let mut copy = instance.clone();
        copy.transform.translation += DVec3::X * i as f64;
        copy
    });
    scene.insert_many(copies.collect::<Vec<_>>()).map(|_| ())
}

/// Compares all queries of rays of every kind.
fn check(scene: &Scene, rng: &mut Rng, tally: &mut Tally) {
    let ids: Vec<InstanceId> = scene.iter().map(|(id, _)| id).collect();
    let ignore: Vec<InstanceId> = ids.iter().copied().filter(|_| rng.one_in(8)).collect();
    let options = QueryOptions {
        faces: rng.pick(&[Faces::Both, Faces::Both, Faces::Front, Faces::Back]),
        mode: HitMode::EveryTriangle,
        layers: rng.pick(&[u32::MAX, u32::MAX, 1, 6]),
        ignore: if rng.one_in(4) { &ignore } else { &[] },
        include_hidden: rng.one_in(3),
        include_locked: rng.one_in(2),
    };
    let mut rays = Vec::new();
    for _ in 0..RUNS {
        let first = random_ray(scene, rng);
        let is_coherent = rng.one_in(2);
        rays.extend((0..RAYS).map(|_| {
            if is_coherent {
                let turn = 1e-2 * vector(rng) * first.direction.length();
                WorldRay { direction: first.direction + turn, ..first }
            } else {
                random_ray(scene, rng)
            }
        }));
    }
    let (mut hits, mut occluded) = (vec![None; rays.len()], vec![false; rays.len()]);
    scene.closest_hit_batch(&rays, &options, &mut hits);
    scene.is_occluded_batch(&rays, &options, &mut occluded);
    for (i, ray) in rays.iter().enumerate() {
        let expected = brute_hits(scene, ray, &options, HitMode::EveryTriangle);
        tally.n_rays += 1;
        tally.n_hits += u64::from(!expected.is_empty());
        let first = expected.first().map(bits);
        let of_batch = hits[i].as_ref().map(bits) == first && occluded[i] == first.is_some();
        let is_same = of_batch
            && scene.closest_hit(ray, &options).as_ref().map(bits) == first
            && scene.is_occluded(ray, &options) == first.is_some()
            && (!i.is_multiple_of(4) || has_lists(scene, ray, &options, &expected));
        if !is_same {
            tally.wrong(|| format!("batch {of_batch}, {options:?}, {ray:?}"));
        }
    }
}

/// Whether the queries of more than one hit, and those with a filter, give the same hits.
fn has_lists(
    scene: &Scene,
    ray: &WorldRay,
    options: &QueryOptions<'_>,
    expected: &[SceneHit],
) -> bool {
    let is = |found: &[SceneHit], expected: &[SceneHit]| {
        found.iter().map(bits).eq(expected.iter().map(bits))
    };
    let once = QueryOptions { mode: HitMode::OncePerCrossing, ..*options };
    let crossings = brute_hits(scene, ray, options, HitMode::OncePerCrossing);
    let mut nearest = Vec::new();
    scene.nearest_hits_into(ray, 3, options, &mut nearest);
    let even = |hit: &SceneHit| hit.triangle().is_multiple_of(2);
    let filtered: Vec<SceneHit> = expected.iter().filter(|hit| even(hit)).copied().collect();
    let closest = scene.closest_hit_where(ray, options, even);
    is(&scene.all_hits(ray, options), expected)
        && is(&scene.all_hits(ray, &once), &crossings)
        && scene.count_crossings(ray, options) == crossings.len()
        && is(&nearest, &expected[..expected.len().min(3)])
        && closest.as_ref().map(bits) == filtered.first().map(bits)
        && scene.is_occluded_where(ray, options, even) != filtered.is_empty()
}
