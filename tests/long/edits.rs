//! Trees that follow edits, against brute force.

use hitscan::{BuildOptions, BuildQuality, Isa, Layout, MeshBvh, TriMesh, generate};
use hitscan_testkit::{Rng, Shape, closed_shapes, hard_rays, soup};

use crate::asking::Expected;
use crate::editing::{edit, other_difference};
use crate::tally::{Part, Tally};

const MESHES: usize = 20;
const EDITS: usize = 2000;
const RAYS: usize = 200;
/// Of each of four kinds.
const OTHERS: usize = 5;

/// A mesh that is edited 2000 times, and sometimes undone.
pub(crate) fn edits() -> Part {
    Part {
        name: "edits",
        promise: "a tree that follows random edits and their undoing is valid, and has every answer of brute force: \
                  rays, closest points, boxes, balls along rays, sections; seeds from 80,000,000 on",
        n_units: MESHES,
        run: Box::new(|unit| {
            let seed = 80_000_000 + unit as u64;
            let mut rng = Rng::new(seed);
            let Shape { name, mut mesh } = mesh_of(unit, &mut rng);
            let quality = BuildQuality::ALL[unit % BuildQuality::ALL.len()];
            let layout = Layout::ALL[unit % Layout::ALL.len()];
            let isa = rng.pick(&Isa::available());
            let mut bvh = MeshBvh::build(&mesh, &BuildOptions { quality, layout, isa });
            let mut tally = Tally::of_mesh([&bvh]);
            for step in 0..EDITS {
                let before = mesh.clone();
                let (how, change) = edit(&mut mesh, &mut rng);
                let context = |tail: &str| format!("{name} {how}{tail} (seed {seed}, step {step})");
                bvh.update(&mesh, &change)
                    .unwrap_or_else(|error| panic!("{}: {error}", context("")));
                check(&mesh, &bvh, &mut rng, &mut tally, || context(""));
                if rng.one_in(4) {
                    mesh = before;
                    let undone = bvh.update(&mesh, &change.inverse());
                    undone.unwrap_or_else(|error| panic!("{}: {error}", context(", undone")));
                    check(&mesh, &bvh, &mut rng, &mut tally, || context(", undone"));
                }
            }
            tally
        }),
    }
}

fn mesh_of(unit: usize, rng: &mut Rng) -> Shape {
    match unit % 3 {
        0 => closed_shapes(200).swap_remove(unit % 8),
        1 => soup(rng, 300),
        _ => {
            let mesh = generate::city(200, unit as u64).expect("an ordinary size");
            Shape { name: "city".into(), mesh }
        }
    }
}

fn check(
    mesh: &TriMesh,
    bvh: &MeshBvh,
    rng: &mut Rng,
    tally: &mut Tally,
    context: impl Fn() -> String,
) {
    if let Err(broken) = bvh.validate(mesh) {
        tally.wrong(|| format!("{}: {broken}", context()));
    }
    let rays = hard_rays(mesh, RAYS, rng);
    tally.n_rays += rays.len() as u64;
    tally.n_hits +=
        rays.iter().filter(|ray| bvh.is_occluded(ray, hitscan::Faces::Both)).count() as u64;
    if let Some(difference) = Expected::new(mesh, &rays).single_difference(bvh) {
        tally.wrong(|| format!("{}: {difference}", context()));
    }
    for ray in &rays[..OTHERS.min(rays.len())] {
        if let Some(query) = other_difference(mesh, bvh, ray, rng) {
            tally.wrong(|| format!("{}: {query} of {ray:?}", context()));
        }
    }
}
