//! The error of the generators, and the checks of their arguments.

use thiserror::Error;

use crate::TriMesh;

/// The smallest minor radius of a torus, as a share of the major radius: about a hundred steps of f32.
pub(super) const MIN_TUBE_RATIO: f32 = 1e-5;

/// The range of lengths that a generator accepts. Products of such lengths stay within f32.
const SIZE_RANGE: std::ops::RangeInclusive<f32> = 1e-15..=1e15;

/// The reason why a generator cannot make a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A length outside the accepted range, or NaN.
    #[error(
        "{name} is {value}, expected a number from {:e} to {:e}",
        SIZE_RANGE.start(),
        SIZE_RANGE.end()
    )]
    Size {
        /// The name of the length.
        name: &'static str,
        /// The number found.
        value: f32,
    },
    /// A torus whose tube would meet itself, or vanish in the rounding of f32.
    #[error(
        "minor radius is {minor_radius}, expected at least {:e} of and less than the major radius \
         {major_radius}",
        MIN_TUBE_RATIO
    )]
    MinorRadius {
        /// The radius of the tube.
        minor_radius: f32,
        /// The radius of the circle that the tube follows.
        major_radius: f32,
    },
    /// A level of subdivision that gives more than [`TriMesh::MAX_TRIANGLES`].
    #[error("level is {level}, expected at most {max}")]
    Level {
        /// The level found.
        level: u32,
        /// The largest level allowed.
        max: u32,
    },
    /// A number of triangles that the shape cannot have.
    #[error("number of triangles is {n_triangles}, expected {min} to {}", TriMesh::MAX_TRIANGLES)]
    Count {
        /// The number found.
        n_triangles: usize,
        /// The smallest number for this shape.
        min: usize,
    },
    /// A shape so thin or so finely divided that triangles lose their area in f32.
    #[error(
        "{n_degenerate} of {n_triangles} triangles would have no area, expected fewer triangles or \
         a less extreme shape"
    )]
    TooFine {
        /// The number of all triangles.
        n_triangles: usize,
        /// The number of triangles without area.
        n_degenerate: usize,
    },
}

pub(super) fn check_size(name: &'static str, value: f32) -> Result<(), GenerateError> {
    // NaN is in no range.
    if SIZE_RANGE.contains(&value) { Ok(()) } else { Err(GenerateError::Size { name, value }) }
}

pub(super) fn check_count(n_triangles: usize, min: usize) -> Result<(), GenerateError> {
    if (min..=TriMesh::MAX_TRIANGLES).contains(&n_triangles) {
        Ok(())
    } else {
        Err(GenerateError::Count { n_triangles, min })
    }
}
