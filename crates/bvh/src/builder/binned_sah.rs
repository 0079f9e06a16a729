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
        // Enough for leaves of one primitive.
        let mut nodes = parallel::collect(2 * prims.len() - 1, |_| PLACEHOLDER);
        let (root, below) = nodes.split_first_mut().expect("there are primitives");
        let work = Work { first: 0, range, depth: 0, index: 1 };
        let built = self.build_parallel(prims, below, &work, progress);
        *root = BinaryNode { bounds: range.bounds, kind: built.kind };
        nodes.truncate(1 + built.n_below);
        let order = parallel::collect(prims.len(), |i| prims[i].id());
        BinaryTree { nodes, order }
    }

    /// Builds the nodes below a node into the start of `below`, which has room for two for each primitive
    /// but the first.
    fn build_parallel(
        &self,
        prims: &mut [PrimBox],
        below: &mut [BinaryNode],
        work: &Work,
        progress: &Progress<'_>,
    ) -> Built {
        let Work { first, range, depth, index } = *work;
        if prims.len() <= self.sequential {
            let mut bins = Bins::new(self.n_bins, &range);
            let built = self.build_sequential(prims, below, work, &mut bins);
            progress.advance(prims.len());
            return built;
        }
        if progress.is_cancelled() {
            let kind = NodeKind::Leaf { first, count: prims.len() as u32 };
            return Built { kind, n_below: 0 };
        }
        let bins = parallel::map_chunks(prims.len(), self.sequential, |chunk| {
            let mut bins = Bins::new(self.n_bins, &range);
            bins.add(&prims[chunk]);
            bins
        });
        let bins = bins.into_iter().reduce(Bins::merge).expect("there are primitives");
        let (middle, left, right) = self.partition(prims, &bins, &range, depth);
        let (left_prims, right_prims) = prims.split_at_mut(middle);
        let (pair, below) = below.split_at_mut(2);
        let room = 2 * middle - 2;
        let (left_below, right_below) = below.split_at_mut(room);
        let index = index + 2;
        let left_work = Work { first, range: left, depth: depth + 1, index };
        let right_work = Work {
            first: first + middle as u32,
            range: right,
            depth: depth + 1,
            index: index + room as u32,
        };
        let (left_built, mut right_built) = parallel::join(
            || self.build_parallel(left_prims, left_below, &left_work, progress),
            || self.build_parallel(right_prims, right_below, &right_work, progress),
        );
        // Leaves of several primitives leave room between the two.
        let unused = room - left_built.n_below;
        if unused > 0 {
            below.copy_within(room..room + right_built.n_below, left_built.n_below);
            let moved = &mut below[left_built.n_below..][..right_built.n_below];
            for node in moved {
                node.kind.move_children(unused as u32);
            }
            right_built.kind.move_children(unused as u32);
        }
        pair[0] = BinaryNode { bounds: left.bounds, kind: left_built.kind };
        pair[1] = BinaryNode { bounds: right.bounds, kind: right_built.kind };
        let n_below = 2 + left_built.n_below + right_built.n_below;
        Built { kind: NodeKind::Inner { left: index - 2 }, n_below }
    }

    /// [`build_parallel`](Self::build_parallel) by one thread, with `bins` as scratch.
    fn build_sequential(
        &self,
        prims: &mut [PrimBox],
        below: &mut [BinaryNode],
        work: &Work,
        bins: &mut Bins,
    ) -> Built {
        let Work { first, range, depth, index } = *work;
        if prims.len() <= self.max_leaf {
            return Built { kind: NodeKind::Leaf { first, count: prims.len() as u32 }, n_below: 0 };
        }
        let (middle, left, right) = if prims.len() <= self.median_split_below {
            halve(prims, &range)
        } else {
            // Few primitives fill few bins, and a sweep over fewer bins is faster.
            bins.clear(self.n_bins.min(4 + prims.len() / 8), &range);
            bins.add(prims);
            self.partition(prims, bins, &range, depth)
        };
        let (pair, below) = below.split_at_mut(2);
        let (left_prims, right_prims) = prims.split_at_mut(middle);
        let left_work = Work { first, range: left, depth: depth + 1, index: index + 2 };
        let built = self.build_sequential(left_prims, below, &left_work, bins);
        pair[0] = BinaryNode { bounds: left.bounds, kind: built.kind };
        let n_left = built.n_below;
        let right_work = Work {
            first: first + middle as u32,
            range: right,
            depth: depth + 1,
            index: index + 2 + n_left as u32,
        };
        let built = self.build_sequential(right_prims, &mut below[n_left..], &right_work, bins);
        pair[1] = BinaryNode { bounds: right.bounds, kind: built.kind };
        Built { kind: NodeKind::Inner { left: index }, n_below: 2 + n_left + built.n_below }
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
            Some(split) => partition_by(prims, bins.left_of(&split)),
            None => halve(prims, range),
        }
    }
}

/// A node to build: its primitives are those of the order from `first` on, its descendants the nodes from
/// `index` on.
struct Work {
    first: u32,
    range: Range,
    depth: usize,
    index: u32,
}

/// A node with its descendants built.
struct Built {
    kind: NodeKind,
    /// The number of descendants.
    n_below: usize,
}

/// A node that is not yet built.
const PLACEHOLDER: BinaryNode =
    BinaryNode { bounds: Box3::EMPTY, kind: NodeKind::Leaf { first: 0, count: 0 } };

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
        let goes_left = goes_left(&prims[i]);
        prims.swap(i, middle);
        middle += usize::from(goes_left);
    }
    (middle, Range::of(&prims[..middle]), Range::of(&prims[middle..]))
}

/// Splits at the median along the longest axis of the centres.
fn halve(prims: &mut [PrimBox], range: &Range) -> (usize, Range, Range) {
    let axis = range.centers.longest_axis();
    let middle = prims.len() / 2;
    let comes_after = |a: &PrimBox, b: &PrimBox| {
        a.center2()[axis].total_cmp(&b.center2()[axis]).then(a.id().cmp(&b.id())).is_gt()
    };
    // The selection of the standard library takes three times as long for two to four.
    if prims.len() <= 4 {
        for end in 1..prims.len() {
            for i in (0..end).rev() {
                if comes_after(&prims[i], &prims[i + 1]) {
                    prims.swap(i, i + 1);
                }
            }
        }
    } else {
        prims.select_nth_unstable_by(middle, |a, b| {
            a.center2()[axis].total_cmp(&b.center2()[axis]).then(a.id().cmp(&b.id()))
        });
    }
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

    /// Whether a primitive goes left. Finds the bin as [`bins_of`](Self::bins_of) does, on one axis.
    #[inline]
    fn left_of(&self, split: &Split) -> impl Fn(&PrimBox) -> bool + use<> {
        let &Split { axis, last_left } = split;
        let (origin, scale) = (self.origin[axis], self.scale[axis]);
        let last_bin = self.n_bins as f32 - 1.0;
        move |prim| {
            let at = (prim.center2_on(axis) - origin) * scale - 0.5;
            let at = at.clamp(0.0, last_bin) + MAGIC;
            at.to_bits() as usize % MAX_BINS <= last_left
        }
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
