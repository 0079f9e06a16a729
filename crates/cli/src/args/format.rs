//! The output formats that flags name.

use clap::{Args as ClapArgs, ValueEnum};

/// The formats of the results of rays and points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Text for people.
    Text,
    /// One JSON object per ray or point, one per line.
    #[value(aliases = ["jsonl", "json"])]
    Ndjson,
    /// Comma-separated values, one row per hit or point.
    Csv,
    /// NumPy arrays with the names of Open3D.
    Npz,
}

/// The formats of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineFormat {
    /// Text for people.
    Text,
    /// One JSON object per element, one per line.
    #[value(aliases = ["jsonl", "json"])]
    Ndjson,
}

/// The format of elements.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct LineFormatArgs {
    /// Write the results in this format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LineFormat::Text)]
    format: LineFormat,

    /// Same as --format ndjson: one JSON object per element.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl LineFormatArgs {
    /// The format of the two flags.
    pub(crate) fn format(self) -> LineFormat {
        if self.json { LineFormat::Ndjson } else { self.format }
    }
}

/// The formats of a report on one mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text for people.
    Text,
    /// One JSON object.
    Json,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct ReportArgs {
    /// Print the report in this format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text)]
    format: ReportFormat,

    /// Same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// Whether an output may replace a file.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct ClobberArg {
    /// Refuse to replace a file: an error, and nothing is written.
    #[arg(long)]
    pub(crate) no_clobber: bool,
}

impl ReportArgs {
    /// The format of the two flags.
    pub(crate) fn format(self) -> ReportFormat {
        if self.json { ReportFormat::Json } else { self.format }
    }
}
