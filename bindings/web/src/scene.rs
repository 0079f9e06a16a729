//! Scenes: instances, edits, and queries in world space.

use std::sync::Arc;

use hitscan_scene::{
    Instance, InstanceId, KeepTransform, Scene, SceneHit, WorldBox, WorldRay, WorldRegion,
};

use crate::{
    failure::{fail, fail_for_memory, fail_with},
    objects::{self, Object, edit_scene, with_scene},
    output, rays,
    scene_arguments::{query_options, transform},
    staging,
};

/// The number of a handle in JavaScript, which is exact below 2^53.
pub(crate) fn number_of(id: InstanceId) -> f64 {
    f64::from(id.index) + f64::from(id.generation) * 2_f64.powi(32)
}

pub(crate) fn id_of(number: f64) -> InstanceId {
    let number = number as u64;
    InstanceId { index: number as u32, generation: (number >> 32) as u32 }
}

const NOT_AFFINE: &str = "transform: the last row is not 0, 0, 0, 1; pass an affine matrix of 16 numbers, column by column";

#[unsafe(no_mangle)]
extern "C" fn scene_new() -> u32 {
    objects::insert(Object::Scene(Arc::new(Scene::new())))
}

/// A copy of the scene, which shares the meshes and all that later edits do not change.
#[unsafe(no_mangle)]
extern "C" fn scene_clone(scene: u32) -> u32 {
    match objects::get(scene) {
        Some(Object::Scene(scene)) => objects::insert(Object::Scene(Arc::new((*scene).clone()))),
        _ => fail("scene: there is no such scene"),
    }
}

/// Adds a mesh, or a group if `bvh` is 0, with the transform of the numbers 0 to 15. A negative parent is
/// none. 1 and the handle as number 0, or 0 and an error.
#[unsafe(no_mangle)]
extern "C" fn scene_insert(scene: u32, bvh: u32, parent: f64, layers: u32) -> u32 {
    let Some(transform) = transform(0) else { return fail(NOT_AFFINE) };
    let mesh = match objects::get(bvh) {
        Some(Object::Built(mesh)) => Some(mesh),
        _ if bvh == 0 => None,
        _ => return fail("bvh: there is no such tree"),
    };
    let parent = (parent >= 0.0).then(|| id_of(parent));
    edit_scene(scene, |scene| {
        match scene.insert(Instance { mesh, transform, parent, layers, ..Instance::default() }) {
            Ok(id) => {
                output::write(0, &[number_of(id)]);
                1
            }
            Err(error) => fail_with(&error),
        }
    })
}

fn edited<T, E: std::error::Error>(result: Result<T, E>) -> u32 {
    match result {
        Ok(_) => 1,
        Err(error) => fail_with(&error),
    }
}

/// Removes an instance with its descendants for good.
#[unsafe(no_mangle)]
extern "C" fn scene_remove(scene: u32, id: f64) -> u32 {
    edit_scene(scene, |scene| edited(scene.remove(id_of(id)).map(|removed| scene.forget(removed))))
}

#[unsafe(no_mangle)]
extern "C" fn scene_set_transform(scene: u32, id: f64, in_world: u32) -> u32 {
    let Some(transform) = transform(0) else { return fail(NOT_AFFINE) };
    edit_scene(scene, |scene| match in_world {
        0 => edited(scene.set_transform(id_of(id), transform)),
        _ => edited(scene.set_world_transform(id_of(id), transform)),
    })
}

#[unsafe(no_mangle)]
extern "C" fn scene_reparent(scene: u32, id: f64, parent: f64, keep_local: u32) -> u32 {
    let parent = (parent >= 0.0).then(|| id_of(parent));
    let keep = if keep_local == 0 { KeepTransform::World } else { KeepTransform::Local };
    edit_scene(scene, |scene| edited(scene.reparent(id_of(id), parent, keep)))
}

#[unsafe(no_mangle)]
extern "C" fn scene_set_mesh(scene: u32, id: f64, bvh: u32) -> u32 {
    let mesh = match objects::get(bvh) {
        Some(Object::Built(mesh)) => Some(mesh),
        _ => None,
    };
    edit_scene(scene, |scene| edited(scene.set_mesh(id_of(id), mesh)))
}

#[unsafe(no_mangle)]
extern "C" fn scene_set_hidden(scene: u32, id: f64, hidden: u32) -> u32 {
    edit_scene(scene, |scene| edited(scene.set_hidden(id_of(id), hidden != 0)))
}

#[unsafe(no_mangle)]
extern "C" fn scene_set_locked(scene: u32, id: f64, locked: u32) -> u32 {
    edit_scene(scene, |scene| edited(scene.set_locked(id_of(id), locked != 0)))
}

#[unsafe(no_mangle)]
extern "C" fn scene_set_layers(scene: u32, id: f64, layers: u32) -> u32 {
    edit_scene(scene, |scene| edited(scene.set_layers(id_of(id), layers)))
}

/// A number: instances.
#[unsafe(no_mangle)]
extern "C" fn scene_size(scene: u32) -> u32 {
    with_scene(scene, |scene| {
        output::write(0, &[scene.len() as f64]);
        1
    })
}

/// Numbers: the exact box in the world; of no triangles +inf and -inf.
#[unsafe(no_mangle)]
extern "C" fn scene_bounds(scene: u32) -> u32 {
    with_scene(scene, |scene| {
        let WorldBox { min, max } = scene.bounds();
        output::write(0, &min.to_array());
        output::write(3, &max.to_array());
        1
    })
}

/// The ray of the numbers 0 to 7.
fn world_ray() -> WorldRay {
    rays::world_ray(std::array::from_fn(output::read))
}

/// A hit as numbers: `t`, `u`, `v`, triangle, side, instance.
fn numbers_of(hit: &SceneHit) -> [f64; HIT_NUMBERS] {
    let local = &hit.local;
    [
        hit.t,
        local.u.into(),
        local.v.into(),
        local.triangle.into(),
        output::side(local.side),
        number_of(hit.instance),
    ]
}

const HIT_NUMBERS: usize = 6;
const NO_HIT: [f64; HIT_NUMBERS] = [f64::INFINITY, 0.0, 0.0, -1.0, 0.0, -1.0];

fn miss(ray: &WorldRay) -> u32 {
    match ray.checked() {
        Ok(_) => 0,
        Err(error) => {
            fail_with(&error);
            2
        }
    }
}

/// The closest hit of the ray of the numbers 0 to 7: its six numbers, then the point and the unit normal
/// in world space. 1, 0 for a miss, 2 for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn scene_closest_hit(scene: u32, side: u32, layers: u32, flags: u32) -> u32 {
    let ray = world_ray();
    with_scene(scene, |scene| {
        let Some(hit) = scene.closest_hit(&ray, &query_options(side, 0, layers, flags)) else {
            return miss(&ray);
        };
        write_described(scene, &hit);
        1
    })
}

/// Writes a hit with its point and normal.
fn write_described(scene: &Scene, hit: &SceneHit) {
    output::write(0, &numbers_of(hit));
    if let Some(details) = scene.describe(hit) {
        output::write(HIT_NUMBERS, &details.point().to_array());
        output::write(HIT_NUMBERS + 3, &details.normal().unwrap_or_default().to_array());
    }
}

/// Whether the ray of the numbers 0 to 7 hits anything. 2 for an invalid ray.
#[unsafe(no_mangle)]
extern "C" fn scene_is_occluded(scene: u32, side: u32, layers: u32, flags: u32) -> u32 {
    let (ray, options) = (world_ray(), query_options(side, 0, layers, flags));
    with_scene(scene, |scene| if scene.is_occluded(&ray, &options) { 1 } else { miss(&ray) })
}

/// The hits of the ray of the numbers 0 to 7, at most `n`: six f64 each. 1 and their number as number 0; 2 for an
/// invalid ray.
#[unsafe(no_mangle)]
#[rustfmt::skip]
extern "C" fn scene_all_hits(
    scene: u32, side: u32, once: u32, n: u32, layers: u32, flags: u32,
) -> u32 {
    let (ray, options) = (world_ray(), query_options(side, once, layers, flags));
    if miss(&ray) == 2 {
        return 2;
    }
    with_scene(scene, |scene| {
        let mut hits = scene.all_hits(&ray, &options);
        hits.truncate(n as usize);
        output::put_doubles(hits.iter().flat_map(numbers_of).collect());
        output::write(0, &[hits.len() as f64]);
        1
    })
}

/// The closest hits of the staged rays, eight f64 each: six f64 each. 1; 0 without memory; 2 for an
/// invalid ray, whose number is number 0.
#[unsafe(no_mangle)]
extern "C" fn scene_closest_hits(scene: u32, side: u32, layers: u32, flags: u32) -> u32 {
    let numbers = staging::numbers();
    let options = query_options(side, 0, layers, flags);
    let chunks = numbers.as_chunks::<8>().0;
    let rays: Vec<WorldRay> = chunks.iter().map(|&ray| rays::world_ray(ray)).collect();
    staging::keep_numbers(numbers);
    if let Some(index) = rays.iter().position(|ray| !ray.is_valid()) {
        let invalid = miss(&rays[index]);
        output::write(0, &[index as f64]);
        return invalid;
    }
    with_scene(scene, |scene| {
        let mut doubles = Vec::new();
        let n_doubles = HIT_NUMBERS * rays.len();
        if doubles.try_reserve_exact(n_doubles).is_err() {
            return fail_for_memory("hits", n_doubles * size_of::<f64>());
        }
        // Ray by ray: packets in scenes would be a tenth of the download.
        for ray in &rays {
            let hit = scene.closest_hit(ray, &options);
            doubles.extend(hit.as_ref().map_or(NO_HIT, numbers_of));
        }
        output::put_doubles(doubles);
        1
    })
}

/// The nearest point: distance, point, `u`, `v`, triangle, instance. 0 if there is none.
#[unsafe(no_mangle)]
#[rustfmt::skip]
extern "C" fn scene_closest_point(
    scene: u32, x: f64, y: f64, z: f64, max_distance: f64, layers: u32, flags: u32,
) -> u32 {
    with_scene(scene, |scene| {
        match scene.closest_point([x, y, z], max_distance, &query_options(0, 0, layers, flags)) {
            Some(found) => {
                let [px, py, pz] = found.point.to_array();
                let triangle = found.triangle.into();
                let instance = number_of(found.instance);
                let numbers = [found.distance, px, py, pz, found.u, found.v, triangle, instance];
                output::write(0, &numbers);
                1
            }
            None => 0,
        }
    })
}

/// The triangles that touch a ball: pairs of instance and triangle as f64. 1 and their number.
#[unsafe(no_mangle)]
#[rustfmt::skip]
extern "C" fn scene_overlap_sphere(
    scene: u32, x: f64, y: f64, z: f64, radius: f64, layers: u32, flags: u32,
) -> u32 {
    let region = WorldRegion::Sphere { center: [x, y, z].into(), radius };
    overlapping(scene, &region, layers, flags)
}

/// The triangles that touch the box of the numbers 0 to 5: pairs of instance and triangle as f64.
#[unsafe(no_mangle)]
extern "C" fn scene_overlap_box(scene: u32, layers: u32, flags: u32) -> u32 {
    let [x0, y0, z0, x1, y1, z1] = std::array::from_fn(output::read);
    let region = WorldRegion::Box(WorldBox::new([x0, y0, z0], [x1, y1, z1]));
    overlapping(scene, &region, layers, flags)
}

fn overlapping(scene: u32, region: &WorldRegion, layers: u32, flags: u32) -> u32 {
    with_scene(scene, |scene| {
        let mut triangles = Vec::new();
        let options = query_options(0, 0, layers, flags);
        scene.overlapping_into(region, &options, &mut triangles);
        output::write(0, &[triangles.len() as f64]);
        let pairs =
            triangles.iter().flat_map(|found| [number_of(found.instance), found.triangle.into()]);
        output::put_doubles(pairs.collect());
        1
    })
}
