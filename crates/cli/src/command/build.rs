//! `hitscan build`: writes a cache file.

use std::time::Duration;

use hitscan::cache;

use crate::args::BuildArgs;
use crate::exit_code::Outcome;
use crate::loading::{self, timed};
use crate::messages::{self, readable};
use crate::output::Target;
use crate::resolved::check_cache_name;
use crate::threads;

pub(crate) fn run(args: &BuildArgs) -> anyhow::Result<Outcome> {
    check_cache_name(&args.output)?;
    threads::set(args.engine.threads)?;
    // Errors in the output show before the long read of the mesh.
    let mut target = Target::open(Some(&args.output))?;
    let (built, time) = timed(|| loading::build_for_cache(&args.file, &args.output, &args.engine));
    let (built, inputs) = built?;
    cache::write(&built, &mut target)?;
    target.finish(&inputs)?;
    print_summary(&built, time);
    Ok(Outcome::Done)
}

fn print_summary(built: &cache::BuiltMesh, time: Duration) {
    let stats = built.bvh.stats();
    messages::line(format_args!(
        "{} triangles, a tree of {} nodes and {} bytes, read and built in {}",
        stats.n_triangles,
        stats.n_nodes,
        stats.bytes,
        readable(time)
    ));
}
