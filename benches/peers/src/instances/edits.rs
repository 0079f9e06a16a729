//! Edits of a scene of instances.

use std::fmt::Write as _;

use hitscan::generate::SplitMix64;
use hitscan::glam::{DAffine3, DVec3};
use hitscan::scene::{InstanceId, QueryOptions, Scene, WorldRay};

use super::{Both, inserted, instances, ratio, shown};
use crate::Error;
use crate::stats;
use crate::timing::Clock;

/// The most instances that are sent elsewhere, of half of all.
const N_TELEPORTS: usize = 50_000;

/// The most repetitions of an edit of all instances.
const MAX_REPETITIONS: usize = 5;

/// Times edits of both scenes in turn, and queries after the last of them.
pub(super) fn measure(
    mut both: Both,
    random_rays: &[WorldRay],
    n_repetitions: usize,
) -> Result<String, Error> {
    eprintln!("{}: edits", both.scene.name());
    let n_repetitions = n_repetitions.min(MAX_REPETITIONS);
    let n = both.poses.len();
    let mut text =
        "\n| edit | embree ms | hitscan ms (ratio) | hitscan µs each |\n|---|--:|--:|--:|\n"
            .to_owned();

    let times = in_turn(n_repetitions, &mut both, |both, is_ours| {
        if is_ours {
            let clock = Clock::start(1);
            let built = inserted(&both.meshes, &both.poses);
            let seconds = clock.seconds();
            drop(built);
            return Ok(Some(seconds));
        }
        let Some(embree) = &mut both.embree else { return Ok(None) };
        let clock = Clock::start(1);
        embree.rebuild(&both.poses)?;
        Ok(Some(clock.seconds()))
    })?;
    row(&mut text, "insert all", n, &times);
    let one_by_one = (0..n_repetitions).map(|_| {
        let clock = Clock::start(1);
        let mut scene = Scene::new();
        for instance in instances(&both.meshes, &both.poses) {
            scene.insert(instance).expect("poses are invertible");
        }
        clock.seconds()
    });
    row(&mut text, "insert all, one by one", n, &[Vec::new(), one_by_one.collect()]);

    let mut random = SplitMix64::new(5);
    moves(&mut both, n_repetitions, &mut random, &mut text)?;
    let snapshots = (0..n_repetitions).map(|_| {
        let clock = Clock::start(1);
        let snapshot = both.ours.clone();
        let seconds = clock.seconds();
        drop(snapshot);
        seconds
    });
    row(&mut text, "snapshot", 1, &[Vec::new(), snapshots.collect()]);

    teleports(&mut both, random_rays, n_repetitions, &mut random, &mut text);
    Ok(text)
}

/// Moves of one, of some and of all instances.
fn moves(
    both: &mut Both,
    n_repetitions: usize,
    random: &mut SplitMix64,
    text: &mut String,
) -> Result<(), Error> {
    let n = both.poses.len();
    for (name, n_moved) in [("move one", 1), ("move 1 %", n / 100), ("move all", n)] {
        let times = in_turn(n_repetitions, both, |both, is_ours| {
            let mut number = || random.range(-0.1, 0.1);
            let moves = (0..n_moved).map(|i| {
                let step = DVec3::new(number(), number(), number());
                let index = i * (n / n_moved.max(1));
                (index, DAffine3::from_translation(step) * both.poses[index].1)
            });
            both.move_to(&moves.collect::<Vec<_>>(), is_ours)
        })?;
        row(text, name, n_moved, &times);
    }
    let one_by_one = (0..n_repetitions).map(|_| {
        let shift = DAffine3::from_translation(DVec3::X * random.range(-0.1, 0.1));
        let moves = both.poses.iter().map(|&(_, pose)| shift * pose).enumerate();
        let moves: Vec<_> = moves.collect();
        let clock = Clock::start(1);
        move_each(&mut both.ours, &both.ids, &moves);
        clock.seconds()
    });
    let one_by_one = one_by_one.collect();
    row(text, "move all, one by one", n, &[Vec::new(), one_by_one]);
    Ok(())
}

/// Sends instances elsewhere one by one, and then times queries.
fn teleports(
    both: &mut Both,
    random_rays: &[WorldRay],
    n_repetitions: usize,
    random: &mut SplitMix64,
    text: &mut String,
) {
    let n = both.poses.len();
    let elsewhere = both.scene.poses(&meshes(both), random);
    let n_moved = N_TELEPORTS.min(n / 2);
    let moves = (0..n_moved).map(|i| {
        let index = i * (n / n_moved.max(1));
        (index, elsewhere[index].1)
    });
    let moves: Vec<_> = moves.collect();
    let clock = Clock::start(1);
    move_each(&mut both.ours, &both.ids, &moves);
    let name = format!("{n_moved} teleports");
    row(text, &name, n_moved, &[Vec::new(), vec![clock.seconds()]]);
    for &(index, pose) in &moves {
        both.poses[index].1 = pose;
    }
    text.push_str(&both.after_teleports(random_rays, n_repetitions));
}

fn meshes(both: &Both) -> Vec<hitscan::TriMesh> {
    both.meshes.iter().map(|mesh| mesh.tri_mesh().clone()).collect()
}

fn move_each(scene: &mut Scene, ids: &[InstanceId], moves: &[(usize, DAffine3)]) {
    for &(index, pose) in moves {
        scene.set_transform(ids[index], pose).expect("poses are invertible");
    }
}

impl Both {
    fn move_to(
        &mut self,
        moves: &[(usize, DAffine3)],
        is_ours: bool,
    ) -> Result<Option<f64>, Error> {
        let clock = Clock::start(1);
        if is_ours {
            let moves = moves.iter().map(|&(index, pose)| (self.ids[index], pose));
            self.ours.set_transforms(moves)?;
        } else if let Some(embree) = &mut self.embree {
            embree.move_all(moves.iter().copied())?;
        } else {
            return Ok(None);
        }
        Ok(Some(clock.seconds()))
    }

    /// Random rays in the scene of these edits and in a new one with the same places.
    fn after_teleports(&self, rays: &[WorldRay], n_repetitions: usize) -> String {
        let (fresh, _) = inserted(&self.meshes, &self.poses);
        let query = QueryOptions::default();
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..n_repetitions {
            for (scene, times) in [&self.ours, &fresh].into_iter().zip(&mut times) {
                let clock = Clock::start(1);
                for ray in rays {
                    std::hint::black_box(scene.closest_hit(ray, &query));
                }
                times.push(clock.seconds());
            }
        }
        format!(
            "\nRandom rays then take {} of the time in a scene of the same instances inserted at once.\n",
            shown(ratio(&times[0], &times[1])),
        )
    }
}

/// The seconds of Embree and of hitscan, by repetition.
fn in_turn(
    n_repetitions: usize,
    both: &mut Both,
    mut edit: impl FnMut(&mut Both, bool) -> Result<Option<f64>, Error>,
) -> Result<[Vec<f64>; 2], Error> {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..n_repetitions {
        for turn in 0..2 {
            let engine = (turn + round) % 2;
            times[engine].extend(edit(both, engine == 1)?);
        }
    }
    Ok(times)
}

fn row(text: &mut String, name: &str, n: usize, [theirs, ours]: &[Vec<f64>; 2]) {
    let ms = |times: &[f64]| 1e3 * stats::median(times);
    let (theirs_ms, ratio) = if theirs.is_empty() {
        (String::new(), String::new())
    } else {
        (format!("{:.3}", ms(theirs)), format!(" ({})", shown(ratio(theirs, ours))))
    };
    let each = 1e3 * ms(ours) / n.max(1) as f64;
    let _ = writeln!(text, "| {name} | {theirs_ms} | {:.3}{ratio} | {each:.2} |", ms(ours));
}
