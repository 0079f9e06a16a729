//! Meshes made from numbers: shapes to test with, scenes to measure with.
//!
//! Every generator is deterministic: the same arguments give the same bits on every platform. They
//! use only the operations that IEEE 754 rounds exactly (sums, products, quotients, square roots),
//! with a sine and a generator of random numbers of their own ([`SplitMix64`]).
//!
//! | function | surface | triangles |
//! |---|---|---|
//! | [`cuboid`] | closed | `12 * 4^level` |
//! | [`sphere`], [`torus`] | closed | the count asked for, or one more if it is odd |
//! | [`grid`], [`terrain`] | with a boundary | the nearest count that a regular grid has |
//! | [`city`], [`soup`] | many loose parts | the count asked for |
//!
//! Closed surfaces are counter-clockwise seen from outside. The y axis points up.

mod city;
mod cuboid;
mod grid;
mod ring;
mod rng;
mod soup;
mod sphere;
mod subdivide;
mod terrain;
mod torus;
mod turns;

use glam::Vec3;
use thiserror::Error;

use crate::TriMesh;

pub use city::city;
pub use cuboid::cuboid;
pub use grid::grid;
pub use rng::SplitMix64;
pub use soup::soup;
pub use sphere::sphere;
pub use terrain::terrain;
pub use torus::torus;

/// The least and the greatest length that a generator takes: far from where products of lengths
/// leave the range of f32.
const SIZE_RANGE: std::ops::RangeInclusive<f32> = 1e-15..=1e15;

/// Why a generator cannot make the mesh that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A length that is not positive, not finite, or far out of any use.
    #[error(
        "{name} is {value}, expected a number from {:e} to {:e}",
        SIZE_RANGE.start(),
        SIZE_RANGE.end()
    )]
    Size {
        /// Which length.
        name: &'static str,
        /// The number found.
        value: f32,
    },
    /// A torus whose tube would meet itself, or vanish in the rounding of f32.
    #[error(
        "minor radius is {minor_radius}, expected at least {:e} of and less than the major radius \
         {major_radius}",
        torus::MIN_RATIO
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
        /// The greatest level.
        max: u32,
    },
    /// A number of triangles that the shape cannot have.
    #[error("number of triangles is {n_triangles}, expected {min} to {}", TriMesh::MAX_TRIANGLES)]
    Count {
        /// The number found.
        n_triangles: usize,
        /// The least number for this shape.
        min: usize,
    },
    /// A shape so thin or so finely divided that triangles lose their area in f32.
    #[error(
        "{n_degenerate} of {n_triangles} triangles would have no area, expected fewer triangles or \
         a less extreme shape"
    )]
    TooFine {
        /// The number of triangles of the mesh.
        n_triangles: usize,
        /// How many of them have no area.
        n_degenerate: usize,
    },
}

fn check_size(name: &'static str, value: f32) -> Result<(), GenerateError> {
    // NaN is in no range.
    if SIZE_RANGE.contains(&value) { Ok(()) } else { Err(GenerateError::Size { name, value }) }
}

fn check_count(n_triangles: usize, min: usize) -> Result<(), GenerateError> {
    if (min..=TriMesh::MAX_TRIANGLES).contains(&n_triangles) {
        Ok(())
    } else {
        Err(GenerateError::Count { n_triangles, min })
    }
}

/// A mesh under construction.
#[derive(Default)]
struct Parts {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Parts {
    fn with_capacity(n_positions: usize, n_triangles: usize) -> Self {
        Self {
            positions: Vec::with_capacity(n_positions),
            triangles: Vec::with_capacity(n_triangles),
        }
    }

    /// The number of the next vertex.
    fn next_vertex(&self) -> u32 {
        self.positions.len() as u32
    }

    fn into_mesh(self) -> TriMesh {
        TriMesh::from_vecs(self.positions, self.triangles)
            .expect("generators make finite positions and valid indices within the limits")
    }

    /// The mesh if all of its triangles have an area.
    fn into_mesh_with_areas(self) -> Result<TriMesh, GenerateError> {
        with_areas(self.into_mesh())
    }
}

/// The mesh if all of its triangles have an area. O(n).
fn with_areas(mesh: TriMesh) -> Result<TriMesh, GenerateError> {
    match mesh.n_degenerate() {
        0 => Ok(mesh),
        n_degenerate => {
            Err(GenerateError::TooFine { n_triangles: mesh.triangles().len(), n_degenerate })
        }
    }
}

#[cfg(test)]
mod tests;
