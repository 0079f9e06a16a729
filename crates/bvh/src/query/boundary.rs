//! The boundary of a surface: its edges whose directions do not cancel.

use std::{cmp::Ordering, ops::Range};

use glam::DVec3;
use hitscan_primitives::generate::SplitMix64;

use super::copies::Copies;
use crate::{layout::Tree, platform::parallel, widths::BLOCK_WIDTH};

/// An edge from the lesser to the greater of its ends, which are positions as integers.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) ends: [[u32; 3]; 2],
    /// The triangles that run along it, less those that run against it.
    pub(super) n: i64,
}

/// The edges along which not as many triangles run in one direction as in the other, by position. Each comes once, in
/// an order that depends on the surface alone. None of a closed surface, whose winding numbers are whole.
///
/// Neighbours in space are neighbours in the tree, so most edges cancel within a task. The rest is sorted
/// together. A surface whose triangles share no edges takes 50 bytes per edge meanwhile.
pub(super) fn boundary(tree: &Tree, copies: &Copies) -> Vec<Edge> {
    let open = parallel::map_chunks(tree.leaves.len(), BLOCKS_OF_EDGES, |blocks| {
        let mut edges = Vec::with_capacity(3 * BLOCK_WIDTH * blocks.len());
        each_edge(tree, copies, blocks, |from, to| match from.cmp(&to) {
            Ordering::Less => edges.push(Edge { ends: [from, to], n: 1 }),
            Ordering::Equal => {}
            Ordering::Greater => edges.push(Edge { ends: [to, from], n: -1 }),
        });
        open_edges(&edges)
    });
    open_edges(&open.concat())
}

/// The blocks whose edges cancel first: 3000 edges stay in the second cache.
const BLOCKS_OF_EDGES: usize = 128;

/// The edges whose numbers do not add up to zero, each once.
///
/// Hashes sort faster than ends, and leave only edges of equal hashes to compare.
fn open_edges(edges: &[Edge]) -> Vec<Edge> {
    let by_hash = |(i, edge): (usize, &Edge)| (hash(edge.ends), i);
    let mut order: Vec<(u64, usize)> = edges.iter().enumerate().map(by_hash).collect();
    order.sort_unstable();
    let mut open = Vec::new();
    let mut equal = Vec::new();
    for run in order.chunk_by(|a, b| a.0 == b.0) {
        equal.clear();
        equal.extend(run.iter().map(|&(_, i)| edges[i]));
        // One edge, but for hashes that were crafted.
        equal.sort_unstable_by_key(|edge| edge.ends);
        for edge in equal.chunk_by(|a, b| a.ends == b.ends) {
            let n: i64 = edge.iter().map(|edge| edge.n).sum();
            if n != 0 {
                open.push(Edge { n, ..edge[0] });
            }
        }
    }
    open
}

/// Calls `f` with the ends of each edge of each triangle, in the triangle's direction.
fn each_edge(
    tree: &Tree,
    copies: &Copies,
    blocks: Range<usize>,
    mut f: impl FnMut([u32; 3], [u32; 3]),
) {
    copies.each_triangle(&tree.leaves, blocks, |corners| {
        let [a, b, c] = corners.map(key);
        [(a, b), (b, c), (c, a)].into_iter().for_each(|(from, to)| f(from, to));
    });
}

/// A corner, whose coordinates are those of f32, as integers: equal for equal positions, also for 0.0 and
/// -0.0.
fn key(corner: DVec3) -> [u32; 3] {
    corner.as_vec3().to_array().map(|x| (x + 0.0).to_bits())
}

fn hash([[ax, ay, az], [bx, by, bz]]: [[u32; 3]; 2]) -> u64 {
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let words = [pair(ax, ay), pair(az, bx), pair(by, bz)];
    words.iter().fold(SEED, |hash, &word| SplitMix64::new(hash ^ word).next_u64())
}

const SEED: u64 = 0x243F_6A88_85A3_08D3;

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use hitscan_primitives::{TriMesh, generate};

    use super::*;
    use crate::{BuildOptions, BuildQuality, MeshBvh};

    fn n_open(positions: &[Vec3], triangles: Vec<[u32; 3]>) -> usize {
        let mesh = TriMesh::new(positions.iter().map(|p| p.to_array()), triangles).expect("valid");
        let answers = BuildQuality::ALL.map(|quality| {
            let options = BuildOptions { quality, ..BuildOptions::default() };
            let tree = MeshBvh::build(&mesh, &options).tree;
            let edges = boundary(&tree, &Copies::of(&tree));
            edges.iter().map(|edge| (edge.ends, edge.n)).collect::<Vec<_>>()
        });
        assert!(answers.iter().all(|answer| *answer == answers[0]));
        answers[0].len()
    }

    #[test]
    fn a_surface_has_no_boundary_until_a_triangle_is_missing_turned_over_or_repeated() {
        let mesh = generate::torus(1.0, 0.4, 300).expect("an ordinary size");
        let (positions, triangles) = (mesh.positions(), mesh.triangles());
        assert_eq!(n_open(positions, triangles.to_vec()), 0);
        assert_eq!(n_open(positions, triangles[1..].to_vec()), 3);
        let mut turned = triangles.to_vec();
        turned[7].swap(0, 1);
        assert_eq!(n_open(positions, turned), 3);
        assert_eq!(n_open(positions, [triangles, &triangles[3..4]].concat()), 3);
        assert_eq!(n_open(positions, [triangles, triangles].concat()), 0);
    }

    #[test]
    fn equal_positions_of_other_vertices_close_a_surface() {
        let mesh = generate::cuboid(2.0, 2.0, 2.0, 1).expect("an ordinary size");
        let corners = mesh.triangles().iter().flatten();
        let positions: Vec<Vec3> = corners.map(|&v| mesh.positions()[v as usize]).collect();
        // Every other vertex has -0.0 in place of 0.0.
        let signed =
            |(i, p): (usize, &Vec3)| p.map(|x| if x == 0.0 && i % 2 == 1 { -0.0 } else { x });
        let positions: Vec<Vec3> = positions.iter().enumerate().map(signed).collect();
        let triangles = (0..positions.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]);
        assert_eq!(n_open(&positions, triangles.collect()), 0);
    }

    /// The surface is cut anywhere between two tasks, so edges must cancel across them.
    #[test]
    fn edges_of_two_tasks_cancel() {
        let mesh = generate::torus(1.0, 0.4, 40_000).expect("an ordinary size");
        let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
        assert!(bvh.tree.leaves.len() > 8 * BLOCKS_OF_EDGES);
        assert_eq!(n_open(mesh.positions(), mesh.triangles().to_vec()), 0);
        assert_eq!(n_open(mesh.positions(), mesh.triangles()[1..].to_vec()), 3);
    }
}
