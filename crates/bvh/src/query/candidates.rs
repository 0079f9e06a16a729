//! The triangles that a ray may hit, for callers with an exact test of their own.

use std::{
    cmp::{Ordering, Reverse},
    collections::{BinaryHeap, HashSet},
    ops::ControlFlow,
};

use glam::DVec3;
use hitscan_primitives::closest_point_on_triangle;

use crate::{layout::ChildRef, mesh_bvh::MeshBvh};

/// A share of the coordinates that covers the rounding of every sum in f64 here.
const ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;

/// A ray in f64 with a tolerance, in the mesh's own space; see [`MeshBvh::visit_candidates`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidateRay {
    /// The point at `t = 0`.
    pub origin: DVec3,
    /// The change of position per unit of `t`. Any length but zero.
    pub direction: DVec3,
    /// The smallest `t` that counts, inclusive.
    pub t_min: f64,
    /// The largest `t` that counts, inclusive.
    pub t_max: f64,
    /// The distance, in units of length, by which a triangle may miss the ray and still be a candidate.
    pub tolerance: f64,
}

impl CandidateRay {
    /// Whether the numbers are finite but for the bounds of `t`, the direction is not zero, the interval is
    /// not empty and the tolerance is not negative. A ray that is not valid has no candidates.
    pub fn is_valid(&self) -> bool {
        self.origin.is_finite()
            && self.direction.is_finite()
            && self.direction != DVec3::ZERO
            && self.t_min <= self.t_max
            && self.tolerance >= 0.0
            && self.tolerance.is_finite()
    }
}

/// Candidates in the order of a lower bound of `t`.
impl MeshBvh {
    /// Visits the triangles that come within the tolerance of a ray, in the order of a lower bound of `t`,
    /// then of their indices.
    ///
    /// Every triangle with a point at most `tolerance` from a point of the ray between `t_min` and `t_max`
    /// is among them, once. Few others are. `found` receives the triangle and the bound: no point of the ray
    /// with a smaller `t` is within the tolerance of the triangle. It returns the next `t_max`, or ends the
    /// search with [`ControlFlow::Break`]. A later bound is never less than an earlier one, so a caller who
    /// keeps the nearest hit of an own test returns its `t`, and the search ends behind it.
    ///
    /// For programs that must keep the bits of their own test of a triangle. The tolerance covers the difference
    /// between that test and exact arithmetic, such as a millionth of the coordinates for a test in f32.
    /// Allocates a queue. See also [`closest_hit`](Self::closest_hit), whose test is exact without a tolerance,
    /// and [`visit_nearest_first`](Self::visit_nearest_first), for other measures than a ray.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use hitscan_bvh::{BuildOptions, CandidateRay, MeshBvh};
    /// use hitscan_primitives::{generate, glam::DVec3};
    ///
    /// let mesh = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let origin = DVec3::new(0.1, 0.2, 5.0);
    /// let (t_min, t_max, tolerance) = (0.0, f64::INFINITY, 1e-6);
    /// let ray = CandidateRay { origin, direction: DVec3::NEG_Z, t_min, t_max, tolerance };
    /// let mut bounds = vec![];
    /// let _: ControlFlow<()> = bvh.visit_candidates(&ray, |_, bound| {
    ///     bounds.push(bound);
    ///     ControlFlow::Continue(f64::INFINITY)
    /// });
    /// // The front and the back.
    /// assert!(bounds.len() == 2 && bounds[0] < 4.0 && bounds[0] > 3.9999 && bounds[1] > 5.9999);
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn visit_candidates<B>(
        &self,
        ray: &CandidateRay,
        mut found: impl FnMut(u32, f64) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B> {
        if !ray.is_valid() {
            return ControlFlow::Continue(());
        }
        let mut ray = Padded::new(ray);
        let mut queue = BinaryHeap::new();
        let mut seen = HashSet::new();
        let root = Waiting { bound: ray.t_min, kind: Kind::Child(ChildRef::ROOT) };
        queue.push(Reverse(root));
        while let Some(Reverse(Waiting { bound, kind })) = queue.pop() {
            if bound > ray.t_max {
                break;
            }
            match kind {
                Kind::Triangle(triangle) => ray.t_max = found(triangle, bound)?.min(ray.t_max),
                Kind::Child(child) if child.is_leaf() => {
                    self.each_candidate(&ray, child, bound, |triangle, bound| {
                        let is_copy = self.tree.split.contains(triangle) && !seen.insert(triangle);
                        if !is_copy {
                            queue.push(Reverse(Waiting { bound, kind: Kind::Triangle(triangle) }));
                        }
                    });
                }
                Kind::Child(child) => {
                    let node = &self.tree.nodes[child.node_index()];
                    queue.extend(node.occupied().filter_map(|slot| {
                        let bounds = self.unscaled_bounds(node, slot);
                        let entry = ray.entry(bounds.min.as_dvec3(), bounds.max.as_dvec3())?;
                        let kind = Kind::Child(node.child(slot));
                        Some(Reverse(Waiting { bound: entry.max(bound), kind }))
                    }));
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `f` with the candidates in a leaf, and a bound of each that is at least that of the leaf.
    fn each_candidate(
        &self,
        ray: &Padded,
        leaf: ChildRef,
        leaf_bound: f64,
        mut f: impl FnMut(u32, f64),
    ) {
        self.tree.leaves.each_block(leaf.blocks(), |block| {
            for (_, triangle, corners) in block.triangles() {
                let corners = corners.map(|corner| corner / self.tree.scale);
                if let Some(bound) = ray.bound(corners) {
                    f(triangle, bound.max(leaf_bound));
                }
            }
        });
    }
}

/// A part of the tree or a triangle, and the bound of `t` from which it counts.
struct Waiting {
    bound: f64,
    kind: Kind,
}

/// What waits in the queue.
enum Kind {
    Child(ChildRef),
    Triangle(u32),
}

impl Waiting {
    /// Parts of the tree come before triangles of the same bound, because they may hold smaller indices.
    fn key(&self) -> (bool, u32) {
        match self.kind {
            Kind::Child(child) => (false, child.to_bits()),
            Kind::Triangle(triangle) => (true, triangle),
        }
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then_with(|| self.key().cmp(&other.key()))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

/// A ray with what its tests need.
struct Padded {
    origin: DVec3,
    direction: DVec3,
    /// The direction with length 1.
    unit: DVec3,
    /// The `t` of a unit of length.
    t_per_length: f64,
    t_min: f64,
    t_max: f64,
    tolerance: f64,
}

impl Padded {
    fn new(ray: &CandidateRay) -> Self {
        let &CandidateRay { origin, direction, t_min, t_max, tolerance } = ray;
        // Near 1 first, so that no square leaves the range of f64.
        let largest = direction.abs().max_element();
        let near_one = direction / largest;
        let t_per_length = 1.0 / largest / near_one.length();
        // A `t` of -0.0 would come before 0.0.
        let t_min = t_min + 0.0;
        Self {
            origin,
            direction,
            unit: near_one.normalize(),
            t_per_length,
            t_min,
            t_max,
            tolerance,
        }
    }

    /// The tolerance with the rounding of sums of coordinates of this size.
    fn pad(&self, size: f64) -> f64 {
        self.tolerance * (1.0 + ROUNDING) + ROUNDING * (size + self.origin.abs().max_element())
    }

    /// A lower bound of the `t` within the tolerance of a box; `None` if no `t` of the ray is.
    fn entry(&self, min: DVec3, max: DVec3) -> Option<f64> {
        let pad = self.pad(min.abs().max(max.abs()).max_element());
        let (mut first, mut last) = (self.t_min, self.t_max);
        for axis in 0..3 {
            let (o, d) = (self.origin[axis], self.direction[axis]);
            let (low, high) = (min[axis] - pad - o, max[axis] + pad - o);
            if d == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return None;
                }
                continue;
            }
            let (a, b) = (low / d, high / d);
            // `max` and `min` pass over a NaN.
            first = first.max(below(a.min(b)));
            last = last.min(above(a.max(b)));
        }
        (first <= last).then_some(first)
    }

    /// A lower bound of the `t` within the tolerance of a triangle; `None` if no `t` of the ray is.
    fn bound(&self, corners: [DVec3; 3]) -> Option<f64> {
        let [a, b, c] = corners;
        let entry = self.entry(a.min(b).min(c), a.max(b).max(c))?;
        let relative = corners.map(|corner| corner - self.origin);
        let size = relative.iter().fold(0.0f64, |size, corner| size.max(corner.length()));
        let pad = self.pad(size);
        // As seen along the ray, the triangle lies in a plane, and the ray is a point there.
        let depths = relative.map(|corner| corner.dot(self.unit));
        let [a, b, c] = [0, 1, 2].map(|i| relative[i] - depths[i] * self.unit);
        if closest_point_on_triangle([a, b, c], DVec3::ZERO).distance_squared > pad * pad {
            return None;
        }
        let [near, far] = [
            depths[0].min(depths[1]).min(depths[2]) - pad,
            depths[0].max(depths[1]).max(depths[2]) + pad,
        ];
        let first = entry.max(below(near * self.t_per_length));
        (first <= above(far * self.t_per_length).min(self.t_max)).then_some(first)
    }
}

/// A number below `t` by more than the rounding of a few products.
fn below(t: f64) -> f64 {
    t - t.abs() * ROUNDING
}

/// A number above `t` by more than the rounding of a few products.
fn above(t: f64) -> f64 {
    t + t.abs() * ROUNDING
}
