//! Queries of a tree that skip hits by a callback of the caller.

use std::ffi::{c_int, c_void};

use engine::Hit;

use crate::{
    bvh::hitscan_bvh,
    bvh_lists::ListOut,
    call::entry,
    options::{hit_options, hitscan_hit_options},
    rays::{hitscan_hit, hitscan_ray, ray},
    status::{Failure, hitscan_status, invalid},
};

/// The caller's rule: returns 0 to pass through a hit, any other number to accept it. Called on the thread of
/// the query, for candidates in an order that depends on the tree. It must give the same answer for the same
/// hit. It may query, but not change or release a handle of the query, and must return: no longjmp, no
/// exception.
pub type hitscan_accept =
    Option<unsafe extern "C" fn(hit: *const hitscan_hit, user: *mut c_void) -> c_int>;

/// The rule as a function of the engine.
fn rule(accept: hitscan_accept, user: *mut c_void) -> Result<impl Fn(&Hit) -> bool, Failure> {
    let accept = accept.ok_or_else(|| invalid("accept", "NULL", "a function"))?;
    // SAFETY: the caller's function takes these arguments.
    Ok(move |hit: &Hit| unsafe { accept(&hitscan_hit::from(*hit), user) } != 0)
}

/// hitscan_bvh_closest_hit among the hits that the caller accepts. A hit that is not accepted hides nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_closest_hit_where(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_ray,
    options: *const hitscan_hit_options,
    accept: hitscan_accept,
    user: *mut c_void,
    hit: *mut hitscan_hit,
) -> hitscan_status {
    entry!("hitscan_bvh_closest_hit_where", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let hit = caller.out(hit, "hit")?;
        let (options, rule) = (hit_options(caller, options)?, rule(accept, user)?);
        let found = tree.closest_hit_where(self::ray(caller, ray)?, options.faces, rule);
        hit.write(hitscan_hit::new(found));
        Ok(())
    })
}

/// hitscan_bvh_is_occluded by the hits that the caller accepts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_is_occluded_where(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_ray,
    options: *const hitscan_hit_options,
    accept: hitscan_accept,
    user: *mut c_void,
    occluded: *mut u8,
) -> hitscan_status {
    entry!("hitscan_bvh_is_occluded_where", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let occluded = caller.out(occluded, "occluded")?;
        let (options, rule) = (hit_options(caller, options)?, rule(accept, user)?);
        let found = tree.is_occluded_where(self::ray(caller, ray)?, options.faces, rule);
        occluded.write(u8::from(found));
        Ok(())
    })
}

/// hitscan_bvh_all_hits that the caller accepts. Asks once for each hit, along the ray.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_all_hits_where(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_ray,
    options: *const hitscan_hit_options,
    accept: hitscan_accept,
    user: *mut c_void,
    hits: *mut hitscan_hit,
    capacity: usize,
    n_hits: *mut usize,
) -> hitscan_status {
    entry!("hitscan_bvh_all_hits_where", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let list = ListOut::new(caller, hits, capacity, n_hits, ["hits", "n_hits"])?;
        let (options, rule) = (hit_options(caller, options)?, rule(accept, user)?);
        let ray = self::ray(caller, ray)?;
        list.write_hits(|hits| tree.all_hits_where_into(ray, &options, rule, hits));
        Ok(())
    })
}

/// The first n hits that the caller accepts, as hitscan_bvh_nearest_hits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_nearest_hits_where(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_ray,
    n: usize,
    options: *const hitscan_hit_options,
    accept: hitscan_accept,
    user: *mut c_void,
    hits: *mut hitscan_hit,
    n_hits: *mut usize,
) -> hitscan_status {
    entry!("hitscan_bvh_nearest_hits_where", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let list = ListOut::new(caller, hits, n, n_hits, ["hits", "n_hits"])?;
        let (options, rule) = (hit_options(caller, options)?, rule(accept, user)?);
        let ray = self::ray(caller, ray)?;
        list.write_hits(|hits| tree.nearest_hits_where_into(ray, n, &options, rule, hits));
        Ok(())
    })
}
