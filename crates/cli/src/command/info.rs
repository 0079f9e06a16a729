//! `hitscan info`: describes a mesh or a scene, and its trees.

use std::io::Write;
use std::time::Duration;

use hitscan::{SameVertex, Topology, TriMesh};
use hitscan_files::Escaped;
use serde::Serialize;

use crate::args::{InfoArgs, ReportFormat};
use crate::exit_code::Outcome;
use crate::loading::{self, timed};
use crate::mesh_facts::MeshFacts;
use crate::mesh_faults::FaultReport;
use crate::messages::readable;
use crate::output::{Target, quoted};
use crate::scene_file;
use crate::scene_info;
use crate::threads;

pub(crate) fn run(args: &InfoArgs) -> anyhow::Result<Outcome> {
    threads::set(args.engine.threads)?;
    if let Some(loaded) = scene_file::load_if_scene(&args.file, &args.engine)? {
        let mut out = Target::open(None)?;
        scene_info::write(args, &loaded, &mut out)?;
        out.finish(&[])?;
        return Ok(Outcome::Done);
    }
    let (loaded, load_time) = timed(|| loading::load(&args.file, &args.engine.limits));
    let mut model = loaded?;
    if args.open_edges {
        return write_faults(args, &model.mesh);
    }
    let (tree, build_time) = timed(|| loading::build(&mut model, &args.engine));
    let info = Info {
        file: args.file.display().to_string(),
        built_from: model.built_from.iter().map(|path| path.display().to_string()).collect(),
        facts: MeshFacts::new(&model.mesh, &tree?, Some(build_time)),
        ignored: model.n_ignored,
        remarks: model.remarks,
        load_ms: load_time.as_secs_f64() * 1e3,
    };
    let mut out = Target::open(None)?;
    if args.report.format() == ReportFormat::Json {
        serde_json::to_writer_pretty(&mut out, &info)?;
        writeln!(out)?;
    } else {
        info.write_text(&mut out)?;
    }
    out.finish(&[])?;
    Ok(Outcome::Done)
}

/// Writes all faults of the mesh, for `--open-edges`.
fn write_faults(args: &InfoArgs, mesh: &TriMesh) -> anyhow::Result<Outcome> {
    let topology = Topology::new(mesh, SameVertex::ByPosition);
    let file = args.file.display().to_string();
    let report = FaultReport::new(&file, mesh, &topology);
    let mut out = Target::open(None)?;
    if args.report.format() == ReportFormat::Json {
        serde_json::to_writer(&mut out, &report)?;
        writeln!(out)?;
    } else {
        report.write_text(&mut out)?;
    }
    out.finish(&[])?;
    Ok(Outcome::Done)
}

#[derive(Debug, Serialize)]
struct Info {
    file: String,
    /// The source files of a cache file, relative to its folder.
    built_from: Vec<String>,
    #[serde(flatten)]
    facts: MeshFacts,
    /// The number of items that the reader skipped or found odd.
    ignored: u64,
    /// A sentence for each kind of skipped or odd item.
    remarks: Vec<String>,
    load_ms: f64,
}

impl Info {
    fn write_text(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "file        {}", Escaped(&self.file))?;
        if !self.built_from.is_empty() {
            let names: Vec<String> = self.built_from.iter().map(|name| quoted(name)).collect();
            writeln!(out, "built from  {}", names.join(", "))?;
        }
        self.facts.write_mesh(out)?;
        writeln!(out, "left out    {}", self.ignored)?;
        for remark in &self.remarks {
            writeln!(out, "            {}", Escaped(remark))?;
        }
        writeln!(out, "loaded in   {}", readable(Duration::from_secs_f64(self.load_ms / 1e3)))?;
        self.facts.write_tree(out)
    }
}
