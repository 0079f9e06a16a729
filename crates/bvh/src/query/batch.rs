//! Queries of many rays at once, spread over threads.

use hitscan_primitives::{Faces, Hit, HitOptions, Ray};

use super::ray_kinds::{Kinds, MIN_PACKET, few_kinds, may_be_of_one_kind};
use crate::{
    kernel::{AnyHit, ClosestHit, HitSink, PACKET},
    mesh_bvh::MeshBvh,
    platform::parallel,
    traverse::{
        ClosestHitsOfPacket, OccludedOfPacket, leaves_beyond_caches, trace_each, trace_interleaved,
    },
};

/// The minimum number of rays that one thread takes at a time: enough to make the hand-over cheap.
const MIN_CHUNK: usize = 1024;

/// The maximum number of rays that one thread takes at a time. [`Kinds`] sorts the rays of a chunk, so a
/// longer chunk has fuller packets.
const MAX_CHUNK: usize = 8192;

/// The number of chunks of a batch, while their size permits it: enough to spread over threads.
const CHUNKS: usize = 32;

impl MeshBvh {
    /// [`closest_hit`](Self::closest_hit) of each ray, on rayon's current pool with the feature
    /// `parallel`.
    ///
    /// Rays and hits are in the mesh's own space, in the same order. An invalid ray gets `None`. Order the
    /// rays so that neighbours start and point alike, for example by small tiles of a picture: an aligned
    /// run of 32 similar rays is traversed as a packet. Primary rays then take 0.4 to 0.7 of the time of
    /// single queries (bench `peers`, one thread, AMD EPYC,
    /// `benches/record/2026-11-22-amd-epyc-3`). Other rays are interleaved if the tree is larger than the
    /// caches.
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
        for_each_chunk(rays, hits, |rays, hits| {
            let packet = |rays: &[Ray; PACKET], hits: &mut [Option<Hit>; PACKET]| {
                self.isa.run(ClosestHitsOfPacket { tree: &self.tree, rays, faces, hits })
            };
            self.answer(rays, hits, faces, packet, ClosestHit::along, |closest| closest.hit());
        });
    }

    /// [`is_occluded`](Self::is_occluded) of each ray, on rayon's current pool with the feature
    /// `parallel`. Packets as in [`closest_hit_batch`](Self::closest_hit_batch).
    ///
    /// # Panics
    /// If `occluded` is not as long as `rays`.
    pub fn is_occluded_batch(&self, rays: &[Ray], faces: Faces, occluded: &mut [bool]) {
        for_each_chunk(rays, occluded, |rays, occluded| {
            let packet = |rays: &[Ray; PACKET], occluded: &mut [bool; PACKET]| {
                self.isa.run(OccludedOfPacket { tree: &self.tree, rays, faces, occluded })
            };
            self.answer(rays, occluded, faces, packet, AnyHit::along, |any| any.is_hit);
        });
    }

    /// Answers rays as packets where `packet` accepts them: aligned runs first, then rays of mixed runs,
    /// sorted into kinds. The others go alone, interleaved if the tree is larger than the caches. `finish`
    /// converts the sink of a ray to its answer.
    fn answer<T: Copy + Default, H: HitSink>(
        &self,
        rays: &[Ray],
        answers: &mut [T],
        faces: Faces,
        packet: impl Fn(&[Ray; PACKET], &mut [T; PACKET]) -> bool,
        start: impl Fn(&Ray) -> H,
        finish: impl Fn(H) -> T,
    ) {
        let mut alone = Vec::new();
        let mut kinds = Kinds::default();
        let runs = if self.tree.scale == 1.0 { rays.as_chunks::<PACKET>().0 } else { &[] };
        for (n, run) in runs.iter().enumerate() {
            let first = n * PACKET;
            let Some(run_answers) = answers[first..].first_chunk_mut() else { continue };
            if may_be_of_one_kind(run) && packet(run, run_answers) {
                continue;
            }
            let indices = std::array::from_fn::<_, PACKET, _>(|i| (first + i) as u32);
            let Some(of_rays) = few_kinds(run) else {
                alone.extend(indices);
                continue;
            };
            for (kind, index) in of_rays.into_iter().zip(indices) {
                if let Some(full) = kinds.push(kind, index) {
                    gathered_packet(rays, full, answers, &packet, &mut alone);
                }
            }
        }
        kinds.drain(|rest| gathered_packet(rays, rest, answers, &packet, &mut alone));
        alone.extend((runs.len() * PACKET) as u32..rays.len() as u32);
        match leaves_beyond_caches(&self.tree) {
            Some(leaves) => trace_interleaved(
                &self.tree,
                self.isa,
                leaves,
                rays,
                &alone,
                faces,
                start,
                |ray, sink| answers[ray as usize] = finish(sink),
            ),
            None => trace_each(&self.tree, self.isa, rays, &alone, answers, faces, start, finish),
        }
    }

    /// [`count_crossings`](Self::count_crossings) of each ray, on rayon's current pool with the
    /// feature `parallel`.
    ///
    /// # Panics
    /// If `crossings` is not as long as `rays`.
    pub fn count_crossings_batch(&self, rays: &[Ray], faces: Faces, crossings: &mut [u32]) {
        for_each_chunk(rays, crossings, |rays, crossings| {
            for (ray, crossings) in rays.iter().zip(crossings) {
                *crossings = self.count_crossings(ray, faces) as u32;
            }
        });
    }

    /// [`all_hits`](Self::all_hits) of each ray, on rayon's current pool with the feature `parallel`.
    /// Allocates one list for all rays.
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

/// Answers the rays at `indices` as a packet, padded by copies of the last one. Adds them to `alone` if
/// they are few, or `packet` refuses them.
fn gathered_packet<T: Copy + Default>(
    rays: &[Ray],
    indices: &[u32],
    answers: &mut [T],
    packet: impl Fn(&[Ray; PACKET], &mut [T; PACKET]) -> bool,
    alone: &mut Vec<u32>,
) {
    let gathered = std::array::from_fn(|i| rays[indices[i.min(indices.len() - 1)] as usize]);
    let mut gathered_answers = [T::default(); PACKET];
    if indices.len() < MIN_PACKET || !packet(&gathered, &mut gathered_answers) {
        alone.extend(indices);
        return;
    }
    for (&index, answer) in indices.iter().zip(gathered_answers) {
        answers[index as usize] = answer;
    }
}

fn for_each_chunk<T: Send>(
    rays: &[Ray],
    answers: &mut [T],
    answer: impl Fn(&[Ray], &mut [T]) + Sync + Send,
) {
    assert_eq!(rays.len(), answers.len(), "expected one answer per ray");
    let chunk = (rays.len() / CHUNKS).clamp(MIN_CHUNK, MAX_CHUNK).next_multiple_of(PACKET);
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
