//! A hierarchy as bytes, for storage.

use std::borrow::Cow;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use hitscan_primitives::TriMesh;

use crate::{
    layout::{ChildRef, IndexedBlock, IndexedBlocks, Leaves, Reach, Tree, TriangleBlock, WideNode},
    mesh_bvh::MeshBvh,
    options::{BuildQuality, Layout},
    platform::large_pages,
    scaled_mesh::ScaledMesh,
    simd::Isa,
    split::MAX_PRIMITIVES_PER_TRIANGLE,
    validate::{InvalidBvh, depth_of, expect},
    widths::{BLOCK_WIDTH, MAX_LEAF_BLOCKS, NODE_WIDTH},
};

/// The parts of a [`MeshBvh`] that its mesh does not determine, as bytes to store.
///
/// They are words of four bytes in the byte order of this machine. [`RawBvhBuffers`] reads them back.
#[derive(Clone, Debug)]
pub struct RawBvh<'a> {
    /// The layout of the leaves.
    pub layout: Layout,
    /// The expected cost of a ray when the tree was built. Refits compare with it.
    pub built_cost: f32,
    /// The largest coordinate, in scaled space, that widens all boxes alike: see `Reach` in the source.
    pub near_reach: f32,
    /// The nodes, depth first.
    pub nodes: Cow<'a, [u8]>,
    /// The blocks of the leaves.
    pub blocks: Cow<'a, [u8]>,
    /// The corners of compact blocks; empty for full ones.
    pub corners: Cow<'a, [u8]>,
}

impl RawBvh<'_> {
    /// The version of the format. Changes whenever the same bytes would mean something else.
    pub const LAYOUT_VERSION: u32 = 4;
    /// The lanes of a node, one for each child, and those of a block, one for each triangle.
    pub const WIDTH: usize = NODE_WIDTH;
    /// The bytes of a node.
    pub const NODE_BYTES: usize = size_of::<WideNode>();
    /// The bytes of a block of [`Layout::Full`].
    pub const FULL_BLOCK_BYTES: usize = size_of::<TriangleBlock>();
    /// The bytes of a block of [`Layout::Compact`].
    pub const COMPACT_BLOCK_BYTES: usize = size_of::<IndexedBlock>();
    /// The bit that marks the reference of a node to a leaf. Its other bits are the first block times
    /// [`MAX_LEAF_BLOCKS`](Self::MAX_LEAF_BLOCKS), plus the number of blocks less one.
    pub const LEAF: u32 = ChildRef::LEAF;
    /// The maximum number of blocks of a leaf.
    pub const MAX_LEAF_BLOCKS: u32 = MAX_LEAF_BLOCKS as u32;
    /// The reference in an empty lane of a node.
    pub const NO_CHILD: u32 = ChildRef::NONE.to_bits();
    /// The triangle in an empty lane of a block.
    pub const NO_TRIANGLE: u32 = TriangleBlock::NO_TRIANGLE;
}

const _: () = assert!(RawBvh::WIDTH == BLOCK_WIDTH);

impl MeshBvh {
    /// The hierarchy as bytes, for storage. They are borrowed, unless the tree followed edits: then it is put in order, in O(n).
    ///
    /// For caches. See also [`RawBvhBuffers`], which reads them back; the crate `hitscan-cache` writes whole
    /// files.
    pub fn raw_parts(&self) -> RawBvh<'_> {
        match self.in_order() {
            Cow::Borrowed(bvh) => bvh.raw_parts_in_place(),
            Cow::Owned(bvh) => {
                let RawBvh { layout, built_cost, near_reach, nodes, blocks, corners } =
                    bvh.raw_parts_in_place();
                let [nodes, blocks, corners] =
                    [nodes, blocks, corners].map(|part| Cow::Owned(part.into_owned()));
                RawBvh { layout, built_cost, near_reach, nodes, blocks, corners }
            }
        }
    }

    /// The hierarchy as bytes that follow references from node 0, borrowed. After edits, nodes and blocks are in any order, and some are
    /// unused. O(1).
    ///
    /// For readers that walk the tree. See also [`raw_parts`](Self::raw_parts), for storage.
    pub fn raw_parts_in_place(&self) -> RawBvh<'_> {
        let (layout, blocks, corners): (_, &[u8], &[u8]) = match &self.tree.leaves {
            Leaves::Full(blocks) => (Layout::Full, cast_slice(blocks), &[]),
            Leaves::Compact(indexed) => {
                (Layout::Compact, cast_slice(&indexed.blocks), cast_slice(&indexed.positions))
            }
        };
        RawBvh {
            layout,
            built_cost: self.built_cost,
            near_reach: self.tree.reach.near,
            nodes: Cow::Borrowed(cast_slice(&self.tree.nodes)),
            blocks: Cow::Borrowed(blocks),
            corners: Cow::Borrowed(corners),
        }
    }
}

/// The bytes of a hierarchy on their way from a file: see [`MeshBvh::raw_parts`].
///
/// It takes no memory for bytes that no hierarchy has. Lengths must fit each other, and the buffers grow with
/// the bytes that were read and looked at.
///
/// ```
/// use hitscan_bvh::{BuildOptions, InvalidBvh, Isa, MeshBvh, RawBvh, RawBvhBuffers};
/// use hitscan_primitives::generate;
///
/// let mesh = generate::sphere(1.0, 2000)?;
/// let built = MeshBvh::build(&mesh, &BuildOptions::default());
/// let raw = built.raw_parts();
/// let stored = [&raw.nodes, &raw.blocks, &raw.corners].map(|part| part.to_vec());
///
/// let lengths = stored.each_ref().map(Vec::len);
/// let RawBvh { layout, built_cost, near_reach, .. } = raw;
/// let mut buffers =
///     RawBvhBuffers::new(layout, built_cost, near_reach, lengths, built.n_triangles())?;
/// buffers.fill(|part, offset, bytes| {
///     bytes.copy_from_slice(&stored[part][offset..][..bytes.len()]);
///     Ok::<(), InvalidBvh>(())
/// })?;
/// let restored = buffers.into_bvh(&mesh, Isa::detect())?;
/// assert_eq!(restored.stats(), built.stats());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RawBvhBuffers {
    built_cost: f32,
    near_reach: f32,
    nodes: Vec<WideNode>,
    leaves: Leaves,
    /// The numbers of nodes, blocks and corners to come.
    counts: [usize; 3],
    n_triangles: usize,
}

/// The bytes of a step of [`RawBvhBuffers::fill`]: whole nodes, blocks of either layout, and corners.
const STEP: usize = 4 * 3 * 13 * (1 << 18);

impl RawBvhBuffers {
    /// Empty buffers for nodes, blocks and corners of these lengths in bytes, of a mesh of `n_triangles`, in
    /// large pages where a build would use them. Nothing is touched yet.
    ///
    /// # Errors
    /// [`Layout::Auto`]. A length that is not a whole number of nodes, blocks or corners. More blocks than a
    /// mesh of `n_triangles` needs, more nodes than blocks, more corners than those of the triangles. No memory
    /// for them. A cost that is negative or not finite.
    pub fn new(
        layout: Layout,
        built_cost: f32,
        near_reach: f32,
        lengths: [usize; 3],
        n_triangles: usize,
    ) -> Result<Self, InvalidBvh> {
        if !(built_cost >= 0.0 && built_cost.is_finite()) {
            return Err(InvalidBvh(format!(
                "cost {built_cost}, expected a finite number from 0 on"
            )));
        }
        let block = match layout {
            Layout::Auto => {
                return Err(InvalidBvh("layout Auto, expected the layout of a tree".to_owned()));
            }
            Layout::Full => size_of::<TriangleBlock>(),
            Layout::Compact => size_of::<IndexedBlock>(),
        };
        let most_blocks = MAX_PRIMITIVES_PER_TRIANGLE.saturating_mul(n_triangles);
        let [nodes, blocks, corners] = lengths;
        let blocks = count("blocks", blocks, block, most_blocks)?;
        let nodes = count("nodes", nodes, size_of::<WideNode>(), blocks.max(1))?;
        let most_corners = match layout {
            Layout::Compact => n_triangles.saturating_mul(3),
            _ => 0,
        };
        let corners = count("corners", corners, size_of::<[f32; 3]>(), most_corners)?;
        let leaves = match layout {
            Layout::Compact => Leaves::Compact(IndexedBlocks {
                blocks: room("blocks", blocks)?,
                positions: room("corners", corners)?,
            }),
            _ => Leaves::Full(room("blocks", blocks)?),
        };
        let counts = [nodes, blocks, corners];
        let nodes = room("nodes", nodes)?;
        Ok(Self { built_cost, near_reach, nodes, leaves, counts, n_triangles })
    }

    /// Reads all bytes in steps of some megabytes. `read` gets the number of a part (0 for nodes, 1 for blocks,
    /// 2 for corners), an offset in it, and the bytes to fill. Each step is checked before the next one takes
    /// memory.
    ///
    /// # Errors
    /// An error of `read`. Bytes that no hierarchy has, such as zeros.
    pub fn fill<E: From<InvalidBvh>>(
        &mut self,
        mut read: impl FnMut(usize, usize, &mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let [n_nodes, n_blocks, n_corners] = self.counts;
        let n_triangles = self.n_triangles;
        let read = &mut read;
        fill_part(0, n_nodes, &mut self.nodes, WideNode::EMPTY, read, |index, node| {
            let mut children = node.occupied().map(|slot| node.child(slot)).peekable();
            let has_some = children.peek().is_some() || n_nodes == 1;
            let is_below = |child: ChildRef| match child.is_leaf() {
                true => child.blocks().end <= n_blocks,
                false => (index + 1..n_nodes).contains(&child.node_index()),
            };
            expect(has_some && children.all(is_below), || {
                format!("node {index} has children of no tree of {n_nodes} nodes")
            })
        })?;
        let check_block = |index: usize, triangles: &[u32; BLOCK_WIDTH]| {
            let [first, second, ..] = *triangles;
            expect((first as usize) < n_triangles && first != second, || {
                format!("block {index} has the triangles {triangles:?} of {n_triangles}")
            })
        };
        match &mut self.leaves {
            Leaves::Full(blocks) => {
                fill_part(1, n_blocks, blocks, TriangleBlock::EMPTY, read, |index, block| {
                    check_block(index, &block.triangles)
                })
            }
            Leaves::Compact(IndexedBlocks { blocks, positions }) => {
                fill_part(1, n_blocks, blocks, IndexedBlock::EMPTY, read, |index, block| {
                    check_block(index, &block.triangles)
                })?;
                fill_part(2, n_corners, positions, [0.0; 3], read, |_, _| Ok(()))
            }
        }
    }

    /// The hierarchy of `mesh`, after every check of [`MeshBvh::validate`]. It returns an error, or a
    /// hierarchy with the answers of the mesh, whatever the bytes are. O(n), in parallel.
    ///
    /// # Errors
    /// The first invariant of a hierarchy of `mesh` that does not hold.
    pub fn into_bvh(self, mesh: &TriMesh, isa: Isa) -> Result<MeshBvh, InvalidBvh> {
        let Self { built_cost, near_reach, nodes, leaves, .. } = self;
        let depth = depth_of(&nodes, leaves.len())?;
        let scaled = ScaledMesh::new(mesh);
        let reach = Reach { max: scaled.max_abs, near: near_reach };
        let split = leaves.repeated(mesh.triangles().len());
        let bvh = MeshBvh {
            tree: Tree::new(nodes, leaves, split, &scaled, reach, depth),
            isa,
            n_triangles: mesh.triangles().len(),
            bounds: mesh.bounds(),
            built_cost,
            quality: BuildQuality::default(),
            links: None,
        };
        bvh.validate(mesh)?;
        Ok(bvh)
    }
}

/// The number of items of `size` bytes in `n_bytes`, at most `most`.
fn count(what: &str, n_bytes: usize, size: usize, most: usize) -> Result<usize, InvalidBvh> {
    expect(n_bytes.is_multiple_of(size), || {
        format!("{n_bytes} bytes of {what}, expected {size} each")
    })?;
    expect(n_bytes / size <= most, || {
        format!("{} {what}, expected at most {most}", n_bytes / size)
    })?;
    Ok(n_bytes / size)
}

/// An empty buffer with room for `n` items.
fn room<T>(what: &str, n: usize) -> Result<Vec<T>, InvalidBvh> {
    let n_bytes = n.saturating_mul(size_of::<T>());
    let items = large_pages::try_with_capacity(n);
    items.ok_or_else(|| InvalidBvh(format!("no memory for {n_bytes} bytes of {what}")))
}

/// Fills a buffer with `n` items in steps, each of which `check` sees.
fn fill_part<T: Pod + Send + Sync, E: From<InvalidBvh>>(
    part: usize,
    n: usize,
    items: &mut Vec<T>,
    empty: T,
    read: &mut impl FnMut(usize, usize, &mut [u8]) -> Result<(), E>,
    check: impl Fn(usize, &T) -> Result<(), InvalidBvh>,
) -> Result<(), E> {
    while items.len() < n {
        let first = items.len();
        large_pages::append(items, (n - first).min(STEP / size_of::<T>()), empty);
        let step = &mut items[first..];
        read(part, first * size_of::<T>(), cast_slice_mut(step))?;
        (first..).zip(&*step).try_for_each(|(index, item)| check(index, item))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use hitscan_primitives::generate;

    use super::*;
    use crate::BuildOptions;

    /// Copies the bytes of a tree, applies `change`, and restores the tree.
    fn restored(
        mesh: &TriMesh,
        layout: Layout,
        change: impl FnOnce([&mut [u8]; 3]),
    ) -> Result<MeshBvh, InvalidBvh> {
        let built = MeshBvh::build(mesh, &BuildOptions { layout, ..Default::default() });
        let raw = built.raw_parts();
        let mut stored = [raw.nodes, raw.blocks, raw.corners].map(Cow::into_owned);
        change(stored.each_mut().map(Vec::as_mut_slice));
        let lengths = stored.each_ref().map(Vec::len);
        let n_triangles = mesh.triangles().len();
        let RawBvh { built_cost, near_reach, .. } = raw;
        let mut buffers = RawBvhBuffers::new(layout, built_cost, near_reach, lengths, n_triangles)?;
        buffers.fill(|part, offset, bytes| {
            bytes.copy_from_slice(&stored[part][offset..][..bytes.len()]);
            Ok::<(), InvalidBvh>(())
        })?;
        buffers.into_bvh(mesh, Isa::detect())
    }

    #[test]
    fn a_tree_restored_from_its_bytes_is_the_same() {
        for layout in Layout::ALL {
            for mesh in [TriMesh::default(), generate::torus(1.0, 0.3, 3000).expect("it is one")] {
                let restored = restored(&mesh, layout, |_| ()).expect("nothing was changed");
                let built = MeshBvh::build(&mesh, &BuildOptions { layout, ..Default::default() });
                assert_eq!(restored.stats(), built.stats());
                assert_eq!(restored.raw_parts().nodes, built.raw_parts().nodes);
                assert_eq!(restored.raw_parts().blocks, built.raw_parts().blocks);
            }
        }
    }

    #[test]
    fn changed_references_boxes_indices_and_corners_are_errors() {
        let mesh = generate::torus(1.0, 0.3, 3000).expect("it is one");
        /// Offsets in a node of 256 bytes.
        const CHILDREN: usize = 192;
        type Change = fn([&mut [u8]; 3]);
        let changes: [(&str, Layout, Change); 9] = [
            // A child that is its own parent.
            ("node 0 has children of no tree", Layout::Full, |[nodes, ..]| {
                nodes[CHILDREN..][..4].fill(0);
            }),
            // A root without children.
            ("children of no tree", Layout::Full, |[nodes, ..]| {
                nodes[CHILDREN..][..32].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f].repeat(8));
            }),
            ("children of no tree", Layout::Full, |[nodes, ..]| {
                let last = nodes.len() - 256;
                nodes[last + CHILDREN + 28..][..4].copy_from_slice(&[0, 0, 1, 0]);
            }),
            ("outside its box", Layout::Full, |[nodes, ..]| nodes.copy_within(32..36, 0)),
            ("has the box", Layout::Full, |[nodes, ..]| nodes[..4].fill(0xff)),
            // The same triangle twice.
            ("2999 of 3000 triangles", Layout::Full, |[_, blocks, _]| {
                blocks.copy_within(392..396, 388);
            }),
            ("does not have their corners", Layout::Full, |[_, blocks, _]| blocks[0] ^= 1),
            ("does not have their corners", Layout::Compact, |[_, blocks, _]| {
                blocks[..4].fill(0xff);
            }),
            ("does not have their corners", Layout::Compact, |[_, _, corners]| corners[0] ^= 1),
        ];
        for (expected, layout, change) in changes {
            let found = restored(&mesh, layout, change).expect_err(expected).to_string();
            assert!(found.contains(expected), "{found:?}, expected {expected:?}");
        }
    }

    #[test]
    fn lengths_of_no_tree_are_errors() {
        const MOST: usize = usize::MAX;
        for (layout, lengths, n_triangles, expected) in [
            (Layout::Full, [255, 0, 0], 9, "255 bytes of nodes, expected 256 each"),
            (Layout::Full, [256, 415, 0], 9, "415 bytes of blocks, expected 416 each"),
            (Layout::Full, [256, 416, 12], 9, "1 corners, expected at most 0"),
            (Layout::Compact, [256, 128, 11], 9, "11 bytes of corners, expected 12 each"),
            (Layout::Compact, [256, 128, 12 * 28], 9, "28 corners, expected at most 27"),
            (Layout::Full, [256, 416 * 19, 0], 9, "19 blocks, expected at most 18"),
            (Layout::Full, [256 * 3, 416 * 2, 0], 9, "3 nodes, expected at most 2"),
            (Layout::Full, [512, 0, 0], 0, "2 nodes, expected at most 1"),
            (Layout::Full, [MOST / 256 * 256, 0, 0], 0, "nodes, expected at most 1"),
            (Layout::Full, [256, MOST / 416 * 416, 0], MOST, "no memory for"),
            (Layout::Compact, [256, MOST / 128 * 128, MOST / 12 * 12], MOST, "no memory for"),
        ] {
            let buffers = RawBvhBuffers::new(layout, 1.0, 1.0, lengths, n_triangles);
            let error = buffers.expect_err(expected);
            assert!(error.to_string().contains(expected), "{error}, expected {expected}");
        }
        assert!(RawBvhBuffers::new(Layout::Full, f32::NAN, 1.0, [256, 0, 0], 0).is_err());
        let no_root = RawBvhBuffers::new(Layout::Full, 0.0, 0.0, [0; 3], 0).expect("it is empty");
        assert!(no_root.into_bvh(&TriMesh::default(), Isa::detect()).is_err());
    }

    #[test]
    fn zeros_are_refused_in_the_first_step() {
        for (layout, block) in [(Layout::Full, 416), (Layout::Compact, 128)] {
            for zero_part in [0, 1] {
                let n = 1_000_000;
                let lengths = [256 * n, block * n, 0];
                let mut buffers =
                    RawBvhBuffers::new(layout, 1.0, 1.0, lengths, 2 * n).expect("the lengths fit");
                let mut n_read = 0;
                let filled = buffers.fill(|part, offset, bytes| {
                    if part == zero_part {
                        n_read += bytes.len();
                    } else {
                        // Nodes in a row, each the only child of the one before.
                        for (i, node) in (offset / 256..).zip(bytes.chunks_exact_mut(256)) {
                            let child = if i + 1 < n { i as u32 + 1 } else { 1 << 31 };
                            node[192..196].copy_from_slice(&child.to_le_bytes());
                        }
                    }
                    if part == zero_part {
                        bytes.fill(0);
                    }
                    Ok::<(), InvalidBvh>(())
                });
                assert!(filled.is_err() && (1..=STEP).contains(&n_read), "{layout:?} {zero_part}");
            }
        }
    }
}
