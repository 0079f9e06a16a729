//! `hitscan check`: compares every instruction set, builder, layout, query and batch with brute force.

use std::io::Write;

use crate::args::{CheckArgs, EngineArgs, ReportFormat};
use crate::check::{MeshSubject, SceneSubject, check};
use crate::load::{RayTarget, load_for_rays};
use crate::output::Target;
use crate::process::{Outcome, set_threads};

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    set_threads(args.threads)?;
    let report = match load_for_rays(&args.file, &EngineArgs::with_limits(args.limits))? {
        RayTarget::Scene(loaded) => {
            let reference = loaded.scene.clone();
            check(SceneSubject::new(*loaded, &reference, args), args)?
        }
        RayTarget::Mesh(mut model) => check(MeshSubject::new(&mut model, args)?, args)?,
    };
    let mut out = Target::open(None)?;
    if args.report.format() == ReportFormat::Json {
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    } else {
        report.write_text(&mut out)?;
    }
    out.finish(&[])?;
    Ok(if report.is_clean() { Outcome::Done } else { Outcome::Nothing })
}
