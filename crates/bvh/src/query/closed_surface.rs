//! Whether the triangles of a tree are a closed surface.

use std::cmp::Ordering;

use glam::DVec3;
use hitscan_primitives::generate::SplitMix64;

use super::copies::{BLOCKS_OF_TASK, Copies};
use crate::{layout::Tree, platform::parallel};

/// Whether as many triangles run along each edge in one direction as in the other, by position. Then all
/// winding numbers are whole, and crossings count them.
///
/// It adds a hash for each triangle and edge, negative for one of the directions. Of a closed surface the
/// sum is zero. Of another one it is zero by chance, once in 2^128 meshes. O(n), without memory for the edges.
pub(super) fn is_closed(tree: &Tree, copies: &Copies) -> bool {
    let leaves = &tree.leaves;
    let sums = parallel::map_chunks(leaves.len(), BLOCKS_OF_TASK, |blocks| {
        let mut sum = 0u128;
        copies.each_triangle(leaves, blocks, |corners| {
            let [a, b, c] = corners.map(key);
            for (from, to) in [(a, b), (b, c), (c, a)] {
                sum = sum.wrapping_add(directed(from, to));
            }
        });
        sum
    });
    sums.into_iter().fold(0, u128::wrapping_add) == 0
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

fn hash([ax, ay, az]: [u32; 3], [bx, by, bz]: [u32; 3]) -> u128 {
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let words = [pair(ax, ay), pair(az, bx), pair(by, bz)];
    let half =
        |seed| words.iter().fold(seed, |hash, &word| SplitMix64::new(hash ^ word).next_u64());
    u128::from(half(0x243F_6A88_85A3_08D3)) << 64 | u128::from(half(0x1319_8A2E_0370_7344))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use hitscan_primitives::{TriMesh, generate};

    use super::*;
    use crate::{BuildOptions, BuildQuality, MeshBvh};

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
}
