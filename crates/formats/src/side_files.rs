//! The files that a mesh file refers to.

use std::{
    io,
    path::{Path, PathBuf},
};

use hitscan_files::{FileError, inside};

/// The source of the files that a mesh file refers to by name.
pub(crate) enum SideFiles<'a> {
    /// The bytes came from memory, so there is no folder to look in.
    None,
    /// The folder of the mesh file, and everything below it.
    Folder(&'a Path),
    /// A function of the caller.
    Provided(&'a mut dyn FnMut(&str) -> io::Result<Vec<u8>>),
}

/// The contents of a side file, and its path if it is a file.
#[derive(Debug)]
pub(crate) struct SideFile {
    pub(crate) bytes: Vec<u8>,
    pub(crate) path: Option<PathBuf>,
}

/// The reason why a side file cannot be used.
#[derive(Debug)]
pub(crate) enum SideFileError {
    TooLarge(FileError),
    Other(String),
}

impl SideFiles<'_> {
    /// Reads the file of that name, which may have at most `max_bytes`.
    pub(crate) fn read(&mut self, name: &str, max_bytes: u64) -> Result<SideFile, SideFileError> {
        let other = |error: &dyn std::fmt::Display| SideFileError::Other(error.to_string());
        match self {
            Self::None => Err(other(&"text in memory has no folder")),
            Self::Folder(folder) => {
                let path = inside(folder, Path::new(name)).map_err(|error| other(&error))?;
                let bytes = hitscan_files::read(&path, max_bytes).map_err(|error| match error {
                    FileError::TooLarge { .. } => SideFileError::TooLarge(error),
                    FileError::NotRegular { found } => other(&format!("it is {found}")),
                    FileError::Io(error) => other(&error),
                })?;
                Ok(SideFile { bytes, path: Some(path) })
            }
            Self::Provided(provide) => {
                let bytes = provide(name).map_err(|error| other(&error))?;
                let (found, limit) = (bytes.len() as u64, max_bytes);
                if found > limit {
                    return Err(SideFileError::TooLarge(FileError::TooLarge { found, limit }));
                }
                Ok(SideFile { bytes, path: None })
            }
        }
    }
}
