//! Winding numbers by the tree: whether a point is inside, also of a surface with holes.
//!
//! After Barill, Dickson, Schmidt, Levin and Jacobson, "Fast Winding Numbers for Soups and Clouds"
//! (2018): the first two moments of a distant cluster of triangles replace its triangles. They choose
//! clusters by a ratio of distances. We choose by a proven bound on the error. The sum of these bounds
//! decides whether the number settles "inside".

use std::{f64::consts::PI, ops::Range, sync::Arc};

use glam::{DMat3, DVec3, Vec3};
use hitscan_primitives::{Faces, MAX_WINDING_COORDINATE, Ray, WindingSum, solid_angle};

use super::{
    closed_surface::is_closed,
    copies::{BLOCKS_OF_TASK, Copies},
};

use crate::{
    error_bounds::CROSSING_CLEARANCE,
    layout::{ChildRef, Leaves},
    mesh_bvh::MeshBvh,
    platform::parallel,
    widths::NODE_WIDTH,
};

/// Winding numbers and signed distances of a mesh, in O(log n).
///
/// It holds moments for every node besides the hierarchy itself, about 20 bytes per triangle. The
/// winding number is 1 inside a closed surface whose front faces outward, and 0 outside. Around a
/// surface with holes, flipped or doubled parts it takes other values, and a point with more than 1/2
/// counts as inside.
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
    moments: Vec<[Moments; NODE_WIDTH]>,
    copies: Copies,
    /// The distance from the surface beyond which crossings decide inside. Infinite where they cannot: the
    /// surface has holes, or the tree is scaled.
    clearance: f64,
}

/// A winding number by a [`WindingTree`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindingNumber {
    /// The number, near an integer unless the surface has holes.
    pub value: f64,
    /// The maximum difference from
    /// [`brute_force::winding_number`](hitscan_primitives::brute_force::winding_number). The actual
    /// error is typically ten times smaller.
    pub max_error: f64,
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

/// The tolerances that [`WindingTree::is_inside`] tries before it sums all triangles. The first settles
/// every point off a closed surface of a million triangles. The others save the sum for points around
/// surfaces with holes. A first try of 1e-2 settled too few points to pay.
const TOLERANCES: [f64; 3] = [3e-3, 1e-4, 1e-6];

/// The bound on the rounding error, per triangle.
const ROUNDING: f64 = 1e-14;

impl WindingTree {
    /// Computes the moments of a hierarchy, and whether its surface is closed. O(n), or O(n log n) for a closed surface,
    /// whose edges it sorts.
    pub fn new(bvh: Arc<MeshBvh>) -> Self {
        let copies = Copies::of(&bvh.tree);
        let mut moments = parallel::collect(bvh.tree.nodes.len(), |index| {
            let mut moments = [Moments::ZERO; NODE_WIDTH];
            for slot in bvh.tree.nodes[index].occupied() {
                let child = bvh.tree.nodes[index].child(slot);
                if child.is_leaf() {
                    moments[slot] =
                        Moments::of_triangles(&copies, &bvh.tree.leaves, child.blocks());
                }
            }
            moments
        });
        // Children have higher indices than their parents, so it goes backwards.
        for index in (0..bvh.tree.nodes.len()).rev() {
            for slot in bvh.tree.nodes[index].occupied() {
                let child = bvh.tree.nodes[index].child(slot);
                if !child.is_leaf() {
                    moments[index][slot] = Moments::of_clusters(&moments[child.node_index()]);
                }
            }
        }
        let clearance = if !bvh.tree.is_scaled() && is_closed(&bvh.tree, &copies) {
            f64::from(CROSSING_CLEARANCE * bvh.bounds.extent().max_element())
        } else {
            f64::INFINITY
        };
        Self { bvh, moments, copies, clearance }
    }

    /// The hierarchy.
    pub fn bvh(&self) -> &Arc<MeshBvh> {
        &self.bvh
    }

    /// The winding number of the surface around `point`, in the mesh's own space. 0 for a point that is
    /// not finite.
    ///
    /// Moments replace the clusters whose error is at most `tolerance`. 1e-3 suits most uses, and 0 sums
    /// all triangles. On the surface itself the number jumps, and is the mean of both sides.
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
    /// [`brute_force::is_inside`](hitscan_primitives::brute_force::is_inside), whatever the tree. If the
    /// surface is closed, a ray counts crossings, unless the point is within rounding of the surface. Else
    /// this sums solid angles, and those of all triangles where the bound leaves a doubt: on the surface,
    /// and near a winding number of 1/2 around a surface with holes.
    pub fn is_inside(&self, point: impl Into<[f32; 3]>) -> bool {
        let point = Vec3::from_array(point.into());
        if !point.is_finite() {
            return false;
        }
        let is_clear =
            self.clearance.is_finite() && self.bvh.closest_point(point, self.clearance).is_none();
        if is_clear { self.encloses_by_crossings(point) } else { self.encloses(self.scaled(point)) }
    }

    /// [`is_inside`](Self::is_inside) for a point in f64, which nothing rounds to f32.
    ///
    /// The answer is that of
    /// [`brute_force::is_inside_f64`](hitscan_primitives::brute_force::is_inside_f64), whatever the tree. `false` for
    /// a point that is not finite. Far from the origin of a mesh, f32 would move the point by more than the size of
    /// a small mesh.
    pub fn is_inside_f64(&self, point: impl Into<[f64; 3]>) -> bool {
        let point = DVec3::from_array(point.into());
        // Of a NaN the comparison is false.
        if !point.abs().cmple(DVec3::splat(MAX_WINDING_COORDINATE)).all() {
            return false;
        }
        let rounded = point.as_vec3();
        if self.clearance.is_finite() && rounded.is_finite() {
            // No surface lies between a point and the rounded one, if none is within their distance. The winding
            // number is the same then.
            let moved = 1.000_001 * (point - rounded.as_dvec3()).length();
            if self.bvh.closest_point(rounded, self.clearance + moved).is_none() {
                return self.encloses_by_crossings(rounded);
            }
        }
        self.encloses(point * self.bvh.tree.scale)
    }

    /// Whether the sum of solid angles around a point in the tree's scaled space is inside.
    fn encloses(&self, from: DVec3) -> bool {
        for tolerance in TOLERANCES {
            let WindingNumber { value, max_error } = self.winding_around(from, tolerance);
            if (value - 0.5).abs() > max_error {
                return value > 0.5;
            }
        }
        let leaves = &self.bvh.tree.leaves;
        let sums = parallel::map_chunks(leaves.len(), BLOCKS_OF_TASK, |blocks| {
            sum(&self.copies, leaves, blocks, from)
        });
        let mut total = WindingSum::default();
        sums.into_iter().for_each(|sum| total.add_sum(sum));
        total.is_inside()
    }

    /// The distance of `point` from the surface, in the mesh's own space. Negative for a point
    /// [inside](Self::is_inside), never -0.0. `None` for a mesh without surface, and for a point that is
    /// not finite.
    pub fn signed_distance(&self, point: impl Into<[f32; 3]>) -> Option<f64> {
        let point = Vec3::from_array(point.into());
        let distance = self.bvh.closest_point(point, f64::INFINITY)?.distance;
        let is_inside = distance > 0.0
            && match distance > self.clearance {
                true => self.encloses_by_crossings(point),
                false => self.encloses(self.scaled(point)),
            };
        Some(if is_inside { -distance } else { distance })
    }

    /// Whether a ray from the point leaves the surface more often than it enters. The surface is farther than the
    /// clearance.
    fn encloses_by_crossings(&self, point: Vec3) -> bool {
        let bvh = &*self.bvh;
        if !bvh.bounds.contains(point) {
            return false;
        }
        let (to_min, to_max) = (point - bvh.bounds.min, bvh.bounds.max - point);
        // The shortest way out of the box, which meets the fewest triangles.
        let (way, axis) = if to_min.min_element() < to_max.min_element() {
            (-1.0, to_min.min_position())
        } else {
            (1.0, to_max.min_position())
        };
        let mut direction = Vec3::ZERO;
        direction[axis] = way;
        let ray = Ray::new(point, direction);
        let [n_entered, n_left] =
            [Faces::Front, Faces::Back].map(|faces| bvh.count_crossings(&ray, faces));
        n_left > n_entered
    }

    fn scaled(&self, point: Vec3) -> DVec3 {
        point.as_dvec3() * self.bvh.tree.scale
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

/// The sum of a winding number.
struct Search<'a> {
    tree: &'a WindingTree,
    from: DVec3,
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
        let (node, moments) = (&self.tree.bvh.tree.nodes[index], &self.tree.moments[index]);
        for slot in node.occupied() {
            let error = moments[slot].error_from(self.from);
            if error <= self.tolerance {
                self.far += moments[slot].winding_around(self.from);
                self.error += error;
                continue;
            }
            let child = node.child(slot);
            if child.is_leaf() {
                let leaves = &self.tree.bvh.tree.leaves;
                self.near.add_sum(sum(&self.tree.copies, leaves, child.blocks(), self.from));
            } else {
                self.add_node(child.node_index());
            }
        }
    }
}

/// The winding number of the triangles of some blocks.
fn sum(copies: &Copies, leaves: &Leaves, blocks: Range<usize>, from: DVec3) -> WindingSum {
    let mut sum = WindingSum::default();
    copies.each_triangle(leaves, blocks, |corners| sum.add_solid_angle(solid_angle(corners, from)));
    sum
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
