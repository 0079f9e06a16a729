//! A hierarchy as bytes, for storage.

use bytemuck::{cast_slice, cast_slice_mut};
use hitscan_primitives::TriMesh;

use crate::{
    layout::{IndexedBlock, IndexedBlocks, Leaves, Reach, Tree, TriangleBlock, WideNode},
    mesh_bvh::MeshBvh,
    options::Layout,
    platform::parallel,
    scaled_mesh::ScaledMesh,
    simd::Isa,
    validate::{InvalidBvh, depth_of},
};

/// The parts of a [`MeshBvh`] that its mesh does not determine, as bytes to store.
///
/// They are words of four bytes in the byte order of this machine. [`RawBvhBuffers`] reads them back.
#[derive(Clone, Copy, Debug)]
pub struct RawBvh<'a> {
    /// The layout of the leaves.
    pub layout: Layout,
    /// The expected cost of a ray when the tree was built. Refits compare with it.
    pub built_cost: f32,
    /// The largest coordinate, in scaled space, that widens all boxes alike: see `Reach` in the source.
    pub near_reach: f32,
    /// The nodes, depth first.
    pub nodes: &'a [u8],
    /// The blocks of the leaves.
    pub blocks: &'a [u8],
    /// The corners of compact blocks; empty for full ones.
    pub corners: &'a [u8],
}

impl RawBvh<'_> {
    /// The version of the format. Changes whenever the same bytes would mean something else.
    pub const LAYOUT_VERSION: u32 = 4;
}

impl MeshBvh {
    /// The hierarchy as bytes, for storage.
    pub fn raw_parts(&self) -> RawBvh<'_> {
        let (layout, blocks, corners): (_, &[u8], &[u8]) = match &self.tree.leaves {
            Leaves::Full(blocks) => (Layout::Full, cast_slice(blocks), &[]),
            Leaves::Compact(indexed) => {
                (Layout::Compact, cast_slice(&indexed.blocks), cast_slice(&indexed.positions))
            }
        };
        let nodes = cast_slice(&self.tree.nodes);
        let near_reach = self.tree.reach.near;
        RawBvh { layout, built_cost: self.built_cost, near_reach, nodes, blocks, corners }
    }
}

/// Buffers of the size of a hierarchy, to fill with its bytes: see [`MeshBvh::raw_parts`].
///
/// ```
/// use hitscan_bvh::{RawBvhBuffers, BuildOptions, Isa, MeshBvh};
/// use hitscan_primitives::generate;
///
/// let mesh = generate::sphere(1.0, 2000)?;
/// let built = MeshBvh::build(&mesh, &BuildOptions::default());
/// let raw = built.raw_parts();
/// let stored = [raw.nodes, raw.blocks, raw.corners];
///
/// let lengths = stored.map(<[u8]>::len);
/// let mut buffers = RawBvhBuffers::new(raw.layout, raw.built_cost, raw.near_reach, lengths)?;
/// for (bytes, stored) in buffers.bytes_mut().into_iter().zip(stored) {
///     bytes.copy_from_slice(stored);
/// }
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
}

impl RawBvhBuffers {
    /// Buffers for nodes, blocks and corners of these lengths in bytes, in large pages where a build
    /// would use them.
    ///
    /// # Errors
    /// [`Layout::Auto`]. A length that is not a whole number of nodes, blocks or corners. A cost that is
    /// negative or not finite.
    pub fn new(
        layout: Layout,
        built_cost: f32,
        near_reach: f32,
        lengths: [usize; 3],
    ) -> Result<Self, InvalidBvh> {
        let [nodes, blocks, corners] = lengths;
        if !(built_cost >= 0.0 && built_cost.is_finite()) {
            return Err(InvalidBvh(format!(
                "cost {built_cost}, expected a finite number from 0 on"
            )));
        }
        let leaves = match layout {
            Layout::Auto => {
                return Err(InvalidBvh("layout Auto, expected the layout of a tree".to_owned()));
            }
            Layout::Full => {
                if corners > 0 {
                    return Err(InvalidBvh(format!("{corners} bytes of corners, expected none")));
                }
                Leaves::Full(buffer("blocks", blocks, TriangleBlock::EMPTY)?)
            }
            Layout::Compact => Leaves::Compact(IndexedBlocks {
                blocks: buffer("blocks", blocks, IndexedBlock::EMPTY)?,
                positions: buffer("corners", corners, [0.0; 3])?,
            }),
        };
        let nodes = buffer("nodes", nodes, WideNode::EMPTY)?;
        Ok(Self { built_cost, near_reach, nodes, leaves })
    }

    /// The buffers of nodes, blocks and corners, to fill.
    pub fn bytes_mut(&mut self) -> [&mut [u8]; 3] {
        let nodes = cast_slice_mut(&mut self.nodes);
        match &mut self.leaves {
            Leaves::Full(blocks) => [nodes, cast_slice_mut(blocks), &mut []],
            Leaves::Compact(IndexedBlocks { blocks, positions }) => {
                [nodes, cast_slice_mut(blocks), cast_slice_mut(positions)]
            }
        }
    }

    /// The hierarchy of `mesh`, after every check of [`MeshBvh::validate`]. It returns an error, or a
    /// hierarchy with the answers of the mesh, whatever the bytes are. O(n), in parallel.
    ///
    /// # Errors
    /// The first invariant of a hierarchy of `mesh` that does not hold.
    pub fn into_bvh(self, mesh: &TriMesh, isa: Isa) -> Result<MeshBvh, InvalidBvh> {
        let Self { built_cost, near_reach, nodes, leaves } = self;
        let depth = depth_of(&nodes, leaves.len())?;
        let ScaledMesh { scale, max_abs, .. } = ScaledMesh::new(mesh);
        let reach = Reach { max: max_abs, near: near_reach };
        let mut tree = Tree::new(nodes, leaves, scale, reach, depth);
        tree.split = tree.leaves.repeated(mesh.triangles().len());
        let bvh = MeshBvh {
            tree,
            isa,
            n_triangles: mesh.triangles().len(),
            bounds: mesh.bounds(),
            built_cost,
        };
        bvh.validate(mesh)?;
        Ok(bvh)
    }
}

/// A buffer of `n_bytes` bytes.
fn buffer<T: Copy + Send + Sync>(
    what: &str,
    n_bytes: usize,
    value: T,
) -> Result<Vec<T>, InvalidBvh> {
    let size = size_of::<T>();
    if !n_bytes.is_multiple_of(size) {
        return Err(InvalidBvh(format!("{n_bytes} bytes of {what}, expected {size} each")));
    }
    Ok(parallel::collect(n_bytes / size, |_| value))
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
        let stored = [raw.nodes, raw.blocks, raw.corners];
        let lengths = stored.map(<[u8]>::len);
        let mut buffers = RawBvhBuffers::new(layout, raw.built_cost, raw.near_reach, lengths)?;
        for (bytes, stored) in buffers.bytes_mut().into_iter().zip(stored) {
            bytes.copy_from_slice(stored);
        }
        change(buffers.bytes_mut());
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
            ("place of node", Layout::Full, |[nodes, ..]| nodes[CHILDREN..][..4].fill(0)),
            // A root without children.
            ("not reached", Layout::Full, |[nodes, ..]| {
                nodes[CHILDREN..][..32].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f].repeat(8));
            }),
            ("no node", Layout::Full, |[nodes, ..]| {
                let last = nodes.len() - 256;
                nodes[last + CHILDREN + 28..][..4].copy_from_slice(&[0, 0, 1, 0]);
            }),
            ("outside its box", Layout::Full, |[nodes, ..]| nodes.copy_within(32..36, 0)),
            ("has the box", Layout::Full, |[nodes, ..]| nodes[..4].fill(0xff)),
            // The same triangle twice.
            ("2999 of 3000 triangles", Layout::Full, |[_, blocks, _]| {
                blocks.copy_within(388..392, 384);
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
        for (layout, lengths) in [
            (Layout::Full, [255, 0, 0]),
            (Layout::Full, [256, 415, 0]),
            (Layout::Full, [256, 0, 12]),
            (Layout::Compact, [256, 128, 11]),
        ] {
            assert!(
                RawBvhBuffers::new(layout, 1.0, 1.0, lengths).is_err(),
                "{layout:?} {lengths:?}"
            );
        }
        assert!(RawBvhBuffers::new(Layout::Full, f32::NAN, 1.0, [256, 0, 0]).is_err());
        let no_root = RawBvhBuffers::new(Layout::Full, 0.0, 0.0, [0; 3]).expect("it is empty");
        assert!(no_root.into_bvh(&TriMesh::default(), Isa::detect()).is_err());
    }
}
