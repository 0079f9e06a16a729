//! The rays of a batch that go alone: one after the other, or interleaved where they wait for memory.

use hitscan_primitives::{Faces, Ray};

use crate::{
    kernel::Query,
    layout::Tree,
    platform::SMALL_CODE,
    simd::Isa,
    traverse::{answer_each, answer_interleaved, leaves_beyond_caches},
};

/// The minimum size in bytes of a tree on which even neighbouring rays wait for memory. On the city of a
/// million triangles, 70 MB, interleaving costs bounced rays 13 %; on the terrain of four million it gains
/// 15 %.
const FAR_BEYOND_CACHES: usize = 160 << 20;

/// The maximum distance of neighbouring origins, as a share of the tree's near reach.
const NEIGHBOURS: f32 = 1.0 / 64.0;

/// Answers the rays at `indices`.
pub(super) fn answer_alone<Q: Query>(
    tree: &Tree,
    isa: Isa,
    rays: &[Ray],
    indices: &[u32],
    faces: Faces,
    answers: &mut [Q::Answer],
) {
    // The second loop is 20 kB of a download, so any-hit queries do without it.
    let may_interleave = !SMALL_CODE || Q::ORDERED;
    let wait_for_memory = || is_far_beyond_caches(tree) || !are_neighbours(tree, rays, indices);
    match leaves_beyond_caches(tree) {
        Some(leaves) if may_interleave && wait_for_memory() => {
            answer_interleaved::<Q>(tree, isa, leaves, rays, indices, faces, answers);
        }
        _ => answer_each::<Q>(tree, isa, rays, indices, faces, answers),
    }
}

/// Whether even neighbouring rays wait for memory.
pub(super) fn is_far_beyond_caches(tree: &Tree) -> bool {
    size_of_val(&*tree.nodes) + tree.leaves.bytes() >= FAR_BEYOND_CACHES
}

/// Whether most of the rays start near the one before, so that they read the same part of the tree.
fn are_neighbours(tree: &Tree, rays: &[Ray], indices: &[u32]) -> bool {
    let reach = NEIGHBOURS * tree.reach.near;
    let are_near = |pair: &&[u32]| {
        let [a, b] = [0, 1].map(|i| rays[pair[i] as usize].origin);
        (a - b).abs().max_element() <= reach
    };
    2 * indices.windows(2).filter(are_near).count() >= indices.len()
}
