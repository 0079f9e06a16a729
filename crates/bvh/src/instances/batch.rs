//! Many rays at once, interleaved where they wait for memory.

use hitscan_primitives::{Faces, WorldRay};

use super::{
    instance_bvh::InstanceBvh,
    interleaved::Interleaved,
    placed_mesh::{InstanceFilter, InstancedMesh, PlacedMesh},
    query::{Any, Batch, Closest, InstanceHit, MeshQuery},
};
use crate::{
    layout::WideNode,
    platform::SMALL_CODE,
    query::for_each_chunk,
    simd::{Kernel, Simd},
};

/// The minimum size in bytes at which rays that have nothing in common are interleaved: of nodes and instances, and of a
/// share of the meshes. A ray reads new parts of the former all the time, but the same parts of the same mesh.
const BEYOND_CACHES: usize = 2 << 20;

/// The share of the meshes. Interleaved, rays through a hundred bunnies take a tenth more time, and through ten thousand a
/// third less (bench `peers`).
const MESH_SHARE: usize = 8;

/// The rays that are interleaved: few enough for the caches, many enough to have some in flight most of the time.
const BLOCK: usize = 4096;

impl InstanceBvh {
    /// [`closest_hit`](Self::closest_hit) of each ray, on rayon's current pool with the feature `parallel`. `make` turns
    /// a hit into an answer.
    ///
    /// # Panics
    /// If `hits` is not as long as `rays`.
    pub fn closest_hit_batch<T: Send>(
        &self,
        rays: &[WorldRay],
        faces: Faces,
        filter: InstanceFilter,
        hits: &mut [Option<T>],
        make: impl Fn(&InstanceHit) -> T + Sync + Send,
    ) {
        self.answer_all::<Closest, _>(rays, faces, filter, hits, |hit| hit.map(|hit| make(&hit)));
    }

    /// [`is_occluded`](Self::is_occluded) of each ray, in the manner of [`closest_hit_batch`](Self::closest_hit_batch).
    ///
    /// # Panics
    /// If `occluded` is not as long as `rays`.
    pub fn is_occluded_batch(
        &self,
        rays: &[WorldRay],
        faces: Faces,
        filter: InstanceFilter,
        occluded: &mut [bool],
    ) {
        self.answer_all::<Any, _>(rays, faces, filter, occluded, |is_occluded| is_occluded);
    }

    fn answer_all<Q: MeshQuery, T: Send>(
        &self,
        rays: &[WorldRay],
        faces: Faces,
        filter: InstanceFilter,
        answers: &mut [T],
        make: impl Fn(Q::Output) -> T + Sync + Send,
    ) {
        if let Some(item) = self.item_for_all(rays) {
            return self.answer_by_mesh::<Q, T>(item, rays, faces, filter, answers, make);
        }
        let is_large = self.exceeds_caches();
        for_each_chunk(rays, answers, 1, |rays, answers| {
            let mut outputs = Vec::new();
            for (rays, answers) in rays.chunks(BLOCK).zip(answers.chunks_mut(BLOCK)) {
                if is_large && !self.are_neighbours(rays) {
                    outputs.resize_with(rays.len(), Q::Output::default);
                    let batch = Batch { tree: self, rays, faces, filter, outputs: &mut outputs };
                    if self.isa.run(WaitingForMemory::<Q> { batch }) {
                        for (answer, output) in answers.iter_mut().zip(outputs.drain(..)) {
                            *answer = make(output);
                        }
                        continue;
                    }
                }
                for (ray, answer) in rays.iter().zip(answers) {
                    *answer = make(Q::alone(self, ray, faces, filter));
                }
            }
        });
    }

    /// Whether the tree and the meshes are larger than the caches, as far as a few of the items tell.
    fn exceeds_caches(&self) -> bool {
        /// The number of items whose meshes count.
        const SAMPLE: usize = 64;
        let n = self.placed.len();
        let sample =
            (0..n).step_by(n.div_ceil(SAMPLE).max(1)).map(|item| self.placed.get(item as u32));
        let mut meshes: Vec<&InstancedMesh> = sample.filter_map(PlacedMesh::mesh).collect();
        meshes.sort_unstable_by_key(|mesh| std::ptr::from_ref(*mesh));
        meshes.dedup_by_key(|mesh| std::ptr::from_ref(*mesh));
        let meshes: usize = meshes.iter().map(|mesh| mesh.bvh().tree.bytes()).sum();
        let bytes = self.nodes.len() * size_of::<WideNode>() + n * size_of::<PlacedMesh>();
        bytes + meshes / MESH_SHARE >= BEYOND_CACHES
    }

    /// Whether most of the rays start near the one before, so that they read the same part of the tree.
    fn are_neighbours(&self, rays: &[WorldRay]) -> bool {
        let n_near = rays.windows(2).filter(|pair| self.start_near(&pair[0], &pair[1])).count();
        2 * n_near >= rays.len()
    }
}

/// Rays that wait for memory. Answers them if the instruction set can prefetch, and returns whether it did.
pub(super) struct WaitingForMemory<'a, 'b, Q: MeshQuery> {
    pub(super) batch: Batch<'a, 'b, Q>,
}

impl<Q: MeshQuery> Kernel for WaitingForMemory<'_, '_, Q> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> bool {
        let prefetches = S::HAS_PREFETCH && !SMALL_CODE;
        if prefetches {
            simd.vectorize(Interleaved { batch: self.batch });
        }
        prefetches
    }
}
