//! The check that comes before every timing, because the speed of a wrong answer means nothing.

use hitscan::{Faces, MeshBvh, Ray, TriMesh};
use hitscan_oracle::{Oracle, RayHits, Tally, answers_of, batch_answers_of};
use rayon::prelude::*;

/// Triangle tests in one check: about one second of brute force.
const BUDGET: usize = 100_000_000;

/// Compares the closest hit, any hit, all hits and both batches of `bvh` with brute force over `mesh`,
/// bit for bit. Returns the number of compared rays.
///
/// The rays are a sample of `rays`: about one second of brute force, at least 8 and at most 256.
///
/// # Panics
/// If an answer differs; the message holds the ray and both answers.
pub fn assert_equals_brute_force(bvh: &MeshBvh, mesh: &TriMesh, rays: &[Ray]) -> usize {
    let sample = sample(rays, mesh.triangles().len());
    let oracle = Oracle::new(mesh);
    let expected: Vec<RayHits> = sample.par_iter().map(|ray| oracle.hits(ray)).collect();
    let mut tally = Tally::default();
    for (ray, hits) in sample.iter().zip(&expected) {
        tally.compare(ray, Faces::Both, &answers_of!(bvh, ray, Faces::Both), hits);
    }
    let batch = batch_answers_of!(bvh, &sample, Faces::Both);
    tally.compare_batch(&sample, Faces::Both, &batch, &expected);
    if let Some(difference) = tally.first_difference() {
        panic!("{difference}");
    }
    sample.len()
}

/// Rays at even steps through `rays`; with `n_triangles` tests each they fit `BUDGET`.
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
    #[should_panic(expected = "closest, Both faces")]
    fn a_bvh_of_another_mesh_fails() {
        let mesh = TriMesh::new(CORNERS, vec![[0, 1, 2]]).unwrap();
        let lower =
            TriMesh::new(CORNERS.map(|[x, y, z]| [x, y, z - 1.0]), vec![[0, 1, 2]]).unwrap();
        let bvh = MeshBvh::build(&lower, &BuildOptions::default());
        assert_equals_brute_force(&bvh, &mesh, &[Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0])]);
    }
}
