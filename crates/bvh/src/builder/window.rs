//! The space in which a tree takes shape, if some boxes lie absurdly far from the others.

use glam::Vec3A;

use super::{binary_tree::PreorderTree, box_source::BoxSource};
use crate::box3::Box3;

/// Space in which distances from zero beyond a radius grow with their logarithm only.
///
/// By the surface area heuristic a triangle that is a million times as large as the others gets all rays, and the others share one
/// child of the root. Areas beside it round away, and beyond 2^60 they leave the range of f32. So the builder decides as
/// if far boxes were as near as their magnitude. The map is monotone on each axis: boxes remain boxes, and keep their order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// One over the radius.
    scale: f32,
}

/// The least ratio of the largest coordinate to the radius at which the window is used. In ordinary meshes it
/// is below 10.
const LEAST_RATIO: f32 = 64.0;

/// The size of an octave. With 1, rays to a sphere beside twelve triangles at 1e30 take 1.12 times the tests.
const OCTAVE: f32 = 0.25;

/// The number of boxes that are looked at.
const SAMPLE: usize = 1 << 12;

/// One in so many boxes is nearer to zero than half of the radius.
const NEAR_SHARE: usize = 16;

impl Window {
    /// The window for some boxes; `None` if the space as it is serves as well.
    pub(crate) fn of(source: BoxSource<'_>) -> Option<Self> {
        let stride = source.n.div_ceil(SAMPLE).max(1);
        let sample: Vec<u32> = (0..source.n).step_by(stride).map(|i| i as u32).collect();
        let boxes = source.of_each(&sample);
        let mut distances: Vec<f32> =
            boxes.iter().map(Box3::reach).filter(|&reach| reach > 0.0).collect();
        if distances.is_empty() {
            return None;
        }
        let near = distances.len() / NEAR_SHARE;
        let radius = 2.0 * *distances.select_nth_unstable_by(near, f32::total_cmp).1;
        let scale = 1.0 / radius;
        let is_needed = source.max_abs > LEAST_RATIO * radius && scale.is_finite();
        is_needed.then_some(Self { scale })
    }

    /// A box in the window's space.
    #[inline]
    pub(crate) fn map(&self, one: Box3) -> Box3 {
        let scaled = Box3 { min: one.min * self.scale, max: one.max * self.scale };
        // Most boxes. One comparison of all coordinates is much faster than one of each.
        if (-scaled.min).max(scaled.max).cmple(Vec3A::ONE).all() {
            return scaled;
        }
        let near = |x: f32| if x.abs() <= 1.0 { x } else { logarithm(x) };
        let corner = |corner: Vec3A| Vec3A::from_array(corner.to_array().map(near));
        Box3 { min: corner(scaled.min), max: corner(scaled.max) }
    }
}

/// A monotone function that is `x` up to 1 in absolute value, and grows by [`OCTAVE`] from each power of two to the next.
#[inline]
fn logarithm(x: f32) -> f32 {
    let above_one = x.abs().min(f32::MAX).to_bits() - 1f32.to_bits();
    (1.0 + OCTAVE * (above_one as f32 / (1 << 23) as f32)).copysign(x)
}

impl PreorderTree {
    /// The boxes of all nodes in the space of the source.
    pub(super) fn boxes_of(&self, source: BoxSource<'_>) -> Vec<Box3> {
        let mut boxes = vec![Box3::EMPTY; self.nodes.len()];
        let mut buffer = [Box3::EMPTY; BoxSource::BATCH];
        // Children stand behind their parents.
        for node in (0..self.nodes.len()).rev() {
            boxes[node] = match self.children(node as u32) {
                Some(children) => children
                    .into_iter()
                    .fold(Box3::EMPTY, |all, child| all.union(boxes[child as usize])),
                None => {
                    let leaf = self.nodes[node].first as usize;
                    let prims = &self.order[leaf..leaf + self.nodes[node].n_prims as usize];
                    let mut all = Box3::EMPTY;
                    for prims in prims.chunks(BoxSource::BATCH) {
                        let buffer = &mut buffer[..prims.len()];
                        (source.write)(prims, buffer);
                        all = buffer.iter().fold(all, |all, one| all.union(*one));
                    }
                    all
                }
            };
        }
        boxes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_is_monotone_and_leaves_boxes_near_zero_in_proportion() {
        let window = Window { scale: 0.5 };
        let at = |x: f32| window.map(Box3 { min: Vec3A::splat(x), max: Vec3A::splat(x) }).min.x;
        assert_eq!([at(-2.0), at(0.0), at(3.0), at(8.0)], [-1.0, 0.0, 1.125, 1.5]);
        let mut last = f32::NEG_INFINITY;
        for exponent in -127..=120 {
            let mapped = at(-(-exponent as f32).exp2());
            assert!(last < mapped && mapped > -50.0, "2^{exponent}");
            last = mapped;
        }
        assert!(at(f32::MAX) < 50.0 && at(1e30) < at(1.0001e30));
    }
}
