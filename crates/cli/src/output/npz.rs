//! Results as NumPy arrays in a zip archive, under the names of Open3D's `RaycastingScene`.

use std::fs::File;
use std::io::{self, Seek};

use anyhow::Context;
use hitscan::Hit;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::npy::{self, NpyNumber};
use super::results::Results;
use super::target::Target;
use crate::query::{Answer, Query};

/// The triangle of a miss, as in Open3D.
const NO_TRIANGLE: u32 = u32::MAX;

/// The arrays of a query. They are complete after the last push.
pub(crate) enum Arrays {
    /// An entry per ray.
    Closest(HitArrays),
    /// An entry per hit. The hits of ray i start at `ray_splits[i]` and end before `ray_splits[i + 1]`.
    All {
        ray_splits: Vec<u64>,
        ray_ids: Vec<u32>,
        hits: HitArrays,
    },
    Any {
        occluded: Vec<bool>,
    },
    Count {
        crossings: Vec<u32>,
    },
}

#[derive(Default)]
pub(crate) struct HitArrays {
    t_hit: Vec<f32>,
    primitive_ids: Vec<u32>,
    primitive_uvs: Vec<f32>,
    primitive_normals: Vec<f32>,
}

impl HitArrays {
    fn push(&mut self, results: &Results<'_>, hit: &Hit) {
        // An array cannot hold "none", so the normal of a triangle of zero area is zero.
        let normal = results.mesh.unit_normal(hit.triangle).unwrap_or_default().as_vec3() + 0.0;
        self.t_hit.push(hit.t);
        self.primitive_ids.push(hit.triangle);
        self.primitive_uvs.extend([hit.u, hit.v]);
        self.primitive_normals.extend(normal.to_array());
    }

    fn push_miss(&mut self) {
        self.t_hit.push(f32::INFINITY);
        self.primitive_ids.push(NO_TRIANGLE);
        self.primitive_uvs.extend([0.0; 2]);
        self.primitive_normals.extend([0.0; 3]);
    }

    fn write(&self, archive: &mut Archive) -> anyhow::Result<()> {
        let n = self.t_hit.len() as u64;
        archive.add("t_hit", &[n], &self.t_hit)?;
        archive.add("primitive_ids", &[n], &self.primitive_ids)?;
        archive.add("primitive_uvs", &[n, 2], &self.primitive_uvs)?;
        archive.add("primitive_normals", &[n, 3], &self.primitive_normals)
    }
}

impl Arrays {
    pub(super) fn new(query: Query) -> Self {
        match query {
            Query::Closest => Self::Closest(HitArrays::default()),
            Query::All(_) => {
                Self::All { ray_splits: vec![0], ray_ids: Vec::new(), hits: HitArrays::default() }
            }
            Query::Any => Self::Any { occluded: Vec::new() },
            Query::Count => Self::Count { crossings: Vec::new() },
        }
    }

    pub(super) fn push(&mut self, results: &Results<'_>) -> anyhow::Result<()> {
        for i in 0..results.rays.len() {
            match (&mut *self, results.answers.of(i)) {
                (Self::Closest(arrays), Answer::Hits([])) => arrays.push_miss(),
                (Self::Closest(arrays), Answer::Hits([hit, ..])) => arrays.push(results, hit),
                (Self::All { ray_splits, ray_ids, hits: arrays }, Answer::Hits(hits)) => {
                    let ray = u32::try_from(results.first_ray + i as u64)
                        .context("found more than 2^32 rays; expected fewer, because ray_ids are 32-bit numbers")?;
                    for hit in hits {
                        ray_ids.push(ray);
                        arrays.push(results, hit);
                    }
                    ray_splits.push(ray_ids.len() as u64);
                }
                (Self::Any { occluded }, Answer::Occluded(answer)) => occluded.push(answer),
                (Self::Count { crossings }, Answer::Crossings(answer)) => crossings.push(answer),
                _ => unreachable!("the arrays belong to the query of the answers"),
            }
        }
        Ok(())
    }

    pub(super) fn write(&self, target: &mut Target) -> anyhow::Result<()> {
        write_archive(target, |archive| match self {
            Self::Closest(arrays) => arrays.write(archive),
            Self::All { ray_splits, ray_ids, hits } => {
                archive.add("ray_splits", &[ray_splits.len() as u64], ray_splits)?;
                archive.add("ray_ids", &[ray_ids.len() as u64], ray_ids)?;
                hits.write(archive)
            }
            Self::Any { occluded } => archive.add("occluded", &[occluded.len() as u64], occluded),
            Self::Count { crossings } => {
                archive.add("crossings", &[crossings.len() as u64], crossings)
            }
        })
    }
}

/// Writes an archive. `fill` adds its arrays.
///
/// # Errors
/// Those of `fill`, and a target that cannot be written.
pub(crate) fn write_archive(
    target: &mut Target,
    fill: impl FnOnce(&mut Archive) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    // Writing an archive needs to seek, so it goes to a file first.
    let file = tempfile::tempfile().context("cannot create a temporary file")?;
    let mut archive = Archive { zip: ZipWriter::new(io::BufWriter::new(file)) };
    fill(&mut archive)?;
    let file = archive.zip.finish()?;
    let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    io::copy(&mut file, target)?;
    Ok(())
}

/// A zip archive of arrays in a temporary file.
pub(crate) struct Archive {
    zip: ZipWriter<io::BufWriter<File>>,
}

impl Archive {
    /// Adds an array in C order, with the dtype of `T`.
    ///
    /// # Errors
    /// A full disk.
    pub(crate) fn add<T: NpyNumber>(
        &mut self,
        name: &str,
        shape: &[u64],
        values: &[T],
    ) -> anyhow::Result<()> {
        // A member of 4 GiB or more needs zip64. Smaller members do without, for older readers.
        let large = size_of_val(values) >= u32::MAX as usize - (1 << 16);
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(large);
        self.zip.start_file(format!("{name}.npy"), options)?;
        Ok(npy::write(&mut self.zip, shape, values)?)
    }
}
