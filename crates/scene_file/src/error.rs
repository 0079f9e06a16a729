//! The error of scene files.

use std::error::Error as StdError;
use std::io;

use hitscan_scene::SceneError;
use thiserror::Error;

/// An error with its location.
#[derive(Debug, Error)]
#[error("{location}: {kind}")]
pub struct SceneFileError {
    /// The file, and the line if there is one: `street.toml, line 7`.
    pub location: String,
    /// The reason, which the message contains.
    pub kind: SceneFileErrorKind,
}

/// The reason of a [`SceneFileError`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SceneFileErrorKind {
    /// The file cannot be read or written.
    #[error("cannot read or write the file: {0}")]
    Io(io::Error),
    /// The text is no scene.
    #[error("{0}")]
    Text(String),
    /// A mesh cannot be read.
    #[error("mesh `{name}`: {reason}")]
    Mesh {
        /// The name of the mesh in the scene file.
        name: String,
        /// The reason.
        reason: Box<dyn StdError + Send + Sync>,
    },
    /// An instance does not fit into the scene.
    #[error("{0}")]
    Scene(SceneError),
}

impl From<io::Error> for SceneFileErrorKind {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<SceneError> for SceneFileErrorKind {
    fn from(error: SceneError) -> Self {
        Self::Scene(error)
    }
}

impl SceneFileErrorKind {
    pub(crate) fn at(self, location: impl Into<String>) -> SceneFileError {
        SceneFileError { location: location.into(), kind: self }
    }
}
