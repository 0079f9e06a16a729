//! Top-down construction by the surface area heuristic over bins.
//!
//! Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies" (2007). All three axes are
//! binned in one pass. Threads partition the ranges of nodes in place, one subtree each.

use glam::Vec3A;

use super::{
    binary_tree::{BinaryNode, BinaryTree, NodeKind},
    prim_box::PrimBox,
    progress::Progress,
};
use crate::{box3::Box3, platform::parallel};

/// Settings of the builder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BinnedSah {
    /// Bins per axis, at most [`MAX_BINS`].
    pub(crate) n_bins: usize,
    /// The maximum number of primitives of a leaf.
    pub(crate) max_leaf: usize,
    /// The maximum number of primitives of a node that is split at the median of its longest axis.
    pub(crate) median_split_below: usize,
    /// The maximum number of primitives of a subtree that one thread builds. Many threads bin larger
    /// nodes.
    pub(crate) sequential: usize,
}

pub(crate) const MAX_BINS: usize = 32;

/// The depth below which all nodes are split at the median. So no tree is deeper than this plus the
/// logarithm of the number of primitives.
const MAX_SAH_DEPTH: usize = 40;

impl BinnedSah {
    /// Builds the tree over `prims`, at least one, and reorders them.
    pub(crate) fn build(&self, prims: &mut [PrimBox], progress: &Progress<'_>) -> BinaryTree {
        let range =
            parallel::map_chunks(prims.len(), self.sequential, |chunk| Range::of(&prims[chunk]))
                .into_iter()
                .fold(Range::EMPTY, Range::union);
        let subtree = self.build_parallel(prims, 0, range, 0, progress);
        let mut nodes = Vec::with_capacity(subtree.n_nodes());
        nodes.push(BinaryNode { bounds: range.bounds, kind: NodeKind::Inner { left: 1 } });
        subtree.write(0, &mut nodes);
        let order = parallel::collect(prims.len(), |i| prims[i].id());
        BinaryTree { nodes, order }
    }

    fn build_parallel(
        &self,
        prims: &mut [PrimBox],
        first: u32,
        range: Range,
        depth: usize,
        progress: &Progress<'_>,
    ) -> Subtree {
        if prims.len() <= self.sequential {
            let mut nodes = Vec::with_capacity(2 * prims.len());
            let mut bins = Bins::new(self.n_bins, &range);
            let kind = self.build_sequential(prims, first, range, depth, &mut nodes, &mut bins);
            progress.advance(prims.len());
            return Subtree::Nodes { root: BinaryNode { bounds: range.bounds, kind }, nodes };
        }
        if progress.is_cancelled() {
            let kind = NodeKind::Leaf { first, count: prims.len() as u32 };
            let root = BinaryNode { bounds: range.bounds, kind };
            return Subtree::Nodes { root, nodes: vec![] };
        }
        let bins = parallel::map_chunks(prims.len(), self.sequential, |chunk| {
            let mut bins = Bins::new(self.n_bins, &range);
            bins.add(&prims[chunk]);
            bins
        });
        let bins = bins.into_iter().reduce(Bins::merge).expect("there are primitives");
        let (middle, left, right) = self.partition(prims, &bins, &range, depth);
        let (left_prims, right_prims) = prims.split_at_mut(middle);
        let right_first = first + middle as u32;
        let (left, right) = parallel::join(
            || self.build_parallel(left_prims, first, left, depth + 1, progress),
            || self.build_parallel(right_prims, right_first, right, depth + 1, progress),
        );
        Subtree::Inner { bounds: range.bounds, children: Box::new([left, right]) }
    }

    /// Appends the descendants of a node to `nodes`, as pairs of siblings, and returns the node's
    /// kind, with `left` counted from the start of `nodes`.
    fn build_sequential(
        &self,
        prims: &mut [PrimBox],
        first: u32,
        range: Range,
        depth: usize,
        nodes: &mut Vec<BinaryNode>,
        bins: &mut Bins,
    ) -> NodeKind {
        if prims.len() <= self.max_leaf {
            return NodeKind::Leaf { first, count: prims.len() as u32 };
        }
        let (middle, left, right) = if prims.len() <= self.median_split_below {
            halve(prims, &range)
        } else {
            // Few primitives fill few bins, and a sweep over fewer bins is faster.
            bins.clear(self.n_bins.min(4 + prims.len() / 8), &range);
            bins.add(prims);
            self.partition(prims, bins, &range, depth)
        };
        let pair = nodes.len();
        let placeholder = NodeKind::Leaf { first: 0, count: 0 };
        nodes.push(BinaryNode { bounds: left.bounds, kind: placeholder });
        nodes.push(BinaryNode { bounds: right.bounds, kind: placeholder });
        let (left_prims, right_prims) = prims.split_at_mut(middle);
        nodes[pair].kind = self.build_sequential(left_prims, first, left, depth + 1, nodes, bins);
        let right_first = first + middle as u32;
        nodes[pair + 1].kind =
            self.build_sequential(right_prims, right_first, right, depth + 1, nodes, bins);
        NodeKind::Inner { left: pair as u32 }
    }

    /// Reorders `prims`. Returns the index of the first that goes right, and the ranges of both sides.
    fn partition(
        &self,
        prims: &mut [PrimBox],
        bins: &Bins,
        range: &Range,
        depth: usize,
    ) -> (usize, Range, Range) {
        let split = if depth < MAX_SAH_DEPTH { bins.best_split() } else { None };
        match split {
            Some(split) => partition_by(prims, |prim| bins.goes_left(prim, &split)),
            None => halve(prims, range),
        }
    }
}

/// Reorders `prims` by a predicate. Returns the index of the first that goes right, and the ranges of
/// both sides.
///
/// It swaps every primitive, because the side is unpredictable and a branch costs more than the swap
/// (Alexandrescu, "Lomuto's Comeback", 2020).
fn partition_by(
    prims: &mut [PrimBox],
    goes_left: impl Fn(&PrimBox) -> bool,
) -> (usize, Range, Range) {
    let mut middle = 0;
    for i in 0..prims.len() {
        let prim = prims[i];
        prims.swap(i, middle);
        middle += usize::from(goes_left(&prim));
    }
    (middle, Range::of(&prims[..middle]), Range::of(&prims[middle..]))
}

/// Splits at the median along the longest axis of the centres.
fn halve(prims: &mut [PrimBox], range: &Range) -> (usize, Range, Range) {
    let axis = range.centers.longest_axis();
    let middle = prims.len() / 2;
    prims.select_nth_unstable_by(middle, |a, b| {
        a.center2()[axis].total_cmp(&b.center2()[axis]).then(a.id().cmp(&b.id()))
    });
    (middle, Range::of(&prims[..middle]), Range::of(&prims[middle..]))
}

/// The box of some primitives and the box of their doubled centres.
#[derive(Clone, Copy)]
struct Range {
    bounds: Box3,
    centers: Box3,
}

impl Range {
    const EMPTY: Self = Self { bounds: Box3::EMPTY, centers: Box3::EMPTY };

    fn of(prims: &[PrimBox]) -> Self {
        prims.iter().fold(Self::EMPTY, |range, prim| range.grown(prim))
    }

    #[inline]
    fn grown(self, prim: &PrimBox) -> Self {
        Self {
            bounds: self.bounds.union(prim.bounds()),
            centers: self.centers.grown(prim.center2()),
        }
    }

    fn union(self, other: Self) -> Self {
        Self { bounds: self.bounds.union(other.bounds), centers: self.centers.union(other.centers) }
    }
}

/// Counts and boxes of primitives by the position of their centres, on all three axes.
struct Bins {
    n_bins: usize,
    origin: Vec3A,
    scale: Vec3A,
    boxes: [[Box3; MAX_BINS]; 3],
    counts: [[u32; MAX_BINS]; 3],
}

/// The sum with 2^23 has the integer part of a float in its low mantissa bits. That is cheaper than a
/// conversion, which must handle NaN.
const MAGIC: f32 = (1 << 23) as f32;

/// A split: the bins up to `last_left` of `axis` go left.
struct Split {
    axis: usize,
    last_left: usize,
}

impl Bins {
    fn new(n_bins: usize, range: &Range) -> Self {
        let mut bins = Self {
            n_bins,
            origin: Vec3A::ZERO,
            scale: Vec3A::ZERO,
            boxes: [[Box3::EMPTY; MAX_BINS]; 3],
            counts: [[0; MAX_BINS]; 3],
        };
        bins.clear(n_bins, range);
        bins
    }

    /// Resets to `n_bins` empty bins over `range`. It touches only these, because that is most of the work
    /// for few primitives.
    fn clear(&mut self, n_bins: usize, range: &Range) {
        let extent = range.centers.max - range.centers.min;
        // An axis gets a single bin if its extent is zero or the reciprocal overflows.
        let scale = Vec3A::splat(n_bins as f32) / extent;
        let usable = scale.is_finite_mask();
        self.n_bins = n_bins;
        self.origin = range.centers.min;
        self.scale = Vec3A::select(usable, scale, Vec3A::ZERO);
        for axis in 0..3 {
            self.boxes[axis][..n_bins].fill(Box3::EMPTY);
            self.counts[axis][..n_bins].fill(0);
        }
    }

    #[inline]
    fn bins_of(&self, prim: &PrimBox) -> [usize; 3] {
        // Rounding to nearest instead of down moves all borders equally.
        let at = (prim.center2() - self.origin) * self.scale - 0.5;
        let at = at.clamp(Vec3A::ZERO, Vec3A::splat(self.n_bins as f32 - 1.0)) + MAGIC;
        at.to_array().map(|x| (x.to_bits() as usize) % MAX_BINS)
    }

    fn add(&mut self, prims: &[PrimBox]) {
        for prim in prims {
            let bounds = prim.bounds();
            let bins = self.bins_of(prim);
            for axis in 0..3 {
                let bin = bins[axis];
                self.boxes[axis][bin] = self.boxes[axis][bin].union(bounds);
                self.counts[axis][bin] += 1;
            }
        }
    }

    fn merge(mut self, other: Self) -> Self {
        for axis in 0..3 {
            for bin in 0..self.n_bins {
                self.boxes[axis][bin] = self.boxes[axis][bin].union(other.boxes[axis][bin]);
                self.counts[axis][bin] += other.counts[axis][bin];
            }
        }
        self
    }

    /// As [`bins_of`](Self::bins_of) on one axis.
    #[inline]
    fn goes_left(&self, prim: &PrimBox, split: &Split) -> bool {
        let on_axis = |v: Vec3A| v.to_array()[split.axis];
        let at = (on_axis(prim.center2()) - on_axis(self.origin)) * on_axis(self.scale) - 0.5;
        let at = at.clamp(0.0, self.n_bins as f32 - 1.0) + MAGIC;
        at.to_bits() as usize % MAX_BINS <= split.last_left
    }

    /// The split of minimum cost, if any axis has two occupied bins. Of equal costs, as of boxes without
    /// area, it takes the more even split.
    fn best_split(&self) -> Option<Split> {
        let mut best: Option<(f32, u32, Split)> = None;
        for axis in 0..3 {
            let (boxes, counts) = (&self.boxes[axis], &self.counts[axis]);
            let mut right_costs = [0.0; MAX_BINS];
            let (mut bounds, mut count) = (Box3::EMPTY, 0);
            for bin in (1..self.n_bins).rev() {
                bounds = bounds.union(boxes[bin]);
                count += counts[bin];
                right_costs[bin] = bounds.half_area() * count as f32;
            }
            let total = count + counts[0];
            let (mut bounds, mut count) = (Box3::EMPTY, 0);
            for last_left in 0..self.n_bins - 1 {
                bounds = bounds.union(boxes[last_left]);
                count += counts[last_left];
                if count == 0 || count == total {
                    continue;
                }
                let cost = bounds.half_area() * count as f32 + right_costs[last_left + 1];
                let unevenness = count.abs_diff(total - count);
                let better = best.as_ref().is_none_or(|(best_cost, best_unevenness, _)| {
                    cost < *best_cost || (cost == *best_cost && unevenness < *best_unevenness)
                });
                if better {
                    best = Some((cost, unevenness, Split { axis, last_left }));
                }
            }
        }
        best.map(|(.., split)| split)
    }
}

/// A part of the tree that one thread built, or two parts joined.
enum Subtree {
    Nodes { root: BinaryNode, nodes: Vec<BinaryNode> },
    Inner { bounds: Box3, children: Box<[Self; 2]> },
}

impl Subtree {
    fn n_nodes(&self) -> usize {
        match self {
            Self::Nodes { nodes, .. } => 1 + nodes.len(),
            Self::Inner { children: box_of_two, .. } => {
                1 + box_of_two[0].n_nodes() + box_of_two[1].n_nodes()
            }
        }
    }

    /// Writes the root of the subtree at index `at` and appends all other nodes.
    fn write(self, at: usize, out: &mut Vec<BinaryNode>) {
        match self {
            Self::Nodes { root, nodes } => {
                let offset = out.len() as u32;
                out[at] = root;
                out.extend(nodes);
                for index in std::iter::once(at).chain(offset as usize..out.len()) {
                    if let NodeKind::Inner { left } = &mut out[index].kind {
                        *left += offset;
                    }
                }
            }
            Self::Inner { bounds, children } => {
                let left = out.len();
                out[at] = BinaryNode { bounds, kind: NodeKind::Inner { left: left as u32 } };
                let placeholder =
                    BinaryNode { bounds, kind: NodeKind::Leaf { first: 0, count: 0 } };
                out.extend([placeholder; 2]);
                for (i, child) in children.into_iter().enumerate() {
                    child.write(left + i, out);
                }
            }
        }
    }
}
