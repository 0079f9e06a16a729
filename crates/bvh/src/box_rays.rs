//! Rays against objects of the caller: the tree finds the boxes, the caller's test decides.

use std::{cmp::Ordering, ops::ControlFlow};

use hitscan_primitives::Ray;

use crate::{box_bvh::BoxBvh, layout::WideNode, query::visit_nodes, widths::NODE_WIDTH};

/// A hit of a ray on an object of the caller; see [`BoxBvh::closest_hit`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectHit {
    /// The index of the object's box in the list given to [`BoxBvh::build`].
    pub index: u32,
    /// The position on the ray that the caller's test returned, in units of the ray's direction; never
    /// -0.0.
    pub t: f32,
}

impl ObjectHit {
    /// Orders hits along a ray: by `t`, then by index.
    #[inline]
    pub fn cmp_along_ray(&self, other: &Self) -> Ordering {
        self.t.total_cmp(&other.t).then(self.index.cmp(&other.index))
    }
}

/// Rays at objects of any kind: polygons, spheres, splats, points with a size.
///
/// `test` answers for one object: it receives the index of a box and returns the `t` at which the ray meets
/// that object. `None`, NaN and a `t` outside of the ray's interval are misses. It may be called for objects
/// whose own box the ray misses, and must return the same answer for the same index.
///
/// **One answer.** The result is that of a loop over all objects, whatever the tree, if hits lie in the
/// boxes of their objects. Boxes are tested in f64, wider on each side by [`BoxBvh::SLACK`] times the size of the
/// coordinates of the side and of the ray's origin. That covers a test that rounds in f32. Flat boxes,
/// rays in a face of a box and infinite boxes work. An invalid ray hits nothing, and `test` is not called.
///
/// ```
/// use hitscan_bvh::{BoxBvh, BuildQuality};
/// use hitscan_primitives::{Ray, Sphere};
///
/// let spheres: Vec<Sphere> =
///     (0..100u16).map(|i| Sphere::new([0.0, 0.0, 3.0 * f32::from(i)], 1.0)).collect();
/// let boxes: Vec<_> = spheres.iter().map(Sphere::bounds).collect();
/// let bvh = BoxBvh::build(&boxes, BuildQuality::Balanced);
///
/// // Which sphere does the ray meet first?
/// let ray = Ray::new([0.0, 0.5, 100.0], [0.0, 0.0, 1.0]);
/// let hit = bvh.closest_hit(&ray, |i| spheres[i as usize].intersect(&ray));
/// assert_eq!(hit.map(|hit| hit.index), Some(34));
/// ```
impl BoxBvh {
    /// The share of the coordinates by which the boxes of ray queries are wider than given: 2^-20.
    pub const SLACK: f64 = 1.0 / (1 << 20) as f64;

    /// The hit with the minimum `(t, index)`; boxes are visited nearest first.
    ///
    /// For picking anything that is no triangle. See also [`is_occluded`](Self::is_occluded) if any hit will
    /// do, and [`all_hits`](Self::all_hits).
    pub fn closest_hit(
        &self,
        ray: &Ray,
        mut test: impl FnMut(u32) -> Option<f32>,
    ) -> Option<ObjectHit> {
        let mut closest: Option<ObjectHit> = None;
        let _: ControlFlow<()> = self.visit_along(ray, |index, t_max| {
            let hit = object_hit(ray, index, test(index));
            if let Some(hit) = hit
                && closest.is_none_or(|closest| hit.cmp_along_ray(&closest).is_lt())
            {
                closest = Some(hit);
            }
            ControlFlow::Continue(closest.map_or(t_max, |closest| closest.t.into()))
        });
        closest
    }

    /// Whether the ray hits any object. Ends at the first hit.
    ///
    /// For lines of sight. See also [`closest_hit`](Self::closest_hit).
    pub fn is_occluded(&self, ray: &Ray, mut test: impl FnMut(u32) -> Option<f32>) -> bool {
        self.visit_along(ray, |index, t_max| match object_hit(ray, index, test(index)) {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(t_max),
        })
        .is_break()
    }

    /// All hits, one for each object that `test` hits, sorted by `(t, index)`.
    ///
    /// Allocates the list; [`all_hits_into`](Self::all_hits_into) fills one that the caller keeps.
    pub fn all_hits(&self, ray: &Ray, test: impl FnMut(u32) -> Option<f32>) -> Vec<ObjectHit> {
        let mut hits = Vec::new();
        self.all_hits_into(ray, test, &mut hits);
        hits
    }

    /// Writes [`all_hits`](Self::all_hits) to a buffer, which it clears first.
    pub fn all_hits_into(
        &self,
        ray: &Ray,
        mut test: impl FnMut(u32) -> Option<f32>,
        hits: &mut Vec<ObjectHit>,
    ) {
        hits.clear();
        let _: ControlFlow<()> = self.visit_along(ray, |index, t_max| {
            hits.extend(object_hit(ray, index, test(index)));
            ControlFlow::Continue(t_max)
        });
        hits.sort_unstable_by(ObjectHit::cmp_along_ray);
    }

    /// Visits the objects in boxes that the ray meets, near boxes first. `found` receives the limit on `t` and returns
    /// the next one.
    fn visit_along<B>(
        &self,
        ray: &Ray,
        mut found: impl FnMut(u32, f64) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B> {
        if !ray.is_valid() {
            return ControlFlow::Continue(());
        }
        let slabs = ObjectRay::new(ray);
        visit_nodes(
            |index| &self.nodes[index],
            ray.t_max.into(),
            |node| slabs.enter(node),
            |blocks, mut limit| {
                for &index in self.blocks[blocks].iter().flatten() {
                    if index != Self::NO_BOX {
                        limit = found(index, limit)?;
                    }
                }
                ControlFlow::Continue(limit)
            },
        )
    }
}

/// What the caller's test returned, as a hit.
fn object_hit(ray: &Ray, index: u32, t: Option<f32>) -> Option<ObjectHit> {
    // `+ 0.0` turns -0.0 into 0.0. A NaN is not within the interval.
    let t = t? + 0.0;
    (ray.t_min <= t && t <= ray.t_max && t.is_finite()).then_some(ObjectHit { index, t })
}

/// A valid ray prepared for the slab test of exact boxes, in f64.
struct ObjectRay {
    origin: [f64; 3],
    reciprocal: [f64; 3],
    /// The share of the origin in the slack, for each axis.
    pad: [f64; 3],
    t_min: f64,
    t_max: f64,
}

impl ObjectRay {
    fn new(ray: &Ray) -> Self {
        // Finite, so that no product with a zero is NaN. Times the least pad it exceeds every f32.
        const MAX_RECIPROCAL: f64 = 1e300;
        const LEAST_PAD: f64 = 1e-200;
        let origin = ray.origin.to_array().map(f64::from);
        let direction = ray.direction.to_array().map(f64::from);
        Self {
            origin,
            reciprocal: direction.map(|d| (1.0 / d).clamp(-MAX_RECIPROCAL, MAX_RECIPROCAL)),
            pad: origin.map(|o| BoxBvh::SLACK * o.abs() + LEAST_PAD),
            t_min: ray.t_min.into(),
            t_max: ray.t_max.into(),
        }
    }

    /// The `t` at which the ray enters each child, within its interval; NaN for a miss and an empty box.
    fn enter(&self, node: &WideNode) -> [f64; NODE_WIDTH] {
        let mut enter = [self.t_min; NODE_WIDTH];
        let mut exit = [self.t_max; NODE_WIDTH];
        for axis in 0..3 {
            let (o, r, pad) = (self.origin[axis], self.reciprocal[axis], self.pad[axis]);
            // The planes are taken by the sign of the direction. An empty box so stays one.
            let outward = if r > 0.0 { -1.0 } else { 1.0 };
            let (near, far) = match &node.bounds[axis] {
                [min, max] if r > 0.0 => (min, max),
                [min, max] => (max, min),
            };
            for slot in 0..NODE_WIDTH {
                let (near, far) = (f64::from(near[slot]), f64::from(far[slot]));
                // Of an infinite plane the slack is finite, so that an empty box has no NaN.
                let slack = |plane: f64| BoxBvh::SLACK * plane.abs().min(f32::MAX.into()) + pad;
                enter[slot] = enter[slot].max((near + outward * slack(near) - o) * r);
                exit[slot] = exit[slot].min((far - outward * slack(far) - o) * r);
            }
        }
        let mut keys = [f64::NAN; NODE_WIDTH];
        for slot in 0..NODE_WIDTH {
            if enter[slot] <= exit[slot] {
                keys[slot] = enter[slot];
            }
        }
        keys
    }
}
