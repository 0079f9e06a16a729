//! The source of a mesh, as a key: a cache file is valid while its source is unchanged.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
    time::{Duration, SystemTime},
};

use hitscan_files::{Bytes, Escaped, FileError, behind_links};

use crate::{
    CacheError, CacheErrorKind,
    input::checksum_of,
    wire::{Reader, Writer},
};

/// The source of a mesh: its reader and its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The program that read the mesh, with the options that affect the result. Another text means
    /// another mesh.
    pub reader: String,
    /// The mesh file, followed by the files it refers to: material libraries, buffers.
    pub files: Vec<SourceFile>,
}

/// The state of a file when the mesh was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path without `..`. It is relative if the file is in the folder of the cache file or
    /// below, so that both can be moved together.
    pub path: PathBuf,
    /// The length in bytes.
    pub len: u64,
    /// The checksum of the contents: XXH3 over pieces, as for a section.
    pub checksum: u64,
    /// The time of the last change since 1970. `None` if the change was so recent that a later
    /// change might have the same time.
    pub modified: Option<Duration>,
}

/// The time after a change in which another change may keep the same time, because file systems
/// store times in steps of up to two seconds.
const SETTLED: Duration = Duration::from_secs(2);

impl Source {
    /// The key of the current state of `files`, for a cache file at `cache`. If `cache` is a link,
    /// the target counts. Reads all files in parallel.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn of<P: AsRef<Path>>(
        reader: &str,
        files: impl IntoIterator<Item = P>,
        cache: &Path,
    ) -> Result<Self, CacheError> {
        let folders = Folders::of(cache).map_err(|error| CacheErrorKind::Io(error).at(cache))?;
        let files = files.into_iter().map(|path| {
            let path = path.as_ref();
            SourceFile::of(path, &folders).map_err(|kind| kind.at(path))
        });
        Ok(Self { reader: reader.to_owned(), files: files.collect::<Result<_, CacheError>>()? })
    }

    /// Checks that the source has not changed since. `cache` is the path of the cache file, and
    /// `reader` the program that would read the source now. A mesh file that no longer exists
    /// counts as unchanged.
    ///
    /// The check reads contents only if length and time do not decide.
    ///
    /// # Errors
    /// [`CacheErrorKind::Stale`] with the change.
    pub fn check(&self, reader: &str, cache: &Path) -> Result<(), CacheError> {
        let Folders { real: folder, .. } =
            Folders::of(cache).map_err(|error| CacheErrorKind::Io(error).at(cache))?;
        for (index, file) in self.files.iter().enumerate() {
            let path = folder.join(&file.path);
            let change = match file.change(&path) {
                Ok(change) => change,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    if index == 0 {
                        return Ok(());
                    }
                    Some("is gone".to_owned())
                }
                Err(error) => Some(format!("can no longer be read ({error})")),
            };
            let change = change.or_else(|| {
                (index == 0 && reader != self.reader).then(|| {
                    let (now, then) = (Escaped(reader), Escaped(&self.reader));
                    format!("is read by {now} now, and was by {then},")
                })
            });
            if let Some(change) = change {
                let source_file = Escaped(&path.to_string_lossy()).to_string();
                return Err(CacheErrorKind::Stale { source_file, change }.at(cache));
            }
        }
        Ok(())
    }
}

impl SourceFile {
    fn of(path: &Path, folders: &Folders) -> Result<Self, CacheErrorKind> {
        let modified = modified(&fs::metadata(path)?);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let settled = |time: &Duration| now.checked_sub(*time).is_some_and(|age| age >= SETTLED);
        let bytes = Bytes::open(path, u64::MAX)?;
        let path = without_parents(path)?;
        let relative = [&folders.as_given, &folders.real]
            .into_iter()
            .find_map(|folder| path.strip_prefix(folder).ok().map(Path::to_owned));
        Ok(Self {
            path: relative.unwrap_or(path),
            len: bytes.len(),
            checksum: checksum_of(&bytes, 0..bytes.len())?,
            modified: modified.filter(settled),
        })
    }

    /// Describes how the file at `path` differs from this state; `None` if it does not.
    fn change(&self, path: &Path) -> io::Result<Option<String>> {
        let metadata = fs::metadata(path)?;
        if metadata.len() != self.len {
            let (found, expected) = (metadata.len(), self.len);
            return Ok(Some(format!("has {found} bytes now, and had {expected},")));
        }
        if self.modified.is_some() && self.modified == modified(&metadata) {
            return Ok(None);
        }
        let found = match Bytes::open(path, u64::MAX) {
            Ok(bytes) => checksum_of(&bytes, 0..bytes.len())?,
            Err(FileError::Io(error)) => return Err(error),
            Err(other) => return Ok(Some(other.to_string())),
        };
        Ok((found != self.checksum).then(|| "has other contents".to_owned()))
    }
}

/// The folder of a cache file, which need not exist yet.
struct Folders {
    /// The path with links resolved, including that of the file itself.
    real: PathBuf,
    /// The path of the folder as the caller gave it.
    as_given: PathBuf,
}

impl Folders {
    fn of(cache: &Path) -> io::Result<Self> {
        let mut as_given = without_parents(cache)?;
        let file = behind_links(&as_given);
        let folder_of_file = file.ok().and_then(|file| fs::canonicalize(file.parent()?).ok());
        as_given.pop();
        let folder = fs::canonicalize(&as_given)?;
        let real = match folder_of_file {
            Some(real) if real != folder => {
                // The file is a link into another folder, and this is the folder of the link.
                as_given = real.clone();
                real
            }
            _ => folder,
        };
        Ok(Self { real, as_given })
    }
}

/// The absolute path with each `..` resolved now, because the folder before it may disappear. Other
/// links stay, because the check must see a changed target.
fn without_parents(path: &Path) -> io::Result<PathBuf> {
    let mut found = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            Component::ParentDir => {
                found = fs::canonicalize(&found)?;
                found.pop();
            }
            part => found.push(part),
        }
    }
    Ok(found)
}

fn modified(metadata: &fs::Metadata) -> Option<Duration> {
    metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()
}

pub(crate) fn encode(source: &Source, writer: &mut Writer) {
    writer.text(&source.reader);
    writer.u64(source.files.len() as u64);
    for SourceFile { path, len, checksum, modified } in &source.files {
        writer.blob(&bytes_of(path));
        writer.u64(*len);
        writer.u64(*checksum);
        writer.bool(modified.is_some());
        let modified = modified.unwrap_or_default();
        writer.u64(modified.as_secs());
        writer.u32(modified.subsec_nanos());
    }
}

pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Source, String> {
    /// The minimum size of a file entry in bytes.
    const SHORTEST: usize = 48;
    let text = reader.text()?;
    let files = reader.list(SHORTEST, |reader| {
        let path = path_of(reader.blob()?)?;
        let (len, checksum, is_known) = (reader.u64()?, reader.u64()?, reader.bool()?);
        let (seconds, nanoseconds) = (reader.u64()?, reader.u32()?);
        if nanoseconds >= 1_000_000_000 {
            return Err(format!("{nanoseconds} nanoseconds of a second"));
        }
        let modified = is_known.then(|| Duration::new(seconds, nanoseconds));
        Ok(SourceFile { path, len, checksum, modified })
    })?;
    Ok(Source { reader: text, files })
}

#[cfg(unix)]
fn bytes_of(path: &Path) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_owned()
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Result<PathBuf, String> {
    let path: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    Ok(PathBuf::from(path))
}

#[cfg(not(unix))]
fn bytes_of(path: &Path) -> Vec<u8> {
    path.to_string_lossy().into_owned().into_bytes()
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Result<PathBuf, String> {
    str::from_utf8(bytes)
        .map(PathBuf::from)
        .map_err(|error| format!("a path that is none: {error}"))
}
