//! The flags of `points`.

use std::path::{Path, PathBuf};

use anyhow::bail;
use hitscan::TriMesh;

use super::output::{self, POINTS};
use crate::args::{OutputFormat, PointsArgs};
use crate::load::stdin;
use crate::points::{self, PointReader, VertexPoints};
use crate::table::{Decimal, Number, SingleRow, TableFormat, TableSource};

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
    Single([Decimal; 3]),
    /// The vertices of a mesh or scene.
    Mesh(PathBuf),
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
        let (format, on_terminal) = output::of_results(&POINTS, args.format, args.json, output)?;
        if stdin::is_stdin(&args.file) && args.points.as_deref().is_some_and(stdin::is_stdin) {
            bail!(
                "points: both the mesh and --points are `-`; expected one of them on standard input"
            );
        }
        let points = match (&args.points, args.at) {
            (Some(path), _) if args.points_format.is_none() && is_mesh(path) => {
                PointInput::Mesh(path.clone())
            }
            (Some(path), _) => {
                PointInput::Stream { source: TableSource::new(path), format: args.points_format }
            }
            (None, Some(point)) => PointInput::Single(point),
            (None, None) => bail!("points: there is no point; use --points or --at"),
        };
        Ok(Self { points, format, on_terminal })
    }
}

impl PointInput {
    /// Opens the stream of the points. `load` reads a mesh.
    ///
    /// # Errors
    /// A file that cannot be read or does not start in its format.
    pub(crate) fn open(
        &self,
        load: impl FnOnce(&Path) -> anyhow::Result<TriMesh>,
    ) -> anyhow::Result<Box<PointReader>> {
        match self {
            Self::Mesh(path) => Ok(Box::new(VertexPoints::new(&load(path)?))),
            Self::Single(point) => {
                Ok(Box::new(SingleRow(Some((Ok(point.map(f32::of)), point.map(f64::of))))))
            }
            Self::Stream { source, format } => points::open(source, *format),
        }
    }
}

/// Whether a name is that of a mesh or scene, compressed or not.
fn is_mesh(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    const MESHES: [&str; 7] = ["obj", "stl", "ply", "glb", "gltf", "toml", "hitscan"];
    name.rsplit_once('.').is_some_and(|(_, extension)| MESHES.contains(&extension))
}
