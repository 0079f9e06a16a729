//! Rays from inside closed meshes, which must all hit: counts the rays that each engine loses.

use std::collections::HashSet;
use std::path::Path;

use hitscan::glam::Vec3;
use hitscan::{LoadOptions, Ray, TriMesh};
use hitscan_testkit::{Rng, closed_shapes, rays_from_inside};
use rayon::prelude::*;

use crate::Error;
use crate::engines::{Calls, Contender, Engine, Engines};
use crate::options::Options;
use crate::record::{Circumstances, File, PAGE, write};

/// The rays and the lost rays, by kind of target.
#[derive(Clone, Copy, Debug, Default)]
struct Losses {
    aimed: [u64; 2],
    random: [u64; 2],
}

/// Counts the losses of all engines, prints them, and records them on request.
pub(crate) fn compare(options: &Options, files: &[impl AsRef<Path>]) -> Result<(), Error> {
    let engines = Engines::load()?;
    let mut contenders = engines.contenders(|name| options.admits(name), 1);
    let mut has_ours = false;
    // hitscan's default is enough, because all other configurations give the same bits.
    contenders.retain(|contender| {
        let is_first = !(contender.is_ours && std::mem::replace(&mut has_ours, contender.is_ours));
        contender.calls == Calls::Single && is_first
    });
    let (mut in_place, mut moved) = (Vec::new(), Vec::new());
    for _ in &contenders {
        in_place.push(Losses::default());
        moved.push(Losses::default());
    }
    let mut n_meshes = 0;
    for (number, (name, mesh)) in meshes(files)?.into_iter().enumerate() {
        n_meshes += 1;
        let far = far_off(&mesh);
        for repetition in 0..options.reps {
            eprintln!("{name}: {} of {}", repetition + 1, options.reps);
            let seed = 70_000_000 + number as u64 * 1000 + u64::from(repetition);
            count(&contenders, &mesh, seed, &mut in_place)?;
            if let Some(far) = &far {
                count(&contenders, far, seed, &mut moved)?;
            }
        }
    }
    let text = table(&contenders, &in_place, &moved);
    print!("{text}");
    if options.record {
        let circumstances = Circumstances::now(options, engines.versions());
        let mut page =
            circumstances.heading("Rays lost inside closed meshes", ", each with new rays");
        page.push_str(&format!(
            "- {n_meshes} closed meshes; moved: scaled to unit size, at (148376, 1234, -223423), \
             where no triangle loses its area\n\
             - aimed: at every vertex, and the middle and a random point of every edge\n\n"
        ));
        page.push_str(&text);
        let folder =
            write(&circumstances, "-leaks", &[File { name: PAGE.to_owned(), text: page }])?;
        eprintln!("recorded in {}", folder.display());
    }
    Ok(())
}

/// Generated meshes and meshes from files, all closed and without triangles of zero area.
fn meshes(files: &[impl AsRef<Path>]) -> Result<Vec<(String, TriMesh)>, Error> {
    // Coarse meshes keep their areas far from the origin.
    let shapes = closed_shapes(2000).into_iter().chain(closed_shapes(50_000));
    let mut meshes: Vec<_> = shapes.map(|shape| (shape.name, shape.mesh)).collect();
    for path in files {
        let path = path.as_ref();
        let mesh = hitscan::load(path, &LoadOptions::default())?.into_mesh()?;
        if mesh.n_degenerate() > 0 || !is_closed(&mesh) {
            return Err(format!(
                "{}: expected a closed mesh without degenerate triangles: rays may leave this one",
                path.display()
            )
            .into());
        }
        meshes.push((path.display().to_string(), mesh));
    }
    Ok(meshes)
}

/// Whether every edge has one triangle on either side.
fn is_closed(mesh: &TriMesh) -> bool {
    let edges = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    let all: HashSet<[u32; 2]> = mesh.triangles().iter().flat_map(edges).collect();
    all.len() == 3 * mesh.triangles().len() && all.iter().all(|&[a, b]| all.contains(&[b, a]))
}

/// The mesh at unit size far from the origin; `None` if a triangle loses its area there.
fn far_off(mesh: &TriMesh) -> Option<TriMesh> {
    let size = mesh.bounds().extent().max_element();
    let far = Vec3::new(148_376.0, 1_234.0, -223_423.0);
    let positions = mesh.positions().iter().map(|&p| p / size + far);
    let moved = mesh.with_positions(positions).ok()?;
    (moved.n_degenerate() == 0).then_some(moved)
}

/// Adds the losses of each engine on one mesh.
fn count(
    contenders: &[Contender],
    mesh: &TriMesh,
    seed: u64,
    losses: &mut [Losses],
) -> Result<(), Error> {
    // Aimed and random rays alternate.
    let rays = rays_from_inside(mesh, &mut Rng::new(seed));
    for (contender, losses) in contenders.iter().zip(losses) {
        let engine =
            (contender.build)(mesh).map_err(|message| format!("{}: {message}", contender.name))?;
        let hits = closest(&*engine, &rays);
        for pair in hits.chunks(2) {
            for (of_kind, &hit) in [&mut losses.aimed, &mut losses.random].into_iter().zip(pair) {
                of_kind[0] += 1;
                of_kind[1] += u64::from(!hit);
            }
        }
    }
    Ok(())
}

fn closest(engine: &dyn Engine, rays: &[Ray]) -> Vec<bool> {
    let chunks = rays.par_chunks(1 << 14).flat_map_iter(|rays| {
        let mut hits = vec![None; rays.len()];
        engine.closest(rays, &mut hits);
        hits.into_iter().map(|hit| hit.is_some())
    });
    chunks.collect()
}

fn table(contenders: &[Contender], in_place: &[Losses], moved: &[Losses]) -> String {
    let mut text = String::from(
        "| engine | aimed, lost of | random, lost of | moved, aimed | moved, random |\n\
         |---|--:|--:|--:|--:|\n",
    );
    for ((contender, here), there) in contenders.iter().zip(in_place).zip(moved) {
        let cells = [here.aimed, here.random, there.aimed, there.random]
            .map(|[n, lost]| format!("{lost} of {n}"));
        text.push_str(&format!("| {} | {} |\n", contender.name, cells.join(" | ")));
    }
    text
}
