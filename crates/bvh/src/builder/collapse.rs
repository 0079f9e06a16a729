//! Collapses a binary tree into wide nodes, at the minimum expected cost.
//!
//! Dynamic programming over the binary tree after Ylitie, Karras and Laine, "Efficient Incoherent
//! Ray Traversal on GPUs Through Compressed Wide BVHs" (2017). For each subtree it finds the minimum cost
//! of at most 1, 2, ... `NODE_WIDTH - 1` children of one wide node that represent it. A leaf costs by its
//! blocks.

use super::binary_tree::{PreorderNode, PreorderTree};
use crate::{
    box3::Box3,
    platform::{large_pages, parallel},
    simd::{Isa, Kernel, LANES, Simd},
    widths::NODE_WIDTH,
};

/// Costs of a ray, relative to the visit of a wide node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostModel {
    /// The test of a block.
    pub(crate) block_test_cost: f32,
    /// The maximum number of blocks in a leaf.
    pub(crate) max_blocks: u32,
    /// The primitives of a block.
    pub(crate) block_width: u32,
}

impl CostModel {
    /// The cost of a subtree as a leaf.
    #[inline(always)]
    fn of_leaf(&self, node: &PreorderNode) -> f32 {
        let n_blocks = node.n_in_leaf().div_ceil(self.block_width);
        if n_blocks <= self.max_blocks {
            node.bounds.half_area() * n_blocks as f32 * self.block_test_cost
        } else {
            f32::MAX
        }
    }
}

/// The maximum number of children of a wide node that represent one subtree below it.
const MAX_SHARE: usize = NODE_WIDTH - 1;

/// A wide node's child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideChild {
    pub(crate) bounds: Box3,
    pub(crate) target: WideTarget,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum WideTarget {
    /// The wide node at an index.
    Node(u32),
    /// The primitives `order[first..first + count]`, in blocks from index `block` on.
    Leaf { first: u32, count: u32, block: u32 },
}

/// The shape of a wide tree, depth first; children of node `i` are
/// `children[starts[i]..starts[i + 1]]`, leaves first, then by falling area.
#[derive(Clone, Debug, Default)]
pub(crate) struct WideTree {
    pub(crate) starts: Vec<u32>,
    pub(crate) children: Vec<WideChild>,
    pub(crate) n_blocks: u32,
    /// Nodes on the longest path from the root.
    pub(crate) depth: usize,
}

impl WideTree {
    /// The boxes of all leaves.
    pub(crate) fn leaf_boxes(&self) -> impl Iterator<Item = Box3> + Clone {
        let is_leaf = |child: &&WideChild| matches!(child.target, WideTarget::Leaf { .. });
        self.children.iter().filter(is_leaf).map(|child| child.bounds)
    }

    pub(crate) fn n_nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}

/// The minimum costs of one subtree.
#[derive(Clone, Copy)]
struct Costs {
    /// The cost with as many children as there may be, the least.
    least: f32,
    /// `excess[i]`: the cost with at most `i + 1` children of the node above, beyond `least`. A sum with `least` would round
    /// it away beside a triangle that is a thousand times larger than the others.
    excess: [f32; LANES],
}

/// How a subtree reaches its minimum costs.
#[derive(Clone, Copy)]
struct Plan {
    /// `splits[i]`: how many of the `i + 1` children go to the left subtree; 0: this subtree is one
    /// child; [`FEWER`].
    splits: [u8; MAX_SHARE],
    /// How many children of the subtree's own node go to the left; 0: it is a leaf.
    own_split: u8,
}

/// The maximum number of nodes of a subtree that one thread plans.
const SEQUENTIAL: usize = 1 << 14;

/// The wide tree of minimum cost, the same for every `isa`. `boxes` are those of its nodes, if they are not those that its cost
/// follows from.
pub(crate) fn collapse(
    tree: &PreorderTree,
    boxes: Option<&[Box3]>,
    model: &CostModel,
    isa: Isa,
) -> WideTree {
    let empty = Plan { splits: [0; MAX_SHARE], own_split: 0 };
    let mut plans = large_pages::with_capacity(tree.nodes.len());
    plans.resize(tree.nodes.len(), empty);
    plan(&tree.nodes, &mut plans, model, isa);

    // Few trees need a child for more than every second node.
    let children = large_pages::with_capacity(tree.nodes.len() / 2);
    let mut wide = WideTree { children, ..WideTree::default() };
    emit(tree, boxes, &plans, &mut wide, model);
    wide
}

/// Plans a subtree and returns its costs.
fn plan(nodes: &[PreorderNode], plans: &mut [Plan], model: &CostModel, isa: Isa) -> Costs {
    if nodes.len() <= SEQUENTIAL {
        return isa.run(PlanSubtree { nodes, plans, model });
    }
    let left_size = nodes[0].left_size as usize;
    let (left_nodes, right_nodes) = nodes[1..].split_at(left_size);
    let (own, below) = plans.split_first_mut().expect("there are nodes");
    let (left_plans, right_plans) = below.split_at_mut(left_size);
    let (left, right) = parallel::join(
        || plan(left_nodes, left_plans, model, isa),
        || plan(right_nodes, right_plans, model, isa),
    );
    isa.run(PlanNode { node: &nodes[0], plan: own, left, right, model })
}

/// Plans a subtree on one thread.
struct PlanSubtree<'a> {
    nodes: &'a [PreorderNode],
    plans: &'a mut [Plan],
    model: &'a CostModel,
}

impl Kernel for PlanSubtree<'_> {
    type Output = Costs;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Costs {
        // Backwards, the left child of a node comes just before it, and the right child before that subtree.
        let mut waiting: Vec<Costs> = Vec::with_capacity(64);
        for (node, plan) in self.nodes.iter().zip(self.plans).rev() {
            if node.left_size == 0 {
                waiting.push(Costs { least: self.model.of_leaf(node), excess: [0.0; LANES] });
                continue;
            }
            let left = waiting.pop().expect("children come first");
            let right = waiting.pop().expect("children come first");
            waiting.push(PlanNode { node, plan, left, right, model: self.model }.run(s));
        }
        waiting[0]
    }
}

/// Plans an inner node from the costs of its children.
struct PlanNode<'a> {
    node: &'a PreorderNode,
    plan: &'a mut Plan,
    left: Costs,
    right: Costs,
    model: &'a CostModel,
}

impl Kernel for PlanNode<'_> {
    type Output = Costs;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Costs {
        let Self { node, plan, left, right, model } = self;
        // All costs from here on are beyond this one.
        let base = left.least + right.least;
        let (below, splits) = distribute(s, &left.excess, &right.excess);
        let node_cost = below[NODE_WIDTH - 1] + node.bounds.half_area();
        let leaf_cost = model.of_leaf(node) - base;
        let mut costs = [0.0; LANES];
        costs[0] = leaf_cost;
        plan.own_split = 0;
        if node_cost < leaf_cost {
            costs[0] = node_cost;
            plan.own_split = splits[NODE_WIDTH - 1] as u8;
        }
        for i in 1..MAX_SHARE {
            let is_better = below[i] < costs[i - 1];
            costs[i] = if is_better { below[i] } else { costs[i - 1] };
            plan.splits[i] = if is_better { splits[i] as u8 } else { FEWER };
        }
        let least = costs[MAX_SHARE - 1];
        for cost in &mut costs {
            *cost -= least;
        }
        Costs { least: base + least, excess: costs }
    }
}

/// The best ways to give `i + 1` children to two subtrees, in lane `i`: the cost, and how many go to the left.
#[inline(always)]
fn distribute<S: Simd>(
    s: S,
    left: &[f32; LANES],
    right: &[f32; LANES],
) -> ([f32; LANES], [u32; LANES]) {
    const { assert!(NODE_WIDTH == LANES) };
    let mut shifted = [f32::INFINITY; 2 * LANES];
    shifted[LANES..].copy_from_slice(right);
    let mut best = s.splat(f32::INFINITY);
    let mut splits = s.load_bits(&[1; LANES]);
    // Of equal costs, that with the fewest to the left.
    for to_left in (1..NODE_WIDTH).rev() {
        let of_right = shifted[LANES - to_left..].first_chunk().expect("less than LANES go left");
        let cost = s.add(s.splat(left[to_left - 1]), s.load(of_right));
        splits = s.select(s.le(cost, best), splits, s.load_bits(&[to_left as u32; LANES]));
        best = s.min(cost, best);
    }
    (s.store(best), s.to_bits(splits))
}

/// In [`Plan::splits`]: one child fewer is as good.
const FEWER: u8 = u8::MAX;

/// Writes the wide nodes depth first.
fn emit(
    tree: &PreorderTree,
    boxes: Option<&[Box3]>,
    plans: &[Plan],
    wide: &mut WideTree,
    model: &CostModel,
) {
    // Nodes to write: the binary node, the child that refers to it, and its depth. A node gets its index
    // when it is written, so the order is depth first.
    let mut to_write = vec![(0u32, None::<u32>, 1usize)];
    let mut members = Vec::with_capacity(NODE_WIDTH);
    let mut ordered = Vec::with_capacity(NODE_WIDTH);
    while let Some((binary, referrer, depth)) = to_write.pop() {
        let index = wide.starts.len() as u32;
        if let Some(child) = referrer {
            wide.children[child as usize].target = WideTarget::Node(index);
        }
        wide.depth = wide.depth.max(depth);
        wide.starts.push(wide.children.len() as u32);

        members.clear();
        let own_split = usize::from(plans[binary as usize].own_split);
        match tree.children(binary) {
            Some([left, right]) if own_split > 0 => {
                gather(tree, plans, left, own_split, &mut members);
                gather(tree, plans, right, NODE_WIDTH - own_split, &mut members);
            }
            _ => members.push(binary),
        }
        let is_inner = |member: u32| plans[member as usize].own_split > 0;
        // Any-hit queries try children in this order: cheap ones first, then by the number of rays that
        // hit them. Shadow rays take 4 % less time than in the order of the binary tree.
        ordered.clear();
        ordered.extend(members.iter().map(|&member| {
            // The bits of areas, which are not negative, have their order.
            let smallness = !tree.nodes[member as usize].bounds.half_area().to_bits();
            (is_inner(member), smallness, member)
        }));
        ordered.sort_by_key(|&(is_inner, smallness, _)| (is_inner, smallness));
        let first_child = to_write.len();
        for &(is_inner, _, member) in &ordered {
            let node = &tree.nodes[member as usize];
            let target = if is_inner {
                to_write.push((member, Some(wide.children.len() as u32), depth + 1));
                WideTarget::Node(0)
            } else {
                let block = wide.n_blocks;
                wide.n_blocks += node.n_in_leaf().div_ceil(model.block_width);
                WideTarget::Leaf { first: node.first, count: node.n_prims, block }
            };
            let bounds = boxes.map_or(node.bounds, |boxes| boxes[member as usize]);
            wide.children.push(WideChild { bounds, target });
        }
        to_write[first_child..].reverse();
    }
    wide.starts.push(wide.children.len() as u32);
}

/// The subtrees that represent `node` as at most `n` children.
fn gather(tree: &PreorderTree, plans: &[Plan], node: u32, n: usize, members: &mut Vec<u32>) {
    let mut n = n;
    let splits = &plans[node as usize].splits;
    while splits[n - 1] == FEWER {
        n -= 1;
    }
    let to_left = usize::from(splits[n - 1]);
    match tree.children(node) {
        Some([left, right]) if to_left > 0 => {
            gather(tree, plans, left, to_left, members);
            gather(tree, plans, right, n - to_left, members);
        }
        _ => members.push(node),
    }
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::generate::SplitMix64;

    use super::*;

    struct Distribute([[f32; LANES]; 2]);

    impl Kernel for Distribute {
        type Output = ([f32; LANES], [u32; LANES]);

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            distribute(s, &self.0[0], &self.0[1])
        }
    }

    #[test]
    fn children_are_distributed_at_minimum_cost_under_every_instruction_set() {
        let mut random = SplitMix64::new(3);
        for _ in 0..200 {
            // Few different numbers, so that costs are often equal.
            let costs = [(); 2].map(|()| [(); LANES].map(|()| (random.next_u64() % 6) as f32));
            for isa in Isa::available() {
                let (best, splits) = isa.run(Distribute(costs));
                for n in 2..=NODE_WIDTH {
                    let cost = |to_left: usize| costs[0][to_left - 1] + costs[1][n - to_left - 1];
                    let least = (1..n).min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
                    let least = least.expect("two or more children");
                    let found = (best[n - 1], splits[n - 1] as usize);
                    assert_eq!(found, (cost(least), least), "{}, {n} children", isa.name());
                }
            }
        }
    }
}
