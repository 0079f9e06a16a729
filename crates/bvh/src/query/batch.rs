//! Queries of many rays at once, spread over threads.

use std::sync::Mutex;

use hitscan_primitives::{Faces, Hit, HitOptions, Ray, brute_force::scaled_ray};

use super::{
    alone::answer_alone,
    packets::{Pause, answer_packets},
    rows::{Runs, row_length},
};
use crate::{
    kernel::{AnyHit, ClosestHit, Query},
    mesh_bvh::MeshBvh,
    platform::parallel,
    traverse::PacketAnswer,
};

/// The minimum number of rays that one thread takes at a time: enough to make the hand-over cheap.
const MIN_CHUNK: usize = 1024;

/// The maximum number of rays that one thread takes at a time. The rays of a chunk are sorted into packets,
/// so a longer chunk has fuller ones.
const MAX_CHUNK: usize = 8192;

/// The number of chunks of a batch, while their size permits it: enough to spread over threads.
const CHUNKS: usize = 32;

impl MeshBvh {
    /// [`closest_hit`](Self::closest_hit) of each ray, on rayon's current pool with the feature
    /// `parallel`.
    ///
    /// Rays and hits are in the mesh's own space, in the same order. An invalid ray gets `None`.
    ///
    /// Order the rays so that neighbours start and point alike. An aligned run of 32 similar rays is traversed
    /// as a packet. Two orders are fast: small tiles of a picture one after the other, and a whole picture row
    /// by row, whose rows the call finds and cuts into tiles of 8 x 4. Keep the place of a pixel without a ray
    /// by an invalid ray, for example one with a zero direction. Primary rays then take 0.3 to 0.8 of the time
    /// of single queries (bench `peers`, one thread, AMD EPYC). Rays that have nothing in common are
    /// interleaved if the tree is larger than the caches; else they take the time of single queries.
    ///
    /// For pictures and sensors. See also [`closest_hit`](Self::closest_hit), for rays that come one by one,
    /// and [`is_occluded_batch`](Self::is_occluded_batch).
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{Faces, Ray, generate};
    ///
    /// let mesh = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let rays = [0.5, 1.5].map(|x| Ray::new([x, 0.2, 5.0], [0.0, 0.0, -1.0]));
    /// let mut hits = [None; 2];
    /// bvh.closest_hit_batch(&rays, Faces::Both, &mut hits);
    /// assert_eq!(hits.map(|hit| hit.is_some()), [true, false]);
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    ///
    /// # Panics
    /// If `hits` is not as long as `rays`.
    pub fn closest_hit_batch(&self, rays: &[Ray], faces: Faces, hits: &mut [Option<Hit>]) {
        self.answer_all::<ClosestHit>(rays, faces, hits);
    }

    /// [`is_occluded`](Self::is_occluded) of each ray, on rayon's current pool with the feature
    /// `parallel`. Packets as in [`closest_hit_batch`](Self::closest_hit_batch).
    ///
    /// For shadows and ambient occlusion. See also [`closest_hit_batch`](Self::closest_hit_batch), for what is
    /// hit.
    ///
    /// # Panics
    /// If `occluded` is not as long as `rays`.
    pub fn is_occluded_batch(&self, rays: &[Ray], faces: Faces, occluded: &mut [bool]) {
        self.answer_all::<AnyHit>(rays, faces, occluded);
    }

    /// Answers rays in chunks, on all threads: packets first, then the rays that go alone.
    fn answer_all<Q>(&self, rays: &[Ray], faces: Faces, answers: &mut [Q::Answer])
    where
        Q: Query<Answer: PacketAnswer + Send>,
    {
        let row = row_length(rays.len(), |i| rays[i], self.bounds.max_abs_coordinate());
        self.answer_in_rows::<Q>(rays, row, faces, answers);
    }

    /// Answers rays in rows of a length, if there are any.
    pub(crate) fn answer_in_rows<Q>(
        &self,
        rays: &[Ray],
        row: Option<usize>,
        faces: Faces,
        answers: &mut [Q::Answer],
    ) where
        Q: Query<Answer: PacketAnswer + Send>,
    {
        let pause = Mutex::new(Pause::default());
        for_each_chunk(rays, answers, Runs::unit(row), |rays, answers| {
            let (tree, isa, runs) = (&self.tree, self.isa, Runs::new(rays.len(), row));
            let alone = if tree.is_scaled() {
                let rays: Vec<Ray> = rays.iter().map(|ray| scaled_ray(ray, tree.scale)).collect();
                answer_packets(tree, isa, &rays, runs, answers, faces, &pause)
            } else {
                answer_packets(tree, isa, rays, runs, answers, faces, &pause)
            };
            answer_alone::<Q>(&self.tree, self.isa, rays, &alone, faces, answers);
        });
    }

    /// [`count_crossings`](Self::count_crossings) of each ray, on rayon's current pool with the
    /// feature `parallel`.
    ///
    /// For depth complexity and voxels. See also [`all_hits_batch`](Self::all_hits_batch), for the hits.
    ///
    /// # Panics
    /// If `crossings` is not as long as `rays`.
    pub fn count_crossings_batch(&self, rays: &[Ray], faces: Faces, crossings: &mut [u32]) {
        answer_each(rays, crossings, |ray| self.count_crossings(ray, faces) as u32);
    }

    /// [`signed_crossings`](Self::signed_crossings) of each ray, on rayon's current pool with the
    /// feature `parallel`.
    ///
    /// For winding numbers of closed meshes. See also [`count_crossings_batch`](Self::count_crossings_batch), for the
    /// number of crossings.
    ///
    /// # Panics
    /// If `crossings` is not as long as `rays`.
    pub fn signed_crossings_batch(&self, rays: &[Ray], crossings: &mut [i32]) {
        answer_each(rays, crossings, |ray| self.signed_crossings(ray) as i32);
    }

    /// [`all_hits`](Self::all_hits) of each ray, on rayon's current pool with the feature `parallel`.
    /// Allocates one list for all rays.
    ///
    /// For thickness and layers. See also [`all_hits_into`](Self::all_hits_into), for one ray and a buffer.
    pub fn all_hits_batch(&self, rays: &[Ray], options: &HitOptions) -> HitLists {
        let chunks = parallel::map_chunks(rays.len(), MIN_CHUNK, |chunk| {
            let (mut lists, mut hits) = (HitLists::default(), Vec::new());
            for ray in &rays[chunk] {
                self.all_hits_into(ray, options, &mut hits);
                lists.push(&hits);
            }
            lists
        });
        let mut lists = HitLists::default();
        for chunk in chunks {
            let before = lists.hits.len();
            lists.starts.extend(chunk.starts[1..].iter().map(|start| before + start));
            lists.hits.extend(chunk.hits);
        }
        lists
    }
}

/// Answers each ray or point by itself.
pub(super) fn answer_each<R: Sync, T: Send>(
    rays: &[R],
    answers: &mut [T],
    answer: impl Fn(&R) -> T + Sync + Send,
) {
    for_each_chunk(rays, answers, 1, |rays, answers| {
        for (ray, slot) in rays.iter().zip(answers) {
            *slot = answer(ray);
        }
    });
}

/// Calls `answer` for chunks whose lengths are multiples of `unit`.
pub(crate) fn for_each_chunk<R: Sync, T: Send>(
    rays: &[R],
    answers: &mut [T],
    unit: usize,
    answer: impl Fn(&[R], &mut [T]) + Sync + Send,
) {
    assert_eq!(rays.len(), answers.len(), "expected one answer per ray");
    let chunk = (rays.len() / CHUNKS).clamp(MIN_CHUNK, MAX_CHUNK).next_multiple_of(unit);
    parallel::for_each_chunk(answers, chunk, |first, answers| {
        answer(&rays[first..first + answers.len()], answers);
    });
}

/// The hits of many rays, in one list per ray.
#[derive(Clone, Debug, PartialEq)]
pub struct HitLists {
    /// The start of each ray's list in `hits`, and the end of the last list: one more than rays.
    pub starts: Vec<usize>,
    /// The hits of all rays, each ray's sorted by `(t, triangle)`.
    pub hits: Vec<Hit>,
}

impl Default for HitLists {
    /// The lists of no rays.
    fn default() -> Self {
        Self { starts: vec![0], hits: vec![] }
    }
}

impl HitLists {
    /// The number of rays.
    pub fn n_rays(&self) -> usize {
        self.starts.len() - 1
    }

    /// The hits of one ray.
    ///
    /// # Panics
    /// If there is no such ray.
    pub fn of(&self, ray: usize) -> &[Hit] {
        &self.hits[self.starts[ray]..self.starts[ray + 1]]
    }

    fn push(&mut self, hits: &[Hit]) {
        self.hits.extend_from_slice(hits);
        self.starts.push(self.hits.len());
    }
}
