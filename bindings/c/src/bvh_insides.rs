//! Inside and outside of a tree: winding numbers and signed distances, of one point and of many.

use engine::{WindingTree, glam::Vec3};

use crate::{
    bvh::hitscan_bvh,
    bvh_points::check_distance,
    call::call,
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
    // SAFETY: the rules of the header.
    unsafe {
        call("hitscan_bvh_signed_distance", |caller| {
            let bvh = caller.get(bvh, "bvh")?;
            let distance = caller.out(distance, "distance")?;
            let point = point_of(caller, point, "point")?;
            let found = bvh.mesh.winding_tree().signed_distance(point);
            distance.write(found.unwrap_or(f64::INFINITY));
            Ok(())
        })
    }
}

/// Writes 1 if a point is inside the surface, else 0; see hitscan_bvh_signed_distance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_is_inside(
    bvh: *const hitscan_bvh,
    point: *const f32,
    inside: *mut u8,
) -> hitscan_status {
    // SAFETY: the rules of the header.
    unsafe {
        call("hitscan_bvh_is_inside", |caller| {
            let bvh = caller.get(bvh, "bvh")?;
            let inside = caller.out(inside, "inside")?;
            let point = point_of(caller, point, "point")?;
            inside.write(u8::from(bvh.mesh.winding_tree().is_inside(point)));
            Ok(())
        })
    }
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
    // SAFETY: the rules of the header.
    unsafe {
        call("hitscan_bvh_winding_number", |caller| {
            let bvh = caller.get(bvh, "bvh")?;
            let number = caller.out(number, "number")?;
            let point = point_of(caller, point, "point")?;
            check_distance(tolerance, "tolerance")?;
            number.write(bvh.mesh.winding_tree().winding_number(point, tolerance).value);
            Ok(())
        })
    }
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
    /// Answers each point in order. A point that is not finite has the answer `no_point`.
    fn answer(
        self,
        caller: &Caller,
        bvh: *const hitscan_bvh,
        name: &str,
        no_point: T,
        answer: impl Fn(&WindingTree, Vec3) -> T,
    ) -> Result<(), Failure> {
        let bvh = caller.get(bvh, "bvh")?;
        let (n, points) = (self.n_points, self.points.cast::<[f32; 3]>());
        let points = caller.strided(points, n, self.point_stride, "points")?;
        let mut answers = caller.strided_out(self.answers, n, self.answer_stride, name)?;
        if n == 0 {
            return Ok(());
        }
        let tree = bvh.mesh.winding_tree();
        let found = points.iter().map(Vec3::from_array);
        answers.write(0, found.map(|at| if at.is_finite() { answer(tree, at) } else { no_point }));
        Ok(())
    }
}

/// Writes hitscan_bvh_signed_distance of each point, in this thread, in the order of the points. A point that is not
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
    // SAFETY: the rules of the header.
    unsafe {
        call("hitscan_bvh_signed_distance_batch", |caller| {
            batch.answer(caller, bvh, "distances", f64::NAN, |tree, at| {
                tree.signed_distance(at).unwrap_or(f64::INFINITY)
            })
        })
    }
}

/// Writes 1 for each point inside the surface, else 0, as hitscan_bvh_is_inside does, in this thread, in the order of
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
    // SAFETY: the rules of the header.
    unsafe {
        call("hitscan_bvh_is_inside_batch", |caller| {
            batch.answer(caller, bvh, "inside", 0, |tree, at| u8::from(tree.is_inside(at)))
        })
    }
}

/// Writes the winding number around each point, as hitscan_bvh_winding_number does, in this thread, in the order of
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
    // SAFETY: the rules of the header.
    unsafe {
        call("hitscan_bvh_winding_number_batch", |caller| {
            check_distance(tolerance, "tolerance")?;
            batch.answer(caller, bvh, "numbers", f64::NAN, |tree, at| {
                tree.winding_number(at, tolerance).value
            })
        })
    }
}
