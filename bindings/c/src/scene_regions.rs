//! The instances of a scene in a region of the world.

use engine::{
    glam::DVec3,
    scene::{WorldBox, WorldRegion},
};

use crate::{
    bvh_lists::ListOut,
    bvh_points::{check_distance, convex},
    call::entry,
    memory::Caller,
    options::{SceneOptions, hitscan_instance_id, hitscan_query_options, id_of},
    rays::point,
    scene::hitscan_scene,
    status::{Failure, hitscan_status},
};

/// Memory of the caller for instances.
struct Ids {
    ids: *mut hitscan_instance_id,
    capacity: usize,
    n_instances: *mut usize,
}

/// Writes the instances that touch a region.
fn overlapping(
    caller: &Caller,
    scene: *const hitscan_scene,
    options: *const hitscan_query_options,
    Ids { ids, capacity, n_instances }: Ids,
    region: impl FnOnce() -> Result<WorldRegion, Failure>,
) -> Result<(), Failure> {
    let scene = caller.get(scene, "scene")?;
    let list = ListOut::new(caller, ids, capacity, n_instances, ["ids", "n_instances"])?;
    let options = SceneOptions::read(caller, options)?;
    let found = scene.instances_overlapping(&region()?, &options.query());
    list.write(found.len(), found.into_iter().map(id_of));
    Ok(())
}

/// Writes the instances with a triangle that touches a box, in order of insertion: as many as capacity, and their
/// number to n_instances, which may be greater. ids may be NULL if capacity is 0. options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_instances_overlapping_box(
    scene: *const hitscan_scene,
    min: *const f64,
    max: *const f64,
    options: *const hitscan_query_options,
    ids: *mut hitscan_instance_id,
    capacity: usize,
    n_instances: *mut usize,
) -> hitscan_status {
    entry!("hitscan_scene_instances_overlapping_box", |caller| {
        let ids = Ids { ids, capacity, n_instances };
        overlapping(caller, scene, options, ids, || {
            let [min, max] = [point(caller, min, "min")?, point(caller, max, "max")?];
            Ok(WorldRegion::Box(WorldBox::new(min, max)))
        })
    })
}

/// Writes the instances with a triangle that touches a ball, as hitscan_scene_instances_overlapping_box does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_instances_overlapping_sphere(
    scene: *const hitscan_scene,
    center: *const f64,
    radius: f64,
    options: *const hitscan_query_options,
    ids: *mut hitscan_instance_id,
    capacity: usize,
    n_instances: *mut usize,
) -> hitscan_status {
    entry!("hitscan_scene_instances_overlapping_sphere", |caller| {
        let ids = Ids { ids, capacity, n_instances };
        overlapping(caller, scene, options, ids, || {
            check_distance(radius, "radius")?;
            let center = DVec3::from_array(point(caller, center, "center")?);
            Ok(WorldRegion::Sphere { center, radius })
        })
    })
}

/// Writes the instances with a triangle that touches a convex region, as hitscan_scene_instances_overlapping_box
/// does. planes are as in hitscan_bvh_overlapping_convex, in the world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_instances_overlapping_convex(
    scene: *const hitscan_scene,
    planes: *const f64,
    n_planes: usize,
    options: *const hitscan_query_options,
    ids: *mut hitscan_instance_id,
    capacity: usize,
    n_instances: *mut usize,
) -> hitscan_status {
    entry!("hitscan_scene_instances_overlapping_convex", |caller| {
        let ids = Ids { ids, capacity, n_instances };
        overlapping(caller, scene, options, ids, || {
            Ok(WorldRegion::Convex(convex(caller, planes, n_planes)?))
        })
    })
}
