//! The far field of a surface: a few numbers for each cluster of triangles, and the error of taking them instead.
//!
//! After Barill, Dickson, Schmidt, Levin and Jacobson, "Fast Winding Numbers for Soups and Clouds" (2018): the first two
//! moments of a distant cluster of triangles replace its triangles. They choose clusters by a ratio of distances. We
//! choose by a proven bound on the error. Each cluster may have the same error, which took a fifth of the time of a share by
//! its area.

use std::{f64::consts::PI, ops::Range, sync::Arc};

use glam::{DMat3, DVec3};
use hitscan_primitives::{WindingSum, solid_angle};

use super::copies::{BLOCKS_OF_TASK, Copies};
use crate::{
    error_bounds::FAR_FIELD_ROUNDING,
    layout::{ChildRef, Leaves},
    mesh_bvh::MeshBvh,
    platform::parallel,
    widths::NODE_WIDTH,
};

/// The triangles of a tree, each once.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    pub(super) bvh: Arc<MeshBvh>,
    pub(super) copies: Copies,
}

impl Surface {
    pub(super) fn new(bvh: Arc<MeshBvh>) -> Self {
        let copies = Copies::of(&bvh.tree);
        Self { bvh, copies }
    }

    /// The winding number around a point in the tree's scaled space, by its definition.
    pub(super) fn winding_sum(&self, from: DVec3) -> WindingSum {
        let sums = parallel::map_chunks(self.bvh.tree.leaves.len(), BLOCKS_OF_TASK, |blocks| {
            self.sum(blocks, from)
        });
        let mut total = WindingSum::default();
        sums.into_iter().for_each(|sum| total.add_sum(sum));
        total
    }

    /// The sum of squares of the longest edges of the triangles, rounded up. In the tree's scaled space.
    pub(super) fn sum_of_squares(&self) -> f64 {
        let leaves = &self.bvh.tree.leaves;
        let sums = parallel::map_chunks(leaves.len(), BLOCKS_OF_TASK, |blocks| {
            let mut sum = 0.0;
            self.copies.each_triangle(leaves, blocks, |[a, b, c]| {
                let edges = [a - b, b - c, c - a].map(DVec3::length_squared);
                sum += edges[0].max(edges[1]).max(edges[2]);
            });
            sum
        });
        1.000_001 * sums.into_iter().sum::<f64>()
    }

    /// The winding number of the triangles of some blocks.
    fn sum(&self, blocks: Range<usize>, from: DVec3) -> WindingSum {
        let mut sum = WindingSum::default();
        self.copies.each_triangle(&self.bvh.tree.leaves, blocks, |corners| {
            sum.add_solid_angle(solid_angle(corners, from));
        });
        sum
    }
}

/// The moments of a surface, some 20 bytes per triangle.
#[derive(Clone, Debug)]
pub(super) struct FarField {
    pub(super) surface: Surface,
    /// Per node, the moments of its children.
    moments: Vec<[Moments; NODE_WIDTH]>,
}

/// The far field of a cluster of triangles.
#[derive(Clone, Copy, Debug)]
struct Moments {
    /// The mean of the surface.
    center: DVec3,
    /// The maximum distance of the cluster from the center.
    radius: f64,
    area: f64,
    /// The sum of all normals, each as long as its triangle's area.
    normal: DVec3,
    /// The sum of products of positions, relative to the center, and normals. Only its symmetric part is
    /// kept, because the other part adds nothing.
    spread: DMat3,
}

impl FarField {
    /// Computes the moments. O(n).
    pub(super) fn new(surface: Surface) -> Self {
        let tree = &surface.bvh.tree;
        let mut moments = parallel::collect(tree.nodes.len(), |index| {
            let mut moments = [Moments::ZERO; NODE_WIDTH];
            for slot in tree.nodes[index].occupied() {
                let child = tree.nodes[index].child(slot);
                if child.is_leaf() {
                    moments[slot] =
                        Moments::of_triangles(&surface.copies, &tree.leaves, child.blocks());
                }
            }
            moments
        });
        // Children have higher indices than their parents, so it goes backwards.
        for index in (0..tree.nodes.len()).rev() {
            for slot in tree.nodes[index].occupied() {
                let child = tree.nodes[index].child(slot);
                if !child.is_leaf() {
                    moments[index][slot] = Moments::of_clusters(&moments[child.node_index()]);
                }
            }
        }
        Self { surface, moments }
    }

    /// The winding number around a point in the tree's scaled space, and a bound on its difference from the sum over all
    /// triangles. Moments replace the clusters whose error is at most `tolerance`, and rounding adds
    /// [`FAR_FIELD_ROUNDING`] per triangle.
    pub(super) fn winding_around(&self, from: DVec3, tolerance: f64) -> (f64, f64) {
        let near = WindingSum::default();
        // Finite, because the error of a near cluster is infinite.
        let tolerance = tolerance.min(f64::MAX);
        let mut search = Search { field: self, from, tolerance, near, far: 0.0, error: 0.0 };
        if !self.moments.is_empty() {
            search.add_node(ChildRef::ROOT.node_index());
        }
        let rounding = FAR_FIELD_ROUNDING * self.surface.bvh.n_triangles as f64;
        (search.near.winding_number() + search.far, search.error + rounding)
    }

    /// [`winding_around`](Self::winding_around) with a bound of at most `max_error`, if that takes few tries.
    pub(super) fn winding_within(&self, from: DVec3, max_error: f64) -> Option<(f64, f64)> {
        let mut tolerance = max_error / 16.0;
        for _ in 0..3 {
            let (value, error) = self.winding_around(from, tolerance);
            if error <= max_error {
                return Some((value, error));
            }
            // With a smaller tolerance, more clusters have errors.
            tolerance *= 0.25 * max_error / error;
        }
        None
    }
}

/// The sum of a winding number.
struct Search<'a> {
    field: &'a FarField,
    from: DVec3,
    /// The error that a cluster may have.
    tolerance: f64,
    /// The sum over triangles.
    near: WindingSum,
    /// The sum over clusters.
    far: f64,
    /// The bound on the error of `far`.
    error: f64,
}

impl Search<'_> {
    fn add_node(&mut self, index: usize) {
        let FarField { surface, moments, .. } = self.field;
        let node = &surface.bvh.tree.nodes[index];
        for slot in node.occupied() {
            let moments = &moments[index][slot];
            let error = moments.error_from(self.from);
            if error <= self.tolerance {
                self.far += moments.winding_around(self.from);
                self.error += error;
                continue;
            }
            let child = node.child(slot);
            if child.is_leaf() {
                self.near.add_sum(surface.sum(child.blocks(), self.from));
            } else {
                self.add_node(child.node_index());
            }
        }
    }
}

impl Moments {
    /// Those of no triangles.
    const ZERO: Self = Self {
        center: DVec3::ZERO,
        radius: 0.0,
        area: 0.0,
        normal: DVec3::ZERO,
        // Not the default of a matrix, which is the identity.
        spread: DMat3::ZERO,
    };

    fn of_triangles(copies: &Copies, leaves: &Leaves, blocks: Range<usize>) -> Self {
        let mut all = Self::ZERO;
        copies.each_triangle(leaves, blocks.clone(), |[a, b, c]| {
            let normal = 0.5 * (b - a).cross(c - a);
            all.area += normal.length();
            all.normal += normal;
            all.center += normal.length() * ((a + b + c) / 3.0);
        });
        if all.area > 0.0 {
            all.center /= all.area;
        }
        copies.each_triangle(leaves, blocks, |corners| {
            let [a, b, c] = corners.map(|corner| corner - all.center);
            all.add_spread((a + b + c) / 3.0, 0.5 * (b - a).cross(c - a));
            all.radius = all.radius.max(a.length()).max(b.length()).max(c.length());
        });
        all
    }

    fn of_clusters(clusters: &[Self; NODE_WIDTH]) -> Self {
        let mut all = Self::ZERO;
        for cluster in clusters {
            all.area += cluster.area;
            all.normal += cluster.normal;
            all.center += cluster.area * cluster.center;
        }
        if all.area > 0.0 {
            all.center /= all.area;
        }
        for cluster in clusters.iter().filter(|cluster| cluster.area > 0.0) {
            let to_cluster = cluster.center - all.center;
            all.spread += cluster.spread;
            all.add_spread(to_cluster, cluster.normal);
            all.radius = all.radius.max(to_cluster.length() + cluster.radius);
        }
        all
    }

    fn add_spread(&mut self, position: DVec3, normal: DVec3) {
        let product =
            DMat3::from_cols(position * normal.x, position * normal.y, position * normal.z);
        self.spread += 0.5 * (product + product.transpose());
    }

    /// The bound on the error of [`winding_around`](Self::winding_around).
    ///
    /// The winding number of a piece of surface is its normal times the gradient of the potential
    /// 1 / distance. Seen from the center of the cluster, that potential is a sum of solid harmonics
    /// whose gradients are at most k p^(k-1) / d^2 for k = 1, 2, ..., with p the ratio of the radius to
    /// the distance d (a Legendre polynomial of degree k is a trigonometric one, at most 1; its
    /// derivative is bounded by the inequality of Bernstein and Szegő). The two moments are the terms
    /// up to k = 2; the rest adds up to (3 p^2 - 2 p^3) / (1 - p)^2 / d^2.
    fn error_from(&self, from: DVec3) -> f64 {
        if self.area == 0.0 {
            return 0.0;
        }
        let distance_squared = self.center.distance_squared(from);
        // Slightly more than the radius covers its rounding.
        let p = 1.000_001 * self.radius / distance_squared.sqrt();
        // Where p is larger, the rounding of the triangles could be, too. In this form a NaN is rejected.
        if p <= 0.5 {
            let rest = p * p * (3.0 - 2.0 * p) / ((1.0 - p) * (1.0 - p));
            self.area / (4.0 * PI * distance_squared) * rest
        } else {
            f64::INFINITY
        }
    }

    /// The winding number of the cluster by its moments. Not for a point at its center.
    fn winding_around(&self, from: DVec3) -> f64 {
        if self.area == 0.0 {
            return 0.0;
        }
        let to_center = self.center - from;
        let distance = to_center.length();
        let unit = to_center / distance;
        let trace = self.spread.x_axis.x + self.spread.y_axis.y + self.spread.z_axis.z;
        let second = (trace - 3.0 * unit.dot(self.spread * unit)) / distance;
        (self.normal.dot(unit) + second) / (4.0 * PI * distance * distance)
    }
}
