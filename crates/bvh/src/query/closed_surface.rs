//! Whether the triangles of a tree are a closed surface.

use std::{cmp::Ordering, ops::Range};

use glam::DVec3;
use hitscan_primitives::generate::SplitMix64;

use super::copies::{BLOCKS_OF_TASK, Copies};
use crate::{layout::Tree, platform::parallel, widths::BLOCK_WIDTH};

/// Whether as many triangles run along each edge in one direction as in the other, by position. Then all
/// winding numbers are whole, and crossings count them.
///
/// A sum of hashes refuses surfaces with holes, in O(n) and without memory for the edges. The sum of a closed
/// surface is zero, and a crafted surface can reach zero as well. So sorted edges confirm a zero.
pub(super) fn is_closed(tree: &Tree, copies: &Copies) -> bool {
    sum_of_hashes(tree, copies) == 0 && every_edge_cancels(tree, copies)
}

/// The sum of a hash for each triangle and edge, negative for one of the directions.
fn sum_of_hashes(tree: &Tree, copies: &Copies) -> u128 {
    let sums = parallel::map_chunks(tree.leaves.len(), BLOCKS_OF_TASK, |blocks| {
        let mut sum = 0u128;
        each_edge(tree, copies, blocks, |from, to| sum = sum.wrapping_add(directed(from, to)));
        sum
    });
    sums.into_iter().fold(0, u128::wrapping_add)
}

/// Whether every edge has as many triangles in one direction as in the other.
///
/// Neighbours in space are neighbours in the tree, so most edges cancel within a task. The rest is sorted
/// together. It takes four times as long as the sum, on a torus of a million triangles. A surface whose
/// triangles share no edges takes 50 bytes per edge.
fn every_edge_cancels(tree: &Tree, copies: &Copies) -> bool {
    let open = parallel::map_chunks(tree.leaves.len(), BLOCKS_OF_EDGES, |blocks| {
        let mut edges = Vec::with_capacity(3 * BLOCK_WIDTH * blocks.len());
        each_edge(tree, copies, blocks, |from, to| match from.cmp(&to) {
            Ordering::Less => edges.push(Edge { ends: [from, to], n: 1 }),
            Ordering::Equal => {}
            Ordering::Greater => edges.push(Edge { ends: [to, from], n: -1 }),
        });
        open_edges(&edges)
    });
    open_edges(&open.concat()).is_empty()
}

/// The blocks whose edges cancel first: 3000 edges stay in the second cache.
const BLOCKS_OF_EDGES: usize = 128;

/// An edge from the lesser to the greater of its ends.
#[derive(Clone, Copy)]
struct Edge {
    ends: [[u32; 3]; 2],
    /// The triangles that run along it, less those that run against it.
    n: i64,
}

/// The edges whose numbers do not add up to zero, each once.
///
/// Hashes sort faster than ends, and leave only edges of equal hashes to compare.
fn open_edges(edges: &[Edge]) -> Vec<Edge> {
    let by_hash = |(i, edge): (usize, &Edge)| {
        let [from, to] = edge.ends;
        (hash_half(SEEDS[0], from, to), i)
    };
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

/// The hash of an edge in its direction, the negative of that in the other direction. 0 for an edge
/// without length.
fn directed(from: [u32; 3], to: [u32; 3]) -> u128 {
    match from.cmp(&to) {
        Ordering::Less => hash(from, to),
        Ordering::Equal => 0,
        Ordering::Greater => hash(to, from).wrapping_neg(),
    }
}

fn hash(from: [u32; 3], to: [u32; 3]) -> u128 {
    let [high, low] = SEEDS.map(|seed| hash_half(seed, from, to));
    u128::from(high) << 64 | u128::from(low)
}

const SEEDS: [u64; 2] = [0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344];

fn hash_half(seed: u64, [ax, ay, az]: [u32; 3], [bx, by, bz]: [u32; 3]) -> u64 {
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let words = [pair(ax, ay), pair(az, bx), pair(by, bz)];
    words.iter().fold(seed, |hash, &word| SplitMix64::new(hash ^ word).next_u64())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Vec3;
    use hitscan_primitives::{TriMesh, brute_force, generate};

    use super::*;
    use crate::{BuildOptions, BuildQuality, MeshBvh, WindingTree};

    fn is_closed_mesh(positions: &[Vec3], triangles: Vec<[u32; 3]>) -> bool {
        let mesh = TriMesh::new(positions.iter().map(|p| p.to_array()), triangles).expect("valid");
        let answers = BuildQuality::ALL.map(|quality| {
            let options = BuildOptions { quality, ..BuildOptions::default() };
            let tree = MeshBvh::build(&mesh, &options).tree;
            is_closed(&tree, &Copies::of(&tree))
        });
        assert!(answers.iter().all(|&answer| answer == answers[0]), "{answers:?}");
        answers[0]
    }

    #[test]
    fn a_surface_is_closed_until_a_triangle_is_missing_turned_over_or_repeated() {
        let mesh = generate::torus(1.0, 0.4, 300).expect("an ordinary size");
        let (positions, triangles) = (mesh.positions(), mesh.triangles());
        assert!(is_closed_mesh(positions, triangles.to_vec()));
        assert!(!is_closed_mesh(positions, triangles[1..].to_vec()));
        let mut turned = triangles.to_vec();
        turned[7].swap(0, 1);
        assert!(!is_closed_mesh(positions, turned));
        assert!(!is_closed_mesh(positions, [triangles, &triangles[3..4]].concat()));
        assert!(is_closed_mesh(positions, [triangles, triangles].concat()));
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
        assert!(is_closed_mesh(&positions, triangles.collect()));
    }

    /// Triangles in parallel planes, as often as the numbers say, turned over where they are negative. Lattice
    /// reduction (LLL) over the hashes of their edges found the numbers.
    fn crafted() -> TriMesh {
        const TIMES: [i32; 50] = [
            0, -1, -4, 4, 2, 0, -3, 0, 1, 0, -1, -4, 6, -3, -1, 1, -1, -2, 0, -1, -1, -1, -1, 1, 0,
            3, 0, -1, -1, 1, 1, 1, 0, -2, -1, 2, 0, 0, -1, 2, -3, 0, -1, 2, 1, -1, 0, 0, 1, 1,
        ];
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for (plane, times) in (0u32..).zip(TIMES) {
            let (first, z) = (3 * plane, plane as f32 + 1.0);
            positions.extend([[-8.0, -8.0, z], [8.0, -8.0, z], [0.0, 10.0, z]]);
            let triangle = [first, first + 1, first + 2];
            let turned = [first + 1, first, first + 2];
            let n = times.unsigned_abs() as usize;
            triangles.extend(std::iter::repeat_n(if times < 0 { turned } else { triangle }, n));
        }
        TriMesh::new(positions, triangles).expect("valid")
    }

    #[test]
    fn an_open_surface_whose_hashes_add_up_to_zero_is_not_closed() {
        let mesh = crafted();
        assert_eq!(mesh.triangles().len(), 65);
        for quality in BuildQuality::ALL {
            let options = BuildOptions { quality, ..BuildOptions::default() };
            let bvh = MeshBvh::build(&mesh, &options);
            let copies = Copies::of(&bvh.tree);
            assert_eq!(sum_of_hashes(&bvh.tree, &copies), 0);
            assert!(!is_closed(&bvh.tree, &copies));
            let tree = WindingTree::new(Arc::new(bvh));
            for z in (0..50).map(|plane| plane as f32 + 0.5) {
                let point = [0.25, -0.5, z];
                let expected = brute_force::is_inside(&mesh, point);
                assert_eq!(tree.is_inside(point), expected, "{point:?}, {quality:?}");
            }
        }
    }

    /// The surface is cut anywhere between two tasks, so edges must cancel across them.
    #[test]
    fn edges_of_two_tasks_cancel() {
        let mesh = generate::torus(1.0, 0.4, 40_000).expect("an ordinary size");
        let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
        assert!(bvh.tree.leaves.len() > 4 * BLOCKS_OF_TASK);
        assert!(every_edge_cancels(&bvh.tree, &Copies::of(&bvh.tree)));
        let open = TriMesh::new(
            mesh.positions().iter().map(|p| p.to_array()),
            mesh.triangles()[1..].to_vec(),
        );
        let bvh = MeshBvh::build(&open.expect("valid"), &BuildOptions::default());
        assert!(!every_edge_cancels(&bvh.tree, &Copies::of(&bvh.tree)));
    }
}
