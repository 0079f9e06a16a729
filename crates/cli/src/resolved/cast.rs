//! The flags of `cast`.

use std::io::IsTerminal;

use anyhow::{Context, bail};
use hitscan::{Faces, HitMode, Ray};

use super::output::{self, RESULTS};
use crate::args::{CastArgs, OutputFormat};
use crate::field::FieldList;
use crate::query::Query;
use crate::rays::{self, DefaultRange, RayReader, SingleRay};
use crate::stdin;
use crate::table::{TableFormat, TableSource};

/// The work of `cast`.
#[derive(Debug)]
pub(crate) struct Cast {
    pub(crate) query: Query,
    pub(crate) faces: Faces,
    pub(crate) rays: RayInput,
    pub(crate) format: OutputFormat,
    /// The fields of each hit; `None` for those that the format usually has.
    pub(crate) fields: Option<FieldList>,
    /// Whether the results go to a terminal, where a progress bar would disturb them.
    pub(crate) on_terminal: bool,
}

/// The rays of `cast`.
#[derive(Debug)]
pub(crate) enum RayInput {
    /// The ray of the command line.
    Single(Ray),
    /// The rays of a file or of standard input.
    Stream { source: TableSource, format: Option<TableFormat>, range: DefaultRange },
}

impl Cast {
    /// Checks the flags.
    ///
    /// # Errors
    /// An invalid ray or interval, a format that the output cannot have, binary output to a terminal, and a
    /// mesh and rays that are both on standard input.
    pub(crate) fn new(args: &CastArgs) -> anyhow::Result<Self> {
        let output = args.output.as_deref();
        let format = RESULTS.choose(args.format, output)?;
        if stdin::is_stdin(&args.file) && args.rays.as_deref().is_some_and(stdin::is_stdin) {
            bail!("cast: both the mesh and --rays are `-`; expected one of them on standard input");
        }
        if format == OutputFormat::Npz {
            output::check_binary("npz", output)?;
        }
        let query = query(args);
        if args.fields.is_some() && matches!(query, Query::Any | Query::Count) {
            bail!("--fields: --any and --count print no hits; expected --closest or --all");
        }
        Ok(Self {
            query,
            faces: args.faces.into(),
            rays: ray_input(args)?,
            format,
            fields: args.fields.clone(),
            on_terminal: output.is_none() && std::io::stdout().is_terminal(),
        })
    }
}

impl RayInput {
    /// Opens the stream of the rays.
    ///
    /// # Errors
    /// A file that cannot be read or does not start in its format.
    pub(crate) fn open(&self) -> anyhow::Result<Box<dyn RayReader>> {
        match self {
            Self::Single(ray) => Ok(Box::new(SingleRay(Some(*ray)))),
            Self::Stream { source, format, range } => rays::open(source, *format, *range),
        }
    }
}

/// The query of the flags. The command line allows only one.
fn query(args: &CastArgs) -> Query {
    if args.all && args.once {
        Query::All(HitMode::OncePerCrossing)
    } else if args.all {
        Query::All(HitMode::EveryTriangle)
    } else if args.any {
        Query::Any
    } else if args.count {
        Query::Count
    } else {
        Query::Closest
    }
}

fn ray_input(args: &CastArgs) -> anyhow::Result<RayInput> {
    let t_min = args.t_min.unwrap_or(0.0);
    if let Some(path) = &args.rays {
        let range = DefaultRange { t_min, t_max: args.t_max.unwrap_or(f32::INFINITY) };
        if range.t_min.is_nan() || range.t_max.is_nan() || range.t_min > range.t_max {
            bail!("--t-min and --t-max: found {} and {}; expected an interval", t_min, range.t_max);
        }
        let source = TableSource::new(path);
        return Ok(RayInput::Stream { source, format: args.rays_format, range });
    }
    let ray = match (args.from, args.to, args.dir) {
        (Some(from), Some(to), _) => Ray::segment(from, to),
        (Some(from), _, Some(direction)) => Ray::new(from, direction),
        _ => bail!("cast: there is no ray; use --rays, or --from with --to or --dir"),
    };
    let ray = ray.with_range(t_min, args.t_max.unwrap_or(ray.t_max));
    Ok(RayInput::Single(ray.checked().context("the ray is invalid")?))
}
