//! Reads a mesh together with a snapshot of its source files: their paths, sizes and checksums.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::bail;
use hitscan::cache::Source;

/// The name and version of the reader, part of the source of every cache file. Change it whenever the
/// same file becomes another mesh.
pub(crate) const READER: &str =
    concat!("hitscan ", env!("CARGO_PKG_VERSION"), ", everything, shared vertices, recentred");

/// The coarsest resolution of file times: some file systems round to two seconds.
const TIME_RESOLUTION: Duration = Duration::from_secs(2);

/// Returns the result of `read` for the mesh or scene at `path`, and its source for a cache file at `output`.
/// `files` are all files of a result, `path` first.
///
/// Only the mesh names its other files. If one of those may have changed since the read began, this
/// function reads the mesh again, and compares the checksums of all files before and after.
///
/// # Errors
/// An error of `read`; a file that changes during the read.
pub(crate) fn read_with_source<M>(
    path: &Path,
    output: &Path,
    files: impl Fn(&M) -> &[PathBuf],
    mut read: impl FnMut() -> anyhow::Result<M>,
) -> anyhow::Result<(M, Source)> {
    let (start, before) = (SystemTime::now(), Stamp::of(path));
    let mut model = read()?;
    let mut source = Source::of(READER, files(&model), output)?;
    let in_doubt =
        |file: &Path| Stamp::of(file).is_none_or(|stamp| stamp.time + TIME_RESOLUTION >= start);
    if files(&model).iter().any(|file| file != path && in_doubt(file)) {
        model = read()?;
        let again = Source::of(READER, files(&model), output)?;
        let contents = |source: &Source| {
            let of_file = |file: &hitscan::cache::SourceFile| (file.path.clone(), file.checksum);
            source.files.iter().map(of_file).collect::<Vec<_>>()
        };
        let (old, new) = (contents(&source), contents(&again));
        if let Some(changed) = (0..new.len()).find(|&i| old.get(i) != new.get(i)) {
            bail!(
                "{}: the file changed while hitscan read it; try again",
                files(&model)[changed].display()
            );
        }
        source = again;
    }
    if Stamp::of(path) != before {
        bail!("{}: the file changed while hitscan read it; try again", path.display());
    }
    Ok((model, source))
}

/// The size and time of a file, which show most changes without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    len: u64,
    /// The last change of the contents or, on Unix, of the name.
    time: SystemTime,
}

impl Stamp {
    /// `None` if the metadata cannot be read.
    fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        #[cfg_attr(not(unix), allow(unused_mut, reason = "there is no other time"))]
        let mut time = found.modified().ok()?;
        #[cfg(unix)]
        {
            // A renamed file may be old, but its change time is that of the renaming.
            use std::os::unix::fs::MetadataExt;
            let (seconds, nanoseconds) = (found.ctime(), found.ctime_nsec());
            if let (Ok(seconds), Ok(nanoseconds)) = (seconds.try_into(), nanoseconds.try_into()) {
                time = time.max(SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds));
            }
        }
        Some(Self { len: found.len(), time })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::LimitArgs;
    use crate::load::mesh::load_mesh_quietly;
    use crate::load::model::Model;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        limits: LimitArgs,
    }

    #[test]
    fn a_library_that_changes_while_it_is_read_never_gets_the_source_of_another() {
        let Line { limits } = Line::parse_from(["hitscan"]);
        let folder = tempfile::tempdir().unwrap();
        let (mesh, library) = (folder.path().join("a.obj"), folder.path().join("a.mtl"));
        let cache = folder.path().join("a.hitscan");
        fs::write(&mesh, "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        let color = |model: &Model| model.materials[0].diffuse.map(|color| color[0]);
        // The number of changes, each right after a read.
        for n_changes in [0, 1, 2] {
            let write = |red: u32| fs::write(&library, format!("newmtl m\nKd 0.{red} 0 0\n"));
            write(1).unwrap();
            let mut n_reads = 0;
            let read = || {
                let model = load_mesh_quietly(&mesh, &limits)?;
                n_reads += 1;
                if n_reads <= n_changes {
                    write(1 + n_reads)?;
                }
                Ok(model)
            };
            let result = read_with_source(&mesh, &cache, |model: &Model| &model.files, read);
            if n_changes == 2 {
                let error = result.unwrap_err().to_string();
                assert!(
                    error.ends_with("a.mtl: the file changed while hitscan read it; try again"),
                    "{error}"
                );
            } else {
                let (model, source) = result.unwrap();
                assert_eq!(color(&model), Some([0.1, 0.2][n_changes as usize]));
                source.check(READER, &cache).unwrap();
            }
        }
    }

    #[test]
    fn a_mesh_that_changes_while_it_is_read_is_an_error() {
        let Line { limits } = Line::parse_from(["hitscan"]);
        let folder = tempfile::tempdir().unwrap();
        let (mesh, cache) = (folder.path().join("a.obj"), folder.path().join("a.hitscan"));
        fs::write(&mesh, "v 0 0 0\n").unwrap();
        let read = || {
            let model = load_mesh_quietly(&mesh, &limits)?;
            fs::write(&mesh, "v 0 0 0\nv 1 0 0\n")?;
            Ok(model)
        };
        let error = read_with_source(&mesh, &cache, |model: &Model| &model.files, read)
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with("a.obj: the file changed while hitscan read it; try again"),
            "{error}"
        );
    }
}
