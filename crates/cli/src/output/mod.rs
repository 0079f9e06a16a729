//! Results as text, NDJSON, CSV or NPZ, on standard output or in a file.

mod csv;
mod element;
mod interruption;
mod ndjson;
mod npz;
mod record;
mod target;
mod text;

use std::io::Write;
use std::path::PathBuf;

use hitscan::{Ray, TriMesh};
use rayon::prelude::*;

use crate::args::OutputFormat;
use crate::engine::{Answers, Query};

pub(crate) use element::ElementRecord;
pub(crate) use record::{HitRecord, quoted};
pub(crate) use target::Target;

/// Rays that are formatted together, on one thread.
const SLICE: usize = 2048;

/// Some of the rays of a command with their answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Results<'a> {
    /// What the rays were cast at.
    pub(crate) mesh: &'a TriMesh,
    /// The number of the first ray among all rays of the command.
    pub(crate) first_ray: u64,
    pub(crate) rays: &'a [Ray],
    pub(crate) answers: &'a Answers,
}

/// Appends the results of the rays at some positions of `rays`.
type FormatSlice = fn(&Results<'_>, std::ops::Range<usize>, &mut Vec<u8>);

/// Writes results as they come.
pub(crate) enum ResultWriter {
    /// A format in which every ray stands for itself.
    Stream { target: Target, format: FormatSlice },
    /// Arrays over all rays, written at the end.
    Arrays { target: Target, arrays: npz::Arrays },
}

impl ResultWriter {
    /// Writes what comes before the first result.
    pub(crate) fn new(
        format: OutputFormat,
        query: Query,
        mut target: Target,
    ) -> anyhow::Result<Self> {
        let format: FormatSlice = match format {
            OutputFormat::Text => text::append,
            OutputFormat::Ndjson => ndjson::append,
            OutputFormat::Csv => {
                target.write_all(csv::header(query).as_bytes())?;
                csv::append
            }
            OutputFormat::Npz => {
                return Ok(Self::Arrays { target, arrays: npz::Arrays::new(query) });
            }
        };
        Ok(Self::Stream { target, format })
    }

    /// Takes the next results.
    pub(crate) fn write(&mut self, results: &Results<'_>) -> anyhow::Result<()> {
        match self {
            Self::Stream { target, format } => {
                let n = results.rays.len();
                let slices: Vec<Vec<u8>> = (0..n.div_ceil(SLICE))
                    .into_par_iter()
                    .map(|slice| {
                        let mut text = Vec::new();
                        format(results, slice * SLICE..((slice + 1) * SLICE).min(n), &mut text);
                        text
                    })
                    .collect();
                for slice in slices {
                    target.write_all(&slice)?;
                }
                // Whoever reads a pipe sees the results of a chunk as soon as they are known.
                Ok(target.flush()?)
            }
            Self::Arrays { arrays, .. } => arrays.push(results),
        }
    }

    /// Completes the output; a file appears now, unless it is one of `inputs`.
    pub(crate) fn finish(self, inputs: &[PathBuf]) -> anyhow::Result<()> {
        match self {
            Self::Stream { target, .. } => target.finish(inputs),
            Self::Arrays { mut target, arrays } => {
                arrays.write(&mut target)?;
                target.finish(inputs)
            }
        }
    }
}
