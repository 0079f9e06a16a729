//! Clusters of a few primitives along a space-filling curve: what a build sorts into a tree instead of
//! the primitives themselves, of which there are many more.
//!
//! The order is that of Morton codes, as in Lauterbach, Garland, Sengupta, Luebke and Manocha, "Fast
//! BVH Construction on GPUs" (2009). The curve is then cut into runs, at the least sum of areas, by
//! dynamic programming: where the curve leaps, it is cut. Codes and areas are computed in lanes, by the
//! best instruction set; the operations are exact, so the clusters are the same under all of them.

use glam::Vec3A;

use super::{
    binary::PreorderTree,
    ploc::{Forest, Ploc},
    prim_box::{Box3, PrimBox},
    progress::Progress,
    radix_sort::radix_sort,
};
use crate::{
    Isa, large_pages, parallel,
    simd::{Kernel, Simd},
};

/// Primitives in the order of a curve, cut into runs.
pub(crate) struct Clusters {
    /// The primitives' numbers.
    order: Vec<u32>,
    /// Cluster `i` is `order[starts[i]..starts[i + 1]]`, at least one primitive.
    starts: Vec<u32>,
    /// The clusters' boxes, numbered.
    pub(crate) boxes: Vec<PrimBox>,
}

/// Settings of the clusters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clustering {
    /// The most primitives of a cluster: 4 or 8.
    pub(crate) longest: usize,
    /// What a cluster costs beyond its area, as a share of the mean area of the longest runs. More
    /// fills blocks better, less makes tighter boxes.
    pub(crate) cost: f32,
    /// The most bits of a Morton code for each axis.
    pub(crate) axis_bits: u32,
}

/// The curve is cut independently in pieces of so many primitives.
const PIECE: usize = 1 << 13;

/// Subtrees over the clusters of each piece of the curve, after some rounds of [`Ploc`].
pub(crate) fn forests(
    n: usize,
    bounds: &(impl Fn(u32) -> Box3 + Sync + Send),
    clustering: &Clustering,
    n_rounds: usize,
    isa: Isa,
    progress: &Progress<'_>,
) -> Vec<Forest> {
    let (keys, number) = morton_keys(n, bounds, clustering.axis_bits, isa);
    parallel::map_chunks(n, PIECE, |piece| {
        let order: Vec<u32> = keys[piece].iter().map(|&key| number(key)).collect();
        if progress.is_cancelled() {
            return Forest::default();
        }
        let runs = runs(bounds, &order, clustering, isa);
        let forest = isa.run(Ploc { order: &order, runs: &runs, n_rounds });
        progress.advance(order.len() - forest.roots.len());
        forest
    })
}

/// Cuts a piece of the curve into runs, each with its length and box.
fn runs(
    bounds: &impl Fn(u32) -> Box3,
    piece: &[u32],
    clustering: &Clustering,
    isa: Isa,
) -> Vec<(u32, Box3)> {
    let boxes: Vec<Box3> = piece.iter().map(|&prim| bounds(prim)).collect();
    let cost = clustering.cost;
    match clustering.longest {
        4 => isa.run(Cut::<4> { boxes: &boxes, cost }),
        8 => isa.run(Cut::<8> { boxes: &boxes, cost }),
        longest => unreachable!("clusters of at most {longest}"),
    }
}

impl Clusters {
    /// Clusters of `n` primitives, at least one.
    pub(crate) fn new(
        n: usize,
        bounds: &(impl Fn(u32) -> Box3 + Sync + Send),
        clustering: &Clustering,
        isa: Isa,
    ) -> Self {
        let (keys, number) = morton_keys(n, bounds, clustering.axis_bits, isa);
        let order = parallel::collect(n, |i| number(keys[i]));
        drop(keys);
        let pieces =
            parallel::map_chunks(n, PIECE, |piece| runs(bounds, &order[piece], clustering, isa));
        let mut starts = vec![0];
        let mut boxes = Vec::with_capacity(order.len() / 2);
        let mut start = 0;
        for (len, bounds) in pieces.into_iter().flatten() {
            boxes.push(PrimBox::new(bounds, boxes.len() as u32));
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

/// The keys of `n` primitives in the order of their centres' Morton codes, of at most so many bits for
/// each axis, then by number; and the number of a key.
fn morton_keys(
    n: usize,
    bounds: &(impl Fn(u32) -> Box3 + Sync + Send),
    most_axis_bits: u32,
    isa: Isa,
) -> (Vec<u64>, impl Fn(u64) -> u32 + Sync) {
    let centers = parallel::map_chunks(n, PIECE, |chunk| {
        chunk.fold(Box3::EMPTY, |centers, i| centers.grown(bounds(i as u32).center2()))
    });
    let centers = centers.into_iter().fold(Box3::EMPTY, Box3::union);
    // The number takes the low bits of a key, and the code what is left.
    let number_bits = usize::BITS - (n - 1).leading_zeros();
    let axis_bits = ((64 - number_bits) / 3).min(most_axis_bits);
    let cells = ((1u32 << axis_bits) - 1) as f32;
    // Cells are cubes. Without any extent, or one whose reciprocal overflows, there is one cell.
    let scale = cells / (centers.max - centers.min).max_element();
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let mut keys = large_pages::zeroed(n);
    parallel::for_each_chunk(&mut keys, PIECE, |first, keys| {
        isa.run(MortonKeys { keys, first, bounds, origin: centers.min, scale, cells, number_bits });
    });
    radix_sort(&mut keys, number_bits, number_bits + 3 * axis_bits);
    (keys, move |key| (key & ((1 << number_bits) - 1)) as u32)
}

/// Writes the Morton codes of primitives' centres, each before the primitive's number.
struct MortonKeys<'a, B> {
    keys: &'a mut [u64],
    /// The number of the first primitive.
    first: usize,
    bounds: &'a B,
    /// Where the cells begin.
    origin: Vec3A,
    /// Cells per length, and cells along an axis less one.
    scale: f32,
    cells: f32,
    number_bits: u32,
}

impl<B: Fn(u32) -> Box3> Kernel for MortonKeys<'_, B> {
    type Output = ();

    /// In two loops: short ones run further ahead of the memory that they wait for.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        const CHUNK: usize = 128;
        for (chunk, keys) in self.keys.chunks_mut(CHUNK).enumerate() {
            let first = self.first + CHUNK * chunk;
            let mut cells = [[0.0f32; CHUNK]; 3];
            for i in 0..keys.len() {
                let center = (self.bounds)((first + i) as u32).center2();
                let cell = (center - self.origin) * self.scale;
                let cell = cell.clamp(Vec3A::ZERO, Vec3A::splat(self.cells)).to_array();
                for axis in 0..3 {
                    cells[axis][i] = cell[axis];
                }
            }
            for i in 0..keys.len() {
                let mut code = 0;
                for axis in 0..3 {
                    code = code << 1 | spread(cells[axis][i] as i32 as u64);
                }
                keys[i] = code << self.number_bits | (first + i) as u64;
            }
        }
    }
}

/// The low 21 bits, each followed by two zeros.
#[inline(always)]
fn spread(bits: u64) -> u64 {
    let bits = bits & 0x1f_ffff;
    let bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    let bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    let bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    let bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}

/// Cuts a piece of the curve, given by its boxes, into runs of at most `LONGEST`, each with its length
/// and box.
struct Cut<'a, const LONGEST: usize> {
    boxes: &'a [Box3],
    /// See [`Clustering::cost`].
    cost: f32,
}

impl<const LONGEST: usize> Kernel for Cut<'_, LONGEST> {
    type Output = Vec<(u32, Box3)>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Output {
        const { assert!(LONGEST <= 8) };
        let boxes = self.boxes;
        let union = |boxes: &[Box3]| {
            let mut all = Box3::EMPTY;
            for &one in boxes {
                all = all.union(one);
            }
            all
        };
        let mut areas = 0.0;
        for run in boxes.chunks(LONGEST) {
            areas += union(run).half_area();
        }
        let cost = self.cost * areas / boxes.len().div_ceil(LONGEST) as f32;

        // The boxes' sides in lanes.
        let n_rows = boxes.len().div_ceil(8) + 1;
        let mut rows = [const { Vec::new() }; 6];
        for row in &mut rows {
            *row = vec![0.0f32; 8 * n_rows];
        }
        for (i, one) in boxes.iter().enumerate() {
            let (min, max) = (one.min.to_array(), one.max.to_array());
            for axis in 0..3 {
                rows[axis][i] = min[axis];
                rows[3 + axis][i] = max[axis];
            }
        }
        // The areas of runs by their length, for the last 8 starts and those before them.
        let mut areas = [[0.0f32; 16]; LONGEST];
        // The least cost of what comes before each place, after `LONGEST` where there is none, and the
        // length of the last run there.
        let mut least = vec![f32::INFINITY; LONGEST + boxes.len() + 8];
        let mut lengths = vec![0u8; boxes.len() + 8];
        least[LONGEST - 1] = 0.0;
        for first in (0..boxes.len()).step_by(8) {
            let mut run = [s.splat(0.0); 6];
            for len in 0..LONGEST {
                for side in 0..6 {
                    let row = rows[side][first + len..].first_chunk();
                    let one = s.load(row.expect("rows are longer by eight"));
                    run[side] = match (len, side) {
                        (0, _) => one,
                        (_, 0..3) => s.min(run[side], one),
                        _ => s.max(run[side], one),
                    };
                }
                let [x, y, z] =
                    [s.sub(run[3], run[0]), s.sub(run[4], run[1]), s.sub(run[5], run[2])];
                let area = s.add(s.add(s.mul(x, y), s.mul(y, z)), s.mul(z, x));
                areas[len].copy_within(8.., 0);
                areas[len][8..].copy_from_slice(&s.store(area));
            }
            for lane in 0..8 {
                let end = first + lane + 1;
                // The cost in the high bits, the length in the low ones: the least of both, and no
                // branch on what cannot be predicted.
                let mut best = u64::MAX;
                let before: &[f32; LONGEST] =
                    least[end - 1..].first_chunk().expect("there are as many before each place");
                for len in (1..=LONGEST).rev() {
                    let total = before[LONGEST - len] + areas[len - 1][8 + lane + 1 - len] + cost;
                    best = best.min(u64::from(total.to_bits()) << 32 | len as u64);
                }
                least[LONGEST - 1 + end] = f32::from_bits((best >> 32) as u32);
                lengths[end - 1] = best as u8;
            }
        }
        let mut runs = Vec::with_capacity(boxes.len() / 2);
        let mut end = boxes.len();
        while end > 0 {
            let len = usize::from(lengths[end - 1]);
            runs.push((len as u32, union(&boxes[end - len..end])));
            end -= len;
        }
        runs.reverse();
        runs
    }
}
