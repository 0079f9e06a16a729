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
    excess: [f32; MAX_SHARE],
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

/// The wide tree of minimum cost. `boxes` are those of its nodes, if they are not those that its cost follows from.
pub(crate) fn collapse(tree: &PreorderTree, boxes: Option<&[Box3]>, model: &CostModel) -> WideTree {
    let empty = Plan { splits: [0; MAX_SHARE], own_split: 0 };
    let mut plans = large_pages::with_capacity(tree.nodes.len());
    plans.resize(tree.nodes.len(), empty);
    plan(&tree.nodes, &mut plans, model);

    // Few trees need a child for more than every second node.
    let children = large_pages::with_capacity(tree.nodes.len() / 2);
    let mut wide = WideTree { children, ..WideTree::default() };
    emit(tree, boxes, &plans, &mut wide, model);
    wide
}

/// Plans a subtree and returns its costs.
fn plan(nodes: &[PreorderNode], plans: &mut [Plan], model: &CostModel) -> Costs {
    if nodes.len() <= SEQUENTIAL {
        // Backwards, the left child of a node comes just before it, and the right child before that subtree.
        let mut waiting = Vec::with_capacity(64);
        for (node, plan) in nodes.iter().zip(plans).rev() {
            let children = (node.left_size > 0).then(|| {
                [waiting.pop(), waiting.pop()].map(|costs| costs.expect("children first"))
            });
            let costs;
            (*plan, costs) = plan_node(node, children, model);
            waiting.push(costs);
        }
        return waiting[0];
    }
    let left_size = nodes[0].left_size as usize;
    let (left_nodes, right_nodes) = nodes[1..].split_at(left_size);
    let (own, below) = plans.split_first_mut().expect("there are nodes");
    let (left_plans, right_plans) = below.split_at_mut(left_size);
    let (left, right) = parallel::join(
        || plan(left_nodes, left_plans, model),
        || plan(right_nodes, right_plans, model),
    );
    let costs;
    (*own, costs) = plan_node(&nodes[0], Some([left, right]), model);
    costs
}

/// The plan and costs of a node from the costs of its children.
fn plan_node(
    node: &PreorderNode,
    children: Option<[Costs; 2]>,
    model: &CostModel,
) -> (Plan, Costs) {
    let area = node.bounds.half_area();
    let n_blocks = node.n_in_leaf().div_ceil(model.block_width);
    let leaf_cost = if n_blocks <= model.max_blocks {
        area * n_blocks as f32 * model.block_test_cost
    } else {
        f32::MAX
    };
    let mut plan = Plan { splits: [0; MAX_SHARE], own_split: 0 };
    let Some([left, right]) = children else {
        return (plan, Costs { least: leaf_cost, excess: [0.0; MAX_SHARE] });
    };
    // All costs from here on are beyond this one.
    let base = left.least + right.least;
    // `distribute(n)`: the best way to give `n` children to the two subtrees.
    let distribute = |n: usize| {
        let (mut best, mut split) = (f32::INFINITY, 1);
        for to_left in 1..n {
            let cost = left.excess[to_left - 1] + right.excess[n - to_left - 1];
            if cost < best {
                (best, split) = (cost, to_left as u8);
            }
        }
        (best, split)
    };
    let (below_cost, own_split) = distribute(NODE_WIDTH);
    let node_cost = below_cost + area;
    let mut costs = [0.0; MAX_SHARE];
    let leaf_cost = leaf_cost - base;
    costs[0] = leaf_cost;
    if node_cost < leaf_cost {
        costs[0] = node_cost;
        plan.own_split = own_split;
    }
    for n in 2..=MAX_SHARE {
        let (cost, split) = distribute(n);
        if cost < costs[n - 2] {
            costs[n - 1] = cost;
            plan.splits[n - 1] = split;
        } else {
            costs[n - 1] = costs[n - 2];
            plan.splits[n - 1] = FEWER;
        }
    }
    let least = costs[MAX_SHARE - 1];
    (plan, Costs { least: base + least, excess: costs.map(|cost| cost - least) })
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
        members.sort_by(|&a, &b| {
            let area = |member: u32| tree.nodes[member as usize].bounds.half_area();
            is_inner(a).cmp(&is_inner(b)).then(area(b).total_cmp(&area(a)))
        });
        let first_child = to_write.len();
        for &member in &members {
            let node = &tree.nodes[member as usize];
            let target = if is_inner(member) {
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
