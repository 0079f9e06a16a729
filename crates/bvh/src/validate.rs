//! The invariants of a tree, for tests and for trees from untrusted bytes.
//!
//! A tree that passes gives the answers of its mesh. Its queries neither fail nor loop for ever, wherever
//! its bytes came from.

use bytemuck::bytes_of;
use hitscan_primitives::{Aabb, TriMesh};
use thiserror::Error;

use crate::{
    box3::Box3,
    error_bounds::{CUT_SLACK, REQUIRED_INFLATION_SHARE},
    layout::{
        ChildRef, CornerRows, Leaves, Reach, Tree, TriangleBlock, WideNode, bounds_of, triangles_in,
    },
    platform::parallel,
    scaled_mesh::ScaledMesh,
    split::{Bounds, CoverFault, TriangleSet, check_cover},
    widths::{BLOCK_WIDTH, MAX_DEPTH, NODE_WIDTH},
};

/// A hierarchy, or the bytes of one, that does not fit the mesh. Says what was found where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct InvalidBvh(pub(crate) String);

/// See [`MeshBvh::validate`](crate::MeshBvh::validate).
pub(crate) fn validate(
    tree: &Tree,
    n_triangles: usize,
    bounds: Aabb,
    mesh: &TriMesh,
) -> Result<(), InvalidBvh> {
    let mesh = &ScaledMesh::new(mesh);
    let found = mesh.n_triangles();
    expect(n_triangles == found, || {
        format!("the tree has {n_triangles} triangles, the mesh {found}")
    })?;
    expect(tree.scale == mesh.scale, || {
        format!("the tree is scaled by {}, the mesh by {}", tree.scale, mesh.scale)
    })?;
    let Reach { max, near } = tree.reach;
    expect(max == mesh.max_abs, || {
        format!("the tree has the largest coordinate {max}, the mesh {}", mesh.max_abs)
    })?;
    let least = Reach::least(mesh.scale).min(max);
    expect(least <= near && near <= max, || {
        format!("the tree has the near reach {near}, expected a number from {least} to {max}")
    })?;
    expect(bounds == mesh.mesh.bounds(), || {
        format!("the tree has the box {bounds:?}, the mesh {:?}", mesh.mesh.bounds())
    })?;
    let depth = depth_of(&tree.nodes, tree.leaves.len())?;
    expect(tree.depth == depth, || format!("the tree says depth {}, it is {depth}", tree.depth))?;
    expect(depth <= MAX_DEPTH, || format!("depth {depth}, expected at most {MAX_DEPTH}"))?;
    let check_nodes = || {
        let checks = parallel::map_chunks(tree.nodes.len(), 256, |nodes| {
            nodes.into_iter().try_for_each(|index| check_node(tree, mesh, index))
        });
        checks.into_iter().collect::<Result<(), InvalidBvh>>()
    };
    let (triangles, nodes) = parallel::join(|| check_each_triangle(tree, n_triangles), check_nodes);
    triangles.and(nodes)?;
    check_split_triangles(tree, mesh)
}

/// The number of nodes on the longest path from the root.
///
/// Nodes must stand depth first, as refits need them, and blocks in the order of the leaves. Then the
/// root reaches each of them once, and there is no cycle.
pub(crate) fn depth_of(nodes: &[WideNode], n_blocks: usize) -> Result<usize, InvalidBvh> {
    let mut deepest = 0;
    let mut n_blocks_seen = 0;
    // The nodes that were referred to and are still to come, with their depths; the next one last.
    let mut to_come = vec![(ChildRef::ROOT.node_index(), 1)];
    for (index, node) in nodes.iter().enumerate() {
        let Some((next, depth)) = to_come.pop() else {
            return Err(InvalidBvh(format!("node {index} is not reached from the root")));
        };
        expect(next == index, || format!("node {index} stands in the place of node {next}"))?;
        deepest = deepest.max(depth);
        let first_child = to_come.len();
        for child in node.occupied().map(|slot| node.child(slot)) {
            if child.is_leaf() {
                let blocks = child.blocks();
                expect(blocks.start == n_blocks_seen && blocks.end <= n_blocks, || {
                    format!(
                        "node {index} has the blocks {blocks:?} of {n_blocks}, expected them from \
                         {n_blocks_seen} on"
                    )
                })?;
                n_blocks_seen = blocks.end;
            } else {
                to_come.push((child.node_index(), depth + 1));
            }
        }
        to_come[first_child..].reverse();
    }
    expect(to_come.is_empty(), || format!("there is no node {}", to_come[to_come.len() - 1].0))?;
    expect(n_blocks_seen == n_blocks, || {
        format!("block {n_blocks_seen} is not reached from the root")
    })?;
    Ok(deepest)
}

/// Every triangle is in a lane. If some are in several, [`Tree::new`] knows them as split. The empty lanes of a block
/// come last.
fn check_each_triangle(tree: &Tree, n_triangles: usize) -> Result<(), InvalidBvh> {
    let leaves = &tree.leaves;
    let mut seen = TriangleSet::with_room_for(n_triangles);
    for block in 0..leaves.len() {
        let triangles = leaves.triangles(block);
        let in_use = triangles_in(triangles);
        let n = in_use.len();
        expect(n > 0 && triangles[n..] == [TriangleBlock::NO_TRIANGLE; BLOCK_WIDTH][n..], || {
            format!("block {block} has the triangles {triangles:?}, expected empty lanes last")
        })?;
        for &triangle in in_use {
            seen.insert(triangle).ok_or_else(|| {
                InvalidBvh(format!("block {block} has triangle {triangle} of {n_triangles}"))
            })?;
        }
    }
    let n_seen = seen.len();
    expect(n_seen == n_triangles, || format!("{n_seen} of {n_triangles} triangles are in blocks"))
}

/// The leaves of each split triangle cover it, and each leaf holds it once.
fn check_split_triangles(tree: &Tree, mesh: &ScaledMesh<'_>) -> Result<(), InvalidBvh> {
    if tree.split.is_empty() {
        return Ok(());
    }
    let mut leaves = Vec::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        for slot in node.occupied().filter(|&slot| node.child(slot).is_leaf()) {
            let first = leaves.len();
            for &triangle in
                node.child(slot).blocks().flat_map(|block| tree.leaves.triangles(block))
            {
                if tree.split.contains(triangle) {
                    leaves.push((triangle, index as u32, slot as u32));
                }
            }
            leaves[first..].sort_unstable();
            let twice = leaves[first..].windows(2).find(|two| two[0].0 == two[1].0);
            expect(twice.is_none(), || {
                format!("child {slot} of node {index} has a triangle twice: {twice:?}")
            })?;
        }
    }
    leaves.sort_unstable();
    let groups: Vec<_> = leaves.chunk_by(|a, b| a.0 == b.0).collect();
    let checks = parallel::map_chunks(groups.len(), 64, |chunk| {
        groups[chunk].iter().try_for_each(|leaves| check_leaves_of_triangle(tree, mesh, leaves))
    });
    checks.into_iter().collect()
}

/// The boxes of some leaves, given as triangle, node and slot, cover their triangle by enough inflation.
fn check_leaves_of_triangle(
    tree: &Tree,
    mesh: &ScaledMesh<'_>,
    leaves: &[(u32, u32, u32)],
) -> Result<(), InvalidBvh> {
    let triangle = leaves[0].0;
    let of_triangle = mesh.triangle_box(triangle).reach();
    let widening = f64::from(REQUIRED_INFLATION_SHARE * tree.reach.widening(of_triangle));
    let boxes: Vec<Bounds> = leaves
        .iter()
        .map(|&(_, node, slot)| {
            let Aabb { min, max } = tree.nodes[node as usize].child_bounds(slot as usize);
            [min.as_dvec3() + widening, max.as_dvec3() - widening]
        })
        .collect();
    let tolerance = CUT_SLACK * f64::from(of_triangle);
    check_cover(mesh.corners(triangle), &boxes, tolerance).map_err(|fault| {
        InvalidBvh(match fault {
            CoverFault::Uncovered => {
                format!("{} leaves do not cover triangle {triangle}", leaves.len())
            }
            CoverFault::Beside(leaf) => {
                let (_, node, slot) = leaves[leaf];
                format!("child {slot} of node {node} does not meet its triangle {triangle}")
            }
            CoverFault::TooManyPieces => {
                format!("{} leaves cut triangle {triangle} into too many pieces", leaves.len())
            }
        })
    })
}

/// The boxes of a node hold all boxes and whole triangles below, and its leaves hold triangles of the mesh.
fn check_node(tree: &Tree, mesh: &ScaledMesh<'_>, index: usize) -> Result<(), InvalidBvh> {
    let node = &tree.nodes[index];
    for slot in 0..NODE_WIDTH {
        let (child, bounds) = (node.child(slot), node.child_bounds(slot));
        if child == ChildRef::NONE {
            expect(bounds == Aabb::EMPTY, || {
                format!("slot {slot} of node {index} is empty but has the box {bounds:?}")
            })?;
            continue;
        }
        expect(bounds.min.is_finite() && bounds.max.is_finite() && !bounds.is_empty(), || {
            format!("child {slot} of node {index} has the box {bounds:?}")
        })?;
        let below = if child.is_leaf() {
            let mut below = Box3::EMPTY;
            for block in child.blocks() {
                below = below.union(check_block(tree, mesh, block)?);
            }
            let slack = REQUIRED_INFLATION_SHARE * tree.reach.widening(below.reach());
            let Aabb { min, max } = below.to_aabb();
            Aabb { min: min - slack, max: max + slack }
        } else {
            let below = &tree.nodes[child.node_index()];
            below.occupied().fold(Aabb::EMPTY, |all, slot| all.union(below.child_bounds(slot)))
        };
        expect(bounds.contains_box(&below), || {
            format!("child {slot} of node {index} holds triangles outside its box {bounds:?}")
        })?;
    }
    Ok(())
}

/// The box of a block's whole triangles. All triangles must be those of the mesh.
fn check_block(tree: &Tree, mesh: &ScaledMesh<'_>, index: usize) -> Result<Box3, InvalidBvh> {
    let triangles = tree.leaves.triangles(index);
    let in_use = triangles_in(triangles);
    let n = in_use.len();
    let n_triangles = mesh.n_triangles();
    expect(n > 0 && in_use.iter().all(|&triangle| (triangle as usize) < n_triangles), || {
        format!("block {index} has the triangles {triangles:?} of {n_triangles}")
    })?;
    let corners = corners_in_mesh(mesh, triangles, n);
    let same = match &tree.leaves {
        Leaves::Full(blocks) => {
            bytes_of(&blocks[index]) == bytes_of(&block_of(triangles, n, &corners))
        }
        Leaves::Compact(indexed) => {
            let indices = &indexed.blocks[index].corners;
            let n_positions = indexed.positions.len();
            indices.as_flattened().iter().all(|&corner| (corner as usize) < n_positions)
                && bytes_of(&indexed.corners(&indexed.blocks[index])) == bytes_of(&corners)
                // Equal positions are not enough: empty lanes repeat indices.
                && indices.iter().all(|row| row[n..].iter().all(|&corner| corner == row[0]))
        }
    };
    expect(same, || {
        format!("block {index}, with triangle {}, does not have their corners", triangles[0])
    })?;
    if in_use.iter().any(|&triangle| tree.split.contains(triangle)) {
        let whole = in_use.iter().filter(|&&triangle| !tree.split.contains(triangle));
        return Ok(whole.fold(Box3::EMPTY, |all, &triangle| all.union(mesh.triangle_box(triangle))));
    }
    Ok(bounds_of(&corners))
}

/// The corners of a block's `n` triangles, transposed as in a block, in scaled space. Empty lanes
/// repeat the first triangle.
fn corners_in_mesh(mesh: &ScaledMesh<'_>, triangles: &[u32; BLOCK_WIDTH], n: usize) -> CornerRows {
    let ScaledMesh { mesh, scale, .. } = *mesh;
    // Indices first, then positions, so that many cache misses overlap.
    let mut vertices = [[0; 3]; BLOCK_WIDTH];
    for lane in 0..BLOCK_WIDTH {
        let triangle = triangles[if lane < n { lane } else { 0 }];
        vertices[lane] = mesh.triangles()[triangle as usize];
    }
    let mut corners = [[[0.0; BLOCK_WIDTH]; 3]; 3];
    for lane in 0..BLOCK_WIDTH {
        for corner in 0..3 {
            let position = mesh.positions()[vertices[lane][corner] as usize];
            for axis in 0..3 {
                corners[corner][axis][lane] = position[axis];
            }
        }
    }
    if scale != 1.0 {
        for coordinate in corners.as_flattened_mut().as_flattened_mut() {
            *coordinate = (f64::from(*coordinate) * scale) as f32;
        }
    }
    corners
}

/// The block that a build makes of `n` triangles with these corners.
fn block_of(triangles: &[u32; BLOCK_WIDTH], n: usize, corners: &CornerRows) -> TriangleBlock {
    let mut block =
        TriangleBlock { corners: *corners, normal: [[0.0; BLOCK_WIDTH]; 3], triangles: *triangles };
    for lane in 0..BLOCK_WIDTH {
        if lane < n {
            block.set_lane(lane, triangles[lane], block.corners_of(lane));
        } else {
            block.clear_lane(lane);
        }
    }
    block
}

pub(crate) fn expect(holds: bool, message: impl FnOnce() -> String) -> Result<(), InvalidBvh> {
    if holds { Ok(()) } else { Err(InvalidBvh(message())) }
}
