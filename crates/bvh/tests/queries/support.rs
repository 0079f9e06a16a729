//! Seeded meshes and points for the tests of this folder.

use glam::Vec3;
use hitscan_primitives::{TriMesh, generate::SplitMix64};

/// In `[-1, 1]` on every axis.
pub(crate) fn point(random: &mut SplitMix64) -> Vec3 {
    Vec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0) as f32))
}

/// On a coarse grid in `[-2, 2]`, so that edges, planes and ties are met exactly.
pub(crate) fn grid_point(random: &mut SplitMix64) -> Vec3 {
    Vec3::from_array([0; 3].map(|_| random.below(5) as f32 - 2.0))
}

/// `n` triangles of any size over shared points, on a coarse grid half of the time; some have no area.
pub(crate) fn soup(random: &mut SplitMix64, n: usize) -> TriMesh {
    let on_grid = random.below(2) == 0;
    let n_points = n + 2;
    let points: Vec<Vec3> =
        (0..n_points).map(|_| if on_grid { grid_point(random) } else { point(random) }).collect();
    let triangles = (0..n).map(|_| [0; 3].map(|_| random.below(n_points as u64) as u32)).collect();
    TriMesh::new(points, triangles).expect("a valid soup")
}

/// The mesh scaled by a power of two.
pub(crate) fn scaled_by(mesh: &TriMesh, exponent: i32) -> TriMesh {
    let scale = 2f64.powi(exponent);
    let positions = mesh.positions().iter().map(|p| (p.as_dvec3() * scale).as_vec3());
    mesh.with_positions(positions).expect("as many positions, still finite")
}
