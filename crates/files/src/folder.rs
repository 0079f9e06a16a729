//! Resolving file names that another file contains.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use thiserror::Error;

/// The reason why a name is not resolved.
#[derive(Debug, Error)]
pub enum InsideError {
    /// The name leads out of the folder.
    #[error("it leads elsewhere")]
    Outside,
    /// The file does not exist, or cannot be accessed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The path of a file in `folder` or below it, with symbolic links resolved.
///
/// The name may contain no `..` and may not be absolute, and links must end inside the folder. This
/// keeps a foreign file from probing the file system. An empty folder means the current one.
///
/// # Errors
/// A name that leads out of the folder, or to nothing.
pub fn inside(folder: &Path, name: &Path) -> Result<PathBuf, InsideError> {
    let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !name.components().all(is_inside) {
        return Err(InsideError::Outside);
    }
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    let folder = fs::canonicalize(folder)?;
    let path = fs::canonicalize(folder.join(name))?;
    if path.starts_with(&folder) { Ok(path) } else { Err(InsideError::Outside) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_into_the_folder_or_nowhere() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("in");
        fs::create_dir_all(folder.join("deep")).unwrap();
        fs::write(folder.join("deep/a"), "").unwrap();
        fs::write(root.path().join("secret"), "").unwrap();
        let find = |name: &str| inside(&folder, Path::new(name));
        let deep = fs::canonicalize(folder.join("deep/a")).unwrap();
        assert_eq!(find("deep/a").unwrap(), deep);
        assert_eq!(find("./deep/./a").unwrap(), deep);
        for name in ["../secret", "deep/../deep/a", "/etc/passwd"] {
            assert!(matches!(find(name), Err(InsideError::Outside)), "{name}");
        }
        assert!(matches!(find("b"), Err(InsideError::Io(_))));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret", folder.join("out")).unwrap();
            std::os::unix::fs::symlink("deep/a", folder.join("in")).unwrap();
            assert!(matches!(find("out"), Err(InsideError::Outside)));
            assert_eq!(find("in").unwrap(), deep);
        }
    }
}
