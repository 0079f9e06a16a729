//! The flags of `cast`.

use anyhow::{Context, bail};
use hitscan::scene::WorldRay;
use hitscan::{Faces, HitMode, Ray, SphereCast};

use super::output::{self, RESULTS};
use crate::args::{CastArgs, FieldList, OutputFormat};
use crate::load::stdin;
use crate::query::Query;
use crate::rays::{self, DefaultRange, RayReader};
use crate::table::{Decimal, Number, SingleRow, TableFormat, TableSource};

/// The work of `cast`.
#[derive(Debug)]
pub(crate) struct Cast {
    pub(crate) query: Query,
    pub(crate) faces: Faces,
    /// The radius of the balls to cast along the rays; `None` for rays.
    pub(crate) radius: Option<f64>,
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
    Single(Ray, WorldRay),
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
        let (format, on_terminal) = output::of_results(&RESULTS, args.format, args.json, output)?;
        if stdin::is_stdin(&args.file) && args.rays.as_deref().is_some_and(stdin::is_stdin) {
            bail!("cast: both the mesh and --rays are `-`; expected one of them on standard input");
        }
        let query = query(args);
        if args.fields.is_some() && matches!(query, Query::Any | Query::Count) {
            bail!("--fields: --any and --count print no hits; expected --closest or --all");
        }
        let rays = ray_input(args)?;
        let radius = args.radius.map(f64::of);
        if let Some(radius) = radius {
            let ray = match &rays {
                RayInput::Single(_, world) => *world,
                // Those of a file are checked one by one.
                RayInput::Stream { .. } => WorldRay::new([0.0; 3], [1.0, 0.0, 0.0]),
            };
            SphereCast::new(ray, radius).context("--radius")?;
        }
        Ok(Self {
            query,
            faces: args.faces.into(),
            radius,
            rays,
            format,
            fields: args.fields.clone(),
            on_terminal,
        })
    }
}

impl RayInput {
    /// Opens the stream of the rays.
    ///
    /// # Errors
    /// A file that cannot be read or does not start in its format.
    pub(crate) fn open(&self) -> anyhow::Result<Box<RayReader>> {
        match self {
            Self::Single(ray, world) => {
                Ok(Box::new(SingleRow(Some((ray.checked().context("the ray is invalid"), *world)))))
            }
            Self::Stream { source, format, range } => rays::open(source, *format, *range),
        }
    }
}

/// The query of the flags. The command line allows only one.
fn query(args: &CastArgs) -> Query {
    if args.all && args.once_per_crossing {
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
    let t_min = args.t_min.unwrap_or(0.0.into());
    let infinite = Decimal::from(f32::INFINITY);
    if let Some(path) = &args.rays {
        let range = DefaultRange { t_min, t_max: args.t_max.unwrap_or(infinite) };
        let [low, high] = [t_min, range.t_max].map(f64::of);
        if low.is_nan() || high.is_nan() || low > high {
            bail!("--t-min and --t-max: found {low} and {high}; expected an interval");
        }
        let source = TableSource::new(path);
        return Ok(RayInput::Stream { source, format: args.rays_format, range });
    }
    let (Some(from), Some(end)) = (args.aim.from, args.aim.to.or(args.aim.dir)) else {
        bail!("cast: there is no ray; use --rays, or --from with --to or --dir");
    };
    let (singles, doubles) =
        ([from, end].map(|v| v.map(f32::of)), [from, end].map(|v| v.map(f64::of)));
    let (ray, world) = match args.aim.to {
        Some(_) => {
            (Ray::segment(singles[0], singles[1]), WorldRay::segment(doubles[0], doubles[1]))
        }
        None => (Ray::new(singles[0], singles[1]), WorldRay::new(doubles[0], doubles[1])),
    };
    let t_max = args.t_max.unwrap_or(ray.t_max.into());
    let ray = ray.with_range(f32::of(t_min), f32::of(t_max));
    let world = world.with_range(f64::of(t_min), f64::of(t_max));
    Ok(RayInput::Single(ray, world.checked().context("the ray is invalid")?))
}
