//! The flags of `points`.

use std::io::IsTerminal;

use anyhow::bail;

use super::output::{self, POINTS};
use crate::args::{OutputFormat, PointsArgs};
use crate::points::{self, PointReader, SinglePoint};
use crate::stdin;
use crate::table::{TableFormat, TableSource};

/// The work of `points`.
#[derive(Debug)]
pub(crate) struct Points {
    pub(crate) points: PointInput,
    pub(crate) format: OutputFormat,
    /// Whether the results go to a terminal, where a progress bar would disturb them.
    pub(crate) on_terminal: bool,
}

/// The points of `points`.
#[derive(Debug)]
pub(crate) enum PointInput {
    /// The point of the command line.
    Single([f32; 3]),
    /// The points of a file or of standard input.
    Stream { source: TableSource, format: Option<TableFormat> },
}

impl Points {
    /// Checks the flags.
    ///
    /// # Errors
    /// A format that the output cannot have, binary output to a terminal, and a mesh and points that are
    /// both on standard input.
    pub(crate) fn new(args: &PointsArgs) -> anyhow::Result<Self> {
        let output = args.output.as_deref();
        let format = POINTS.choose(args.format, output)?;
        if stdin::is_stdin(&args.file) && args.points.as_deref().is_some_and(stdin::is_stdin) {
            bail!(
                "points: both the mesh and --points are `-`; expected one of them on standard input"
            );
        }
        if format == OutputFormat::Npz {
            output::check_binary("npz", output)?;
        }
        let points = match (&args.points, args.at) {
            (Some(path), _) => {
                PointInput::Stream { source: TableSource::new(path), format: args.points_format }
            }
            (None, Some(point)) => PointInput::Single(point),
            (None, None) => bail!("points: there is no point; use --points or --at"),
        };
        let on_terminal = output.is_none() && std::io::stdout().is_terminal();
        Ok(Self { points, format, on_terminal })
    }
}

impl PointInput {
    /// Opens the stream of the points.
    ///
    /// # Errors
    /// A file that cannot be read or does not start in its format.
    pub(crate) fn open(&self) -> anyhow::Result<Box<dyn PointReader>> {
        match self {
            Self::Single(point) => Ok(Box::new(SinglePoint(Some(*point)))),
            Self::Stream { source, format } => points::open(source, *format),
        }
    }
}
