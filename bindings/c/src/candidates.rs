//! The triangles that a ray may hit, for programs with an exact test of their own.

use std::{
    ffi::{c_int, c_void},
    ops::ControlFlow,
};

use engine::{CandidateRay, glam::DVec3};

use crate::{
    bvh::hitscan_bvh,
    call::entry,
    rays::hitscan_world_ray,
    status::{hitscan_status, invalid, refused},
};

/// Receives a triangle that a ray may hit, with a lower bound of its t. The caller may lower *t_max, to the t of its
/// own nearest hit so far: the search ends behind it. A result other than 0 ends the search at once. The rules of
/// hitscan_accept apply.
pub type hitscan_candidate = Option<
    unsafe extern "C" fn(triangle: u32, bound: f64, t_max: *mut f64, user: *mut c_void) -> c_int,
>;

/// Passes the triangles that a ray may hit to a callback, in the order of a lower bound of t, then of their indices.
///
/// Every triangle with a point at most tolerance from a point of the ray between its t_min and t_max is among them,
/// once; few others are. A later bound is never less than an earlier one. The ray is in the space of the mesh, and the
/// tolerance in its units of length: it covers the difference between the caller's test and exact arithmetic.
///
/// For programs that must keep the bits of their own test of a triangle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_visit_candidates(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_world_ray,
    tolerance: f64,
    candidate: hitscan_candidate,
    user: *mut c_void,
) -> hitscan_status {
    entry!("hitscan_bvh_visit_candidates", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let ray = caller.read(ray, "ray")?;
        ray.to_ray().checked().map_err(|error| refused("ray", error))?;
        let found = candidate.ok_or_else(|| invalid("candidate", "NULL", "a function"))?;
        let &hitscan_world_ray { origin, direction, mut t_max, t_min } = ray;
        let (origin, direction) = (DVec3::from_array(origin), DVec3::from_array(direction));
        let ray = CandidateRay { origin, direction, t_min, t_max, tolerance };
        if !ray.is_valid() {
            return Err(invalid("tolerance", tolerance, "a finite number that is not negative"));
        }
        // SAFETY: the caller's function takes these arguments.
        let visit = |triangle, bound| match unsafe { found(triangle, bound, &mut t_max, user) } {
            0 => ControlFlow::Continue(t_max),
            _ => ControlFlow::Break(()),
        };
        let _: ControlFlow<()> = tree.visit_candidates(&ray, visit);
        Ok(())
    })
}
