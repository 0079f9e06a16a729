//! The walk with the caller's own tests: which boxes to enter, what to do at a leaf.
//!
//! One recursive function serves every query that is not a ray. Its depth is that of the tree, which
//! is bounded at build.

use std::ops::{ControlFlow, Range};

use glam::{DVec3, Vec3};
use hitscan_primitives::Aabb;

use crate::{
    MeshBvh,
    wide::{ChildRef, TriangleBlock, WideNode},
};

impl MeshBvh {
    /// Walks the tree by the caller's own tests, in an order that depends on the tree: `enter` says of
    /// a box whether to look below it, `found` takes each triangle below the boxes entered and ends
    /// the walk with [`ControlFlow::Break`].
    ///
    /// Boxes are in the mesh's own space and hold all triangles below them, with a margin of some
    /// millionths of the largest coordinate. All boxes of a node are asked about before one of them is
    /// entered. Triangles are reported once each and not tested against anything; those without area
    /// are among them. About eight box tests per node entered.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::generate;
    ///
    /// let mesh = generate::grid(10.0, 10.0, 1000)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// // Triangles with a corner left of x = -4.
    /// let mut left = vec![];
    /// let done: ControlFlow<()> = bvh.visit(
    ///     |bounds| bounds.min.x < -4.0,
    ///     |triangle| {
    ///         if mesh.corners(triangle).iter().any(|corner| corner.x < -4.0) {
    ///             left.push(triangle);
    ///         }
    ///         ControlFlow::Continue(())
    ///     },
    /// );
    /// assert!(done.is_continue() && !left.is_empty() && left.len() < 200);
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn visit<B>(
        &self,
        mut enter: impl FnMut(&Aabb) -> bool,
        mut found: impl FnMut(u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.visit_nearest_first(
            0.0,
            |bounds| if enter(bounds) { 0.0 } else { f64::INFINITY },
            |triangle| found(triangle).map_continue(|()| 0.0),
        )
    }

    /// [`visit`](Self::visit) in the order of a distance of the caller's choice, for searches that
    /// need only what is nearest.
    ///
    /// Boxes whose `distance` is greater than the limit, or NaN, are not entered; of the children of a
    /// node those with less distance come first. The limit is `limit` at first, then whatever `found`
    /// last answered, which should never rise. A search loses nothing if the distance of a box is at
    /// most that of every triangle in it.
    pub fn visit_nearest_first<B>(
        &self,
        limit: f64,
        mut distance: impl FnMut(&Aabb) -> f64,
        mut found: impl FnMut(u32) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B> {
        walk(
            &self.nodes,
            limit,
            |node| keys_of(node, |place| distance(&self.unscaled_bounds(node, place))),
            |blocks, mut limit| {
                for &triangle in blocks.flat_map(|block| self.leaves.triangles(block)) {
                    if triangle != TriangleBlock::NO_TRIANGLE {
                        limit = found(triangle)?;
                    }
                }
                ControlFlow::Continue(limit)
            },
        )
    }

    /// The box of a child in the mesh's own space. Rounding back loses nothing: it is monotone, and
    /// corners are numbers that it does not change.
    fn unscaled_bounds(&self, node: &WideNode, place: usize) -> Aabb {
        let bounds = node.child_bounds(place);
        if self.scale == 1.0 {
            return bounds;
        }
        let unscaled = |corner: Vec3| (corner.as_dvec3() / self.scale).as_vec3();
        Aabb { min: unscaled(bounds.min), max: unscaled(bounds.max) }
    }
}

/// The triangles of a block: their lanes, numbers, and corners in the tree's space.
pub(crate) fn triangles_of(
    block: &TriangleBlock,
) -> impl Iterator<Item = (usize, u32, [DVec3; 3])> {
    (0..8).filter(|&lane| block.triangles[lane] != TriangleBlock::NO_TRIANGLE).map(|lane| {
        let corners = block.corners_of(lane).map(|corner| corner.as_dvec3());
        (lane, block.triangles[lane], corners)
    })
}

/// A key for each place of a node that has a child; NaN for the others.
pub(crate) fn keys_of(node: &WideNode, mut key: impl FnMut(usize) -> f64) -> [f64; 8] {
    let mut keys = [f64::NAN; 8];
    for place in node.occupied() {
        keys[place] = key(place);
    }
    keys
}

/// Walks the leaves whose keys, and those of all nodes above them, are at most the limit, lesser keys
/// first. `leaf` takes the blocks of a leaf and the limit, and answers the limit from there on.
pub(crate) fn walk<B>(
    nodes: &[WideNode],
    mut limit: f64,
    mut keys: impl FnMut(&WideNode) -> [f64; 8],
    mut leaf: impl FnMut(Range<usize>, f64) -> ControlFlow<B, f64>,
) -> ControlFlow<B> {
    walk_node(nodes, ChildRef::ROOT.node_index(), &mut limit, &mut keys, &mut leaf)
}

fn walk_node<B>(
    nodes: &[WideNode],
    index: usize,
    limit: &mut f64,
    keys: &mut impl FnMut(&WideNode) -> [f64; 8],
    leaf: &mut impl FnMut(Range<usize>, f64) -> ControlFlow<B, f64>,
) -> ControlFlow<B> {
    let node = &nodes[index];
    let keys_here = keys(node);
    let mut order = [(0.0, ChildRef::NONE); 8];
    let mut n = 0;
    for place in 0..8 {
        let (key, child) = (keys_here[place], node.child(place));
        if child != ChildRef::NONE && key <= *limit {
            let at = order[..n].partition_point(|&(other, _)| other <= key);
            order.copy_within(at..n, at + 1);
            order[at] = (key, child);
            n += 1;
        }
    }
    for &(key, child) in &order[..n] {
        if key > *limit {
            break;
        }
        if child.is_leaf() {
            *limit = leaf(child.blocks(), *limit)?;
        } else {
            walk_node(nodes, child.node_index(), limit, keys, leaf)?;
        }
    }
    ControlFlow::Continue(())
}
