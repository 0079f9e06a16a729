//! Rays from files and standard input, as streams.

mod csv;
mod lines;
mod ndjson;
mod npy;
mod source;

use clap::ValueEnum;
use hitscan::Ray;

pub use source::from_reader;
pub(crate) use source::{RaySource, open};

/// How rays are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RayFormat {
    /// Comma-separated values under a header.
    Csv,
    /// A JSON object a line.
    Ndjson,
    /// A NumPy array.
    Npy,
}

/// Rays that come one after the other.
pub trait RayReader {
    /// Appends the next rays to `rays`, at most `most` of them; none when there are no more.
    ///
    /// An invalid ray is a ray like any other here: it misses.
    ///
    /// # Errors
    /// What is no ray at all, with the file and the line or row.
    fn read(&mut self, rays: &mut Vec<Ray>, most: usize) -> anyhow::Result<()>;

    /// The number of all rays, where the format tells.
    fn total(&self) -> Option<u64> {
        None
    }
}

/// The interval of rays that bring none of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DefaultRange {
    /// The least `t` that counts.
    pub t_min: f32,
    /// The greatest `t` that counts.
    pub t_max: f32,
}

/// A ray from numbers as files have them: origin, direction, and bounds if there are eight.
fn ray_of(numbers: &[f32], default: DefaultRange) -> Ray {
    let ray = Ray::new([numbers[0], numbers[1], numbers[2]], [numbers[3], numbers[4], numbers[5]]);
    match numbers {
        [.., t_min, t_max] if numbers.len() == 8 => ray.with_range(*t_min, *t_max),
        _ => ray.with_range(default.t_min, default.t_max),
    }
}
