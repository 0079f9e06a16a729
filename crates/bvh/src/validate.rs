//! The invariants of a tree, for tests and for trees of doubtful origin.

use hitscan_primitives::{Aabb, TriMesh};

use crate::{
    MeshBvh,
    build::stack_needed,
    mesh_bvh::{scaled_box, scaled_corners},
    simd::Stack,
    wide::{ChildRef, TriangleBlock},
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
    expect(stack_needed(bvh.depth) <= Stack::CAPACITY, || {
        format!("depth {} needs more than the traversal stack", bvh.depth)
    })?;
    let mut checker = Checker {
        bvh,
        mesh,
        node_seen: vec![false; bvh.nodes.len()],
        block_seen: vec![false; bvh.leaves.len()],
        triangle_seen: vec![false; n_triangles],
    };
    checker.node(0, None)?;
    let missing = |seen: &[bool]| seen.iter().position(|seen| !seen);
    for (what, unseen) in [
        ("node", missing(&checker.node_seen)),
        ("block", missing(&checker.block_seen)),
        ("triangle", missing(&checker.triangle_seen)),
    ] {
        expect(unseen.is_none(), || {
            format!("{what} {} is not reached from the root", unseen.unwrap_or_default())
        })?;
    }
    Ok(())
}

struct Checker<'a> {
    bvh: &'a MeshBvh,
    mesh: &'a TriMesh,
    node_seen: Vec<bool>,
    block_seen: Vec<bool>,
    triangle_seen: Vec<bool>,
}

impl Checker<'_> {
    /// Checks all nodes below `root`. `within` is the box its parent keeps for it.
    fn node(&mut self, root: usize, within: Option<Aabb>) -> Result<(), String> {
        let mut stack = vec![(root, within, 1)];
        while let Some((index, within, depth)) = stack.pop() {
            let node = self.bvh.nodes.get(index).ok_or(format!("there is no node {index}"))?;
            expect(!self.node_seen[index], || format!("node {index} has two parents"))?;
            self.node_seen[index] = true;
            expect(depth <= self.bvh.depth, || {
                format!("node {index} is at depth {depth}, the tree's is {}", self.bvh.depth)
            })?;
            for place in 0..8 {
                let (child, bounds) = (node.child(place), node.child_bounds(place));
                if child == ChildRef::NONE {
                    expect(bounds == Aabb::EMPTY, || {
                        format!("place {place} of node {index} is empty but has a box")
                    })?;
                    continue;
                }
                expect(bounds.min.is_finite() && bounds.max.is_finite(), || {
                    format!("child {place} of node {index} has the box {bounds:?}")
                })?;
                expect(within.is_none_or(|within| within.contains_box(&bounds)), || {
                    format!("child {place} of node {index} reaches out of its parent's box")
                })?;
                if child.is_leaf() {
                    for block in child.blocks() {
                        self.block(block, &bounds)?;
                    }
                } else {
                    // This also makes a cycle impossible.
                    expect(child.node_index() > index, || {
                        format!("node {index} has the child {}", child.node_index())
                    })?;
                    stack.push((child.node_index(), Some(bounds), depth + 1));
                }
            }
        }
        Ok(())
    }

    fn block(&mut self, index: usize, within: &Aabb) -> Result<(), String> {
        expect(index < self.block_seen.len(), || format!("there is no block {index}"))?;
        let mut room = TriangleBlock::EMPTY;
        let block = self.bvh.leaves.block(index, &mut room);
        expect(!self.block_seen[index], || format!("block {index} is in two leaves"))?;
        self.block_seen[index] = true;
        let expected_slack = self.bvh.inflation();
        for lane in 0..8 {
            let triangle = block.triangles[lane];
            if triangle == TriangleBlock::NO_TRIANGLE {
                expect(block.corners_of(lane).iter().all(|corner| corner.is_nan()), || {
                    format!("lane {lane} of block {index} is empty but has corners")
                })?;
                continue;
            }
            let seen = self.triangle_seen.get_mut(triangle as usize);
            let seen = seen.ok_or(format!("block {index} has a triangle {triangle}"))?;
            expect(!*seen, || format!("triangle {triangle} is in two blocks"))?;
            *seen = true;

            let scale = self.bvh.scale;
            let mut expected = TriangleBlock::EMPTY;
            expected.set(lane, triangle, scaled_corners(self.mesh, triangle, scale));
            let same = |a: &[[f32; 8]], b: &[[f32; 8]]| {
                a.iter().zip(b).all(|(a, b)| a[lane].to_bits() == b[lane].to_bits())
            };
            let same_corners = (0..3).all(|i| same(&block.corners[i], &expected.corners[i]));
            expect(same_corners && same(&block.normal, &expected.normal), || {
                format!("block {index} holds triangle {triangle} of another shape")
            })?;
            let tight = scaled_box(self.mesh, triangle, scale).to_aabb();
            let padded = Aabb {
                min: tight.min - 0.9 * expected_slack,
                max: tight.max + 0.9 * expected_slack,
            };
            expect(within.contains_box(&padded), || {
                format!("triangle {triangle} reaches out of the box of its leaf")
            })?;
        }
        Ok(())
    }
}

fn expect(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}
