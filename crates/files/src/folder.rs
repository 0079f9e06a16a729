//! Names in a file that lead into its own folder.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use thiserror::Error;

/// Why a name is not followed.
#[derive(Debug, Error)]
pub enum InsideError {
    /// It leads to a place that is not in the folder.
    #[error("it leads elsewhere")]
    Outside,
    /// There is nothing, or it cannot be looked at.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The file or folder of that name in a folder or below it, without symbolic links.
///
/// Neither `..` nor an absolute path is followed at all, and a link only if it ends inside: a file
/// from elsewhere shall not find out what lies around it. An empty folder is the current one.
///
/// # Errors
/// A name that leads outside, or to nothing.
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
