//! Writes files that appear whole or not at all.

use std::{fs::File, io::BufWriter, path::Path};

use hitscan_files::behind_links;

use crate::{CacheError, CacheErrorKind};

/// Writes the file at `path` by `write`: a reader sees the old file or the complete new one. If `path` is
/// a link, this writes the file that it leads to, and keeps the link.
pub(crate) fn write(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> Result<(), CacheErrorKind>,
) -> Result<(), CacheError> {
    let real = behind_links(path).map_err(|error| CacheErrorKind::from(error).at(path))?;
    let folder = real.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let save = || -> Result<(), CacheErrorKind> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".hitscan-");
        #[cfg(unix)]
        {
            // The permissions of any new file, which the umask of the user restricts.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder)?;
        let mut out = BufWriter::new(file.as_file());
        write(&mut out)?;
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.persist(&real).map_err(|error| error.error)?;
        Ok(())
    };
    save().map_err(|kind| kind.at(path))
}
