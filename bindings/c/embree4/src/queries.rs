//! The queries with rays, alone and in packets, and the same from within callbacks of user geometries.

use std::ffi::c_int;

use engine::{Faces, Ray};

use crate::{
    abi::{FilterArguments, INVALID_ID, QueryArguments, QueryContext, UserArguments},
    call::{call, guard},
    committed::Committed,
    error::{Outcome, invalid},
    lane::{Lane, MAX_WIDTH},
    query::Query,
    scene::{Scene, not_committed},
    users::UserCall,
};

/// Casts a ray at a scene of nothing but a surface without filters.
#[inline(always)]
fn cast_plain<const ANY: bool>(committed: &Committed, lane: Lane, instance: [u32; 2]) {
    let is_hit = committed.surface.cast_plain::<ANY>(lane, instance);
    if ANY && is_hit {
        lane.set_t_far(f32::NEG_INFINITY);
    }
}

/// Finds the closest hits of a packet together, in a scene of nothing but a surface without filters. `false` if that does
/// not pay, because the rays point into different octants, or if a mask shuts a ray out of a part. A lane without a ray
/// keeps what it has.
fn cast_together(
    committed: &Committed,
    lanes: [Option<Lane>; MAX_WIDTH],
    instance: [u32; 2],
) -> bool {
    let surface = &committed.surface;
    let octant = |lane: &Lane| lane.ray().direction.is_negative_bitmask();
    let mut rays = lanes.iter().flatten();
    let Some(first) = rays.next() else { return true };
    let (first, mask) = (octant(first), surface.common_mask & first.mask());
    if mask == 0 || rays.any(|lane| octant(lane) != first || surface.common_mask & lane.mask() == 0)
    {
        return false;
    }
    // A ray without a direction hits nothing.
    let none = Ray::new([0.0; 3], [0.0; 3]);
    let rays = lanes.map(|lane| lane.map_or(none, Lane::ray));
    let mut hits = [None; MAX_WIDTH];
    surface.bvh().closest_hit_batch(&rays, Faces::Both, &mut hits);
    for (lane, hit) in lanes.iter().zip(hits) {
        if let (Some(lane), Some(hit)) = (lane, hit) {
            surface.write(*lane, &hit, surface.normal(&hit), instance);
        }
    }
    true
}

/// Casts the rays of a packet that are valid.
///
/// # Safety
/// The rules of Embree: a packet of `n` rays, with hits unless `ANY`, `n` numbers in `valid` or NULL for all, and arguments
/// or NULL.
#[inline(always)]
unsafe fn cast<const ANY: bool>(
    committed: &Committed,
    (packet, n): (*mut f32, usize),
    valid: *const c_int,
    arguments: *const QueryArguments,
) -> Outcome<()> {
    if packet.is_null() || !packet.is_aligned() {
        return Err(invalid("rayhit", "NULL or a misaligned pointer", "rays"));
    }
    // SAFETY: the promise of the caller.
    let arguments = unsafe { arguments.as_ref() };
    let context = arguments.map(|arguments| arguments.context).filter(|at| !at.is_null());
    // SAFETY: the promise of the caller.
    let is_valid = |lane| valid.is_null() || unsafe { valid.add(lane).read() } != 0;
    if committed.is_plain {
        // SAFETY: the promise of the caller.
        let instance = context.map_or([INVALID_ID; 2], |context| unsafe {
            [(*context).inst_id[0], (*context).inst_prim_id[0]]
        });
        // Any hit ends a ray, so shadow rays part too soon to gain by it.
        if n == MAX_WIDTH && !ANY {
            // SAFETY: the promise of the caller.
            let lane = |i| is_valid(i).then(|| unsafe { Lane::new(packet, n, i) });
            if cast_together(committed, std::array::from_fn(lane), instance) {
                return Ok(());
            }
        }
        for lane in (0..n).filter(|&lane| is_valid(lane)) {
            // SAFETY: the promise of the caller.
            cast_plain::<ANY>(committed, unsafe { Lane::new(packet, n, lane) }, instance);
        }
        return Ok(());
    }
    // SAFETY: the promise of the caller.
    unsafe { cast_any::<ANY>(committed, (packet, n), is_valid, context, arguments) };
    Ok(())
}

/// The part of [`cast`] for scenes with callbacks or instances, out of the way of the other.
///
/// # Safety
/// As [`cast`].
#[inline(never)]
unsafe fn cast_any<const ANY: bool>(
    committed: &Committed,
    (packet, n): (*mut f32, usize),
    is_valid: impl Fn(usize) -> bool,
    context: Option<*mut QueryContext>,
    arguments: Option<&QueryArguments>,
) {
    let mut none = QueryContext::NONE;
    let context = context.unwrap_or(&mut none);
    for lane in (0..n).filter(|&lane| is_valid(lane)) {
        // SAFETY: the promise of the caller.
        let query = unsafe { Query::<ANY>::new(Lane::new(packet, n, lane), context, arguments) };
        if committed.cast(&query) && ANY {
            query.lane.set_t_far(f32::NEG_INFINITY);
        }
    }
}

/// The calls for one ray.
macro_rules! one_ray {
    ($($name:ident $any:literal,)*) => {$(
        #[doc = concat!("One ray, as Embree's `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            scene: *const Scene,
            ray: *mut f32,
            arguments: *const QueryArguments,
        ) {
            call(stringify!($name), scene, |scene| {
                let committed = scene.committed().ok_or_else(not_committed)?;
                // SAFETY: the rules of Embree.
                unsafe { cast::<$any>(committed, (ray, 1), std::ptr::null(), arguments) }
            });
        }
    )*};
}

one_ray! {
    rtcIntersect1 false,
    rtcOccluded1 true,
    rtcTraversableIntersect1 false,
    rtcTraversableOccluded1 true,
}

/// The calls for packets.
macro_rules! packets {
    ($($name:ident $any:literal $n:literal,)*) => {$(
        #[doc = concat!("A packet of ", $n, " rays, as Embree's `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            valid: *const c_int,
            scene: *const Scene,
            rays: *mut f32,
            arguments: *const QueryArguments,
        ) {
            call(stringify!($name), scene, |scene| {
                let committed = scene.committed().ok_or_else(not_committed)?;
                // SAFETY: the rules of Embree.
                unsafe { cast::<$any>(committed, (rays, $n), valid, arguments) }
            });
        }
    )*};
}

packets! {
    rtcIntersect4 false 4,
    rtcIntersect8 false 8,
    rtcIntersect16 false 16,
    rtcOccluded4 true 4,
    rtcOccluded8 true 8,
    rtcOccluded16 true 16,
    rtcTraversableIntersect4 false 4,
    rtcTraversableIntersect8 false 8,
    rtcTraversableIntersect16 false 16,
    rtcTraversableOccluded4 true 4,
    rtcTraversableOccluded8 true 8,
    rtcTraversableOccluded16 true 16,
}

/// Casts the rays of a callback's packet at another scene, along the lines of `rays`.
///
/// # Safety
/// The rules of Embree: the arguments are those that the callback got, and `rays` are `n` rays.
unsafe fn forward<const ANY: bool>(
    committed: &Committed,
    valid: *const c_int,
    arguments: *const UserArguments,
    (rays, n): (*mut f32, usize),
    instance: [u32; 2],
) -> Outcome<()> {
    if arguments.is_null() || rays.is_null() {
        return Err(invalid("args", "NULL", "the arguments of the callback, and rays"));
    }
    // SAFETY: the arguments that a callback gets are the head of a `UserCall`.
    let query = unsafe { (*arguments.cast::<UserCall<'_, ANY>>()).query };
    if query.lane.n() != n {
        let expected = format_args!("{n}, the number of this call").to_string();
        return Err(invalid("args", format_args!("{} rays", query.lane.n()), expected));
    }
    for lane in 0..n {
        // SAFETY: the promise of the caller.
        if !valid.is_null() && unsafe { valid.add(lane).read() } == 0 {
            continue;
        }
        // SAFETY: the promise of the caller.
        let line = unsafe { Lane::new(rays, n, lane) }.ray();
        // SAFETY: the packet of the query has `n` rays.
        let inner = query.with_lane(unsafe { Lane::new(query.lane.base(), n, lane) });
        let is_hit =
            inner.in_instance(instance, [line.origin, line.direction], || committed.cast(&inner));
        if is_hit && ANY {
            inner.lane.set_t_far(f32::NEG_INFINITY);
        }
    }
    Ok(())
}

/// The calls for one ray from within a callback.
macro_rules! forward_one {
    ($($name:ident $ex:ident $any:literal,)*) => {$(
        #[doc = concat!("From a callback, as Embree's `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            arguments: *const UserArguments,
            scene: *const Scene,
            ray: *mut f32,
            inst_id: u32,
        ) {
            // SAFETY: the rules of Embree.
            unsafe { $ex(arguments, scene, ray, inst_id, 0) }
        }

        #[doc = concat!("From a callback, as Embree's `", stringify!($ex), "`.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $ex(
            arguments: *const UserArguments,
            scene: *const Scene,
            ray: *mut f32,
            inst_id: u32,
            inst_prim_id: u32,
        ) {
            call(stringify!($ex), scene, |scene| {
                let committed = scene.committed().ok_or_else(not_committed)?;
                let instance = [inst_id, inst_prim_id];
                // SAFETY: the rules of Embree.
                unsafe {
                    forward::<$any>(committed, std::ptr::null(), arguments, (ray, 1), instance)
                }
            });
        }
    )*};
}

forward_one! {
    rtcForwardIntersect1 rtcForwardIntersect1Ex false,
    rtcForwardOccluded1 rtcForwardOccluded1Ex true,
    rtcTraversableForwardIntersect1 rtcTraversableForwardIntersect1Ex false,
    rtcTraversableForwardOccluded1 rtcTraversableForwardOccluded1Ex true,
}

/// The calls for packets from within a callback.
macro_rules! forward_packets {
    ($($name:ident $ex:ident $any:literal $n:literal,)*) => {$(
        #[doc = concat!("From a callback, as Embree's `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            valid: *const c_int,
            arguments: *const UserArguments,
            scene: *const Scene,
            rays: *mut f32,
            inst_id: u32,
        ) {
            // SAFETY: the rules of Embree.
            unsafe { $ex(valid, arguments, scene, rays, inst_id, 0) }
        }

        #[doc = concat!("From a callback, as Embree's `", stringify!($ex), "`.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $ex(
            valid: *const c_int,
            arguments: *const UserArguments,
            scene: *const Scene,
            rays: *mut f32,
            inst_id: u32,
            inst_prim_id: u32,
        ) {
            call(stringify!($ex), scene, |scene| {
                let committed = scene.committed().ok_or_else(not_committed)?;
                let instance = [inst_id, inst_prim_id];
                // SAFETY: the rules of Embree.
                unsafe { forward::<$any>(committed, valid, arguments, (rays, $n), instance) }
            });
        }
    )*};
}

forward_packets! {
    rtcForwardIntersect4 rtcForwardIntersect4Ex false 4,
    rtcForwardIntersect8 rtcForwardIntersect8Ex false 8,
    rtcForwardIntersect16 rtcForwardIntersect16Ex false 16,
    rtcForwardOccluded4 rtcForwardOccluded4Ex true 4,
    rtcForwardOccluded8 rtcForwardOccluded8Ex true 8,
    rtcForwardOccluded16 rtcForwardOccluded16Ex true 16,
    rtcTraversableForwardIntersect4 rtcTraversableForwardIntersect4Ex false 4,
    rtcTraversableForwardIntersect8 rtcTraversableForwardIntersect8Ex false 8,
    rtcTraversableForwardIntersect16 rtcTraversableForwardIntersect16Ex false 16,
    rtcTraversableForwardOccluded4 rtcTraversableForwardOccluded4Ex true 4,
    rtcTraversableForwardOccluded8 rtcTraversableForwardOccluded8Ex true 8,
    rtcTraversableForwardOccluded16 rtcTraversableForwardOccluded16Ex true 16,
}

/// Asks the filter of a user geometry about the hits that its callback has found.
///
/// # Safety
/// The rules of Embree: the arguments are those that the callback got, and those of a filter.
unsafe fn invoke<const ANY: bool>(
    function: &'static str,
    arguments: *const UserArguments,
    filter: *const FilterArguments,
) {
    guard(function, None, (), || {
        if arguments.is_null() || filter.is_null() {
            return Err(invalid("args", "NULL", "the arguments of the callback and of a filter"));
        }
        // SAFETY: the arguments that a callback gets are the head of a `UserCall`.
        let call = unsafe { &*arguments.cast::<UserCall<'_, ANY>>() };
        // As in Embree, that of the query's arguments is not asked: the callback may call it by itself.
        if let Some(own) = call.user.filters.own::<ANY>() {
            // SAFETY: the program registered the function for these arguments.
            unsafe { own(filter) };
        }
        Ok(())
    });
}

/// Asks the filter of a user geometry about the hits that its callback has found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcInvokeIntersectFilterFromGeometry(
    arguments: *const UserArguments,
    filter: *const FilterArguments,
) {
    // SAFETY: the rules of Embree.
    unsafe { invoke::<false>("rtcInvokeIntersectFilterFromGeometry", arguments, filter) }
}

/// Asks the filter of a user geometry about the hits that its callback has found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtcInvokeOccludedFilterFromGeometry(
    arguments: *const UserArguments,
    filter: *const FilterArguments,
) {
    // SAFETY: the rules of Embree.
    unsafe { invoke::<true>("rtcInvokeOccludedFilterFromGeometry", arguments, filter) }
}
