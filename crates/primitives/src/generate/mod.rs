//! Deterministic meshes for tests and benchmarks.
//!
//! The same arguments give the same bits on every platform. The generators use only operations that
//! IEEE 754 rounds exactly: sums, products, quotients and square roots. Sines come from a polynomial,
//! and random numbers from [`SplitMix64`].
//!
//! | function | surface | triangles |
//! |---|---|---|
//! | [`cuboid`] | closed | `12 * 4^level` |
//! | [`sphere`], [`torus`] | closed | `n_triangles`, or one more if that is odd |
//! | [`grid`], [`terrain`] | with a boundary | the count of a regular grid nearest to `n_triangles` |
//! | [`city`], [`soup`] | many loose parts | `n_triangles` |
//!
//! Closed surfaces are counter-clockwise seen from outside. The y axis points up.

mod error;
mod rng;

mod parts;
mod turns;

mod ring;

mod city;
mod cuboid;
mod grid;
mod soup;
mod sphere;
mod subdivide;
mod terrain;
mod torus;

pub use city::city;
pub use cuboid::cuboid;
pub use error::GenerateError;
pub use grid::grid;
pub use rng::SplitMix64;
pub use soup::soup;
pub use sphere::sphere;
pub use terrain::terrain;
pub use torus::torus;

#[cfg(test)]
mod tests;
