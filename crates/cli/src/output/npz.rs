//! Results as NumPy arrays in a zip archive, under the names of Open3D's `RaycastingScene`.

use anyhow::Context;

use super::archive::Archive;
use super::columns::{Column, HitColumns};
use super::results::Results;
use super::writer::Arrays;
use crate::args::Field;
use crate::query::{Answer, Query};

/// The arrays of a query. They are complete after the last push.
pub(crate) enum RayArrays {
    /// An entry per ray.
    Closest(HitColumns),
    /// An entry per hit. The hits of ray i start at `ray_splits[i]` and end before `ray_splits[i + 1]`.
    All { ray_splits: Column, ray_ids: Column, hits: HitColumns },
    /// Whether each ray hits anything, or how often.
    Plain(Column),
}

impl RayArrays {
    /// `t` is an f64 if it is exact.
    ///
    /// # Errors
    /// A full disk.
    pub(super) fn new(query: Query, fields: &[Field], exact_t: bool) -> anyhow::Result<Self> {
        let hits = || HitColumns::new(fields, exact_t);
        Ok(match query {
            Query::Closest => Self::Closest(hits()),
            Query::All(_) => {
                let mut ray_splits = Column::new("ray_splits", "<u8", 1);
                ray_splits.push([0u64.to_le_bytes()])?;
                Self::All { ray_splits, ray_ids: Column::new("ray_ids", "<u4", 1), hits: hits() }
            }
            Query::Any => Self::Plain(Column::new("occluded", "|b1", 1)),
            Query::Count => Self::Plain(Column::new("crossings", "<u4", 1)),
        })
    }

    pub(super) fn push(&mut self, results: &Results<'_>) -> anyhow::Result<()> {
        for i in 0..results.n_rays {
            match (&mut *self, results.answers.of(i)) {
                (Self::Closest(columns), Answer::Hits(hits)) => {
                    let record = hits.first().map(|hit| results.record(i, hit));
                    columns.push(record.as_ref())?;
                }
                (Self::All { ray_splits, ray_ids, hits: columns }, Answer::Hits(hits)) => {
                    let ray = u32::try_from(results.first_ray + i as u64)
                        .context("found more than 2^32 rays; expected fewer, because ray_ids are 32-bit numbers")?;
                    for hit in hits {
                        ray_ids.push([ray.to_le_bytes()])?;
                        columns.push(Some(&results.record(i, hit)))?;
                    }
                    ray_splits.push([ray_ids.n_entries().to_le_bytes()])?;
                }
                (Self::Plain(column), Answer::Occluded(is_occluded)) => {
                    column.push([[u8::from(is_occluded)]])?;
                }
                (Self::Plain(column), Answer::Crossings(n)) => column.push([n.to_le_bytes()])?,
                _ => unreachable!("the arrays belong to the query of the answers"),
            }
        }
        Ok(())
    }
}

impl Arrays for RayArrays {
    fn write(self, archive: &mut Archive) -> anyhow::Result<()> {
        match self {
            Self::Closest(columns) => columns.write(archive),
            Self::All { ray_splits, ray_ids, hits } => {
                ray_splits.write(archive)?;
                ray_ids.write(archive)?;
                hits.write(archive)
            }
            Self::Plain(column) => column.write(archive),
        }
    }
}
