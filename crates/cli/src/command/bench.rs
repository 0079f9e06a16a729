//! `hitscan bench`: measures loading, building and queries.

use std::io::Write;
use std::path::PathBuf;

use hitscan::MeshBvh;
use hitscan::primitives::brute_force::BruteForce;
use hitscan::scene::{QueryOptions, SceneBruteForce};

use crate::args::{BenchArgs, EngineArgs, ReportFormat};
use crate::bench::{
    Comparison, Measured, Report, Spread, StageTimes, Workload, repeated, scene_workloads,
    workloads,
};
use crate::load::{
    LoadTimes, LoadedScene, Model, build_tree, load_if_scene, load_mesh, load_scene, stdin, timed,
};
use crate::messages;
use crate::output::Target;
use crate::process::{Outcome, set_threads};
use crate::query::{RayCaster, SceneCaster, SceneScan};

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<Outcome> {
    set_threads(args.engine.threads)?;
    // Errors in the earlier run and in the output show before the long measurement.
    let before = args.baseline.as_deref().map(Comparison::read).transpose()?;
    let keep = args.clobber.no_clobber;
    let save =
        args.save.as_deref().map(|path| Target::open(Some(path))?.keeping(keep)).transpose()?;
    let (report, mut inputs) = match load_if_scene(&args.file, &args.engine)? {
        Some(loaded) => {
            let files = loaded.files.clone();
            (report_of_scene(args, loaded)?, files)
        }
        None => report_of_mesh(args)?,
    };
    inputs.extend(args.baseline.clone());
    let compared = before.as_ref().zip(args.baseline.as_deref());
    let tolerance = args.tolerance / 100.0;
    let compared = compared
        .map(|(before, path)| Comparison::new(before, &report, path, tolerance))
        .transpose()?;
    if let Some(mut save) = save {
        serde_json::to_writer_pretty(&mut save, &report)?;
        writeln!(save)?;
        save.finish(&inputs)?;
    }
    let mut out = Target::open(None)?;
    if args.report.format() == ReportFormat::Json {
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    } else {
        report.write_text(&mut out)?;
    }
    out.finish(&[])?;
    let Some(compared) = compared else { return Ok(Outcome::Done) };
    if args.report.format() == ReportFormat::Text {
        let mut out = Target::open(None)?;
        compared.write_text(&mut out)?;
        out.finish(&[])?;
    }
    Ok(if compared.is_slower() { Outcome::Nothing } else { Outcome::Done })
}

fn report_of_mesh(args: &BenchArgs) -> anyhow::Result<(Report, Vec<PathBuf>)> {
    // Standard input can be read only once.
    let once = stdin::is_stdin(&args.file);
    let (mut model, [load]) = repeated(once, || {
        let (model, time) = timed(|| load_mesh(&args.file, &args.engine.limits));
        Ok((model?, [time]))
    })?;
    let (tree, build) = build(&mut model, &args.engine)?;
    let Model { mesh, files, .. } = &model;
    let workloads = workloads(mesh, &tree, args.rays as usize, args.seed);
    let n = mesh.triangles().len();
    let measured = measure(&tree, &BruteForce::new(mesh), n, &workloads)?;
    Ok((report(args, None, n, tree.isa().name(), [load, build], measured), files.clone()))
}

/// Builds the tree several times. That of a cache file is only taken.
fn build(model: &mut Model, engine: &EngineArgs) -> anyhow::Result<(MeshBvh, Spread)> {
    let is_cached = model.tree.is_some();
    let (tree, [build]) = repeated(is_cached, || {
        let (tree, time) = timed(|| build_tree(model, engine));
        Ok((tree?, [time]))
    })?;
    Ok((tree, build))
}

fn report_of_scene(args: &BenchArgs, loaded: LoadedScene) -> anyhow::Result<Report> {
    let mut first = Some(loaded);
    let (loaded, stages) = repeated(stdin::is_stdin(&args.file), || {
        let loaded = match first.take() {
            Some(loaded) => loaded,
            None => load_scene(&args.file, &args.engine)?,
        };
        let LoadTimes { reading, building } = loaded.times;
        Ok((loaded, [reading, building]))
    })?;
    let scene = &loaded.scene;
    let meshes = scene.iter().filter_map(|(_, instance)| instance.mesh.as_ref());
    let n = meshes.map(|mesh| mesh.tri_mesh().triangles().len()).sum();
    let isa = loaded.meshes.first().map_or("none", |loaded| loaded.mesh.bvh().isa().name());
    let workloads = scene_workloads(scene, args.rays as usize, args.seed);
    let options = QueryOptions::default();
    let scan = SceneScan { scan: SceneBruteForce::new(scene), options };
    let measured = measure(&SceneCaster { scene, options }, &scan, n, &workloads)?;
    Ok(report(args, Some(scene.len()), n, isa, stages, measured))
}

fn measure<T: RayCaster>(
    target: &T,
    scan: &impl RayCaster<Ray = T::Ray>,
    n_triangles: usize,
    workloads: &[Workload<T::Ray>],
) -> anyhow::Result<Vec<Measured>> {
    let bar = messages::counter("measuring", Some(workloads.len() as u64));
    let mut measured = Vec::new();
    for workload in workloads {
        measured.push(Measured::new(target, scan, n_triangles, workload)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(measured)
}

/// The report, with the stages in seconds.
fn report(
    args: &BenchArgs,
    instances: Option<usize>,
    triangles: usize,
    isa: &str,
    stages: [Spread; 2],
    workloads: Vec<Measured>,
) -> Report {
    let [load_ms, build_ms] = stages.map(|stage| stage.scaled(1e3));
    Report {
        file: args.file.display().to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        instances,
        triangles,
        rays: args.rays,
        seed: args.seed,
        threads: rayon::current_num_threads(),
        isa: isa.to_owned(),
        load_ms: load_ms.median,
        build_ms: build_ms.median,
        spread: StageTimes { load_ms, build_ms },
        workloads,
    }
}
