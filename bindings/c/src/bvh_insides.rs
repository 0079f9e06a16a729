//! Inside and outside of a tree: winding numbers and signed distances, of one point and of many.

use engine::{WindingNumber, WindingTree};

use crate::{
    bvh::hitscan_bvh,
    bvh_points::check_distance,
    bvh_rays::resize,
    call::entry,
    memory::{Caller, Plain},
    rays::point as point_of,
    status::{Failure, hitscan_status},
};

/// Writes the distance of a point from the surface, negative inside; INFINITY for a mesh without triangles.
///
/// Winding numbers decide inside, so the mesh may have holes. The first call prepares them, for all threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_signed_distance(
    bvh: *const hitscan_bvh,
    point: *const f32,
    distance: *mut f64,
) -> hitscan_status {
    entry!("hitscan_bvh_signed_distance", |caller| {
        let bvh = caller.get(bvh, "bvh")?;
        let distance = caller.out(distance, "distance")?;
        let point = point_of(caller, point, "point")?;
        let found = bvh.mesh.winding_tree().signed_distance(point);
        distance.write(found.unwrap_or(f64::INFINITY));
        Ok(())
    })
}

/// Writes 1 if a point is inside the surface, else 0; see hitscan_bvh_signed_distance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_is_inside(
    bvh: *const hitscan_bvh,
    point: *const f32,
    inside: *mut u8,
) -> hitscan_status {
    entry!("hitscan_bvh_is_inside", |caller| {
        let bvh = caller.get(bvh, "bvh")?;
        let inside = caller.out(inside, "inside")?;
        let point = point_of(caller, point, "point")?;
        inside.write(u8::from(bvh.mesh.winding_tree().is_inside(point)));
        Ok(())
    })
}

/// Writes the winding number around a point, wrong by at most tolerance: 1 inside a closed surface, 0 outside, -1 inside
/// one that is inside out. 1e-3 suits most uses; 0 sums all triangles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_winding_number(
    bvh: *const hitscan_bvh,
    point: *const f32,
    tolerance: f64,
    number: *mut f64,
) -> hitscan_status {
    entry!("hitscan_bvh_winding_number", |caller| {
        let bvh = caller.get(bvh, "bvh")?;
        let number = caller.out(number, "number")?;
        let point = point_of(caller, point, "point")?;
        check_distance(tolerance, "tolerance")?;
        number.write(bvh.mesh.winding_tree().winding_number(point, tolerance).value);
        Ok(())
    })
}

/// Points of the caller and memory for an answer to each, with their strides in bytes.
struct Batch<T> {
    points: *const f32,
    n_points: usize,
    point_stride: usize,
    answers: *mut T,
    answer_stride: usize,
}

impl<T: Plain> Batch<T> {
    /// Answers the points by `answer`, a query of many points, and makes each of its answers that of C by `of_c`. A point
    /// that is not finite has the answer `no_point`.
    fn answer<A: Clone + Default>(
        self,
        caller: &Caller,
        bvh: *const hitscan_bvh,
        name: &str,
        no_point: T,
        answer: impl Fn(&WindingTree, &[[f32; 3]], &mut [A]),
        of_c: impl Fn(&A) -> T,
    ) -> Result<(), Failure> {
        let bvh = caller.get(bvh, "bvh")?;
        let (n, points) = (self.n_points, self.points.cast::<[f32; 3]>());
        let points = caller.strided(points, n, self.point_stride, "points")?;
        let mut answers = caller.strided_out(self.answers, n, self.answer_stride, name)?;
        let mut found = Vec::new();
        points.for_each_chunk(|start, points| {
            resize(&mut found, points.len())?;
            answer(bvh.mesh.winding_tree(), points, &mut found);
            let is_finite = |point: &[f32; 3]| point.iter().all(|x| x.is_finite());
            let found = points.iter().zip(&found);
            let of_c = found.map(|(at, found)| if is_finite(at) { of_c(found) } else { no_point });
            answers.write(start, of_c);
            Ok(())
        })
    }
}

/// Writes hitscan_bvh_signed_distance of each point, on all threads, in the order of the points. A point that is not
/// finite has NAN. Strides are in bytes; 0 is no gap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_signed_distance_batch(
    bvh: *const hitscan_bvh,
    points: *const f32,
    n_points: usize,
    point_stride: usize,
    distances: *mut f64,
    distance_stride: usize,
) -> hitscan_status {
    let (answers, answer_stride) = (distances, distance_stride);
    let batch = Batch { points, n_points, point_stride, answers, answer_stride };
    entry!("hitscan_bvh_signed_distance_batch", |caller| {
        let of_c = |found: &Option<f64>| found.unwrap_or(f64::INFINITY);
        let answer = WindingTree::signed_distance_batch;
        batch.answer(caller, bvh, "distances", f64::NAN, answer, of_c)
    })
}

/// Writes 1 for each point inside the surface, else 0, as hitscan_bvh_is_inside does, on all threads, in the order of
/// the points. A point that is not finite is outside. Strides are in bytes; 0 is no gap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_is_inside_batch(
    bvh: *const hitscan_bvh,
    points: *const f32,
    n_points: usize,
    point_stride: usize,
    inside: *mut u8,
    inside_stride: usize,
) -> hitscan_status {
    let (answers, answer_stride) = (inside, inside_stride);
    let batch = Batch { points, n_points, point_stride, answers, answer_stride };
    entry!("hitscan_bvh_is_inside_batch", |caller| {
        let of_c = |&is_inside: &bool| u8::from(is_inside);
        batch.answer(caller, bvh, "inside", 0, WindingTree::is_inside_batch, of_c)
    })
}

/// Writes the winding number around each point, as hitscan_bvh_winding_number does, on all threads, in the order of
/// the points. A point that is not finite has NAN. Strides are in bytes; 0 is no gap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_winding_number_batch(
    bvh: *const hitscan_bvh,
    points: *const f32,
    n_points: usize,
    point_stride: usize,
    tolerance: f64,
    numbers: *mut f64,
    number_stride: usize,
) -> hitscan_status {
    let (answers, answer_stride) = (numbers, number_stride);
    let batch = Batch { points, n_points, point_stride, answers, answer_stride };
    entry!("hitscan_bvh_winding_number_batch", |caller| {
        check_distance(tolerance, "tolerance")?;
        let answer = |tree: &WindingTree, points: &[[f32; 3]], found: &mut [WindingNumber]| {
            tree.winding_number_batch(points, tolerance, found);
        };
        batch.answer(caller, bvh, "numbers", f64::NAN, answer, |found| found.value)
    })
}
