//! Winding numbers by the tree: whether a point is inside, also of a surface with holes.
//!
//! What is far away is summed as one, after Barill, Dickson, Schmidt, Levin and Jacobson, "Fast
//! Winding Numbers for Soups and Clouds" (2018): a cluster of triangles acts as its first two moments
//! do. Where they choose by a ratio of distances, we choose by a bound on the error, which is proven,
//! added up, and decides whether "inside" may be told from it.

use std::{f64::consts::PI, ops::Range, sync::Arc};

use glam::{DMat3, DVec3, Vec3};
use hitscan_primitives::{WindingSum, solid_angle};

use crate::{
    MeshBvh, parallel,
    visit::triangles_of,
    wide::{ChildRef, Leaves},
};

/// A mesh that knows its inside: winding numbers and signed distances in O(log n).
///
/// It holds moments for every node besides the hierarchy itself, so it is made only where it is
/// needed: about 20 bytes per triangle. The winding number is 1 inside of a closed surface whose front
/// is outside and 0 outside of it. Around a surface with holes, flipped or doubled parts it is in
/// between or beyond, and inside is where it is greater than 1/2.
///
/// ```
/// use std::sync::Arc;
///
/// use hitscan_bvh::{BuildOptions, MeshBvh, WindingTree};
/// use hitscan_primitives::generate;
///
/// let mesh = generate::sphere(1.0, 2000)?;
/// let tree = WindingTree::new(Arc::new(MeshBvh::build(&mesh, &BuildOptions::default())));
/// assert!(tree.is_inside([0.5, 0.3, -0.6]) && !tree.is_inside([0.7, 0.7, -0.6]));
/// let distance = tree.signed_distance([0.0, 0.0, 0.25]).expect("there is a surface");
/// assert!((distance + 0.75).abs() < 0.01);
/// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct WindingTree {
    bvh: Arc<MeshBvh>,
    /// Per node, the moments of its children.
    moments: Vec<[Moments; 8]>,
}

/// A winding number by a [`WindingTree`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindingNumber {
    /// The number, in general near a whole one.
    pub value: f64,
    /// How far it is at most from that of
    /// [`brute_force::winding_number`](hitscan_primitives::brute_force::winding_number). The actual
    /// error is some ten times less as a rule.
    pub max_error: f64,
}

/// What a cluster of triangles looks like from afar.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    /// The mean of the surface.
    center: DVec3,
    /// All of the cluster is within this distance from the center.
    radius: f64,
    area: f64,
    /// The sum of all normals, each as long as its triangle's area.
    normal: DVec3,
    /// The sum of the products of places, seen from the center, and normals; made symmetric, which is
    /// all that matters.
    spread: DMat3,
}

/// The tolerances by which [`WindingTree::is_inside`] tries before it sums up all triangles. The first
/// is enough for every point not on a closed surface of a million triangles; the others save the sum
/// for points around surfaces with holes. 1e-2 was tried before it, and decided too few to pay.
const TOLERANCES: [f64; 3] = [3e-3, 1e-4, 1e-6];

/// What rounding may add to the error, per triangle.
const ROUNDING: f64 = 1e-14;

impl WindingTree {
    /// The tree of moments over a hierarchy. O(n).
    pub fn new(bvh: Arc<MeshBvh>) -> Self {
        let mut moments = parallel::collect(bvh.nodes.len(), |index| {
            let mut moments = [Moments::default(); 8];
            for place in bvh.nodes[index].occupied() {
                let child = bvh.nodes[index].child(place);
                if child.is_leaf() {
                    moments[place] = Moments::of_triangles(&bvh.leaves, child.blocks());
                }
            }
            moments
        });
        // Children have higher numbers than their parents, so the last node comes first.
        for index in (0..bvh.nodes.len()).rev() {
            for place in bvh.nodes[index].occupied() {
                let child = bvh.nodes[index].child(place);
                if !child.is_leaf() {
                    moments[index][place] = Moments::of_clusters(&moments[child.node_index()]);
                }
            }
        }
        Self { bvh, moments }
    }

    /// The hierarchy.
    pub fn bvh(&self) -> &Arc<MeshBvh> {
        &self.bvh
    }

    /// The winding number of the surface around `point`, in the mesh's own space. 0 for a point that is
    /// not finite.
    ///
    /// Clusters whose error is at most `tolerance` are summed as one: 1e-3 is good for most uses, 0
    /// sums up all triangles. On the surface itself the number jumps, and is the mean of both sides.
    pub fn winding_number(&self, point: impl Into<[f32; 3]>, tolerance: f64) -> WindingNumber {
        let point = Vec3::from_array(point.into());
        if !point.is_finite() {
            return WindingNumber { value: 0.0, max_error: 0.0 };
        }
        self.winding_around(self.scaled(point), tolerance)
    }

    /// Whether the winding number around `point` is greater than 1/2: for a closed surface, whether
    /// the point is inside. `false` for a point that is not finite.
    ///
    /// The answer is that of
    /// [`brute_force::is_inside`](hitscan_primitives::brute_force::is_inside), whatever the tree:
    /// where the number cannot be told from 1/2, all triangles are summed up. That happens on the
    /// surface, and for points around a surface with holes where the winding number is near 1/2.
    pub fn is_inside(&self, point: impl Into<[f32; 3]>) -> bool {
        let point = Vec3::from_array(point.into());
        if !point.is_finite() {
            return false;
        }
        let from = self.scaled(point);
        for tolerance in TOLERANCES {
            let WindingNumber { value, max_error } = self.winding_around(from, tolerance);
            if (value - 0.5).abs() > max_error {
                return value > 0.5;
            }
        }
        let leaves = &self.bvh.leaves;
        let sums = parallel::map_chunks(leaves.len(), 1024, |blocks| sum(leaves, blocks, from));
        let mut total = WindingSum::default();
        sums.into_iter().for_each(|sum| total.add_sum(sum));
        total.is_inside()
    }

    /// The distance of `point` from the surface, in the mesh's own space: negative where
    /// [`is_inside`](Self::is_inside), never -0.0. `None` for a mesh without surface, and for a point
    /// that is not finite.
    pub fn signed_distance(&self, point: impl Into<[f32; 3]>) -> Option<f64> {
        let point = point.into();
        let distance = self.bvh.closest_point(point, f64::INFINITY)?.distance;
        Some(if distance > 0.0 && self.is_inside(point) { -distance } else { distance })
    }

    fn scaled(&self, point: Vec3) -> DVec3 {
        point.as_dvec3() * self.bvh.scale
    }

    /// The winding number around a point in the tree's scaled space.
    fn winding_around(&self, from: DVec3, tolerance: f64) -> WindingNumber {
        let mut search = Search {
            tree: self,
            from,
            tolerance,
            near: WindingSum::default(),
            far: 0.0,
            error: 0.0,
        };
        search.add_node(ChildRef::ROOT.node_index());
        let rounding = ROUNDING * self.bvh.n_triangles as f64;
        WindingNumber {
            value: search.near.winding_number() + search.far,
            max_error: search.error + rounding,
        }
    }
}

/// A winding number on its way.
struct Search<'a> {
    tree: &'a WindingTree,
    from: DVec3,
    tolerance: f64,
    /// The part that was summed by triangles.
    near: WindingSum,
    /// The part that was summed by clusters.
    far: f64,
    /// The most by which that part is wrong.
    error: f64,
}

impl Search<'_> {
    fn add_node(&mut self, index: usize) {
        let (node, moments) = (&self.tree.bvh.nodes[index], &self.tree.moments[index]);
        for place in node.occupied() {
            let error = moments[place].error_from(self.from);
            if error <= self.tolerance {
                self.far += moments[place].winding_around(self.from);
                self.error += error;
                continue;
            }
            let child = node.child(place);
            if child.is_leaf() {
                self.near.add_sum(sum(&self.tree.bvh.leaves, child.blocks(), self.from));
            } else {
                self.add_node(child.node_index());
            }
        }
    }
}

/// The winding number of the triangles of some blocks.
fn sum(leaves: &Leaves, blocks: Range<usize>, from: DVec3) -> WindingSum {
    let mut sum = WindingSum::default();
    leaves.each_block(blocks, |block| {
        for (_, _, corners) in triangles_of(block) {
            sum.add_solid_angle(solid_angle(corners, from));
        }
    });
    sum
}

impl Moments {
    fn of_triangles(leaves: &Leaves, blocks: Range<usize>) -> Self {
        let mut all = Self::default();
        leaves.each_block(blocks.clone(), |block| {
            for (_, _, [a, b, c]) in triangles_of(block) {
                let normal = 0.5 * (b - a).cross(c - a);
                all.area += normal.length();
                all.normal += normal;
                all.center += normal.length() * ((a + b + c) / 3.0);
            }
        });
        if all.area > 0.0 {
            all.center /= all.area;
        }
        leaves.each_block(blocks, |block| {
            for (_, _, corners) in triangles_of(block) {
                let [a, b, c] = corners.map(|corner| corner - all.center);
                all.add_spread((a + b + c) / 3.0, 0.5 * (b - a).cross(c - a));
                all.radius = all.radius.max(a.length()).max(b.length()).max(c.length());
            }
        });
        all
    }

    fn of_clusters(clusters: &[Self; 8]) -> Self {
        let mut all = Self::default();
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

    fn add_spread(&mut self, place: DVec3, normal: DVec3) {
        let product = DMat3::from_cols(place * normal.x, place * normal.y, place * normal.z);
        self.spread += 0.5 * (product + product.transpose());
    }

    /// The most by which [`winding_around`](Self::winding_around) is wrong.
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
        // A hair more than the radius covers its own rounding.
        let p = 1.000_001 * self.radius / distance_squared.sqrt();
        // In this form a NaN is rejected.
        if p < 1.0 {
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
