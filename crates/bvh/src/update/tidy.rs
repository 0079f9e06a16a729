//! Brings the nodes and blocks of an edited tree back into their order.

use crate::layout::{ChildRef, Leaves, Tree, WideNode};

/// The tree with its nodes depth first, its blocks in the order of the leaves, and no others. O(n).
pub(crate) fn tidied(tree: &Tree) -> Tree {
    let (mut nodes, mut blocks) = (Vec::<WideNode>::with_capacity(tree.nodes.len()), Vec::new());
    // Nodes to come, the next one last: the index now, the slot that refers to it in a node that is written, and the depth.
    let mut to_come = vec![(0, None::<(usize, usize)>, 1)];
    let mut depth = 0;
    while let Some((index, referrer, level)) = to_come.pop() {
        let new_index = nodes.len();
        depth = depth.max(level);
        if let Some((above, slot)) = referrer {
            nodes[above].children[slot] = ChildRef::node(new_index as u32).to_bits();
        }
        let mut node = tree.nodes[index];
        let first_child = to_come.len();
        for slot in tree.nodes[index].occupied() {
            let child = node.child(slot);
            if child.is_leaf() {
                let moved = ChildRef::leaf(blocks.len() as u32, child.blocks().len() as u32);
                blocks.extend(child.blocks());
                node.children[slot] = moved.to_bits();
            } else {
                to_come.push((child.node_index(), Some((new_index, slot)), level + 1));
            }
        }
        to_come[first_child..].reverse();
        nodes.push(node);
    }
    let leaves = match &tree.leaves {
        Leaves::Full(full) => Leaves::Full(blocks.iter().map(|&block| full[block]).collect()),
        Leaves::Compact(indexed) => Leaves::Compact(indexed.with_blocks(&blocks)),
    };
    Tree {
        nodes,
        leaves,
        depth,
        scale: tree.scale,
        reach: tree.reach,
        split: tree.split.clone(),
        parts: None,
        fast_limits: tree.fast_limits.clone(),
    }
}
