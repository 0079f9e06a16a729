//! From a mesh to its tree, in six steps:
//!
//! 1. [`Primitives::of_split_needles`] splits needles, where that pays.
//! 2. [`take_shape`] decides which primitives share a leaf, and which leaves a node.
//! 3. [`Reach::of_leaves`] decides by how much boxes are widened.
//! 4. [`write_nodes`] writes the widened boxes.
//! 5. [`encode_leaves`] copies the triangles into blocks.
//! 6. [`Tree::new`] adds what queries read from both.

use super::{
    box_source::{BoxSource, write_boxes},
    collapse::WideTree,
    encode::{block_sources, encode_leaves, encode_nodes, reach_of_children},
    progress::{Progress, Report},
    shape::{shape, shape_of_objects},
};
use crate::{
    layout::{Leaves, Reach, Tree, WideNode},
    options::BuildOptions,
    scaled_mesh::ScaledMesh,
    split::{Primitives, TriangleSet},
};

/// The tree of a mesh, which may be empty; `None` if `report` cancelled the build.
pub(crate) fn build(
    mesh: &ScaledMesh<'_>,
    options: &BuildOptions,
    report: Report<'_>,
) -> Option<Tree> {
    if mesh.n_triangles() == 0 {
        let progress = Progress::new(0, report);
        progress.advance(1);
        let (nodes, leaves) = (vec![WideNode::EMPTY], Leaves::Full(vec![]));
        let reach = Reach::uniform(mesh.max_abs);
        return (!progress.is_cancelled())
            .then(|| Tree::new(nodes, leaves, TriangleSet::default(), mesh, reach, 1));
    }
    let split = Primitives::of_split_needles(*mesh, options.isa);
    let n_primitives = split.as_ref().map_or(mesh.n_triangles(), Primitives::len);
    // A primitive is two units of work: step 2 sorts it, and step 5 copies its triangle.
    let progress = Progress::new(2 * n_primitives, report);
    let (wide, order) = take_shape(mesh, split.as_ref(), options, &progress)?;
    let reach = Reach::of_leaves(mesh, wide.leaf_boxes());
    let nodes = write_nodes(mesh, split.is_some(), &wide, &order, &reach);
    let sources = block_sources(&wide, &order);
    let leaves = encode_leaves(*mesh, &sources, options.layout, options.isa, &progress);
    let repeated = split.map_or_else(TriangleSet::default, |split| {
        leaves.repeated_among(mesh.n_triangles(), |triangle| split.is_split(triangle))
    });
    let tree = Tree::new(nodes, leaves, repeated, mesh, reach, wide.depth);
    progress.advance(n_primitives);
    (!progress.is_cancelled()).then_some(tree)
}

/// The shape of the tree over the primitives, and the order of their triangles.
fn take_shape(
    mesh: &ScaledMesh<'_>,
    split: Option<&Primitives<'_>>,
    &BuildOptions { quality, isa, .. }: &BuildOptions,
    progress: &Progress<'_>,
) -> Option<(WideTree, Vec<u32>)> {
    let write = |prims: &[u32], boxes: &mut [_]| match split {
        None => write_boxes(prims, boxes, |triangle| mesh.triangle_box(triangle)),
        Some(split) => write_boxes(prims, boxes, |prim| split.bounds(prim)),
    };
    let n = split.map_or(mesh.n_triangles(), Primitives::len);
    let source = BoxSource { n, max_abs: mesh.max_abs, write: &write };
    match split {
        None => shape(source, quality, isa, progress),
        Some(split) => {
            let triangle = |prim| split.triangle(prim);
            shape_of_objects(source, mesh.n_triangles(), triangle, quality, isa, progress)
        }
    }
}

/// The nodes of the shape. Where boxes are widened by their own reach, that of a part is the reach of its triangle.
fn write_nodes(
    mesh: &ScaledMesh<'_>,
    is_split: bool,
    wide: &WideTree,
    order: &[u32],
    reach: &Reach,
) -> Vec<WideNode> {
    if is_split && !reach.is_uniform() {
        let of_children = reach_of_children(wide, order, mesh);
        encode_nodes(wide, |child, _| reach.widening(of_children[child]))
    } else {
        encode_nodes(wide, |_, bounds| reach.widening(bounds.reach()))
    }
}
