//! Moves subtrees of a finished tree to cheaper positions.
//!
//! Meister and Bittner, "Parallel Reinsertion for Bounding Volume Hierarchy Optimization" (2018), in batches.
//! A parallel search finds the best new position of each node of a batch in the frozen tree. Then one thread
//! makes the moves. Where an earlier move of the batch was in the way, it searches again. The result does not
//! depend on the number of threads.

use super::{
    binary_tree::{BinaryNode, BinaryTree, NodeKind},
    progress::Progress,
};
use crate::{box3::Box3, platform::parallel};

/// The shares of all nodes that the passes try to move, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reinsertion {
    pub(crate) passes: &'static [f32],
    /// The minimum gain of a pass, as a share of the tree's inner area. A smaller gain ends the passes.
    pub(crate) min_gain: f64,
}

impl Reinsertion {
    /// Optimises `tree` in place.
    pub(crate) fn run(&self, tree: &mut BinaryTree, progress: &Progress<'_>) {
        if tree.nodes.len() < 8 {
            return;
        }
        let mut parents = vec![0; tree.nodes.len()];
        for (index, node) in tree.nodes.iter().enumerate() {
            if let NodeKind::Inner { left } = node.kind {
                parents[left as usize] = index as u32;
                parents[left as usize + 1] = index as u32;
            }
        }
        let mut before = tree.relative_inner_area();
        for share in self.passes {
            if progress.is_cancelled() {
                return;
            }
            pass(tree, &mut parents, *share);
            let after = tree.relative_inner_area();
            if after > before * (1.0 - self.min_gain) {
                return;
            }
            before = after;
        }
    }
}

/// A move: the subtree `node` costs less as the sibling of `target`.
struct Move {
    node: u32,
    target: u32,
    gain: f32,
}

impl Move {
    /// The nodes that the move changes, apart from their boxes.
    fn disturbed(&self, parents: &[u32]) -> [u32; 5] {
        let Self { node, target, .. } = *self;
        let parent_of = |node: u32| parents[node as usize];
        [node, target, parent_of(node), BinaryTree::sibling(node), parent_of(target)]
    }
}

/// The number of batches of a pass. In one batch three quarters of the moves would conflict with others.
const N_BATCHES: usize = 24;

/// The nodes that one thread searches positions for.
const SEARCH_CHUNK: usize = 32;

/// Tries to move the nodes of largest area, small ones first: in the kitchen two passes then leave 4 % less
/// inner area than with large ones first.
fn pass(tree: &mut BinaryTree, parents: &mut [u32], share: f32) {
    let candidates = largest_nodes(tree, share);
    let mut moved_in = vec![0; tree.nodes.len()];
    let batch_len = candidates.len().div_ceil(N_BATCHES);
    for (batch, nodes) in (1..).zip(candidates.chunks(batch_len)) {
        let moves = parallel::map_chunks(nodes.len(), SEARCH_CHUNK, |chunk| {
            let mut stack = Vec::new();
            let search = |&node: &u32| best_move(tree, parents, node, &mut stack);
            nodes[chunk].iter().filter_map(search).collect::<Vec<_>>()
        });
        make_moves(tree, parents, moves.into_iter().flatten(), batch, &mut moved_in);
    }
}

/// Makes the moves of a batch in order. A move that an earlier one of them disturbed is searched again.
///
/// `moved_in` holds for each node the last batch that disturbed it; 0: none.
fn make_moves(
    tree: &mut BinaryTree,
    parents: &mut [u32],
    moves: impl Iterator<Item = Move>,
    batch: u32,
    moved_in: &mut [u32],
) {
    let mut stack = Vec::new();
    for found in moves {
        // An earlier move may also have put the target below the node.
        let is_stale = found.disturbed(parents).iter().any(|&i| moved_in[i as usize] == batch)
            || is_within(parents, found.target, found.node);
        let found =
            if is_stale { best_move(tree, parents, found.node, &mut stack) } else { Some(found) };
        let Some(found) = found else { continue };
        for i in found.disturbed(parents) {
            moved_in[i as usize] = batch;
        }
        reinsert(tree, parents, found.node, found.target);
    }
}

/// The indices of the nodes of largest area, without the root and its children, by rising area.
fn largest_nodes(tree: &BinaryTree, share: f32) -> Vec<u32> {
    let mut nodes: Vec<(f32, u32)> = parallel::collect(tree.nodes.len() - 3, |i| {
        let index = i as u32 + 3;
        (tree.nodes[index as usize].bounds.half_area(), index)
    });
    let n = ((nodes.len() as f32 * share) as usize).clamp(1, nodes.len());
    nodes.select_nth_unstable_by(n - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    nodes.truncate(n);
    nodes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    nodes.into_iter().map(|(_, index)| index).collect()
}

/// Searches the whole tree for the best new sibling of `node`, pruned by the best gain so far.
///
/// `saved` is the area that the removal of the node saves, less the area that its box adds to the nodes
/// above the target. No target below gains more than `saved` less the area of the node.
fn best_move(
    tree: &BinaryTree,
    parents: &[u32],
    node: u32,
    stack: &mut Vec<(f32, u32)>,
) -> Option<Move> {
    let nodes = &tree.nodes;
    let bounds = nodes[node as usize].bounds;
    let area = bounds.half_area();
    let parent = parents[node as usize];
    let own_sibling = BinaryTree::sibling(node);

    let mut best = Move { node, target: own_sibling, gain: 0.0 };
    // Tries a target. Returns what is saved above its children, and the left one of them.
    let try_target = |best: &mut Move, saved: f32, target: u32| {
        let target_node = &nodes[target as usize];
        let gain = saved - target_node.bounds.union(bounds).half_area();
        if gain > best.gain {
            *best = Move { node, target, gain };
        }
        match target_node.kind {
            NodeKind::Inner { left } => (gain + target_node.bounds.half_area(), left),
            NodeKind::Leaf { .. } => (f32::NEG_INFINITY, 0),
        }
    };
    let mut saved = nodes[parent as usize].bounds.half_area();
    let mut pivot = parent;
    let mut pivot_bounds = nodes[own_sibling as usize].bounds;
    let mut sibling = own_sibling;
    loop {
        stack.push(try_target(&mut best, saved, sibling));
        while let Some((saved, left)) = stack.pop() {
            if saved - area <= best.gain {
                continue;
            }
            let mut first = try_target(&mut best, saved, left);
            let mut second = try_target(&mut best, saved, left + 1);
            if first.0 < second.0 {
                std::mem::swap(&mut first, &mut second);
            }
            for below in [second, first] {
                if below.0 - area > best.gain {
                    stack.push(below);
                }
            }
        }
        if pivot != parent {
            pivot_bounds = pivot_bounds.union(nodes[sibling as usize].bounds);
            saved += nodes[pivot as usize].bounds.half_area() - pivot_bounds.half_area();
        }
        if pivot == 0 {
            break;
        }
        sibling = BinaryTree::sibling(pivot);
        pivot = parents[pivot as usize];
    }
    (best.target != own_sibling && best.target != parent).then_some(best)
}

/// Makes `node` the sibling of `target`. The old sibling replaces the old parent. The freed pair of entries
/// then holds `node` and `target`.
fn reinsert(tree: &mut BinaryTree, parents: &mut [u32], node: u32, target: u32) {
    let sibling = BinaryTree::sibling(node);
    let parent = parents[node as usize];
    let target_node = tree.nodes[target as usize];
    let sibling_node = tree.nodes[sibling as usize];

    let pair = NodeKind::Inner { left: node.min(sibling) };
    tree.nodes[target as usize].kind = pair;
    tree.nodes[sibling as usize] = target_node;
    tree.nodes[parent as usize] = sibling_node;
    adopt(parents, sibling, &target_node);
    adopt(parents, parent, &sibling_node);
    parents[sibling as usize] = target;
    parents[node as usize] = target;

    refit_upwards(tree, parents, target);
    refit_upwards(tree, parents, parent);
}

/// Whether `index` is `node` or below it.
fn is_within(parents: &[u32], mut index: u32, node: u32) -> bool {
    while index > 0 && index != node {
        index = parents[index as usize];
    }
    index == node
}

fn adopt(parents: &mut [u32], index: u32, node: &BinaryNode) {
    if let NodeKind::Inner { left } = node.kind {
        parents[left as usize] = index;
        parents[left as usize + 1] = index;
    }
}

fn refit_upwards(tree: &mut BinaryTree, parents: &[u32], mut index: u32) {
    loop {
        if let NodeKind::Inner { left } = tree.nodes[index as usize].kind {
            let child = |i: u32| -> Box3 { tree.nodes[(left + i) as usize].bounds };
            tree.nodes[index as usize].bounds = child(0).union(child(1));
        }
        if index == 0 {
            break;
        }
        index = parents[index as usize];
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use hitscan_primitives::Aabb;

    use super::*;

    /// 64 unit boxes in a row, node `i` with the children `2 i + 1` and `2 i + 2`.
    fn complete_tree() -> (BinaryTree, Vec<u32>) {
        let mut nodes = vec![];
        for i in 0..127u32 {
            let corner = Vec3::new(i as f32, 0.0, 0.0);
            let kind = match i {
                0..63 => NodeKind::Inner { left: 2 * i + 1 },
                _ => NodeKind::Leaf { first: i - 63, count: 1 },
            };
            let bounds = Box3::from(Aabb::new(corner, corner + Vec3::ONE));
            nodes.push(BinaryNode { bounds, kind });
        }
        let parents: Vec<u32> = (0..127u32).map(|i| i.saturating_sub(1) / 2).collect();
        let mut tree = BinaryTree { nodes, order: (0..64).collect() };
        for leaf in 63..127 {
            refit_upwards(&mut tree, &parents, leaf);
        }
        (tree, parents)
    }

    /// The leaves that the root reaches, in order.
    fn leaves(tree: &BinaryTree) -> Vec<u32> {
        let (mut leaves, mut stack, mut n_visits) = (vec![], vec![0], 0);
        while let Some(index) = stack.pop() {
            n_visits += 1;
            assert!(n_visits <= tree.nodes.len(), "there is a cycle");
            match tree.nodes[index as usize].kind {
                NodeKind::Inner { left } => stack.extend([left, left + 1]),
                NodeKind::Leaf { first, .. } => leaves.push(first),
            }
        }
        leaves.sort_unstable();
        leaves
    }

    #[test]
    fn of_two_subtrees_that_would_move_into_each_other_one_does() {
        let (mut tree, mut parents) = complete_tree();
        let moves =
            [Move { node: 5, target: 31, gain: 2.0 }, Move { node: 3, target: 47, gain: 1.0 }];
        assert!(is_within(&parents, 47, 5) && is_within(&parents, 31, 3));
        let mut moved_in = vec![0; tree.nodes.len()];
        make_moves(&mut tree, &mut parents, moves.into_iter(), 1, &mut moved_in);
        assert_eq!(leaves(&tree), (0..64).collect::<Vec<_>>());
        assert!(is_within(&parents, 5, 3) && !is_within(&parents, 3, 5));
    }
}
