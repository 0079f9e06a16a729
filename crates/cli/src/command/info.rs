//! `hitscan info`: describes a mesh or a scene, and its trees.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use hitscan_files::Escaped;
use serde::Serialize;

use crate::args::{InfoArgs, ReportFormat};
use crate::info::{MeshFacts, write_faults, write_scene};
use crate::load::{build_tree, load_if_scene, load_mesh, timed};
use crate::messages::{self, readable};
use crate::output::{Target, quoted};
use crate::process::{Outcome, set_threads};

pub(crate) fn run(args: &InfoArgs) -> anyhow::Result<Outcome> {
    set_threads(args.engine.threads)?;
    let mut out = Target::open(None)?;
    if let [file] = args.files.as_slice() {
        out.write_all(&describe(args, file)?)?;
        out.finish(&[])?;
        return Ok(Outcome::Done);
    }
    let is_json = args.report.format() == ReportFormat::Json;
    let (mut n_errors, mut n_written) = (0, 0);
    for file in &args.files {
        match describe(args, file) {
            Ok(report) => {
                let separator: &[u8] = match (is_json, n_written) {
                    (true, 0) => b"[\n",
                    (true, _) => b",\n",
                    (false, 0) => b"",
                    (false, _) => b"\n",
                };
                out.write_all(separator)?;
                out.write_all(report.trim_ascii_end())?;
                if !is_json {
                    out.write_all(b"\n")?;
                }
                out.flush()?;
                n_written += 1;
            }
            Err(error) => {
                messages::error(&error);
                n_errors += 1;
            }
        }
    }
    if is_json {
        out.write_all(if n_written == 0 { b"[]\n" } else { b"\n]\n" })?;
    }
    out.finish(&[])?;
    match n_errors {
        0 => Ok(Outcome::Done),
        n => bail!("info: {n} of {} files have no report; see the errors above", args.files.len()),
    }
}

/// The report of one file, which ends with a line break.
fn describe(args: &InfoArgs, file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut out = Vec::new();
    if let Some(loaded) = load_if_scene(file, &args.engine)? {
        write_scene(args, file, &loaded, &mut out)?;
        return Ok(out);
    }
    let (loaded, load_time) = timed(|| load_mesh(file, &args.engine.limits));
    let mut model = loaded?;
    if args.open_edges {
        let meshes = [(file.display().to_string(), &model.mesh)];
        write_faults(args, &meshes, false, &mut out)?;
        return Ok(out);
    }
    let (tree, build_time) = timed(|| build_tree(&mut model, &args.engine));
    let has_topology = !args.no_topology;
    let info = Info {
        file: file.display().to_string(),
        built_from: model.built_from.iter().map(|path| path.display().to_string()).collect(),
        facts: MeshFacts::new(&model.mesh, &tree?, Some(build_time), has_topology),
        ignored: model.n_ignored,
        remarks: model.remarks,
        load_ms: load_time.as_secs_f64() * 1e3,
    };
    if args.report.format() == ReportFormat::Json {
        serde_json::to_writer_pretty(&mut out, &info)?;
        writeln!(out)?;
    } else {
        info.write_text(&mut out)?;
    }
    Ok(out)
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
