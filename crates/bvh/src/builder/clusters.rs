//! Clusters of a few primitives along a space-filling curve. The build sorts them into a tree instead of
//! the primitives, because they are fewer.
//!
//! Dynamic programming cuts the curve into runs with the minimum sum of areas, so it cuts where the curve
//! leaps. The best instruction set computes areas in lanes. The operations are exact, so the clusters are
//! the same under all instruction sets.

use super::{
    binary_tree::PreorderTree,
    box_source::BoxSource,
    morton::morton_keys,
    ploc::{Forest, Ploc},
    prim_box::PrimBox,
    progress::Progress,
};
use crate::{
    box3::{Box3, usual_area},
    platform::{large_pages, parallel},
    simd::{Isa, Kernel, LANES, Simd},
};

/// Primitives in the order of a curve, cut into runs.
pub(crate) struct Clusters {
    /// Indices of primitives.
    order: Vec<u32>,
    /// Cluster `i` is `order[starts[i]..starts[i + 1]]`, at least one primitive.
    starts: Vec<u32>,
    /// The boxes of the clusters, with their indices.
    pub(crate) boxes: Vec<PrimBox>,
}

/// Settings of the clusters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clustering {
    /// The maximum number of primitives of a cluster: 4 or 8.
    pub(crate) max_len: usize,
    /// The cost of a cluster beyond its area, as a share of the mean area of runs of maximum length. A
    /// higher overhead fills blocks better, a lower one makes tighter boxes.
    pub(crate) run_overhead: f32,
    /// The maximum number of bits of a Morton code per axis.
    pub(crate) axis_bits: u32,
}

/// Primitives per independently processed piece of the curve.
const PIECE: usize = 1 << 13;

/// Subtrees over the clusters of each piece of the curve, after some rounds of [`Ploc`].
pub(crate) fn forests(
    source: BoxSource<'_>,
    clustering: &Clustering,
    n_rounds: usize,
    isa: Isa,
    progress: &Progress<'_>,
) -> Vec<Forest> {
    let (keys, index) = morton_keys(source, clustering.axis_bits, isa);
    parallel::map_chunks(source.n, PIECE, |piece| {
        let order: Vec<u32> = keys[piece].iter().map(|&key| index(key)).collect();
        if progress.is_cancelled() {
            return Forest::default();
        }
        let runs = runs(source, &order, clustering, isa);
        let forest = isa.run(Ploc { order: &order, runs: &runs, n_rounds });
        progress.advance(order.len() - forest.roots.len());
        forest
    })
}

/// Cuts a piece of the curve into runs, each with its length and box.
fn runs(
    source: BoxSource<'_>,
    piece: &[u32],
    clustering: &Clustering,
    isa: Isa,
) -> Vec<(u32, Box3)> {
    let boxes = source.of_each(piece);
    let overhead = clustering.run_overhead;
    match clustering.max_len {
        4 => isa.run(Cut::<4> { boxes: &boxes, overhead }),
        8 => isa.run(Cut::<8> { boxes: &boxes, overhead }),
        max_len => unreachable!("clusters of at most {max_len}"),
    }
}

impl Clusters {
    /// Clusters of at least one primitive.
    pub(crate) fn new(source: BoxSource<'_>, clustering: &Clustering, isa: Isa) -> Self {
        let (keys, index) = morton_keys(source, clustering.axis_bits, isa);
        let order = parallel::collect(source.n, |i| index(keys[i]));
        drop(keys);
        let pieces = parallel::map_chunks(source.n, PIECE, |piece| {
            runs(source, &order[piece], clustering, isa)
        });
        let mut starts = vec![0];
        let mut boxes = large_pages::with_capacity(order.len() / 2);
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
        let mut order = large_pages::with_capacity(self.order.len());
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

/// The mean of areas, at least one, without those that exceed the median by far, which would make every cut too
/// expensive.
fn usual_mean(mut areas: Vec<f32>) -> f32 {
    const FAR: f32 = 4096.0;
    let usual = usual_area(areas.clone(), FAR);
    areas.retain(|&area| area <= usual);
    areas.iter().sum::<f32>() / areas.len().max(1) as f32
}

/// Cuts a piece of the curve, given by its boxes, into runs of at most `MAX_LEN`. Returns the length and
/// box of each.
struct Cut<'a, const MAX_LEN: usize> {
    boxes: &'a [Box3],
    /// See [`Clustering::run_overhead`].
    overhead: f32,
}

impl<const MAX_LEN: usize> Kernel for Cut<'_, MAX_LEN> {
    type Output = Vec<(u32, Box3)>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Output {
        const { assert!(MAX_LEN <= LANES) };
        let boxes = self.boxes;
        let areas = boxes.chunks(MAX_LEN).map(|run| union(run).half_area()).collect();
        let cost = self.overhead * usual_mean(areas);
        let rows = side_rows(boxes);
        // The length, less one, of the last run before each position.
        let mut lengths = vec![0u8; boxes.len().next_multiple_of(LANES)];
        let cost = s.splat(cost);
        let own_lane = s.load_bits(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let next_lane = s.load_bits(&[1, 2, 3, 4, 5, 6, 7, 7]);
        let none = s.load(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, f32::INFINITY]);
        // The minimum cost of all runs before a start. For each of the next positions behind it, the minimum cost so far, and
        // the length of the last run, less one. Of equal costs, that with the shorter run.
        let mut before = s.splat(0.0);
        let (mut best, mut best_length) = (s.splat(f32::INFINITY), own_lane);
        for first in (0..boxes.len()).step_by(LANES) {
            let areas = areas_of_runs::<S, MAX_LEN>(s, &rows, first);
            for lane in 0..LANES {
                let total = s.add(s.add(before, areas[lane]), cost);
                best_length = s.select(s.le(total, best), best_length, own_lane);
                best = s.min(total, best);
                before = s.splat_lane::<0>(best);
                lengths[first + lane] = s.to_bits_low(best_length)[0] as u8;
                best = s.max(s.permute(best, next_lane), none);
                best_length = s.permute(best_length, next_lane);
            }
        }
        let mut runs = Vec::with_capacity(boxes.len() / 2);
        let mut end = boxes.len();
        while end > 0 {
            let len = usize::from(lengths[end - 1]) + 1;
            runs.push((len as u32, union(&boxes[end - len..end])));
            end -= len;
        }
        runs.reverse();
        runs
    }
}

#[inline(always)]
fn union(boxes: &[Box3]) -> Box3 {
    let mut all = Box3::EMPTY;
    for &one in boxes {
        all = all.union(one);
    }
    all
}

/// The sides of the boxes in rows: three minima, three maxima, and an extra set of lanes.
#[inline(always)]
fn side_rows(boxes: &[Box3]) -> [Vec<f32>; 6] {
    let n_rows = boxes.len().div_ceil(LANES) + 1;
    let mut rows = [const { Vec::new() }; 6];
    for row in &mut rows {
        *row = vec![0.0f32; LANES * n_rows];
    }
    for (i, one) in boxes.iter().enumerate() {
        let (min, max) = (one.min.to_array(), one.max.to_array());
        for axis in 0..3 {
            rows[axis][i] = min[axis];
            rows[3 + axis][i] = max[axis];
        }
    }
    rows
}

/// The areas of the runs from each of [`LANES`] starts on: in lane `i` that of `i + 1` primitives; infinite above `MAX_LEN`.
#[inline(always)]
fn areas_of_runs<S: Simd, const MAX_LEN: usize>(
    s: S,
    rows: &[Vec<f32>; 6],
    first: usize,
) -> [S::F; LANES] {
    let mut areas = [s.splat(f32::INFINITY); LANES];
    let mut run = [s.splat(0.0); 6];
    for len in 0..MAX_LEN {
        for side in 0..6 {
            let row = rows[side][first + len..].first_chunk();
            let one = s.load(row.expect("rows have an extra set of lanes"));
            run[side] = match (len, side) {
                (0, _) => one,
                (_, 0..3) => s.min(run[side], one),
                _ => s.max(run[side], one),
            };
        }
        let [x, y, z] = [s.sub(run[3], run[0]), s.sub(run[4], run[1]), s.sub(run[5], run[2])];
        areas[len] = s.add(s.add(s.mul(x, y), s.mul(y, z)), s.mul(z, x));
    }
    s.transpose(areas)
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::{Aabb, generate::SplitMix64, glam::Vec3};

    use super::*;

    /// Boxes along a curve: some alike, some far apart.
    fn boxes(n: usize, seed: u64) -> Vec<Box3> {
        let mut random = SplitMix64::new(seed);
        let mut corner = Vec3::ZERO;
        let mut next = || {
            let mut number = || (random.next_u64() % 4) as f32;
            corner += Vec3::new(number(), number(), number());
            let size = Vec3::new(number(), number(), number());
            Box3::from(Aabb::new(corner, corner + size))
        };
        (0..n).map(|_| next()).collect()
    }

    /// The lengths of the runs of minimum cost, one position after the other.
    fn lengths_by_definition(boxes: &[Box3], overhead: f32, max_len: usize) -> Vec<u32> {
        let areas = boxes.chunks(max_len).map(|run| union(run).half_area()).collect();
        let cost = overhead * usual_mean(areas);
        let mut best = vec![(0.0, 0)];
        for end in 1..=boxes.len() {
            let costs = (1..=max_len.min(end)).map(|len| {
                (best[end - len].0 + union(&boxes[end - len..end]).half_area() + cost, len)
            });
            best.push(costs.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a run of one box"));
        }
        let mut lengths = vec![];
        let mut end = boxes.len();
        while end > 0 {
            lengths.push(best[end].1 as u32);
            end -= best[end].1;
        }
        lengths.reverse();
        lengths
    }

    #[test]
    fn a_curve_is_cut_at_minimum_cost_under_every_instruction_set() {
        for (seed, n) in (0..).zip([1, 2, 7, 8, 9, 16, 100, 1000]) {
            let boxes = boxes(n, seed);
            for overhead in [0.1, 0.5] {
                let expected = [4, 8].map(|len| lengths_by_definition(&boxes, overhead, len));
                for isa in Isa::available() {
                    let four = isa.run(Cut::<4> { boxes: &boxes, overhead });
                    let eight = isa.run(Cut::<8> { boxes: &boxes, overhead });
                    let lengths = [four, eight]
                        .map(|runs| runs.iter().map(|&(len, _)| len).collect::<Vec<_>>());
                    assert_eq!(lengths, expected, "{}, {n} boxes", isa.name());
                }
            }
        }
    }
}
