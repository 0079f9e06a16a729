//! A hierarchy as plain memory, to be stored and brought back.

use bytemuck::{cast_slice, cast_slice_mut};
use hitscan_primitives::TriMesh;
use thiserror::Error;

use crate::{
    Isa, Layout, MeshBvh,
    mesh_bvh::scaled_reach,
    parallel, validate,
    wide::{IndexedBlock, IndexedBlocks, Leaves, TriangleBlock, WideNode},
};

/// What a [`MeshBvh`] knows that its mesh does not say, as bytes: words of four bytes in the order of
/// this machine, to be stored as they are and read into a [`BlankBvh`].
#[derive(Clone, Copy, Debug)]
pub struct BvhMemory<'a> {
    /// What the leaves are made of.
    pub layout: Layout,
    /// The expected cost of a ray when the tree was built, which refits compare with.
    pub built_cost: f32,
    /// The nodes, depth first.
    pub nodes: &'a [u8],
    /// The blocks of the leaves.
    pub blocks: &'a [u8],
    /// The corners that compact blocks name; else empty.
    pub corners: &'a [u8],
}

impl BvhMemory<'_> {
    /// Changes whenever the same bytes would mean something else.
    pub const FORM: u32 = 2;
}

impl MeshBvh {
    /// The hierarchy as bytes, for what stores it.
    pub fn memory(&self) -> BvhMemory<'_> {
        let (layout, blocks, corners): (_, &[u8], &[u8]) = match &self.leaves {
            Leaves::Full(blocks) => (Layout::Full, cast_slice(blocks), &[]),
            Leaves::Compact(indexed) => {
                (Layout::Compact, cast_slice(&indexed.blocks), cast_slice(&indexed.positions))
            }
        };
        let nodes = cast_slice(&self.nodes);
        BvhMemory { layout, built_cost: self.built_cost, nodes, blocks, corners }
    }
}

/// Memory of the size of a hierarchy, to be filled with the bytes of one: see [`MeshBvh::memory`].
///
/// ```
/// use hitscan_bvh::{BlankBvh, BuildOptions, Isa, MeshBvh};
/// use hitscan_primitives::generate;
///
/// let mesh = generate::sphere(1.0, 2000)?;
/// let built = MeshBvh::build(&mesh, &BuildOptions::default());
/// let memory = built.memory();
/// let stored = [memory.nodes, memory.blocks, memory.corners];
///
/// let mut blank = BlankBvh::new(memory.layout, memory.built_cost, stored.map(<[u8]>::len))?;
/// for (bytes, stored) in blank.bytes_mut().into_iter().zip(stored) {
///     bytes.copy_from_slice(stored);
/// }
/// let again = blank.into_bvh(&mesh, Isa::detect())?;
/// assert_eq!(again.stats(), built.stats());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BlankBvh {
    built_cost: f32,
    nodes: Vec<WideNode>,
    leaves: Leaves,
}

impl BlankBvh {
    /// Memory for nodes, blocks and corners of these lengths in bytes, in large pages where a build
    /// would have them.
    ///
    /// # Errors
    /// A length that is not a whole number of nodes, blocks or corners, and a cost that is none.
    pub fn new(layout: Layout, built_cost: f32, lengths: [usize; 3]) -> Result<Self, InvalidBvh> {
        let [nodes, blocks, corners] = lengths;
        if !(built_cost >= 0.0 && built_cost.is_finite()) {
            return Err(InvalidBvh(format!(
                "cost {built_cost}, expected a finite number from 0 on"
            )));
        }
        let leaves = match layout {
            Layout::Full => {
                if corners > 0 {
                    return Err(InvalidBvh(format!("{corners} bytes of corners, expected none")));
                }
                Leaves::Full(blank("blocks", blocks, TriangleBlock::EMPTY)?)
            }
            Layout::Compact => Leaves::Compact(IndexedBlocks {
                blocks: blank("blocks", blocks, IndexedBlock::EMPTY)?,
                positions: blank("corners", corners, [0.0; 3])?,
            }),
        };
        Ok(Self { built_cost, nodes: blank("nodes", nodes, WideNode::EMPTY)?, leaves })
    }

    /// The memory of nodes, blocks and corners, to be filled.
    pub fn bytes_mut(&mut self) -> [&mut [u8]; 3] {
        let nodes = cast_slice_mut(&mut self.nodes);
        match &mut self.leaves {
            Leaves::Full(blocks) => [nodes, cast_slice_mut(blocks), &mut []],
            Leaves::Compact(IndexedBlocks { blocks, positions }) => {
                [nodes, cast_slice_mut(blocks), cast_slice_mut(positions)]
            }
        }
    }

    /// The hierarchy of `mesh`, after all that [`MeshBvh::validate`] checks: whatever the bytes are, they
    /// are refused or give the answers of the mesh. O(n), in parallel.
    ///
    /// # Errors
    /// The first thing that is not as in a hierarchy of `mesh`.
    pub fn into_bvh(self, mesh: &TriMesh, isa: Isa) -> Result<MeshBvh, InvalidBvh> {
        let Self { built_cost, nodes, leaves } = self;
        let depth = validate::depth_of(&nodes, leaves.len()).map_err(InvalidBvh)?;
        let scale = mesh.query_scale();
        let bvh = MeshBvh {
            nodes,
            leaves,
            isa,
            n_triangles: mesh.triangles().len(),
            bounds: mesh.bounds(),
            scale,
            reach: scaled_reach(mesh, scale),
            depth,
            built_cost,
        };
        bvh.validate(mesh).map_err(InvalidBvh)?;
        Ok(bvh)
    }
}

/// A vector of that many bytes.
fn blank<T: Copy + Send + Sync>(
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

/// Bytes that are no hierarchy of the mesh; says what is found where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct InvalidBvh(String);

#[cfg(test)]
mod tests {
    use hitscan_primitives::generate;

    use super::*;
    use crate::BuildOptions;

    /// Takes a tree apart, lets `change` spoil its bytes, and puts it together again.
    fn again(
        mesh: &TriMesh,
        layout: Layout,
        change: impl FnOnce([&mut [u8]; 3]),
    ) -> Result<MeshBvh, InvalidBvh> {
        let built = MeshBvh::build(mesh, &BuildOptions { layout, ..Default::default() });
        let memory = built.memory();
        let stored = [memory.nodes, memory.blocks, memory.corners];
        let mut blank = BlankBvh::new(layout, memory.built_cost, stored.map(<[u8]>::len))?;
        for (bytes, stored) in blank.bytes_mut().into_iter().zip(stored) {
            bytes.copy_from_slice(stored);
        }
        change(blank.bytes_mut());
        blank.into_bvh(mesh, Isa::detect())
    }

    #[test]
    fn what_was_taken_apart_is_the_same_again() {
        for layout in Layout::ALL {
            for mesh in [TriMesh::default(), generate::torus(1.0, 0.3, 3000).expect("it is one")] {
                let again = again(&mesh, layout, |_| ()).expect("nothing was changed");
                let built = MeshBvh::build(&mesh, &BuildOptions { layout, ..Default::default() });
                assert_eq!(again.stats(), built.stats());
                assert_eq!(again.memory().nodes, built.memory().nodes);
                assert_eq!(again.memory().blocks, built.memory().blocks);
            }
        }
    }

    #[test]
    fn changed_references_boxes_numbers_and_corners_are_found() {
        let mesh = generate::torus(1.0, 0.3, 3000).expect("it is one");
        /// Offsets in a node of 256 bytes.
        const CHILDREN: usize = 192;
        type Change = fn([&mut [u8]; 3]);
        let changes: [(&str, Layout, Change); 9] = [
            // A child that is its own parent.
            ("place of node", Layout::Full, |[nodes, ..]| nodes[CHILDREN..][..4].fill(0)),
            // A node that nobody has.
            ("not reached", Layout::Full, |[nodes, ..]| {
                nodes[CHILDREN..][..32].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f].repeat(8));
            }),
            ("no node", Layout::Full, |[nodes, ..]| {
                let last = nodes.len() - 256;
                nodes[last + CHILDREN + 28..][..4].copy_from_slice(&[0, 0, 1, 0]);
            }),
            ("reaches out", Layout::Full, |[nodes, ..]| nodes.copy_within(32..36, 0)),
            ("has the box", Layout::Full, |[nodes, ..]| nodes[..4].fill(0xff)),
            // The first triangle is the second's double.
            ("is in two blocks", Layout::Full, |[_, blocks, _]| blocks.copy_within(388..392, 384)),
            ("has not their shape", Layout::Full, |[_, blocks, _]| blocks[0] ^= 1),
            ("has not their shape", Layout::Compact, |[_, blocks, _]| blocks[..4].fill(0xff)),
            ("has not their shape", Layout::Compact, |[_, _, corners]| corners[0] ^= 1),
        ];
        for (expected, layout, change) in changes {
            let found = again(&mesh, layout, change).expect_err(expected).to_string();
            assert!(found.contains(expected), "{found:?}, expected {expected:?}");
        }
    }

    #[test]
    fn lengths_that_are_no_trees_are_refused() {
        for (layout, lengths) in [
            (Layout::Full, [255, 0, 0]),
            (Layout::Full, [256, 415, 0]),
            (Layout::Full, [256, 0, 12]),
            (Layout::Compact, [256, 128, 11]),
        ] {
            assert!(BlankBvh::new(layout, 1.0, lengths).is_err(), "{layout:?} {lengths:?}");
        }
        assert!(BlankBvh::new(Layout::Full, f32::NAN, [256, 0, 0]).is_err());
        let no_root = BlankBvh::new(Layout::Full, 0.0, [0; 3]).expect("it is empty");
        assert!(no_root.into_bvh(&TriMesh::default(), Isa::detect()).is_err());
    }
}
