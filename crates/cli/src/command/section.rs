//! `hitscan section`: prints the polylines in which a plane cuts a mesh or a scene.

use hitscan::scene::QueryOptions;

use crate::args::SectionArgs;
use crate::load::load_scene;
use crate::output::{Target, write_section};
use crate::process::{Outcome, set_threads};
use crate::resolved::Section;

pub(crate) fn run(args: &SectionArgs) -> anyhow::Result<Outcome> {
    set_threads(args.engine.threads)?;
    let section = Section::new(args)?;
    let mut out = Target::open(args.output.as_deref())?.keeping(args.clobber.no_clobber)?;
    let loaded = load_scene(&args.file, &args.engine)?;
    let options = QueryOptions { include_locked: true, ..QueryOptions::default() };
    let polylines = loaded.scene.section(&section.plane, &options);
    write_section(&loaded.scene, &section.plane, &polylines, section.format, &mut out)?;
    out.finish(&loaded.files)?;
    Ok(if polylines.is_empty() { Outcome::Nothing } else { Outcome::Done })
}
