//! Which vertices of a mesh are one vertex.

use crate::TriMesh;

/// The definition of "the same vertex", on which all of [`Topology`](crate::Topology) rests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SameVertex {
    /// Vertices of equal position are one, so that seams of normals or texture coordinates and files
    /// without indices (STL) do not open the surface. 0.0 equals -0.0, and there is no tolerance. The
    /// lowest index at a position stands for all of them.
    #[default]
    ByPosition,
    /// Every index is a vertex.
    ByIndex,
}

impl SameVertex {
    /// For each vertex the lowest index that is the same vertex; `None` if that is always its own.
    pub(super) fn merged(self, mesh: &TriMesh) -> Option<Vec<u32>> {
        match self {
            Self::ByIndex => None,
            Self::ByPosition => Some(merged_by_position(mesh)),
        }
    }
}

/// Sorts the bits of all positions. A hash table would be linear, but only a random one withstands a
/// hostile file.
fn merged_by_position(mesh: &TriMesh) -> Vec<u32> {
    let positions = mesh.positions();
    // Coordinates and index in one number, which sorts faster than a key that reads the positions.
    let key = |(vertex, position): (usize, &glam::Vec3)| {
        // A sum of -0.0 and 0.0 is 0.0.
        let [x, y, z] = (*position + 0.0).to_array().map(|x| u128::from(x.to_bits()));
        x << 96 | y << 64 | z << 32 | vertex as u128
    };
    let mut keys: Vec<u128> = positions.iter().enumerate().map(key).collect();
    keys.sort_unstable();
    let mut merged = vec![0; positions.len()];
    for equal in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        for &key in equal {
            merged[key as u32 as usize] = equal[0] as u32;
        }
    }
    merged
}
