//! Writes the shape of a tree as nodes and blocks.

use super::{
    collapse::{WideTarget, WideTree},
    progress::Progress,
};
use crate::{
    box3::Box3,
    layout::{ChildRef, FillBlocks, IndexedBlocks, Leaves, TriangleBlock, WideNode},
    options::Layout,
    platform::parallel,
    scaled_mesh::ScaledMesh,
    simd::Isa,
    widths::BLOCK_WIDTH,
};

/// The nodes of a tree. `widening` is that of a child, by its index in the tree and its box.
pub(crate) fn encode_nodes(
    wide: &WideTree,
    widening: impl Fn(usize, &Box3) -> f32 + Sync,
) -> Vec<WideNode> {
    parallel::collect(wide.n_nodes(), |node| {
        let children = wide.starts[node] as usize..wide.starts[node + 1] as usize;
        let mut wide_node = WideNode::EMPTY;
        for (slot, index) in children.enumerate() {
            let child = &wide.children[index];
            let reference = match child.target {
                WideTarget::Node(index) => ChildRef::node(index),
                WideTarget::Leaf { block, count, .. } => {
                    ChildRef::leaf(block, count.div_ceil(BLOCK_WIDTH as u32))
                }
            };
            wide_node.set(slot, child.bounds, widening(index, &child.bounds), reference);
        }
        wide_node
    })
}

/// The largest coordinate of the triangles below each child of a wide tree, whole triangles where parts stand in
/// leaves. `order` holds triangles.
pub(super) fn reach_of_children(wide: &WideTree, order: &[u32], mesh: &ScaledMesh<'_>) -> Vec<f32> {
    let mut reach = vec![0.0f32; wide.children.len()];
    // Children stand behind their parents.
    for index in (0..wide.children.len()).rev() {
        let below = match wide.children[index].target {
            WideTarget::Node(node) => {
                let children = wide.starts[node as usize]..wide.starts[node as usize + 1];
                reach[children.start as usize..children.end as usize]
                    .iter()
                    .copied()
                    .fold(0.0, f32::max)
            }
            WideTarget::Leaf { first, count, .. } => {
                let triangles = &order[first as usize..(first + count) as usize];
                triangles
                    .iter()
                    .map(|&triangle| mesh.triangle_box(triangle).reach())
                    .fold(0.0, f32::max)
            }
        };
        reach[index] = below;
    }
    reach
}

/// The primitives of each block. The builder numbers blocks in the order of the children.
pub(crate) fn block_sources<'a>(wide: &WideTree, order: &'a [u32]) -> Vec<&'a [u32]> {
    let mut sources = Vec::with_capacity(wide.n_blocks as usize);
    for child in &wide.children {
        if let WideTarget::Leaf { first, count, .. } = child.target {
            let leaf = &order[first as usize..(first + count) as usize];
            sources.extend(leaf.chunks(BLOCK_WIDTH));
        }
    }
    sources
}

/// The leaves of a tree, with the triangles of each block.
pub(super) fn encode_leaves(
    mesh: ScaledMesh<'_>,
    sources: &[&[u32]],
    layout: Layout,
    isa: Isa,
    progress: &Progress<'_>,
) -> Leaves {
    /// Blocks between two reports of progress.
    const REPORT: usize = 2048;
    /// The maximum number of groups that one thread takes at a time.
    const GROUPS: usize = 16;
    match layout.for_size(mesh.n_triangles()) {
        Layout::Full | Layout::Auto => {
            let n_groups = sources.len().div_ceil(FillBlocks::MAX_BLOCKS);
            // A group is filled in the first cache, so memory is written once.
            let empty = || [TriangleBlock::EMPTY; FillBlocks::MAX_BLOCKS];
            let groups = parallel::collect_in_place(n_groups, GROUPS, empty, |group, blocks| {
                let first = group * FillBlocks::MAX_BLOCKS;
                let sources = &sources[first..sources.len().min(first + FillBlocks::MAX_BLOCKS)];
                isa.run(FillBlocks { blocks: &mut blocks[..sources.len()], sources, mesh });
                if first.is_multiple_of(REPORT) {
                    progress.advance(REPORT * BLOCK_WIDTH);
                }
            });
            let mut blocks = groups.into_flattened();
            blocks.truncate(sources.len());
            // Many small meshes must not keep a whole group each. A large one would be copied.
            if n_groups <= GROUPS {
                blocks.shrink_to_fit();
            }
            Leaves::Full(blocks)
        }
        Layout::Compact => {
            let triangles: Vec<_> = sources
                .iter()
                .map(|source| {
                    let mut triangles = [TriangleBlock::NO_TRIANGLE; BLOCK_WIDTH];
                    triangles[..source.len()].copy_from_slice(source);
                    triangles
                })
                .collect();
            Leaves::Compact(IndexedBlocks::new(&mesh, &triangles))
        }
    }
}
