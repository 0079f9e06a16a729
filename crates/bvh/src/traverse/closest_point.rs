//! From a point to the closest point of the surface: the traversal without a ray.

use glam::DVec3;
use hitscan_primitives::{TrianglePoint, closest_point_on_triangle};

use super::child_order::{KeyCodec, pop_within, push_hits};
use crate::{
    kernel::{Fast, NearTriangles, PointBound, limit_on_bound, unit_for},
    layout::{ChildRef, Tree, TriangleBlock},
    simd::{Kernel, Simd, Stack, StackMemory},
};

/// The first triangle by `(distance, triangle)` and its point closest to `from`, if that is within a
/// squared distance, all in the tree's space.
pub(crate) struct ClosestPoint<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) from: DVec3,
    pub(crate) max_distance_squared: f64,
}

impl Kernel for ClosestPoint<'_> {
    type Output = Option<(u32, TrianglePoint)>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self { tree, from, max_distance_squared } = self;
        let unit = unit_for(from, &tree.reach);
        let bound = PointBound::new(simd, from, unit);
        let keys = KeyCodec::new::<Fast>(simd, 0.0);
        let mut memory = StackMemory::new();
        let mut stack = Stack::new(&mut memory);
        let mut scratch = TriangleBlock::EMPTY;
        let mut search = Search {
            from,
            unit,
            max_distance_squared,
            limit: limit_on_bound(max_distance_squared, unit),
            closest: None,
        };
        let mut current = ChildRef::ROOT;
        while current != ChildRef::END {
            if current.is_leaf() {
                for index in current.blocks() {
                    let block = tree.leaves.block(index, &mut scratch);
                    search.search_block(simd, &bound, block);
                }
            } else {
                let node = &tree.nodes[current.node_index()];
                let children = bound.children(node, simd.splat(search.limit));
                push_hits(simd, &children, keys, simd.load_bits(&node.children), &mut stack);
            }
            current = pop_within(&mut stack, search.limit);
        }
        search.closest
    }
}

/// The closest point so far.
struct Search {
    from: DVec3,
    /// [`unit_for`] the point.
    unit: f64,
    /// The maximum squared distance that a next one may have.
    max_distance_squared: f64,
    /// The [limit](limit_on_bound) on its bound.
    limit: f32,
    closest: Option<(u32, TrianglePoint)>,
}

impl Search {
    /// Searches a block, the triangle with the smallest bound first.
    #[inline(always)]
    fn search_block<S: Simd>(&mut self, simd: S, bound: &PointBound<S>, block: &TriangleBlock) {
        let NearTriangles { mut mask, bounds } = bound.triangles(block, simd.splat(self.limit));
        while mask != 0 {
            let lane = simd.least_lane(simd.mask_from_bits(mask), bounds);
            mask &= !(1 << lane);
            let corners = block.corners_of(lane).map(|corner| corner.as_dvec3());
            if self.consider(block.triangles[lane], corners) {
                mask &= simd.movemask(simd.le(bounds, simd.splat(self.limit)));
            }
        }
    }

    /// Takes the closest point of a triangle if it comes first. Returns whether it does.
    #[inline(always)]
    fn consider(&mut self, triangle: u32, corners: [DVec3; 3]) -> bool {
        let found = closest_point_on_triangle(corners, self.from);
        let (distance, max) = (found.distance_squared, self.max_distance_squared);
        let comes_first = match self.closest {
            Some((other, _)) => distance < max || (distance == max && triangle < other),
            None => distance <= max,
        };
        if comes_first {
            self.max_distance_squared = distance;
            self.limit = limit_on_bound(distance, self.unit);
            self.closest = Some((triangle, found));
        }
        comes_first
    }
}
