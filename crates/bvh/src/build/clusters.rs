//! Clusters of a few primitives along a space-filling curve: what a build sorts into a tree instead of
//! the primitives themselves, of which there are many more.
//!
//! The order is that of Morton codes, as in Lauterbach, Garland, Sengupta, Luebke and Manocha, "Fast
//! BVH Construction on GPUs" (2009). The curve is then cut into runs, at the least sum of areas, by
//! dynamic programming: where the curve leaps, it is cut.

use glam::Vec3A;

use super::{
    binary::PreorderTree,
    prim_box::{Box3, PrimBox},
};
use crate::parallel;

/// Primitives in the order of a curve, cut into runs.
pub(crate) struct Clusters {
    /// The primitives' numbers.
    order: Vec<u32>,
    /// Cluster `i` is `order[starts[i]..starts[i + 1]]`, at least one primitive.
    starts: Vec<u32>,
    /// The clusters' boxes, numbered.
    pub(crate) boxes: Vec<PrimBox>,
}

/// What a cluster costs beyond its area, as a share of the mean area of the longest runs. More
/// fills blocks better, less makes tighter boxes.
const COST_OF_A_CLUSTER: f32 = 0.3;

/// The curve is cut independently in pieces of so many primitives.
const PIECE: usize = 1 << 13;

impl Clusters {
    /// Clusters of at most `longest` primitives, of which there must be one.
    pub(crate) fn new(prims: &[PrimBox], longest: usize) -> Self {
        let order = morton_order(prims);
        let pieces =
            parallel::map_chunks(order.len(), PIECE, |piece| cut(prims, &order[piece], longest));
        let mut starts = vec![0];
        let mut boxes = Vec::with_capacity(order.len() / 2);
        let mut start = 0;
        for (len, bounds) in pieces.into_iter().flatten() {
            boxes.push(PrimBox::new(&bounds.to_aabb(), boxes.len() as u32));
            start += len;
            starts.push(start);
        }
        Self { order, starts, boxes }
    }

    /// A tree over the clusters as one over their primitives.
    pub(crate) fn expand(&self, tree: &mut PreorderTree) {
        let mut order = Vec::with_capacity(self.order.len());
        let mut firsts = Vec::with_capacity(tree.order.len() + 1);
        firsts.push(0);
        for &cluster in &tree.order {
            let cluster = cluster as usize;
            let prims = self.starts[cluster] as usize..self.starts[cluster + 1] as usize;
            order.extend_from_slice(&self.order[prims]);
            firsts.push(order.len() as u32);
        }
        for node in &mut tree.nodes {
            let first = firsts[node.first as usize];
            node.n_prims = firsts[(node.first + node.n_prims) as usize] - first;
            node.first = first;
        }
        tree.order = order;
    }
}

/// The numbers of the primitives in the order of their centres' Morton codes, then by number.
///
/// To deal the keys out by their high bits and sort the piles by radix was no faster.
fn morton_order(prims: &[PrimBox]) -> Vec<u32> {
    let centers = parallel::map_chunks(prims.len(), PIECE, |chunk| {
        prims[chunk].iter().fold(Box3::EMPTY, |centers, prim| centers.grown(prim.center2()))
    });
    let centers = centers.into_iter().fold(Box3::EMPTY, Box3::union);
    // The number takes the low bits of a key, and the code what is left.
    let number_bits = usize::BITS - (prims.len() - 1).leading_zeros();
    let axis_bits = ((64 - number_bits) / 3).min(21);
    let cells = ((1u32 << axis_bits) - 1) as f32;
    // Cells are cubes. Without any extent, or one whose reciprocal overflows, there is one cell.
    let scale = cells / (centers.max - centers.min).max_element();
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let mut keys = parallel::collect(prims.len(), |i| {
        let cell =
            ((prims[i].center2() - centers.min) * scale).clamp(Vec3A::ZERO, Vec3A::splat(cells));
        let [x, y, z] = cell.to_array().map(|x| spread(x as u64));
        (x << 2 | y << 1 | z) << number_bits | i as u64
    });
    parallel::sort(&mut keys);
    parallel::collect(keys.len(), |i| (keys[i] & ((1 << number_bits) - 1)) as u32)
}

/// The low 21 bits, each followed by two zeros.
fn spread(bits: u64) -> u64 {
    let bits = bits & 0x1f_ffff;
    let bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    let bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    let bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    let bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}

/// Cuts a piece of the curve into runs of at most `longest`, each with its length and box.
///
/// Areas of all runs in advance, coordinate by coordinate in lanes, took as many instructions.
fn cut(prims: &[PrimBox], piece: &[u32], longest: usize) -> Vec<(u32, Box3)> {
    let boxes: Vec<Box3> = piece.iter().map(|&prim| prims[prim as usize].bounds()).collect();
    let union = |boxes: &[Box3]| boxes.iter().fold(Box3::EMPTY, |all, &one| all.union(one));
    let areas: f32 = boxes.chunks(longest).map(|run| union(run).half_area()).sum();
    let cost = COST_OF_A_CLUSTER * areas / piece.len().div_ceil(longest) as f32;

    // The least cost of what comes before each place, and the length of the last run there.
    let mut least = Vec::with_capacity(piece.len() + 1);
    least.push((0.0f32, 0u32));
    for end in 1..=piece.len() {
        let mut bounds = Box3::EMPTY;
        let mut best = (f32::INFINITY, 1);
        for len in 1..=longest.min(end) {
            bounds = bounds.union(boxes[end - len]);
            let total = least[end - len].0 + bounds.half_area() + cost;
            if total < best.0 {
                best = (total, len as u32);
            }
        }
        least.push(best);
    }
    let mut runs = Vec::with_capacity(piece.len() / 2);
    let mut end = piece.len();
    while end > 0 {
        let len = least[end].1 as usize;
        runs.push((len as u32, union(&boxes[end - len..end])));
        end -= len;
    }
    runs.reverse();
    runs
}
