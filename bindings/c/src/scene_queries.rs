//! Queries of a scene with a ray or a point, in the world.

use std::ffi::{c_int, c_void};

use engine::scene::{SceneHit, ScenePoint};

use crate::{
    bvh_lists::ListOut,
    bvh_points::check_distance,
    bvh_rays::resize,
    call::entry,
    memory::plain,
    mesh_details::{hitscan_hit_details, names},
    options::{
        HITSCAN_NO_INSTANCE, SceneOptions, hitscan_instance_id, hitscan_query_options, id_of,
    },
    rays::{HITSCAN_NO_TRIANGLE, hitscan_scene_hit, hitscan_world_ray, point, world_ray},
    scene::hitscan_scene,
    status::{Failure, hitscan_status, invalid},
};

/// The closest point of the surfaces of a scene. If there is none, distance = INFINITY and instance =
/// HITSCAN_NO_INSTANCE.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_scene_point {
    /// The point, in the world.
    pub point: [f64; 3],
    /// The distance.
    pub distance: f64,
    /// The weight of the second corner.
    pub u: f64,
    /// The weight of the third corner.
    pub v: f64,
    /// The instance.
    pub instance: hitscan_instance_id,
    /// The triangle.
    pub triangle: u32,
    /// 0.
    pub reserved: u32,
}

plain!(hitscan_scene_point);

/// Writes the first hit of a ray: the least (t, instance in order of insertion, triangle). A ray that hits
/// nothing is no failure: the hit has the instance HITSCAN_NO_INSTANCE.
///
/// options may be NULL. Takes no memory, except for a list of ignored instances.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_closest_hit(
    scene: *const hitscan_scene,
    ray: *const hitscan_world_ray,
    options: *const hitscan_query_options,
    hit: *mut hitscan_scene_hit,
) -> hitscan_status {
    entry!("hitscan_scene_closest_hit", |caller| {
        let scene = caller.get(scene, "scene")?;
        let hit = caller.out(hit, "hit")?;
        let options = SceneOptions::read(caller, options)?;
        let found = scene.closest_hit(&world_ray(caller, ray)?, &options.query());
        hit.write(hitscan_scene_hit::new(found));
        Ok(())
    })
}

/// Writes 1 if a ray hits anything, else 0. options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_is_occluded(
    scene: *const hitscan_scene,
    ray: *const hitscan_world_ray,
    options: *const hitscan_query_options,
    occluded: *mut u8,
) -> hitscan_status {
    entry!("hitscan_scene_is_occluded", |caller| {
        let scene = caller.get(scene, "scene")?;
        let occluded = caller.out(occluded, "occluded")?;
        let options = SceneOptions::read(caller, options)?;
        let found = scene.is_occluded(&world_ray(caller, ray)?, &options.query());
        occluded.write(u8::from(found));
        Ok(())
    })
}

/// Writes the number of times that a ray crosses surfaces. options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_count_crossings(
    scene: *const hitscan_scene,
    ray: *const hitscan_world_ray,
    options: *const hitscan_query_options,
    crossings: *mut u32,
) -> hitscan_status {
    entry!("hitscan_scene_count_crossings", |caller| {
        let scene = caller.get(scene, "scene")?;
        let crossings = caller.out(crossings, "crossings")?;
        let options = SceneOptions::read(caller, options)?;
        let found = scene.count_crossings(&world_ray(caller, ray)?, &options.query());
        crossings.write(found as u32);
        Ok(())
    })
}

/// Writes the crossings of a ray from the front of surfaces, less those from the back. options may be NULL; faces do not
/// count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_signed_crossings(
    scene: *const hitscan_scene,
    ray: *const hitscan_world_ray,
    options: *const hitscan_query_options,
    crossings: *mut i64,
) -> hitscan_status {
    entry!("hitscan_scene_signed_crossings", |caller| {
        let scene = caller.get(scene, "scene")?;
        let crossings = caller.out(crossings, "crossings")?;
        let options = SceneOptions::read(caller, options)?;
        crossings.write(scene.signed_crossings(&world_ray(caller, ray)?, &options.query()));
        Ok(())
    })
}

/// Writes all hits of a ray, sorted by (t, instance, triangle): as many as capacity, and their number to n_hits,
/// which may be greater. hits may be NULL if capacity is 0. options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_all_hits(
    scene: *const hitscan_scene,
    ray: *const hitscan_world_ray,
    options: *const hitscan_query_options,
    hits: *mut hitscan_scene_hit,
    capacity: usize,
    n_hits: *mut usize,
) -> hitscan_status {
    entry!("hitscan_scene_all_hits", |caller| {
        let scene = caller.get(scene, "scene")?;
        let list = ListOut::new(caller, hits, capacity, n_hits, ["hits", "n_hits"])?;
        let options = SceneOptions::read(caller, options)?;
        let found = scene.all_hits(&world_ray(caller, ray)?, &options.query());
        list.write(found.len(), found.into_iter().map(hitscan_scene_hit::from));
        Ok(())
    })
}

/// Writes the first n hits of a ray, sorted by (t, instance, triangle), and their number to n_hits. hits has room
/// for n. options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_nearest_hits(
    scene: *const hitscan_scene,
    ray: *const hitscan_world_ray,
    n: usize,
    options: *const hitscan_query_options,
    hits: *mut hitscan_scene_hit,
    n_hits: *mut usize,
) -> hitscan_status {
    entry!("hitscan_scene_nearest_hits", |caller| {
        let scene = caller.get(scene, "scene")?;
        let list = ListOut::new(caller, hits, n, n_hits, ["hits", "n_hits"])?;
        let options = SceneOptions::read(caller, options)?;
        let mut found = Vec::new();
        scene.nearest_hits_into(&world_ray(caller, ray)?, n, &options.query(), &mut found);
        list.write(found.len(), found.into_iter().map(hitscan_scene_hit::from));
        Ok(())
    })
}

/// The caller's rule for hits of a scene; see hitscan_accept.
pub type hitscan_scene_accept =
    Option<unsafe extern "C" fn(hit: *const hitscan_scene_hit, user: *mut c_void) -> c_int>;

fn rule(
    accept: hitscan_scene_accept,
    user: *mut c_void,
) -> Result<impl Fn(&SceneHit) -> bool, Failure> {
    let accept = accept.ok_or_else(|| invalid("accept", "NULL", "a function"))?;
    // SAFETY: the caller's function takes these arguments.
    Ok(move |hit: &SceneHit| unsafe { accept(&hitscan_scene_hit::from(*hit), user) } != 0)
}

/// hitscan_scene_closest_hit among the hits that the caller accepts. A hit that is not accepted hides nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_closest_hit_where(
    scene: *const hitscan_scene,
    ray: *const hitscan_world_ray,
    options: *const hitscan_query_options,
    accept: hitscan_scene_accept,
    user: *mut c_void,
    hit: *mut hitscan_scene_hit,
) -> hitscan_status {
    entry!("hitscan_scene_closest_hit_where", |caller| {
        let scene = caller.get(scene, "scene")?;
        let hit = caller.out(hit, "hit")?;
        let (options, rule) = (SceneOptions::read(caller, options)?, rule(accept, user)?);
        let found = scene.closest_hit_where(&world_ray(caller, ray)?, &options.query(), rule);
        hit.write(hitscan_scene_hit::new(found));
        Ok(())
    })
}

/// hitscan_scene_is_occluded by the hits that the caller accepts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_is_occluded_where(
    scene: *const hitscan_scene,
    ray: *const hitscan_world_ray,
    options: *const hitscan_query_options,
    accept: hitscan_scene_accept,
    user: *mut c_void,
    occluded: *mut u8,
) -> hitscan_status {
    entry!("hitscan_scene_is_occluded_where", |caller| {
        let scene = caller.get(scene, "scene")?;
        let occluded = caller.out(occluded, "occluded")?;
        let (options, rule) = (SceneOptions::read(caller, options)?, rule(accept, user)?);
        let found = scene.is_occluded_where(&world_ray(caller, ray)?, &options.query(), rule);
        occluded.write(u8::from(found));
        Ok(())
    })
}

/// Writes the first hit of each ray, on all threads, in the order of the rays. An invalid ray hits nothing.
/// Strides are in bytes; 0 is no gap. options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_closest_hit_batch(
    scene: *const hitscan_scene,
    rays: *const hitscan_world_ray,
    n_rays: usize,
    ray_stride: usize,
    options: *const hitscan_query_options,
    hits: *mut hitscan_scene_hit,
    hit_stride: usize,
) -> hitscan_status {
    entry!("hitscan_scene_closest_hit_batch", |caller| {
        let scene = caller.get(scene, "scene")?;
        let options = SceneOptions::read(caller, options)?;
        let rays = caller.strided(rays, n_rays, ray_stride, "rays")?;
        let mut hits = caller.strided_out(hits, n_rays, hit_stride, "hits")?;
        let (mut world, mut found) = (Vec::new(), Vec::new());
        rays.for_each_chunk(|start, rays| {
            world.clear();
            world.extend(rays.iter().map(|ray: &hitscan_world_ray| ray.to_ray()));
            resize(&mut found, rays.len())?;
            scene.closest_hit_batch(&world, &options.query(), &mut found);
            hits.write(start, found.iter().map(|&hit| hitscan_scene_hit::new(hit)));
            Ok(())
        })
    })
}

/// Writes 1 for each ray that hits anything, else 0, on all threads. As hitscan_scene_closest_hit_batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_is_occluded_batch(
    scene: *const hitscan_scene,
    rays: *const hitscan_world_ray,
    n_rays: usize,
    ray_stride: usize,
    options: *const hitscan_query_options,
    occluded: *mut u8,
    occluded_stride: usize,
) -> hitscan_status {
    entry!("hitscan_scene_is_occluded_batch", |caller| {
        let scene = caller.get(scene, "scene")?;
        let options = SceneOptions::read(caller, options)?;
        let rays = caller.strided(rays, n_rays, ray_stride, "rays")?;
        let mut occluded = caller.strided_out(occluded, n_rays, occluded_stride, "occluded")?;
        let (mut world, mut found) = (Vec::new(), Vec::new());
        rays.for_each_chunk(|start, rays| {
            world.clear();
            world.extend(rays.iter().map(|ray: &hitscan_world_ray| ray.to_ray()));
            resize(&mut found, rays.len())?;
            scene.is_occluded_batch(&world, &options.query(), &mut found);
            occluded.write(start, found.iter().map(|&found| u8::from(found)));
            Ok(())
        })
    })
}

/// Writes what a hit of this scene is, in the world. Texts are valid until the scene changes. The caller sets
/// details->size.
///
/// HITSCAN_INVALID_ARGUMENT: an instance or triangle that the scene does not have, such as that of a miss.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_describe(
    scene: *const hitscan_scene,
    hit: *const hitscan_scene_hit,
    details: *mut hitscan_hit_details,
) -> hitscan_status {
    entry!("hitscan_scene_describe", |caller| {
        let scene = caller.get(scene, "scene")?;
        let hit = caller.read(hit, "hit")?.to_hit("hit")?;
        let found = scene.describe(&hit).ok_or_else(|| {
            let found = format_args!("instance {}, triangle {}", hit.instance, hit.local.triangle);
            invalid("hit", found.to_string(), "an instance and a triangle of the scene")
        })?;
        let value = hitscan_hit_details {
            point: found.point().to_array(),
            normal: found.normal().map_or([0.0; 3], |normal| normal.to_array()),
            uv: found.uv().map_or([f64::NAN; 2], |uv| uv.to_array()),
            ..names(found.mesh().tri_mesh(), hit.local.triangle)
        };
        caller.write_sized(details, &value, "details")
    })
}

/// Writes the point of the surfaces that is closest to a point, within max_distance, which may be INFINITY.
/// options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_closest_point(
    scene: *const hitscan_scene,
    point: *const f64,
    max_distance: f64,
    options: *const hitscan_query_options,
    closest: *mut hitscan_scene_point,
) -> hitscan_status {
    entry!("hitscan_scene_closest_point", |caller| {
        let scene = caller.get(scene, "scene")?;
        let closest = caller.out(closest, "closest")?;
        let options = SceneOptions::read(caller, options)?;
        let point = self::point(caller, point, "point")?;
        check_distance(max_distance, "max_distance")?;
        let found = scene.closest_point(point, max_distance, &options.query());
        closest.write(hitscan_scene_point::new(found));
        Ok(())
    })
}

/// Writes the distance of a point from the surfaces, negative inside an instance; INFINITY without any. options
/// may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_signed_distance(
    scene: *const hitscan_scene,
    point: *const f64,
    options: *const hitscan_query_options,
    distance: *mut f64,
) -> hitscan_status {
    entry!("hitscan_scene_signed_distance", |caller| {
        let scene = caller.get(scene, "scene")?;
        let distance = caller.out(distance, "distance")?;
        let options = SceneOptions::read(caller, options)?;
        let point = self::point(caller, point, "point")?;
        let found = scene.signed_distance(point, &options.query());
        distance.write(found.unwrap_or(f64::INFINITY));
        Ok(())
    })
}

impl hitscan_scene_point {
    fn new(found: Option<ScenePoint>) -> Self {
        match found {
            None => Self {
                point: [0.0; 3],
                distance: f64::INFINITY,
                u: 0.0,
                v: 0.0,
                instance: HITSCAN_NO_INSTANCE,
                triangle: HITSCAN_NO_TRIANGLE,
                reserved: 0,
            },
            Some(ScenePoint { instance, triangle, point, u, v, distance }) => Self {
                point: point.to_array(),
                distance,
                u,
                v,
                instance: id_of(instance),
                triangle,
                reserved: 0,
            },
        }
    }
}
