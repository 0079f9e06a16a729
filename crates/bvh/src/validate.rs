//! The invariants of a tree, for tests and for trees of doubtful origin.
//!
//! A tree that passes gives the answers of the mesh it is checked against, and none of its queries fails
//! or goes on for ever, wherever its memory came from.

use bytemuck::bytes_of;
use hitscan_primitives::{Aabb, TriMesh};

use crate::{
    MeshBvh,
    build::{Box3, stack_needed},
    mesh_bvh::scaled_reach,
    parallel,
    simd::Stack,
    wide::{ChildRef, Leaves, TriangleBlock, WideNode},
};

/// See [`MeshBvh::validate`].
pub(crate) fn validate(bvh: &MeshBvh, mesh: &TriMesh) -> Result<(), String> {
    let n_triangles = mesh.triangles().len();
    expect(bvh.n_triangles == n_triangles, || {
        format!("the tree has {} triangles, the mesh {n_triangles}", bvh.n_triangles)
    })?;
    expect(bvh.scale == mesh.query_scale(), || {
        format!("the tree is scaled by {}, the mesh by {}", bvh.scale, mesh.query_scale())
    })?;
    let reach = scaled_reach(mesh, bvh.scale);
    expect(bvh.reach == reach, || format!("the tree reaches to {}, not {reach}", bvh.reach))?;
    expect(bvh.bounds == mesh.bounds(), || {
        format!("the tree has the box {:?}, the mesh {:?}", bvh.bounds, mesh.bounds())
    })?;
    let depth = depth_of(&bvh.nodes, bvh.leaves.len())?;
    expect(bvh.depth == depth, || format!("the tree says depth {}, it is {depth}", bvh.depth))?;
    expect(stack_needed(depth) <= Stack::CAPACITY, || {
        format!("depth {depth} needs more than the traversal stack")
    })?;
    let check_nodes = || {
        let checks = parallel::map_chunks(bvh.nodes.len(), 256, |nodes| {
            nodes.into_iter().try_for_each(|index| check_node(bvh, mesh, index))
        });
        checks.into_iter().collect::<Result<(), String>>()
    };
    let (triangles, nodes) =
        parallel::join(|| check_each_triangle_once(&bvh.leaves, n_triangles), check_nodes);
    triangles.and(nodes)
}

/// The number of nodes on the longest path from the root.
///
/// Nodes must stand depth first, as refits need them, and the blocks of their leaves in the order of the
/// nodes. Then each is reached once, and there is no cycle.
pub(crate) fn depth_of(nodes: &[WideNode], n_blocks: usize) -> Result<usize, String> {
    let mut deepest = 0;
    let mut n_blocks_seen = 0;
    // Nodes that were named and are still to come, with their depths; the next one last.
    let mut to_come = vec![(ChildRef::ROOT.node_index(), 1)];
    for (index, node) in nodes.iter().enumerate() {
        let Some((next, depth)) = to_come.pop() else {
            return Err(format!("node {index} is not reached from the root"));
        };
        expect(next == index, || format!("node {index} stands in the place of node {next}"))?;
        deepest = deepest.max(depth);
        let first_child = to_come.len();
        for child in node.occupied().map(|place| node.child(place)) {
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

/// Every triangle stands in one lane, and the empty lanes of a block come last.
fn check_each_triangle_once(leaves: &Leaves, n_triangles: usize) -> Result<(), String> {
    let mut seen = vec![0u64; n_triangles.div_ceil(64)];
    let mut n_seen = 0;
    for block in 0..leaves.len() {
        let triangles = leaves.triangles(block);
        let n = n_triangles_in(triangles);
        expect(n > 0 && triangles[n..] == [TriangleBlock::NO_TRIANGLE; 8][n..], || {
            format!("block {block} has the triangles {triangles:?}, expected empty lanes last")
        })?;
        for &triangle in &triangles[..n] {
            let (word, bit) = (triangle as usize / 64, 1u64 << (triangle % 64));
            expect((triangle as usize) < n_triangles, || {
                format!("block {block} has triangle {triangle} of {n_triangles}")
            })?;
            expect(seen[word] & bit == 0, || format!("triangle {triangle} is in two blocks"))?;
            seen[word] |= bit;
        }
        n_seen += n;
    }
    expect(n_seen == n_triangles, || format!("{n_seen} of {n_triangles} triangles are in blocks"))
}

/// The boxes of a node hold what lies below them, and its leaves hold the triangles of the mesh.
fn check_node(bvh: &MeshBvh, mesh: &TriMesh, index: usize) -> Result<(), String> {
    let node = &bvh.nodes[index];
    for place in 0..8 {
        let (child, bounds) = (node.child(place), node.child_bounds(place));
        if child == ChildRef::NONE {
            expect(bounds == Aabb::EMPTY, || {
                format!("place {place} of node {index} is empty but has the box {bounds:?}")
            })?;
            continue;
        }
        expect(bounds.min.is_finite() && bounds.max.is_finite() && !bounds.is_empty(), || {
            format!("child {place} of node {index} has the box {bounds:?}")
        })?;
        let below = if child.is_leaf() {
            let mut below = Box3::EMPTY;
            for block in child.blocks() {
                below = below.union(check_block(bvh, mesh, block)?);
            }
            // By how much a box must be wider is in `INFLATION`, of which this is more than enough.
            let slack = 0.9 * bvh.inflation();
            let Aabb { min, max } = below.to_aabb();
            Aabb { min: min - slack, max: max + slack }
        } else {
            let below = &bvh.nodes[child.node_index()];
            below.occupied().fold(Aabb::EMPTY, |all, place| all.union(below.child_bounds(place)))
        };
        expect(bounds.contains_box(&below), || {
            format!("what is below child {place} of node {index} reaches out of {bounds:?}")
        })?;
    }
    Ok(())
}

/// The box of a block's triangles, which must be those of the mesh.
fn check_block(bvh: &MeshBvh, mesh: &TriMesh, index: usize) -> Result<Box3, String> {
    let triangles = bvh.leaves.triangles(index);
    let n = n_triangles_in(triangles);
    let n_triangles = mesh.triangles().len();
    expect(
        n > 0 && triangles[..n].iter().all(|&triangle| (triangle as usize) < n_triangles),
        || format!("block {index} has the triangles {triangles:?} of {n_triangles}"),
    )?;
    let corners = corners_in_mesh(mesh, triangles, n, bvh.scale);
    let same = match &bvh.leaves {
        Leaves::Full(blocks) => {
            bytes_of(&blocks[index]) == bytes_of(&block_of(triangles, n, &corners))
        }
        Leaves::Compact(indexed) => {
            let numbers = &indexed.blocks[index].corners;
            let n_positions = indexed.positions.len();
            numbers.as_flattened().iter().all(|&number| (number as usize) < n_positions)
                && bytes_of(&indexed.corners(&indexed.blocks[index])) == bytes_of(&corners)
                // Not only corners at the same places.
                && numbers.iter().all(|row| row[n..].iter().all(|&number| number == row[0]))
        }
    };
    expect(same, || {
        format!("block {index}, of triangle {} and others, has not their shape", triangles[0])
    })?;
    Ok(bounds_of(&corners))
}

/// The corners of a block's `n` triangles, transposed as in a block, in the tree's scaled space. Empty
/// lanes repeat the first triangle.
fn corners_in_mesh(
    mesh: &TriMesh,
    triangles: &[u32; 8],
    n: usize,
    scale: f64,
) -> [[[f32; 8]; 3]; 3] {
    // First all triangles, then all positions: memory is asked for many at a time, not one by one.
    let mut vertices = [[0; 3]; 8];
    for lane in 0..8 {
        let triangle = triangles[if lane < n { lane } else { 0 }];
        vertices[lane] = mesh.triangles()[triangle as usize];
    }
    let mut corners = [[[0.0; 8]; 3]; 3];
    for lane in 0..8 {
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
fn block_of(triangles: &[u32; 8], n: usize, corners: &[[[f32; 8]; 3]; 3]) -> TriangleBlock {
    let mut block =
        TriangleBlock { corners: *corners, normal: [[0.0; 8]; 3], triangles: *triangles };
    for lane in 0..8 {
        if lane < n {
            block.set(lane, triangles[lane], block.corners_of(lane));
        } else {
            block.clear(lane);
        }
    }
    block
}

/// The box of the triangles in all lanes.
fn bounds_of(corners: &[[[f32; 8]; 3]; 3]) -> Box3 {
    let mut min = corners[0];
    let mut max = corners[0];
    for rows in &corners[1..] {
        for axis in 0..3 {
            for lane in 0..8 {
                min[axis][lane] = min[axis][lane].min(rows[axis][lane]);
                max[axis][lane] = max[axis][lane].max(rows[axis][lane]);
            }
        }
    }
    let least = |row: [f32; 8]| row.into_iter().fold(f32::INFINITY, f32::min);
    let greatest = |row: [f32; 8]| row.into_iter().fold(f32::NEG_INFINITY, f32::max);
    Box3 { min: min.map(least).into(), max: max.map(greatest).into() }
}

/// The number of lanes before the first empty one.
fn n_triangles_in(triangles: &[u32; 8]) -> usize {
    triangles.iter().take_while(|&&triangle| triangle != TriangleBlock::NO_TRIANGLE).count()
}

fn expect(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}
