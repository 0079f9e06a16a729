//! Queries of rays on a tree.

use std::cell::Cell;

use hitscan::{Faces, Hit, HitLists, HitOptions, MeshBvh, Ray};
use numpy::Element;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::{
    answers::{Answers, HitArguments, HitArrays, HitColumnArrays, HitColumns, one_per},
    batch::{Steps, in_steps},
    bvh::Bvh,
    options::{faces, mode},
    rays::{LocalRayArguments, LocalRayArrays},
};

/// The rays that one thread converts and casts at a time, unless the batch of these rays gives some to
/// threads that have none.
///
/// A batch finds the rows of a picture, and cuts them into packets. In chunks of 2^14 rays, a camera's rays
/// took up to a half longer. Rays and hits, 52 bytes each, should fit into the last cache.
pub(crate) const CHUNK: usize = 1 << 15;

/// Queries of rays.
#[pymethods]
impl Bvh {
    fn closest_hits(
        &self,
        py: Python<'_>,
        rays: LocalRayArguments<'_>,
        sides: &str,
        threads: Option<usize>,
        mut answers: HitArguments<'_, f32>,
    ) -> PyResult<()> {
        let (mesh, faces, arrays) = (self.mesh(), faces(sides)?, LocalRayArrays::new(rays)?);
        let rays = arrays.slices()?;
        let mut answers = HitArrays::new(arrays.len(), &mut answers)?;
        in_steps(py, Steps::RAYS, arrays.len(), threads, |range| {
            let chunks = answers.chunks(range.clone(), CHUNK).enumerate();
            chunks.for_each(|(n, mut chunk)| {
                let first = range.start + n * CHUNK;
                ClosestBatch::with(|batch| {
                    rays.collect(first..first + chunk.len(), &mut batch.rays);
                    chunk.store(batch.answer(mesh.bvh(), faces));
                });
            });
            Ok(())
        })
    }

    fn is_occluded<'py>(
        &self,
        py: Python<'py>,
        rays: LocalRayArguments<'_>,
        sides: &str,
        threads: Option<usize>,
    ) -> Answers<'py, bool> {
        let faces = faces(sides)?;
        self.answer_rays(py, rays, threads, |bvh, rays, hit| {
            bvh.is_occluded_batch(rays, faces, hit);
        })
    }

    fn count_crossings<'py>(
        &self,
        py: Python<'py>,
        rays: LocalRayArguments<'_>,
        sides: &str,
        threads: Option<usize>,
    ) -> Answers<'py, u32> {
        let faces = faces(sides)?;
        self.answer_rays(py, rays, threads, |bvh, rays, count| {
            bvh.count_crossings_batch(rays, faces, count);
        })
    }

    fn signed_crossings<'py>(
        &self,
        py: Python<'py>,
        rays: LocalRayArguments<'_>,
        threads: Option<usize>,
    ) -> Answers<'py, i32> {
        self.answer_rays(py, rays, threads, |bvh, rays, count| {
            bvh.signed_crossings_batch(rays, count);
        })
    }

    /// The hits of each ray, all of them or the nearest `n`.
    fn hit_lists<'py>(
        &self,
        py: Python<'py>,
        rays: LocalRayArguments<'_>,
        sides: &str,
        once_per_crossing: bool,
        n: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<HitColumnArrays<'py>> {
        let (mesh, arrays) = (self.mesh(), LocalRayArrays::new(rays)?);
        let options = HitOptions { faces: faces(sides)?, mode: mode(once_per_crossing) };
        let rays = arrays.slices()?;
        let mut columns = HitColumns::new();
        let mut buffer = Vec::new();
        in_steps(py, Steps::SLOW, arrays.len(), threads, |range| {
            rays.collect(range, &mut buffer);
            let lists = match n {
                None => mesh.bvh().all_hits_batch(&buffer, &options),
                Some(n) => nearest_lists(mesh.bvh(), &buffer, n, &options),
            };
            columns.extend(&lists)
        })?;
        Ok(columns.into_arrays(py))
    }
}

impl Bvh {
    /// Returns a number per ray. `answer` gets the rays in chunks.
    fn answer_rays<'py, T: Element + Send>(
        &self,
        py: Python<'py>,
        rays: LocalRayArguments<'_>,
        threads: Option<usize>,
        answer: impl Fn(&MeshBvh, &[Ray], &mut [T]) + Sync,
    ) -> Answers<'py, T> {
        let (mesh, arrays) = (self.mesh(), LocalRayArrays::new(rays)?);
        let rays = arrays.slices()?;
        one_per(py, arrays.len(), "rays", |answers| {
            in_steps(py, Steps::RAYS, arrays.len(), threads, |range| {
                let chunks = answers[range.clone()].par_chunks_mut(CHUNK).enumerate();
                chunks.for_each(|(n, answers)| {
                    let first = range.start + n * CHUNK;
                    ClosestBatch::with(|batch| {
                        rays.collect(first..first + answers.len(), &mut batch.rays);
                        answer(mesh.bvh(), &batch.rays, answers);
                    });
                });
                Ok(())
            })
        })
    }
}

/// The rays and hits of a chunk.
#[derive(Default)]
pub(crate) struct ClosestBatch {
    pub(crate) rays: Vec<Ray>,
    hits: Vec<Option<Hit>>,
}

impl ClosestBatch {
    /// Calls `f` with the buffers of this thread, which keeps them: new ones would cost a page fault for
    /// every hundred rays.
    pub(crate) fn with<T>(f: impl FnOnce(&mut Self) -> T) -> T {
        thread_local!(static BUFFERS: Cell<ClosestBatch> = Cell::default());
        // A thread that waits for others may take another chunk; it then finds empty buffers here.
        let mut batch = BUFFERS.take();
        let answer = f(&mut batch);
        BUFFERS.set(batch);
        answer
    }

    /// The closest hits of the rays.
    pub(crate) fn answer(&mut self, bvh: &MeshBvh, faces: Faces) -> &[Option<Hit>] {
        self.hits.resize(self.rays.len(), None);
        bvh.closest_hit_batch(&self.rays, faces, &mut self.hits);
        &self.hits
    }
}

/// The nearest hits of each ray, on all threads of the pool.
fn nearest_lists(bvh: &MeshBvh, rays: &[Ray], n: usize, options: &HitOptions) -> HitLists {
    let lists: Vec<Vec<Hit>> = rays
        .par_iter()
        .with_min_len(256)
        .map(|ray| {
            let mut hits = Vec::new();
            bvh.nearest_hits_into(ray, n, options, &mut hits);
            hits
        })
        .collect();
    let mut all = HitLists::default();
    for list in lists {
        all.hits.extend(list);
        all.starts.push(all.hits.len());
    }
    all
}
