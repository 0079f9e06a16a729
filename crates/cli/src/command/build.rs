//! `hitscan build`: writes a cache file.

use std::time::Duration;

use hitscan::cache;

use crate::args::BuildArgs;
use crate::engine;
use crate::exit_code::Outcome;
use crate::loading::{self, timed};
use crate::messages::{self, readable};
use crate::output::Target;

pub(crate) fn run(args: &BuildArgs) -> anyhow::Result<Outcome> {
    engine::set_threads(args.engine.threads)?;
    // What can be wrong with the output is known before the mesh is read.
    let mut target = Target::open(Some(&args.output))?;
    let (built, time) = timed(|| loading::build_for_cache(&args.file, &args.output, &args.engine));
    let (built, inputs) = built?;
    cache::write(&built, &mut target)?;
    target.finish(&inputs)?;
    tell(&built, time);
    Ok(Outcome::Done)
}

fn tell(built: &cache::BuiltMesh, time: Duration) {
    let stats = built.bvh.stats();
    messages::line(format_args!(
        "{} triangles, a tree of {} nodes and {} bytes, read and built in {}",
        stats.n_triangles,
        stats.n_nodes,
        stats.bytes,
        readable(time)
    ));
}
