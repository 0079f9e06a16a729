//! Loading a file of any format.

use std::{borrow::Cow, io, ops::ControlFlow, path::Path};

use hitscan_files::{
    Bytes, FileError, LoadOptions, ReadError, ReadErrorKind, Utf16Text, decode_utf16,
};

use crate::{
    Format, Loaded, compressed::Compression, error_at::ErrorAt, loaded::Parts,
    side_files::SideFiles,
};

/// Loads a mesh file.
///
/// The format is detected from the first bytes, or from the extension if those are ambiguous
/// ([`Format::of_file`]). Material libraries and buffers are read from the folder of the file or below.
///
/// A file may be compressed by gzip or Zstandard (feature `compressed`). [`LoadOptions::max_file_bytes`]
/// then also limits its uncompressed size, which is in memory during the read, and so does
/// [`LoadOptions::max_expanded_bytes`].
///
/// # Errors
/// A file that cannot be read, exceeds a limit of the options, or is invalid; see [`ReadErrorKind`].
/// Problems with a material library are no errors: the report lists them, and the geometry still loads.
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Loaded, ReadError> {
    load_with_progress(path, options, &|_| ControlFlow::Continue(()))
}

/// [`load`] with progress: calls `progress` with rising numbers up to 1, from one thread at a time.
///
/// OBJ files report about every 256 KiB, other formats only their end. A compressed file reports 0 about
/// once per uncompressed megabyte before that. Loading stops soon after `progress` returns `Break`.
///
/// # Errors
/// As [`load`], and [`ReadErrorKind::Cancelled`].
pub fn load_with_progress(
    path: impl AsRef<Path>,
    options: &LoadOptions,
    progress: &(dyn Fn(f32) -> ControlFlow<()> + Sync),
) -> Result<Loaded, ReadError> {
    let path = path.as_ref();
    let name = path.to_string_lossy();
    let error = |error: ErrorAt| error.in_file(&name);
    let file = Bytes::open(path, options.max_file_bytes).map_err(ErrorAt::from).map_err(error)?;
    let start = file.start(Format::N_START_BYTES).map_err(ErrorAt::from).map_err(error)?;
    let mut uncompressed = None;
    if let Some(compression) = Compression::of_start(&start) {
        let bytes = compression.decompress(file.reader(), file.len(), options, &|| progress(0.0));
        uncompressed = Some(bytes.map_err(ErrorAt::from).map_err(error)?);
    }
    let format = match &uncompressed {
        Some(bytes) => Format::detect_in(bytes, path),
        None => Format::detect(&start, file.len(), path),
    };
    drop(file);
    let parts = match (parser(format).map_err(error)?, uncompressed) {
        (None, None) => Parts::of_obj(hitscan_obj::load_with_progress(path, options, progress)?),
        (None, Some(bytes)) => {
            Parts::of_obj(hitscan_obj::parse_in_folder(&bytes, path, options, progress)?)
        }
        (Some(parser), uncompressed) => {
            let bytes = match uncompressed {
                Some(bytes) => Ok(bytes),
                None => hitscan_files::read(path, options.max_file_bytes),
            };
            let bytes = bytes.map_err(ErrorAt::from).map_err(error)?;
            let folder = path.parent().map_or(SideFiles::None, SideFiles::Folder);
            let parts = parse_with(parser, &bytes, folder, options).map_err(error)?;
            if progress(1.0).is_break() {
                return Err(ReadError::new(name, None, ReadErrorKind::Cancelled));
            }
            parts
        }
    };
    Ok(Loaded::new(parts, format, &name, options))
}

/// Loads a mesh from memory, and detects its format as [`load`] does. Errors call it `name`, whose
/// extension counts if the first bytes are ambiguous. The bytes may be compressed.
///
/// No file is opened, as in [`parse`].
///
/// ```
/// use hitscan_formats::{Format, LoadOptions, parse_any};
///
/// let piped = b"solid roof\nfacet normal 0 0 1 outer loop\n\
///     vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet endsolid roof\n";
/// # #[cfg(feature = "stl")]
/// assert_eq!(parse_any(piped, "<stdin>", &LoadOptions::default())?.format, Format::Stl);
/// # Ok::<(), hitscan_formats::ReadError>(())
/// ```
///
/// # Errors
/// As [`load`].
pub fn parse_any(bytes: &[u8], name: &str, options: &LoadOptions) -> Result<Loaded, ReadError> {
    let error = |kind: ReadErrorKind| ReadError::new(name, None, kind);
    let (found, limit) = (bytes.len() as u64, options.max_file_bytes);
    if found > limit {
        return Err(error(FileError::TooLarge { found, limit }.into()));
    }
    let mut bytes = Cow::Borrowed(bytes);
    if let Some(compression) = Compression::of_start(&bytes) {
        let go_on = || ControlFlow::Continue(());
        let uncompressed = compression.decompress(&*bytes, found, options, &go_on);
        bytes = Cow::Owned(uncompressed.map_err(error)?);
    }
    let format = Format::detect_in(&bytes, Path::new(name));
    parse(&bytes, name, format, options)
}

/// Loads a mesh of a known format from memory. Errors call it `name`.
///
/// No file is opened. The report lists material libraries as not read, and a glTF file that refers to
/// other files is an error.
///
/// # Errors
/// As [`load`].
pub fn parse(
    bytes: &[u8],
    name: &str,
    format: Format,
    options: &LoadOptions,
) -> Result<Loaded, ReadError> {
    let error = |error: ErrorAt| error.in_file(name);
    let parts = match parser(format).map_err(error)? {
        None => Parts::of_obj(hitscan_obj::parse(bytes, name, options)?),
        Some(parser) => parse_with(parser, bytes, SideFiles::None, options).map_err(error)?,
    };
    Ok(Loaded::new(parts, format, name, options))
}

/// [`parse`] with a function that returns the material libraries or buffers by their names in the file.
///
/// It is called once per name. For OBJ, an error of the kind `NotFound` makes the reader try a name with
/// blanks as a list of names.
///
/// # Errors
/// As [`load`]. Errors of `side_file` are errors for glTF; for OBJ the report lists them.
pub fn parse_with_files(
    bytes: &[u8],
    name: &str,
    format: Format,
    options: &LoadOptions,
    side_file: &mut dyn FnMut(&str) -> io::Result<Vec<u8>>,
) -> Result<Loaded, ReadError> {
    let error = |error: ErrorAt| error.in_file(name);
    let parts = match parser(format).map_err(error)? {
        None => Parts::of_obj(hitscan_obj::parse_with_libraries(bytes, name, options, side_file)?),
        Some(parser) => {
            parse_with(parser, bytes, SideFiles::Provided(side_file), options).map_err(error)?
        }
    };
    Ok(Loaded::new(parts, format, name, options))
}

/// A reader of a whole file in memory.
type Parser = fn(&[u8], SideFiles<'_>, &LoadOptions) -> Result<Parts, ErrorAt>;

/// The reader of a format; none for OBJ, whose reader opens its own files and reports progress.
fn parser(format: Format) -> Result<Option<Parser>, ErrorAt> {
    match format {
        Format::Obj => Ok(None),
        #[cfg(feature = "stl")]
        Format::Stl => Ok(Some(|bytes, _, options| crate::stl::parse(bytes, options))),
        #[cfg(feature = "ply")]
        Format::Ply => Ok(Some(|bytes, _, options| crate::ply::parse(bytes, options))),
        #[cfg(feature = "gltf")]
        Format::Gltf => Ok(Some(crate::gltf::parse)),
        #[cfg(not(all(feature = "stl", feature = "ply", feature = "gltf")))]
        left_out => Err(ReadErrorKind::FormatLeftOut { format: left_out.name() }.into()),
    }
}

/// Runs a parser on UTF-8, which UTF-16 becomes.
fn parse_with(
    parser: Parser,
    bytes: &[u8],
    side_files: SideFiles<'_>,
    options: &LoadOptions,
) -> Result<Parts, ErrorAt> {
    let decoded = decode_utf16(bytes, options.max_file_bytes).map_err(ReadErrorKind::from)?;
    let Some(Utf16Text { utf8, n_replaced }) = decoded else {
        return parser(bytes, side_files, options);
    };
    let mut parts = parser(&utf8, side_files, options)?;
    parts.report.add_as("UTF-16 units that are no characters", "replaced", n_replaced);
    Ok(parts)
}
