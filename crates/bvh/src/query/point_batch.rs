//! Queries of many points at once, spread over threads.
//!
//! Points are answered along a curve. The next point on the curve is near the last one, so its search begins at the last
//! answer and finds nodes in the caches.

use glam::{DVec3, Vec3, Vec3A};
use hitscan_primitives::SurfacePoint;

use super::{
    batch::answer_each,
    winding::{WindingNumber, WindingTree},
};
use crate::{builder::along_curve, mesh_bvh::MeshBvh, platform::parallel};

/// The number of points that are sorted at a time. More would be closer together, and take more memory.
const SORTED: usize = 1 << 16;

/// The number of points on the curve that one thread takes at a time.
const CHUNK: usize = 1 << 9;

impl MeshBvh {
    /// [`closest_point`](Self::closest_point) of each point, on rayon's current pool with the feature `parallel`.
    ///
    /// Points and answers are in the mesh's own space, in the same order. `max_distances` has one number for all points, or one
    /// for each. Any order of the points is fast: the call takes them along a curve, and begins each search at the last
    /// answer. That takes about three quarters of the time of single queries.
    ///
    /// For distances of samples, and to bring attributes from one mesh to another. See also
    /// [`WindingTree::signed_distance_batch`], for the side of the surface.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::generate;
    ///
    /// let mesh = generate::cuboid(2.0, 2.0, 2.0, 3)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let mut closest = [None; 2];
    /// bvh.closest_point_batch(&[[0.3, 0.1, 1.5], [0.3, 0.1, 9.0]], &[1.0], &mut closest);
    /// assert_eq!(closest.map(|found| found.map(|found| found.distance)), [Some(0.5), None]);
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    ///
    /// # Panics
    /// If `closest` is not as long as `points`, or `max_distances` has neither that length nor one number.
    pub fn closest_point_batch<P: Copy + Into<[f32; 3]> + Sync>(
        &self,
        points: &[P],
        max_distances: &[f64],
        closest: &mut [Option<SurfacePoint>],
    ) {
        let (n, each) = (max_distances.len(), max_distances.len() == points.len());
        assert!(each || n == 1, "expected one maximum distance, or one per point, not {n}");
        for_each_along_curve(points, closest, |near, i, point| {
            let max_distance = max_distances[if each { i } else { 0 }];
            self.closest_point_near(point, max_distance, near)
        });
    }
}

impl WindingTree {
    /// [`signed_distance`](Self::signed_distance) of each point, on rayon's current pool with the feature `parallel`. Any
    /// order of the points is fast, as in [`closest_point_batch`](MeshBvh::closest_point_batch).
    ///
    /// For distance fields. See also [`is_inside_batch`](Self::is_inside_batch), for the sign alone.
    ///
    /// # Panics
    /// If `distances` is not as long as `points`.
    pub fn signed_distance_batch<P: Copy + Into<[f32; 3]> + Sync>(
        &self,
        points: &[P],
        distances: &mut [Option<f64>],
    ) {
        for_each_along_curve(points, distances, |near, _, point| {
            self.signed_distance_near(point, near)
        });
    }

    /// [`is_inside`](Self::is_inside) of each point, on rayon's current pool with the feature `parallel`. Any order of the
    /// points is fast.
    ///
    /// For occupancy and voxels. See also [`winding_number_batch`](Self::winding_number_batch), for the number.
    ///
    /// # Panics
    /// If `inside` is not as long as `points`.
    pub fn is_inside_batch<P: Copy + Into<[f32; 3]> + Sync>(
        &self,
        points: &[P],
        inside: &mut [bool],
    ) {
        answer_each(points, inside, |&point| self.is_inside(point));
    }

    /// [`winding_number`](Self::winding_number) of each point, on rayon's current pool with the feature `parallel`. Any order
    /// of the points is fast.
    ///
    /// For occupancy of surfaces with holes. See also [`is_inside_batch`](Self::is_inside_batch), for inside and outside.
    ///
    /// # Panics
    /// If `numbers` is not as long as `points`.
    pub fn winding_number_batch<P: Copy + Into<[f32; 3]> + Sync>(
        &self,
        points: &[P],
        tolerance: f64,
        numbers: &mut [WindingNumber],
    ) {
        answer_each(points, numbers, |&point| self.winding_number(point, tolerance));
    }
}

/// Answers each point by `answer`, which gets a point of the surface close to the last one, and the index and position of
/// the point.
fn for_each_along_curve<P: Copy + Into<[f32; 3]> + Sync, T: Send>(
    points: &[P],
    answers: &mut [T],
    answer: impl Fn(&mut Option<DVec3>, usize, Vec3) -> T + Sync + Send,
) {
    assert_eq!(points.len(), answers.len(), "expected one answer per point");
    for first in (0..points.len()).step_by(SORTED) {
        let end = points.len().min(first + SORTED);
        let (points, answers) = (&points[first..end], &mut answers[first..end]);
        let order = along_curve(points.iter().map(|&point| Vec3A::from_array(point.into())));
        let found = parallel::map_chunks(order.len(), CHUNK, |chunk| -> Vec<T> {
            let mut near = None;
            let answer =
                |i: usize| answer(&mut near, first + i, Vec3::from_array(points[i].into()));
            order[chunk].iter().map(|&index| index as usize).map(answer).collect()
        });
        for (index, found) in order.into_iter().zip(found.into_iter().flatten()) {
            answers[index as usize] = found;
        }
    }
}
