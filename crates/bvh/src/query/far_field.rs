//! The far field of a surface: a few numbers for each cluster of triangles, and the error of taking them instead.
//!
//! After Barill, Dickson, Schmidt, Levin and Jacobson, "Fast Winding Numbers for Soups and Clouds" (2018): moments of a distant
//! cluster of triangles replace its triangles. They take two or three moments, and choose clusters by a ratio of distances. We
//! take four, and split the clusters with the largest proven errors until the sum of all errors is small enough. Two moments
//! and the same error for each cluster took four times as long for loose triangles, and fifteen times around a scan with holes.

use std::ops::Range;

use glam::DVec3;
use hitscan_primitives::WindingSum;

use super::{
    clusters::{Clusters, View},
    eight::{self, Eight, Positions},
    harmonics::{self, Harmonics},
    queue::{Cluster, Queue},
    surface::Surface,
};
use crate::{
    error_bounds::FAR_FIELD_ROUNDING,
    layout::{ChildRef, Tree, WideNode},
    platform::parallel,
    simd::{Kernel, LANES, Simd},
    widths::{BLOCK_WIDTH, MAX_LEAF_BLOCKS, NODE_WIDTH},
};

/// The moments of a surface, some 30 bytes per triangle.
#[derive(Clone, Debug)]
pub(super) struct FarField {
    pub(super) surface: Surface,
    /// Those of the children of each node.
    clusters: Vec<Clusters>,
}

/// The moments of clusters about their centers, those of a node's children.
#[derive(Clone, Copy)]
struct Moments {
    /// The means of their surfaces.
    centers: Positions,
    areas: Eight,
    harmonics: Harmonics,
}

impl FarField {
    /// Computes the moments. O(n log n), and most of it takes O(n).
    pub(super) fn new(surface: Surface) -> Self {
        let tree = &surface.bvh.tree;
        let isa = surface.bvh.isa;
        let mut moments = parallel::collect(tree.nodes.len(), |index| {
            isa.run(MomentsOfLeaves { surface: &surface, node: &tree.nodes[index] })
        });
        // Children have higher indices than their parents, so it goes backwards.
        for index in (0..tree.nodes.len()).rev() {
            for slot in tree.nodes[index].occupied() {
                let child = tree.nodes[index].child(slot);
                if !child.is_leaf() {
                    let (parents, children) = moments.split_at_mut(child.node_index());
                    isa.run(MomentsOfNode {
                        children: &children[0],
                        all: &mut parents[index],
                        slot,
                    });
                }
            }
        }
        let clusters = parallel::collect(tree.nodes.len(), |index| {
            let Moments { centers, areas, harmonics } = &moments[index];
            let mut clusters = Clusters::new(centers, harmonics);
            for slot in tree.nodes[index].occupied().filter(|&slot| areas.0[slot] > 0.0) {
                let center = eight::position(centers, slot);
                let (radius, spread) = extent(&surface, tree.nodes[index].child(slot), center);
                clusters.set_extent(slot, radius, spread);
            }
            clusters
        });
        Self { surface, clusters }
    }

    /// The winding number around a point in the tree's scaled space, and a bound on its difference from the sum over all
    /// triangles. A cluster with nearly the largest error gives way to its parts until number and bound are enough, or all triangles
    /// are summed. Rounding adds [`FAR_FIELD_ROUNDING`] per triangle.
    pub(super) fn winding_around(
        &self,
        from: DVec3,
        is_enough: impl Fn((f64, f64)) -> bool,
    ) -> (f64, f64) {
        let rounding = FAR_FIELD_ROUNDING * self.surface.bvh.n_triangles as f64;
        // A closed surface has no caps, and allocates nothing. Most searches need no more than this.
        let capacity = if self.clusters.is_empty() { 0 } else { 32 };
        let mut search = Search {
            field: self,
            from,
            near: WindingSum::default(),
            far: Queue::with_capacity(capacity),
            value: 0,
            error: 0,
        };
        if !self.clusters.is_empty() {
            search.split(ChildRef::ROOT);
        }
        loop {
            let error = number(search.error);
            let found = (search.near.winding_number() + number(search.value), error + rounding);
            // Below the rounding, parts of clusters gain nothing.
            if error <= rounding || is_enough(found) {
                return found;
            }
            let Some(cluster) = search.far.pop() else { return found };
            search.value -= units(cluster.value);
            search.error -= units(cluster.error);
            search.split(cluster.child);
        }
    }
}

/// A number in fixed point, so that sums are exact in any order.
fn units(number: f64) -> i128 {
    let units = number * UNITS;
    // Nearly all fit a machine word, whose conversion is one instruction.
    let word = units as i64;
    if word.unsigned_abs() < i64::MAX as u64 { i128::from(word) } else { units as i128 }
}

/// The inverse of [`units`].
fn number(units: i128) -> f64 {
    units as f64 / UNITS
}

const UNITS: f64 = (1u64 << 62) as f64;

/// The sum of a winding number.
struct Search<'a> {
    field: &'a FarField,
    from: DVec3,
    /// The sum over triangles.
    near: WindingSum,
    /// The clusters that stand for their triangles.
    far: Queue,
    /// The sum over these clusters, and the bound on its error, in [`units`].
    value: i128,
    error: i128,
}

impl Search<'_> {
    /// Adds the parts of a cluster: the triangles of a leaf, or the children of a node.
    fn split(&mut self, child: ChildRef) {
        let FarField { surface, clusters } = self.field;
        if child.is_leaf() {
            self.near.add_sum(surface.sum(child.blocks(), self.from));
            return;
        }
        let (node, clusters) =
            (&surface.bvh.tree.nodes[child.node_index()], &clusters[child.node_index()]);
        let seen = surface.bvh.isa.run(View { clusters, from: self.from });
        for slot in (0..NODE_WIDTH).filter(|&slot| clusters.solid >> slot & 1 == 1) {
            let (child, error) = (node.child(slot), seen.errors.0[slot]);
            // Where the distance is less than twice the radius, the rounding of the triangles could be larger, too. In this form a NaN
            // is rejected.
            if seen.ratios.0[slot] <= 0.5 && error <= MAX_ERROR {
                let cluster = Cluster { error, value: seen.values.0[slot], child };
                self.value += units(cluster.value);
                self.error += units(cluster.error);
                self.far.push(cluster);
            } else {
                self.split(child);
            }
        }
    }
}

/// The largest error of a cluster; all sums of such errors fit [`units`].
const MAX_ERROR: f64 = 1e9;

impl Moments {
    /// Those of no triangles.
    const ZERO: Self =
        Self { centers: [Eight::ZERO; 3], areas: Eight::ZERO, harmonics: harmonics::ZERO };

    /// Adds moments about the center of a slot, lane by lane.
    fn add(&mut self, slot: usize, harmonics: &Harmonics) {
        for (sums, values) in self.harmonics.iter_mut().zip(harmonics) {
            for (sum, value) in sums.iter_mut().zip(values) {
                sum.0[slot] += value.sum();
            }
        }
    }
}

/// The computation of the moments of a node's leaves.
struct MomentsOfLeaves<'a> {
    surface: &'a Surface,
    node: &'a WideNode,
}

impl Kernel for MomentsOfLeaves<'_> {
    type Output = Moments;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Moments {
        let Surface { bvh, copies } = self.surface;
        let mut all = Moments::ZERO;
        let mut triangles = Vec::with_capacity(MAX_LEAF_BLOCKS * BLOCK_WIDTH);
        let slots = self.node.occupied().filter(|&slot| self.node.child(slot).is_leaf());
        for slot in slots {
            triangles.clear();
            let blocks = self.node.child(slot).blocks();
            copies.each_triangle(&bvh.tree.leaves, blocks, |corners| triangles.push(corners));
            let (mut area, mut center) = (0.0, DVec3::ZERO);
            for [a, b, c] in &triangles {
                let share = 0.5 * (b - a).cross(c - a).length();
                area += share;
                center += share * ((a + b + c) / 3.0);
            }
            if area == 0.0 {
                continue;
            }
            center /= area;
            all.areas.0[slot] = area;
            eight::set_position(&mut all.centers, slot, center);
            for chunk in triangles.chunks(LANES) {
                // Lanes without a triangle have one without area.
                let mut corners = [[Eight::ZERO; 3]; 3];
                for (lane, triangle) in chunk.iter().enumerate() {
                    for (positions, corner) in corners.iter_mut().zip(triangle) {
                        eight::set_position(positions, lane, corner - center);
                    }
                }
                all.add(slot, &harmonics::of_triangles(corners));
            }
        }
        all
    }
}

/// The computation of the moments of a node in its parent's slot.
struct MomentsOfNode<'a> {
    children: &'a Moments,
    all: &'a mut Moments,
    slot: usize,
}

impl Kernel for MomentsOfNode<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { children, all, slot } = self;
        let area = children.areas.sum();
        if area == 0.0 {
            return;
        }
        let center = children.centers.map(|lanes| (lanes * children.areas).sum() / area);
        all.areas.0[slot] = area;
        eight::set_position(&mut all.centers, slot, DVec3::from_array(center));
        let offsets = eight::minus(children.centers, center.map(Eight::splat));
        all.add(slot, &harmonics::translated(&children.harmonics, offsets));
    }
}

/// The radius of the triangles below a child around a center, and the integral of the fourth power of the distance from
/// it. Both rounded up.
fn extent(surface: &Surface, child: ChildRef, center: DVec3) -> (f64, f64) {
    let (mut square, mut spread) = (0f64, 0.0);
    each_leaf(&surface.bvh.tree, child, &mut |blocks| {
        surface.copies.each_triangle(&surface.bvh.tree.leaves, blocks, |[a, b, c]| {
            let area = 0.5 * (b - a).cross(c - a).length();
            let squares = [a, b, c].map(|corner| corner.distance_squared(center));
            square = squares.into_iter().fold(square, f64::max);
            // The power is convex, so its mean over the triangle is at most that over the corners.
            spread += area / 3.0 * squares.map(|square| square * square).iter().sum::<f64>();
        });
    });
    (1.000_001 * square.sqrt(), 1.000_001 * spread)
}

/// Calls `f` with the blocks of each leaf below a child.
fn each_leaf(tree: &Tree, child: ChildRef, f: &mut impl FnMut(Range<usize>)) {
    if child.is_leaf() {
        return f(child.blocks());
    }
    let node = &tree.nodes[child.node_index()];
    node.occupied().for_each(|slot| each_leaf(tree, node.child(slot), f));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hitscan_primitives::{TriMesh, generate::SplitMix64, glam::Vec3};

    use super::*;
    use crate::{BuildOptions, Isa, MeshBvh};

    /// A place in a cube.
    fn anywhere(random: &mut SplitMix64) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| random.range(-1.0, 1.0)))
    }

    /// Loose triangles of all sizes in a cube.
    fn loose(random: &mut SplitMix64, n: u32) -> TriMesh {
        let place = |random: &mut SplitMix64, center: Vec3, size: f32| {
            center + size * anywhere(random).as_vec3()
        };
        let mut positions = Vec::new();
        for triangle in 0..n {
            let center = anywhere(random).as_vec3();
            let size = 0.2 / (1 + triangle % 7) as f32;
            positions.extend([(); 3].map(|()| place(random, center, size)));
        }
        let triangles = (0..n).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner));
        TriMesh::from_vecs(positions, triangles.collect()).expect("valid")
    }

    #[test]
    fn a_cluster_differs_from_its_triangles_by_less_than_its_bound() {
        let mut random = SplitMix64::new(50);
        let bvh = MeshBvh::build(&loose(&mut random, 2000), &BuildOptions::default());
        let field = FarField::new(Surface::new(Arc::new(bvh)));
        let tree = &field.surface.bvh.tree;
        // The largest share of the bound that an error takes, near a cluster and far from it.
        let (mut n, mut largest) = (0, [0f64; 2]);
        for (index, clusters) in field.clusters.iter().enumerate() {
            for slot in tree.nodes[index].occupied() {
                let far = n % 2;
                let direction = anywhere(&mut random);
                let (center, radius) = clusters.ball(slot);
                let from = center + [2.01, 20.0][far] * radius * direction.normalize();
                let mut exact = WindingSum::default();
                each_leaf(tree, tree.nodes[index].child(slot), &mut |blocks| {
                    exact.add_sum(field.surface.sum(blocks, from));
                });
                let views =
                    Isa::available().into_iter().map(|isa| isa.run(View { clusters, from }));
                let seen: Vec<[u64; 3]> = views
                    .map(|seen| {
                        [seen.values, seen.errors, seen.ratios].map(|lanes| lanes.0[slot].to_bits())
                    })
                    .collect();
                assert!(seen.iter().all(|other| *other == seen[0]), "{index}, {slot}");
                let [value, error, ratio] = seen[0].map(f64::from_bits);
                assert!(ratio <= 0.5, "{ratio}");
                let share = (value - exact.winding_number()).abs() / error;
                largest[far] = largest[far].max(share);
                n += 1;
            }
        }
        assert!(n > 200, "{n}");
        assert!(largest.iter().all(|share| (0.001..1.0).contains(share)), "{largest:?}");
    }
}
