//! The destination of an output: a file that appears complete or not at all, a device, or stdout.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use hitscan_files::behind_links;
use rayon::prelude::*;
use tempfile::NamedTempFile;

use super::interruption;

/// An open output. Without [`Target::finish`], or after an interrupt, it leaves no new file behind and an
/// old file unchanged.
#[derive(Debug)]
pub(crate) enum Target {
    Stdout(BufWriter<io::Stdout>),
    /// A path that is no regular file, such as `/dev/stdout`. Nothing replaces it.
    Device(BufWriter<File>, PathBuf),
    /// A temporary file beside the file that it will replace.
    File(BufWriter<NamedTempFile>, PathBuf),
    /// A temporary file beside a file that must not exist in the end.
    NewFile(BufWriter<NamedTempFile>, PathBuf),
}

/// The number of entries that one thread formats at a time.
const SLICE: usize = 2048;

/// The size of one write. A write per line would be slow.
const BUFFER_BYTES: usize = 1 << 16;

impl Target {
    /// Writes `n` entries, which `append` formats in ranges, on all threads.
    ///
    /// # Errors
    /// A target that cannot be written.
    pub(crate) fn write_formatted(
        &mut self,
        n: usize,
        append: impl Fn(Range<usize>, &mut Vec<u8>) + Sync,
    ) -> anyhow::Result<()> {
        let slices: Vec<Vec<u8>> = (0..n.div_ceil(SLICE))
            .into_par_iter()
            .map(|slice| {
                let mut text = Vec::new();
                append(slice * SLICE..((slice + 1) * SLICE).min(n), &mut text);
                text
            })
            .collect();
        for slice in slices {
            self.write_all(&slice)?;
        }
        // The reader of a pipe gets the results of a chunk at once.
        Ok(self.flush()?)
    }

    /// Opens the file at `path`, or standard output without one.
    ///
    /// # Errors
    /// A path that cannot be written.
    pub(crate) fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else {
            return Ok(Self::Stdout(BufWriter::with_capacity(BUFFER_BYTES, io::stdout())));
        };
        let cannot = || format!("{}: cannot write the file", path.display());
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                bail!("{}: cannot write to a folder; expected a file", path.display())
            }
            Ok(found) if !found.is_file() => {
                let file = File::options().write(true).open(path).with_context(cannot)?;
                Ok(Self::Device(BufWriter::with_capacity(BUFFER_BYTES, file), path.to_owned()))
            }
            Ok(found) => {
                if found.permissions().readonly() {
                    bail!(
                        "{}: the file is read-only; change its permissions or use another file",
                        path.display()
                    );
                }
                // Replace the file that a link leads to, not the link.
                let path = behind_links(path).with_context(cannot)?;
                let file = temporary_beside(&path).with_context(cannot)?;
                file.as_file().set_permissions(found.permissions()).with_context(cannot)?;
                Ok(Self::File(BufWriter::with_capacity(BUFFER_BYTES, file), path))
            }
            Err(_) => {
                let path = &behind_links(path).with_context(cannot)?;
                let folder = folder_of(path);
                if !folder.is_dir() {
                    bail!(
                        "{}: cannot write the file; there is no folder {}",
                        path.display(),
                        folder.display()
                    );
                }
                let file = temporary_beside(path).with_context(cannot)?;
                Ok(Self::File(BufWriter::with_capacity(BUFFER_BYTES, file), path.to_owned()))
            }
        }
    }

    /// With `no_clobber`, a target that replaces no file, now and in [`finish`](Self::finish).
    ///
    /// # Errors
    /// A file that exists.
    pub(crate) fn keeping(self, no_clobber: bool) -> anyhow::Result<Self> {
        match self {
            Self::File(_, path) if no_clobber && fs::symlink_metadata(&path).is_ok() => {
                bail!("{}", exists(&path))
            }
            Self::File(file, path) if no_clobber => Ok(Self::NewFile(file, path)),
            target => Ok(target),
        }
    }

    /// Completes the output. The file appears now.
    ///
    /// # Errors
    /// A file that is one of `inputs`, by any path, a file that exists and must stay, and a target that
    /// cannot be written.
    pub(crate) fn finish(self, inputs: &[PathBuf]) -> anyhow::Result<()> {
        match self {
            mut stream @ (Self::Stdout(_) | Self::Device(..)) => Ok(stream.flush()?),
            Self::NewFile(file, path) => {
                let cannot = || format!("{}: cannot write the file", path.display());
                let file = file.into_inner().map_err(io::IntoInnerError::into_error);
                match file.with_context(cannot)?.persist_noclobber(&path) {
                    Ok(_) => Ok(()),
                    Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                        bail!("{}", exists(&path))
                    }
                    Err(error) => Err(error.error).with_context(cannot),
                }
            }
            Self::File(file, path) => {
                let cannot = || format!("{}: cannot write the file", path.display());
                if is_one_of(&path, inputs) {
                    bail!("{}: the output is also an input; use another file", path.display());
                }
                let file = file
                    .into_inner()
                    .map_err(io::IntoInnerError::into_error)
                    .with_context(cannot)?;
                file.persist(&path).map_err(|error| error.error).with_context(cannot)?;
                Ok(())
            }
        }
    }
}

impl Target {
    /// The error with the name of the target.
    fn named(&self, error: &io::Error) -> io::Error {
        let text = match self {
            Self::Stdout(_) => format!("standard output: cannot write: {error}"),
            Self::Device(_, path) | Self::File(_, path) | Self::NewFile(_, path) => {
                format!("{}: cannot write the file: {error}", path.display())
            }
        };
        io::Error::new(error.kind(), text)
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Device(file, _) => file.write(bytes),
            Self::File(file, _) | Self::NewFile(file, _) => file.write(bytes),
        };
        written.map_err(|error| self.named(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Device(file, _) => file.flush(),
            Self::File(file, _) | Self::NewFile(file, _) => file.flush(),
        };
        flushed.map_err(|error| self.named(&error))
    }
}

/// The error of `--no-clobber`.
fn exists(path: &Path) -> String {
    format!(
        "{}: the file exists; remove it, use another file, or omit --no-clobber",
        path.display()
    )
}

/// Whether the path leads to one of the files. A missing file is none of them.
fn is_one_of(path: &Path, files: &[PathBuf]) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(path).is_some_and(|path| files.iter().any(|file| real(file).as_ref() == Some(&path)))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A temporary file in the folder of `path`, so that one renaming puts it in place.
fn temporary_beside(path: &Path) -> io::Result<NamedTempFile> {
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hitscan-");
    #[cfg(unix)]
    {
        // The user's mask narrows the permissions, as for any new file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    // Drop the name of the temporary file from the error, because it helps no user. The words of the system stay.
    interruption::removed_on_interrupt(|| builder.tempfile_in(folder_of(path))).map_err(|error| {
        let text = error.to_string();
        let reason = text.split(" at path ").next().unwrap_or_default();
        io::Error::new(error.kind(), reason.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_only_when_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        fs::write(&path, "before").unwrap();
        let mut target = Target::open(Some(&path)).unwrap();
        target.write_all(&[b'x'; 1 << 20]).unwrap();
        drop(target);
        assert_eq!(fs::read(&path).unwrap(), b"before");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let mut target = Target::open(Some(&path)).unwrap();
        target.write_all(b"after").unwrap();
        target.finish(&[]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"after");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_to_the_new_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("out.txt"), folder.path().join("link"));
        fs::write(&path, "before").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut target = Target::open(Some(&link)).unwrap();
        target.write_all(b"after").unwrap();
        target.finish(&[]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"after");
        // Also if the file is not there yet.
        fs::remove_file(&path).unwrap();
        let mut target = Target::open(Some(&link)).unwrap();
        target.write_all(b"new").unwrap();
        target.finish(&[]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_file_that_must_stay_stays_even_if_it_appears_late() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        let mut target = Target::open(Some(&path)).unwrap().keeping(true).unwrap();
        target.write_all(b"new").unwrap();
        fs::write(&path, "old").unwrap();
        let error = target.finish(&[]).unwrap_err().to_string();
        assert!(error.contains("the file exists") && error.contains("--no-clobber"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(Target::open(Some(&path)).unwrap().keeping(true).is_err());
        fs::remove_file(&path).unwrap();
        let mut target = Target::open(Some(&path)).unwrap().keeping(true).unwrap();
        target.write_all(b"new").unwrap();
        target.finish(&[]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_folder_or_a_missing_one_is_an_error_at_once() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Target::open(Some(folder.path())).is_err());
        assert!(Target::open(Some(&folder.path().join("no/out.txt"))).is_err());
        assert!(Target::open(Some(Path::new(""))).is_err());
    }
}
