//! `hitscan report`: what a report of a mistake needs, without names.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::ControlFlow;

use anyhow::Context;
use hitscan::glam::DVec3;
use hitscan::{CandidateRay, Faces, Format, Hit, Isa, MeshBvh, Ray, TriMesh, brute_force};
use indicatif::BinaryBytes;
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::args::IssueArgs;
use crate::info::MeshFacts;
use crate::load::{build_tree, load_mesh_quietly, timed};
use crate::output::{Target, write_mesh};
use crate::process::{Outcome, set_threads};
use crate::table::Decimal;

/// How far from the ray a triangle still counts as near, in sizes of the mesh.
const NEAR: f64 = 1e-4;

pub(crate) fn run(args: &IssueArgs) -> anyhow::Result<Outcome> {
    set_threads(args.engine.threads)?;
    let mut out = Target::open(None)?;
    write_machine(&mut out)?;
    // They help even if the file is refused.
    out.flush()?;
    let mut model = load_mesh_quietly(&args.file, &args.engine.limits)?;
    let (tree, build_time) = timed(|| build_tree(&mut model, &args.engine));
    let (mesh, tree) = (&model.mesh, tree?);
    let facts = MeshFacts::new(mesh, &tree, Some(build_time), true);
    facts.write_counts(&mut out)?;
    facts.write_shape(&mut out)?;
    writeln!(out, "left out    {}", model.n_ignored)?;
    facts.write_tree(&mut out)?;
    let agree = match ray(args, mesh)? {
        None => true,
        Some(ray) => write_ray(args, mesh, &tree, &ray, &mut out)?,
    };
    out.finish(&model.files)?;
    Ok(if agree { Outcome::Done } else { Outcome::Nothing })
}

/// Writes the version, the system and the processor.
fn write_machine(out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "hitscan     {}", env!("CARGO_PKG_VERSION"))?;
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    writeln!(
        out,
        "system      {} on {}, {} threads, {}",
        std::env::consts::OS,
        std::env::consts::ARCH,
        std::thread::available_parallelism().map_or(1, usize::from),
        BinaryBytes(System::new_with_specifics(memory).total_memory())
    )?;
    let isas: Vec<_> = Isa::available().into_iter().map(Isa::name).collect();
    writeln!(out, "processor   {}", isas.join(", "))
}

/// The ray of the flags, in the space of the mesh.
fn ray(args: &IssueArgs, mesh: &TriMesh) -> anyhow::Result<Option<Ray>> {
    let (Some(from), Some(aim)) = (args.aim.from, args.aim.to.or(args.aim.dir)) else {
        return Ok(None);
    };
    // A mesh without an offset takes the decimals as `cast` does, rounded once.
    let local = |point: [Decimal; 3]| match mesh.offset() {
        DVec3::ZERO => point.map(|x| x.single),
        offset => (DVec3::from(point.map(|x| x.double)) - offset).as_vec3().to_array(),
    };
    let ray = match args.aim.to {
        Some(_) => Ray::segment(local(from), local(aim)),
        None => Ray::new(local(from), aim.map(|x| x.single)),
    };
    let ray = ray.with_range(args.t_min.map_or(ray.t_min, |t| t.single), ray.t_max);
    Ok(Some(ray.checked().context("the ray is invalid")?))
}

/// Writes a ray, its hit by the tree and by brute force, and the corners of both. Returns whether they agree.
fn write_ray(
    args: &IssueArgs,
    mesh: &TriMesh,
    tree: &MeshBvh,
    ray: &Ray,
    out: &mut Target,
) -> anyhow::Result<bool> {
    writeln!(out, "ray         from {}", numbers(&ray.origin.to_array()))?;
    writeln!(out, "            along {}", numbers(&ray.direction.to_array()))?;
    writeln!(out, "            t from {} to {}", number(ray.t_min), number(ray.t_max))?;
    let found = tree.closest_hit(ray, Faces::Both);
    let expected = brute_force::closest_hit(mesh, ray, Faces::Both);
    write_hit(out, mesh, "tree        ", found)?;
    write_hit(out, mesh, "brute force ", expected)?;
    let agree = found.as_ref().map(Hit::to_bits) == expected.as_ref().map(Hit::to_bits);
    let answer = if agree { "yes, every bit" } else { "NO" };
    writeln!(out, "equal       {answer}")?;
    if let Some(path) = &args.mesh {
        let hit = [found, expected].into_iter().flatten().map(|hit| hit.triangle);
        let small = near(mesh, tree, ray, hit)?;
        let mut target = Target::open(Some(path))?.keeping(args.clobber.no_clobber)?;
        write_mesh(&small, &[], Format::Obj, &mut target)?;
        target.finish(&[])?;
        let again = brute_force::closest_hit(&small, ray, Faces::Both);
        let place = |hit: Hit| [hit.t, hit.u, hit.v].map(f32::to_bits);
        let same = again.map(place) == expected.map(place);
        writeln!(
            out,
            "small mesh  {} triangles; its hit has {} t, u, v",
            small.triangles().len(),
            if same { "the same" } else { "other" }
        )?;
    }
    Ok(agree)
}

fn write_hit(
    out: &mut Target,
    mesh: &TriMesh,
    what: &str,
    hit: Option<Hit>,
) -> std::io::Result<()> {
    let Some(hit) = hit else { return writeln!(out, "{what}no hit") };
    let (t, uv) = (number(hit.t), numbers(&[hit.u, hit.v]));
    writeln!(out, "{what}triangle {}, t {t}, u v {uv}", hit.triangle)?;
    for vertex in mesh.triangles()[hit.triangle as usize] {
        let corner = mesh.positions()[vertex as usize].to_array();
        writeln!(out, "            corner {}", numbers(&corner))?;
    }
    Ok(())
}

/// The triangles near the ray, and all that share a corner with one of those that were hit.
fn near(
    mesh: &TriMesh,
    tree: &MeshBvh,
    ray: &Ray,
    hit: impl Iterator<Item = u32>,
) -> anyhow::Result<TriMesh> {
    let corners = |triangle: u32| mesh.triangles()[triangle as usize];
    let hit: BTreeSet<u32> = hit.flat_map(corners).collect();
    let touches = |&triangle: &u32| corners(triangle).iter().any(|vertex| hit.contains(vertex));
    let mut chosen: BTreeSet<u32> = (0..mesh.triangles().len() as u32).filter(touches).collect();
    let bounds = mesh.bounds();
    let candidates = CandidateRay {
        origin: ray.origin.as_dvec3(),
        direction: ray.direction.as_dvec3(),
        t_min: ray.t_min.into(),
        t_max: ray.t_max.into(),
        tolerance: NEAR * f64::from((bounds.max - bounds.min).max_element()),
    };
    let _: ControlFlow<()> = tree.visit_candidates(&candidates, |triangle, _| {
        chosen.insert(triangle);
        ControlFlow::Continue(f64::INFINITY)
    });
    let mut new_index = BTreeMap::new();
    let mut positions = Vec::new();
    let triangles = chosen.iter().map(|&triangle| {
        corners(triangle).map(|vertex| {
            *new_index.entry(vertex).or_insert_with(|| {
                positions.push(mesh.positions()[vertex as usize].to_array());
                positions.len() as u32 - 1
            })
        })
    });
    let triangles = triangles.collect();
    Ok(TriMesh::new(positions, triangles)?)
}

fn number(x: f32) -> String {
    format!("{x} ({:08x})", x.to_bits())
}

fn numbers(all: &[f32]) -> String {
    all.iter().map(|&x| number(x)).collect::<Vec<_>>().join(", ")
}
