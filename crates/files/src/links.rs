//! Following symbolic links of files that do not exist yet.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The maximum number of links that lead to a file, as on Linux.
const MAX_LINKS: usize = 40;

/// The path that a symbolic link leads to, even if there is no file; `path` itself if it is no link. A
/// writer that replaces the file there keeps the link.
///
/// # Errors
/// Links in a circle.
pub fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        // The name of any other file is no link, which is an error.
        let Ok(target) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(io::Error::other("too many symbolic links; they lead in a circle"))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_lead_to_files_that_may_be_missing_and_not_in_circles() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("deep")).unwrap();
        symlink("deep/second", at("first")).unwrap();
        symlink("../file", at("deep/second")).unwrap();
        let missing = behind_links(&at("first")).unwrap();
        fs::write(&missing, "here").unwrap();
        assert_eq!(fs::read(at("file")).unwrap(), b"here");
        assert_eq!(behind_links(&at("first")).unwrap(), missing);
        assert_eq!(behind_links(&at("file")).unwrap(), at("file"));
        assert_eq!(behind_links(&at("nothing")).unwrap(), at("nothing"));
        symlink(at("round"), at("circle")).unwrap();
        symlink(at("circle"), at("round")).unwrap();
        assert!(behind_links(&at("circle")).is_err());
    }
}
