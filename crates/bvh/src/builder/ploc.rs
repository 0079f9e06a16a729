//! Bottom-up construction along a curve: in each round, mutual nearest neighbours become siblings.
//!
//! Meister and Bittner, "Parallel Locally-Ordered Clustering for Bounding Volume Hierarchy
//! Construction" (2018). We depart from it twice. Pieces of the curve are independent. The rounds end long
//! before one node is left, because the surface area heuristic does better on few nodes and bounds the
//! depth.

use super::{
    binary_tree::{BinaryTree, PreorderNode, PreorderTree},
    prim_box::PrimBox,
};
use crate::{
    box3::Box3,
    simd::{Kernel, LANES, Simd},
};

/// Subtrees over the clusters of one piece of a curve.
#[derive(Default)]
pub(crate) struct Forest {
    /// All subtrees in a row, each depth first. Indices of primitives count from the start of `order`.
    pub(crate) nodes: Vec<PreorderNode>,
    /// The indices of the primitives, in the order of the leaves.
    pub(crate) order: Vec<u32>,
    /// The first node of each subtree.
    pub(crate) roots: Vec<u32>,
}

/// The maximum distance of compared neighbours in the list: one register forwards and one backwards.
const RADIUS: usize = LANES;

/// Joins mutual nearest neighbours for some rounds.
pub(crate) struct Ploc<'a> {
    /// The indices of the primitives along the curve.
    pub(crate) order: &'a [u32],
    /// Clusters of these primitives: the length and box of each.
    pub(crate) runs: &'a [(u32, Box3)],
    pub(crate) n_rounds: usize,
}

/// A node of a growing subtree.
#[derive(Clone, Copy)]
struct Node {
    bounds: Box3,
    /// The two nodes below; the first primitive and 0 for a leaf.
    below: [u32; 2],
    n_nodes: u32,
    n_prims: u32,
}

impl Kernel for Ploc<'_> {
    type Output = Forest;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Forest {
        let n_runs = self.runs.len();
        let mut nodes = Vec::with_capacity(2 * n_runs);
        let mut first = 0;
        for &(n_prims, bounds) in self.runs {
            nodes.push(Node { bounds, below: [first, 0], n_nodes: 1, n_prims });
            first += n_prims;
        }
        let mut active: Vec<u32> = (0..n_runs as u32).collect();
        let mut search = Search::new(n_runs);
        for _ in 0..self.n_rounds {
            search.nearest(s, &nodes, &active);
            let mut kept = 0;
            for i in 0..active.len() {
                let node = active[i];
                let partner = search.partner(i);
                if partner < i {
                    continue;
                }
                active[kept] = node;
                if partner > i {
                    let other = active[partner];
                    active[kept] = nodes.len() as u32;
                    let [a, b] = [nodes[node as usize], nodes[other as usize]];
                    nodes.push(Node {
                        bounds: a.bounds.union(b.bounds),
                        below: [node, other],
                        n_nodes: 1 + a.n_nodes + b.n_nodes,
                        n_prims: a.n_prims + b.n_prims,
                    });
                }
                kept += 1;
            }
            active.truncate(kept);
        }
        self.write(&nodes, &active, n_runs)
    }
}

impl Ploc<'_> {
    /// The subtrees depth first.
    fn write(&self, nodes: &[Node], roots: &[u32], n_runs: usize) -> Forest {
        let mut forest = Forest {
            nodes: Vec::with_capacity(nodes.len()),
            order: Vec::with_capacity(self.order.len()),
            roots: Vec::with_capacity(roots.len()),
        };
        let mut stack = Vec::with_capacity(64);
        for &root in roots {
            forest.roots.push(forest.nodes.len() as u32);
            stack.push(root);
            while let Some(index) = stack.pop() {
                let Node { bounds, below: [left, right], n_prims, .. } = nodes[index as usize];
                let first = forest.order.len() as u32;
                let mut left_size = 0;
                if (index as usize) < n_runs {
                    let run = left as usize..(left + n_prims) as usize;
                    forest.order.extend(&self.order[run]);
                } else {
                    left_size = nodes[left as usize].n_nodes;
                    stack.push(right);
                    stack.push(left);
                }
                forest.nodes.push(PreorderNode {
                    n_prims,
                    left_size,
                    ..PreorderNode::leaf(bounds, first)
                });
            }
        }
        forest
    }
}

/// The search for each node's best partner.
struct Search {
    /// The sides of the boxes, by lanes.
    rows: [Vec<f32>; 6],
    /// `pairs[k - 1][RADIUS + i]` is the pair of nodes `i` and `i + k`, see [`Search::nearest`].
    pairs: [Vec<f32>; RADIUS],
    /// The best pair of each node.
    best: Vec<f32>,
}

/// The low bits of a pair's area, which distinguish the pairs of a node.
const PAIR_BITS: u32 = 0xf;

impl Search {
    fn new(n: usize) -> Self {
        let row = || vec![0.0; n.next_multiple_of(LANES) + 2 * RADIUS];
        let pairs = std::array::from_fn(|_| row());
        Self { rows: std::array::from_fn(|_| row()), pairs, best: row() }
    }

    /// Finds the best pair of each node: the pair with the minimum area around both.
    ///
    /// The low bits of an area hold the distance of the two nodes in the list, less one, and a bit that
    /// shows which of them comes first. So no two pairs of a node are equal, and both nodes see the same
    /// value of a pair. Where all areas are equal, every other node finds a partner.
    #[inline(always)]
    fn nearest<S: Simd>(&mut self, s: S, nodes: &[Node], active: &[u32]) {
        let n = active.len();
        for (i, &node) in active.iter().enumerate() {
            let Box3 { min, max } = nodes[node as usize].bounds;
            let (min, max) = (min.to_array(), max.to_array());
            for axis in 0..3 {
                self.rows[axis][i] = min[axis];
                self.rows[3 + axis][i] = max[axis];
            }
        }
        // Entries beyond the end have the maximum area.
        for axis in 0..3 {
            self.rows[axis][n..].fill(f32::NEG_INFINITY);
            self.rows[3 + axis][n..].fill(f32::INFINITY);
        }
        let at = |row: &[f32], i: usize| -> S::F {
            s.load(row[i..].first_chunk().expect("rows have room for the neighbours of every node"))
        };
        let keep = s.load_bits(&[!PAIR_BITS; LANES]);
        for first in (0..n).step_by(LANES) {
            let mut own = [s.splat(0.0); 6];
            for side in 0..6 {
                own[side] = at(&self.rows[side], first);
            }
            for k in 1..=RADIUS {
                let mut e = [s.splat(0.0); 3];
                for axis in 0..3 {
                    let min = s.min(own[axis], at(&self.rows[axis], first + k));
                    let max = s.max(own[3 + axis], at(&self.rows[3 + axis], first + k));
                    e[axis] = s.sub(max, min);
                }
                let area = s.add(s.add(s.mul(e[0], e[1]), s.mul(e[1], e[2])), s.mul(e[2], e[0]));
                let mut bits = [0; LANES];
                for lane in 0..LANES {
                    bits[lane] = ((k as u32 - 1) << 1) | which(first + lane, k);
                }
                let pair = s.and_or(area, keep, s.load_bits(&bits));
                let row = &mut self.pairs[k - 1][RADIUS + first..];
                row[..LANES].copy_from_slice(&s.store(pair));
            }
        }
        for row in &mut self.pairs {
            row[..RADIUS].fill(f32::NAN);
        }
        for first in (0..n).step_by(LANES) {
            let mut best = s.splat(f32::INFINITY);
            for k in 1..=RADIUS {
                // A comparison with NaN is false.
                best = s.min(at(&self.pairs[k - 1], RADIUS + first), best);
                best = s.min(at(&self.pairs[k - 1], RADIUS + first - k), best);
            }
            self.best[first..first + LANES].copy_from_slice(&s.store(best));
        }
    }

    /// The mutual nearest neighbour of node `i`, or `i` if it has none.
    #[inline(always)]
    fn partner(&self, i: usize) -> usize {
        let best = self.best[i];
        let bits = best.to_bits();
        let k = (bits & PAIR_BITS) as usize / 2 + 1;
        let is_first = bits & 1 == which(i, k);
        let partner = if is_first { i + k } else { i.wrapping_sub(k) };
        let is_mutual = best < f32::INFINITY && self.best[partner].to_bits() == bits;
        if is_mutual { partner } else { i }
    }
}

/// A bit that differs between `first` and `first + k`, and so between the pairs that start there.
#[inline(always)]
fn which(first: usize, k: usize) -> u32 {
    (first >> k.trailing_zeros()) as u32 & 1
}

/// The boxes of all subtrees, with their indices.
pub(crate) fn root_boxes(forests: &[Forest]) -> Vec<PrimBox> {
    let mut boxes = Vec::with_capacity(forests.iter().map(|forest| forest.roots.len()).sum());
    for forest in forests {
        for &root in &forest.roots {
            let bounds = forest.nodes[root as usize].bounds;
            boxes.push(PrimBox::new(bounds, boxes.len() as u32));
        }
    }
    boxes
}

/// Replaces the leaves of `top`, a tree over [`root_boxes`], by the subtrees.
pub(crate) fn join_forests(top: &BinaryTree, forests: &[Forest]) -> PreorderTree {
    let mut subtrees = Vec::with_capacity(top.order.len());
    for forest in forests {
        let ends = forest.roots.iter().skip(1).copied().chain([forest.nodes.len() as u32]);
        for (&start, end) in forest.roots.iter().zip(ends) {
            subtrees.push((forest, &forest.nodes[start as usize..end as usize]));
        }
    }
    let n_nodes = forests.iter().map(|forest| forest.nodes.len()).sum::<usize>();
    let n_prims = forests.iter().map(|forest| forest.order.len()).sum::<usize>();
    let top = PreorderTree::new(top);
    let mut nodes = crate::platform::large_pages::with_capacity(n_nodes + top.nodes.len());
    let mut order = crate::platform::large_pages::with_capacity(n_prims);
    // The new index of each node of the top.
    let mut places = Vec::with_capacity(top.nodes.len());
    for node in &top.nodes {
        places.push(nodes.len());
        if node.left_size > 0 {
            nodes.push(*node);
            continue;
        }
        let (forest, subtree) = subtrees[top.order[node.first as usize] as usize];
        let root = subtree[0];
        let first = order.len() as u32;
        nodes.extend(
            subtree
                .iter()
                .map(|node| PreorderNode { first: node.first - root.first + first, ..*node }),
        );
        order.extend(&forest.order[root.first as usize..(root.first + root.n_prims) as usize]);
    }
    // Children follow their parents.
    for i in (0..top.nodes.len()).rev() {
        let left_size = top.nodes[i].left_size as usize;
        if left_size > 0 {
            let (left, right) = (places[i + 1], places[i + 1 + left_size]);
            let n_prims = nodes[left].n_prims + nodes[right].n_prims;
            let first = nodes[left].first;
            let node: &mut PreorderNode = &mut nodes[places[i]];
            let left_size = (right - left) as u32;
            *node = PreorderNode { first, n_prims, left_size, ..*node };
        }
    }
    PreorderTree { nodes, order }
}
