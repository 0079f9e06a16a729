//! Queries of a tree that answer a ray with one value: single, and in batches.

use engine::Hit;

use crate::{
    bvh::hitscan_bvh,
    call::entry,
    memory::Caller,
    options::{hit_options, hitscan_hit_options},
    rays::{any_ray, check_ray, hitscan_hit, hitscan_ray, ray},
    status::{Failure, HITSCAN_OUT_OF_MEMORY, failure, hitscan_status},
};

/// Writes the first hit of a ray: the least (t, triangle). A ray that hits nothing is no failure: the hit has
/// the triangle HITSCAN_NO_TRIANGLE.
///
/// options may be NULL. Takes no memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_closest_hit(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_ray,
    options: *const hitscan_hit_options,
    hit: *mut hitscan_hit,
) -> hitscan_status {
    entry!("hitscan_bvh_closest_hit", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let hit = caller.out(hit, "hit")?;
        let options = hit_options(caller, options)?;
        let ray = any_ray(caller, ray)?;
        let found = tree.closest_hit(ray, options.faces);
        if found.is_none() {
            check_ray(ray)?;
        }
        hit.write(hitscan_hit::new(found));
        Ok(())
    })
}

/// Writes 1 if a ray hits anything, else 0. Cheaper than hitscan_bvh_closest_hit.
///
/// options may be NULL. Takes no memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_is_occluded(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_ray,
    options: *const hitscan_hit_options,
    occluded: *mut u8,
) -> hitscan_status {
    entry!("hitscan_bvh_is_occluded", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let occluded = caller.out(occluded, "occluded")?;
        let options = hit_options(caller, options)?;
        let ray = any_ray(caller, ray)?;
        let found = tree.is_occluded(ray, options.faces);
        if !found {
            check_ray(ray)?;
        }
        occluded.write(u8::from(found));
        Ok(())
    })
}

/// Writes the number of times that a ray crosses the surface. For a closed mesh and t_max = INFINITY it is odd
/// exactly if the origin is inside.
///
/// options may be NULL; only its faces count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_count_crossings(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_ray,
    options: *const hitscan_hit_options,
    crossings: *mut u32,
) -> hitscan_status {
    entry!("hitscan_bvh_count_crossings", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let crossings = caller.out(crossings, "crossings")?;
        let options = hit_options(caller, options)?;
        let found = tree.count_crossings(self::ray(caller, ray)?, options.faces);
        crossings.write(found as u32);
        Ok(())
    })
}

/// Writes the number of crossings from the front to the back, less those from the back to the front: -1 from inside a
/// closed mesh, 0 from outside, for t_max = INFINITY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_signed_crossings(
    bvh: *const hitscan_bvh,
    ray: *const hitscan_ray,
    crossings: *mut i64,
) -> hitscan_status {
    entry!("hitscan_bvh_signed_crossings", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let crossings = caller.out(crossings, "crossings")?;
        crossings.write(tree.signed_crossings(self::ray(caller, ray)?));
        Ok(())
    })
}

/// Writes the first hit of each ray, on all threads, in the order of the rays. An invalid ray hits nothing.
///
/// Rays lie ray_stride bytes apart and hits hit_stride, so that both may be parts of larger structs; 0 is no
/// gap. Neighbours that start and point alike are fast: pictures row by row or in tiles. options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_closest_hit_batch(
    bvh: *const hitscan_bvh,
    rays: *const hitscan_ray,
    n_rays: usize,
    ray_stride: usize,
    options: *const hitscan_hit_options,
    hits: *mut hitscan_hit,
    hit_stride: usize,
) -> hitscan_status {
    entry!("hitscan_bvh_closest_hit_batch", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let options = hit_options(caller, options)?;
        let rays = self::rays(caller, rays, n_rays, ray_stride)?;
        let mut hits = caller.strided_out(hits, n_rays, hit_stride, "hits")?;
        let mut found: Vec<Option<Hit>> = Vec::new();
        rays.for_each_chunk(|start, rays| {
            resize(&mut found, rays.len())?;
            tree.closest_hit_batch(rays, options.faces, &mut found);
            hits.write(start, found.iter().map(|&hit| hitscan_hit::new(hit)));
            Ok(())
        })
    })
}

/// Writes 1 for each ray that hits anything, else 0, on all threads. As hitscan_bvh_closest_hit_batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_is_occluded_batch(
    bvh: *const hitscan_bvh,
    rays: *const hitscan_ray,
    n_rays: usize,
    ray_stride: usize,
    options: *const hitscan_hit_options,
    occluded: *mut u8,
    occluded_stride: usize,
) -> hitscan_status {
    entry!("hitscan_bvh_is_occluded_batch", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let options = hit_options(caller, options)?;
        let rays = self::rays(caller, rays, n_rays, ray_stride)?;
        let mut occluded = caller.strided_out(occluded, n_rays, occluded_stride, "occluded")?;
        let mut found: Vec<bool> = Vec::new();
        rays.for_each_chunk(|start, rays| {
            resize(&mut found, rays.len())?;
            tree.is_occluded_batch(rays, options.faces, &mut found);
            occluded.write(start, found.iter().map(|&found| u8::from(found)));
            Ok(())
        })
    })
}

/// Writes the number of crossings of each ray, on all threads. As hitscan_bvh_closest_hit_batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_bvh_count_crossings_batch(
    bvh: *const hitscan_bvh,
    rays: *const hitscan_ray,
    n_rays: usize,
    ray_stride: usize,
    options: *const hitscan_hit_options,
    crossings: *mut u32,
    crossings_stride: usize,
) -> hitscan_status {
    entry!("hitscan_bvh_count_crossings_batch", |caller| {
        let tree = caller.get(bvh, "bvh")?.tree();
        let options = hit_options(caller, options)?;
        let rays = self::rays(caller, rays, n_rays, ray_stride)?;
        let mut crossings = caller.strided_out(crossings, n_rays, crossings_stride, "crossings")?;
        let mut found: Vec<u32> = Vec::new();
        rays.for_each_chunk(|start, rays| {
            resize(&mut found, rays.len())?;
            tree.count_crossings_batch(rays, options.faces, &mut found);
            crossings.write(start, found.iter().copied());
            Ok(())
        })
    })
}

/// The rays of a batch, which have the layout of the engine's.
pub(crate) fn rays<'a>(
    caller: &'a Caller,
    rays: *const hitscan_ray,
    n_rays: usize,
    stride: usize,
) -> Result<crate::memory::Strided<'a, engine::Ray>, Failure> {
    caller.strided(rays.cast(), n_rays, stride, "rays")
}

/// Makes room for the answers of a chunk.
pub(crate) fn resize<T: Clone + Default>(answers: &mut Vec<T>, n: usize) -> Result<(), Failure> {
    if answers.capacity() < n && answers.try_reserve_exact(n - answers.len()).is_err() {
        let message = format_args!("{n} answers do not fit into the memory");
        return Err(failure(HITSCAN_OUT_OF_MEMORY, message));
    }
    answers.resize(n, T::default());
    Ok(())
}
