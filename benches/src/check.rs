//! The check that comes before every timing, because the speed of a wrong answer means nothing.

use hitscan::brute_force::BruteForce;
use hitscan::{Faces, Hit, HitMode, MeshBvh, Ray, TriMesh};

use crate::parallel_scan;

/// Triangle tests in one check: about one second of brute force.
const BUDGET: usize = 100_000_000;

/// Compares the closest hit, any hit, all hits and both batches of `bvh` with brute force over `mesh`,
/// bit for bit, and returns the number of rays compared.
///
/// The rays are a sample of `rays`: about one second of brute force, at least 8 and at most 256.
///
/// # Panics
/// If an answer differs; the message holds the ray and both answers.
pub fn assert_equals_brute_force(bvh: &MeshBvh, mesh: &TriMesh, rays: &[Ray]) -> usize {
    let sample = sample(rays, mesh.triangles().len());
    let twin = BruteForce::new(mesh);
    let mut closest = vec![None; sample.len()];
    bvh.closest_hits(&sample, Faces::Both, &mut closest);
    let mut occluded = vec![false; sample.len()];
    bvh.are_occluded(&sample, Faces::Both, &mut occluded);
    for ((ray, closest), occluded) in sample.iter().zip(&closest).zip(&occluded) {
        let expected = parallel_scan::closest_hit(&twin, ray, Faces::Both);
        let bits = |hit: &Option<Hit>| hit.map(|hit| hit.to_bits());
        let one = bvh.closest_hit(ray, Faces::Both);
        assert_eq!(bits(&one), bits(&expected), "closest hit of {ray:?}: {one:?}, {expected:?}");
        assert_eq!(bits(closest), bits(&expected), "batch of {ray:?}: {closest:?}, {expected:?}");
        let any = bvh.is_occluded(ray, Faces::Both);
        assert_eq!(
            (any, *occluded),
            (expected.is_some(), expected.is_some()),
            "any hit of {ray:?}"
        );
    }
    // The scan for all hits runs on one thread, so it takes fewer rays.
    for ray in sample.iter().take(8) {
        let (all, expected) = (
            bvh.all_hits(ray, Faces::Both, HitMode::Closed),
            twin.all_hits(ray, Faces::Both, HitMode::Closed),
        );
        assert_eq!(all, expected, "all hits of {ray:?}");
    }
    sample.len()
}

/// Rays at even steps through `rays`, as many as `BUDGET` allows with `n_triangles` tests each.
fn sample(rays: &[Ray], n_triangles: usize) -> Vec<Ray> {
    let n = (BUDGET / n_triangles.max(1)).clamp(8, 256).min(rays.len());
    (0..n).map(|i| rays[i * rays.len() / n]).collect()
}

#[cfg(test)]
mod tests {
    use hitscan::BuildOptions;

    use super::*;

    const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn a_correct_bvh_passes() {
        let mesh = TriMesh::new(CORNERS, vec![[0, 1, 2]]).unwrap();
        let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
        let rays = [Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]); 20];
        assert_eq!(assert_equals_brute_force(&bvh, &mesh, &rays), 20);
    }

    #[test]
    #[should_panic(expected = "closest hit of")]
    fn a_bvh_of_another_mesh_fails() {
        let mesh = TriMesh::new(CORNERS, vec![[0, 1, 2]]).unwrap();
        let lower =
            TriMesh::new(CORNERS.map(|[x, y, z]| [x, y, z - 1.0]), vec![[0, 1, 2]]).unwrap();
        let bvh = MeshBvh::build(&lower, &BuildOptions::default());
        assert_equals_brute_force(&bvh, &mesh, &[Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0])]);
    }
}
