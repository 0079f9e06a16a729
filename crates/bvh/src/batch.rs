//! Queries of many rays at once, spread over threads.

use hitscan_primitives::{Faces, Hit, HitMode, Ray};

use crate::{MeshBvh, parallel};

/// Rays that one thread takes at a time: enough to make the hand-over cheap, few enough to spread.
const CHUNK: usize = 1024;

impl MeshBvh {
    /// [`closest_hit`](Self::closest_hit) of each ray, on rayon's current pool with the feature
    /// `parallel`.
    ///
    /// # Panics
    /// If `hits` is not as long as `rays`.
    pub fn closest_hits(&self, rays: &[Ray], faces: Faces, hits: &mut [Option<Hit>]) {
        for_each(rays, hits, |ray| self.closest_hit(ray, faces));
    }

    /// [`is_occluded`](Self::is_occluded) of each ray, on rayon's current pool with the feature
    /// `parallel`.
    ///
    /// # Panics
    /// If `occluded` is not as long as `rays`.
    pub fn are_occluded(&self, rays: &[Ray], faces: Faces, occluded: &mut [bool]) {
        for_each(rays, occluded, |ray| self.is_occluded(ray, faces));
    }

    /// [`count_crossings`](Self::count_crossings) of each ray, on rayon's current pool with the
    /// feature `parallel`.
    ///
    /// # Panics
    /// If `crossings` is not as long as `rays`.
    pub fn crossings_of(&self, rays: &[Ray], faces: Faces, crossings: &mut [u32]) {
        for_each(rays, crossings, |ray| self.count_crossings(ray, faces) as u32);
    }

    /// [`all_hits`](Self::all_hits) of each ray, on rayon's current pool with the feature `parallel`.
    pub fn all_hits_of(&self, rays: &[Ray], faces: Faces, mode: HitMode) -> HitLists {
        let chunks = parallel::map_chunks(rays.len(), CHUNK, |chunk| {
            let (mut lists, mut hits) = (HitLists::default(), Vec::new());
            for ray in &rays[chunk] {
                self.all_hits_into(ray, faces, mode, &mut hits);
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

fn for_each<T: Send>(rays: &[Ray], answers: &mut [T], answer: impl Fn(&Ray) -> T + Sync + Send) {
    assert_eq!(rays.len(), answers.len(), "there must be one place for an answer per ray");
    parallel::for_each_chunk(answers, CHUNK, |first, answers| {
        for (ray, place) in rays[first..].iter().zip(answers) {
            *place = answer(ray);
        }
    });
}

/// The hits of many rays, one list after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct HitLists {
    /// Where the list of each ray starts in `hits`; one more than there are rays.
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
