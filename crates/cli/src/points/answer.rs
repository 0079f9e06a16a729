//! The closest point and the side of each of many points.

use hitscan::{SurfacePoint, WindingTree};
use rayon::prelude::*;

/// The answer for one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PointAnswer {
    /// The closest point of the surface; `None` without a surface, or for a point that is not finite.
    pub(crate) closest: Option<SurfacePoint>,
    /// Whether the point is inside and not on the surface.
    pub(crate) is_inside: bool,
}

impl PointAnswer {
    /// The distance to the surface, negative inside: [`WindingTree::signed_distance`].
    pub(crate) fn signed_distance(&self) -> Option<f64> {
        let distance = self.closest?.distance;
        Some(if self.is_inside { -distance } else { distance })
    }
}

/// The answers for `points`, in parallel.
pub(crate) fn answers(tree: &WindingTree, points: &[[f32; 3]]) -> Vec<PointAnswer> {
    let mut closest = vec![None; points.len()];
    tree.bvh().closest_point_batch(points, &[f64::INFINITY], &mut closest);
    let pairs = points.par_iter().zip(closest);
    let answer = |(&point, closest): (&[f32; 3], Option<SurfacePoint>)| {
        // The winding number of a point on the surface would take a sum over all triangles.
        let is_off_surface = closest.is_some_and(|closest| closest.distance > 0.0);
        PointAnswer { closest, is_inside: is_off_surface && tree.is_inside(point) }
    };
    pairs.map(answer).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hitscan::{BuildOptions, MeshBvh, TriMesh, brute_force, generate};

    use super::*;

    #[test]
    fn answers_are_those_of_the_library_and_of_brute_force() {
        let torus = generate::torus(1.0, 0.4, 300).unwrap();
        let grid = generate::grid(2.0, 2.0, 50).unwrap();
        let empty = TriMesh::default();
        for mesh in [torus, grid, empty] {
            let bvh = Arc::new(MeshBvh::build(&mesh, &BuildOptions::default()));
            let tree = WindingTree::new(bvh);
            let steps = [-1.5f32, -0.9, 0.0, 0.3, 1.0, f32::NAN, f32::INFINITY];
            let points = steps.iter().flat_map(|&x| steps.map(|y| [x, y, 0.25 * x]));
            let points: Vec<_> =
                points.chain(mesh.positions().iter().map(|p| p.to_array())).collect();
            for (&point, answer) in points.iter().zip(answers(&tree, &points)) {
                assert_eq!(
                    answer.signed_distance().map(f64::to_bits),
                    tree.signed_distance(point).map(f64::to_bits),
                    "{point:?}"
                );
                let closest = brute_force::closest_point(&mesh, point, f64::INFINITY);
                assert_eq!(answer.closest, closest, "{point:?}");
                assert_eq!(
                    answer.is_inside,
                    answer.signed_distance() < Some(0.0) && closest.is_some()
                );
            }
        }
    }
}
