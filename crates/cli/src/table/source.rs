//! Opens files and standard input, and finds their format.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::format::TableFormat;
use super::input::{Arrivals, Pipe};

/// A file or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TableSource {
    Stdin,
    File(PathBuf),
}

/// An open table whose format is known.
pub(crate) struct TableInput {
    pub(super) reader: Box<dyn Arrivals>,
    /// The name of the input in errors.
    pub(super) name: String,
    pub(super) format: TableFormat,
}

impl TableSource {
    /// The source at a path; `-` is standard input.
    pub(crate) fn new(path: &Path) -> Self {
        if path == Path::new("-") { Self::Stdin } else { Self::File(path.to_owned()) }
    }

    /// Opens a table of `contents`: rays or points. Without `format`, the extension gives the format, or
    /// else the first bytes.
    ///
    /// # Errors
    /// A file that cannot be read; an empty one without a known format.
    pub(crate) fn open(
        &self,
        format: Option<TableFormat>,
        contents: &str,
    ) -> anyhow::Result<TableInput> {
        let name = self.to_string();
        match self {
            Self::Stdin => TableInput::of_pipe(Pipe::new(io::stdin()), name, format, contents),
            Self::File(path) => {
                let extension = path.extension().and_then(|extension| extension.to_str());
                let format = format.or(extension.and_then(TableFormat::of_extension));
                let (file, is_pipe) = open_file(path, contents)?;
                match is_pipe {
                    true => TableInput::of_pipe(Pipe::new(file), name, format, contents),
                    false => TableInput::new(file, name, format, contents),
                }
            }
        }
    }
}

impl fmt::Display for TableSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("<stdin>"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// The number of bytes that give the format.
const PEEK_BYTES: u64 = 256;

impl TableInput {
    /// A table from bytes. Errors call it `name`. Without `format`, the first bytes give the format.
    ///
    /// # Errors
    /// Input that cannot be read; empty input without `format`.
    pub(crate) fn new(
        mut input: impl Read + 'static,
        name: String,
        format: Option<TableFormat>,
        contents: &str,
    ) -> anyhow::Result<Self> {
        let mut start = Vec::new();
        input
            .by_ref()
            .take(PEEK_BYTES)
            .read_to_end(&mut start)
            .with_context(|| format!("{name}: cannot read the file"))?;
        let format = format_of(&start, &name, format, contents)?;
        let reader = Box::new(BufReader::new(Cursor::new(start).chain(input)));
        Ok(Self { reader, name, format })
    }

    /// A table from a pipe, of which only the first block has arrived.
    fn of_pipe(
        mut pipe: Pipe,
        name: String,
        format: Option<TableFormat>,
        contents: &str,
    ) -> anyhow::Result<Self> {
        let start = pipe.fill_start().with_context(|| format!("{name}: cannot read the file"))?;
        let format = format_of(start, &name, format, contents)?;
        Ok(Self { reader: Box::new(pipe), name, format })
    }
}

/// The format of the flag or the extension, or else of the first bytes.
fn format_of(
    start: &[u8],
    name: &str,
    format: Option<TableFormat>,
    contents: &str,
) -> anyhow::Result<TableFormat> {
    match format {
        Some(format) => Ok(format),
        None if start.is_empty() => bail!("{name}: the file is empty; expected {contents}"),
        None => Ok(TableFormat::of_first_bytes(start)),
    }
}

/// The file, and whether it is a pipe or a device, whose bytes arrive over time.
fn open_file(path: &Path, contents: &str) -> anyhow::Result<(File, bool)> {
    let cannot = || format!("{}: cannot read the {contents}", path.display());
    let file = File::open(path).with_context(cannot)?;
    let metadata = file.metadata().with_context(cannot)?;
    if metadata.is_dir() {
        bail!("{}: found a folder; expected a file of {contents}", path.display());
    }
    Ok((file, !metadata.is_file()))
}
