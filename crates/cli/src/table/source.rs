//! Opens files and standard input, and finds their format.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::format::TableFormat;

/// A file or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TableSource {
    Stdin,
    File(PathBuf),
}

/// An open table whose format is known.
pub(crate) struct TableInput {
    pub(crate) reader: Box<dyn BufRead>,
    /// The name of the input in errors.
    pub(crate) name: String,
    pub(crate) format: TableFormat,
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
        let (input, known): (Box<dyn Read>, _) = match self {
            Self::Stdin => (Box::new(io::stdin()), None),
            Self::File(path) => (
                Box::new(open_file(path, contents)?),
                path.extension().and_then(|e| TableFormat::of_extension(e.to_str()?)),
            ),
        };
        TableInput::new(input, self.to_string(), format.or(known), contents)
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
        let format = match format {
            Some(format) => format,
            None if start.is_empty() => bail!("{name}: the file is empty; expected {contents}"),
            None => TableFormat::of_first_bytes(&start),
        };
        let reader = Box::new(BufReader::new(Cursor::new(start).chain(input)));
        Ok(Self { reader, name, format })
    }
}

fn open_file(path: &Path, contents: &str) -> anyhow::Result<File> {
    let cannot = || format!("{}: cannot read the {contents}", path.display());
    let file = File::open(path).with_context(cannot)?;
    if file.metadata().with_context(cannot)?.is_dir() {
        bail!("{}: found a folder; expected a file of {contents}", path.display());
    }
    Ok(file)
}
