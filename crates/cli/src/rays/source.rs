//! Where rays come from, and in which format.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::{DefaultRange, RayFormat, RayReader, csv, ndjson, npy};

/// A file or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RaySource {
    Stdin,
    File(PathBuf),
}

impl RaySource {
    /// `-` is standard input.
    pub(crate) fn new(path: &Path) -> Self {
        if path == Path::new("-") { Self::Stdin } else { Self::File(path.to_owned()) }
    }
}

impl fmt::Display for RaySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("<stdin>"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// How many bytes are looked at to find a format.
const PEEK: u64 = 256;

/// Opens a stream of rays.
///
/// The format is the one given, or else that of the file's extension, or else what the first bytes
/// look like.
///
/// # Errors
/// A file that cannot be read, or a beginning that does not fit the format.
pub(crate) fn open(
    source: &RaySource,
    format: Option<RayFormat>,
    range: DefaultRange,
) -> anyhow::Result<Box<dyn RayReader>> {
    let (input, known): (Box<dyn Read>, _) = match source {
        RaySource::Stdin => (Box::new(io::stdin()), None),
        RaySource::File(path) => {
            (Box::new(open_file(path)?), path.extension().and_then(|e| format_of(e.to_str()?)))
        }
    };
    from_reader(input, source.to_string(), format.or(known), range)
}

/// A stream of rays from bytes; `name` stands for their file in errors.
///
/// Without a format, what the first bytes look like.
///
/// # Errors
/// Bytes that cannot be read, or a beginning that does not fit the format.
pub fn from_reader(
    mut input: impl Read + 'static,
    name: String,
    format: Option<RayFormat>,
    range: DefaultRange,
) -> anyhow::Result<Box<dyn RayReader>> {
    let mut start = Vec::new();
    input
        .by_ref()
        .take(PEEK)
        .read_to_end(&mut start)
        .with_context(|| format!("cannot read {name}"))?;
    let format = match format {
        Some(format) => format,
        None if start.is_empty() => bail!("{name}: it is empty, expected rays"),
        None => looks_like(&start),
    };
    let input = Cursor::new(start).chain(input);
    Ok(match format {
        RayFormat::Csv => Box::new(csv::CsvRays::new(BufReader::new(input), name, range)?),
        RayFormat::Ndjson => Box::new(ndjson::NdjsonRays::new(BufReader::new(input), name, range)),
        RayFormat::Npy => Box::new(npy::NpyRays::new(BufReader::new(input), name, range)?),
    })
}

fn open_file(path: &Path) -> anyhow::Result<File> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let metadata = file.metadata().with_context(|| format!("cannot read {}", path.display()))?;
    if metadata.is_dir() {
        bail!("{} is a folder, expected a file of rays", path.display());
    }
    Ok(file)
}

fn format_of(extension: &str) -> Option<RayFormat> {
    match extension.to_ascii_lowercase().as_str() {
        "csv" => Some(RayFormat::Csv),
        "ndjson" | "jsonl" => Some(RayFormat::Ndjson),
        "npy" => Some(RayFormat::Npy),
        _ => None,
    }
}

fn looks_like(start: &[u8]) -> RayFormat {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    if start.starts_with(npy::MAGIC) {
        RayFormat::Npy
    } else if text.starts_with(b"{") {
        RayFormat::Ndjson
    } else {
        RayFormat::Csv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_tells_the_format() {
        assert_eq!(looks_like(b"\x93NUMPY\x01\x00"), RayFormat::Npy);
        assert_eq!(looks_like(b"\xef\xbb\xbf\n {\"origin\""), RayFormat::Ndjson);
        assert_eq!(looks_like(b"ox,oy,oz,dx,dy,dz\n"), RayFormat::Csv);
    }
}
