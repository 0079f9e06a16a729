//! Inside and outside of a mesh, by winding numbers.

use hitscan_bvh::{WindingNumber, WindingTree};
use hitscan_primitives::glam::Vec3;

use crate::{
    failure::fail_for_memory,
    objects::with_built,
    output,
    staging::{self, POINTS_AT_ONCE},
};

/// For each staged position, which is relative to the offset: 1 inside, 0 outside. 1, or 0 without memory.
#[unsafe(no_mangle)]
extern "C" fn bvh_are_inside(bvh: u32) -> u32 {
    each(bvh, WindingTree::is_inside_batch, |&inside: &bool| u8::from(inside).into())
}

/// The distances of the staged positions from the surface, negative inside; NaN for a mesh without triangles. 1, or 0
/// without memory.
#[unsafe(no_mangle)]
extern "C" fn bvh_signed_distances(bvh: u32) -> u32 {
    each(bvh, WindingTree::signed_distance_batch, |found: &Option<f64>| found.unwrap_or(f64::NAN))
}

/// The winding numbers around the staged positions, wrong by at most `tolerance`. 1, or 0 without memory.
#[unsafe(no_mangle)]
extern "C" fn bvh_winding_numbers(bvh: u32, tolerance: f64) -> u32 {
    let answer = |tree: &WindingTree, points: &[Vec3], found: &mut [WindingNumber]| {
        tree.winding_number_batch(points, tolerance, found);
    };
    each(bvh, answer, |found| found.value)
}

/// Answers the staged positions by `answer`, a query of many points, and stores its answers as numbers.
fn each<A: Clone + Default>(
    bvh: u32,
    answer: impl Fn(&WindingTree, &[Vec3], &mut [A]),
    number: impl Fn(&A) -> f64,
) -> u32 {
    let points = staging::positions();
    with_built(bvh, |mesh| {
        let mut numbers = Vec::new();
        if numbers.try_reserve_exact(points.len()).is_err() {
            return fail_for_memory("points", points.len() * size_of::<f64>());
        }
        let mut found = vec![A::default(); POINTS_AT_ONCE.min(points.len())];
        for points in points.chunks(POINTS_AT_ONCE) {
            let found = &mut found[..points.len()];
            answer(mesh.winding_tree(), points, found);
            numbers.extend(found.iter().map(&number));
        }
        output::put_doubles(numbers);
        1
    })
}
