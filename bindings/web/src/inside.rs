//! Inside and outside of a mesh, by winding numbers.

use hitscan_scene::Mesh;

use crate::{failure::fail_for_memory, objects::with_built, output, staging};

/// For each staged position, which is relative to the offset: 1 inside, 0 outside. 1, or 0 without memory.
#[unsafe(no_mangle)]
extern "C" fn bvh_are_inside(bvh: u32) -> u32 {
    each(bvh, |mesh, point| u8::from(mesh.winding_tree().is_inside(point)).into())
}

/// The distances of the staged positions from the surface, negative inside; NaN for a mesh without triangles. 1, or 0
/// without memory.
#[unsafe(no_mangle)]
extern "C" fn bvh_signed_distances(bvh: u32) -> u32 {
    each(bvh, |mesh, point| mesh.winding_tree().signed_distance(point).unwrap_or(f64::NAN))
}

/// The winding numbers around the staged positions, wrong by at most `tolerance`. 1, or 0 without memory.
#[unsafe(no_mangle)]
extern "C" fn bvh_winding_numbers(bvh: u32, tolerance: f64) -> u32 {
    each(bvh, |mesh, point| mesh.winding_tree().winding_number(point, tolerance).value)
}

fn each(bvh: u32, number: impl Fn(&Mesh, [f32; 3]) -> f64) -> u32 {
    let points = staging::positions();
    with_built(bvh, |mesh| {
        let mut numbers = Vec::new();
        if numbers.try_reserve_exact(points.len()).is_err() {
            return fail_for_memory("points", points.len() * size_of::<f64>());
        }
        numbers.extend(points.iter().map(|point| number(mesh, point.to_array())));
        output::put_doubles(numbers);
        1
    })
}
