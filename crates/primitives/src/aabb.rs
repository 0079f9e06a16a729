//! Axis-aligned bounding boxes.

use glam::{DVec3, Vec3};

use crate::Ray;

/// An axis-aligned box: the points with `min <= p <= max` on every axis, faces included.
///
/// Coordinates are in the space and unit of the caller's points. A box may be flat on any axis.
/// [`Aabb::EMPTY`] holds no point and is the identity of [`union`](Aabb::union). A box with
/// `min > max` or NaN on any axis is empty, too.
///
/// ```
/// use hitscan_primitives::{Aabb, glam::Vec3};
///
/// let bounds = Aabb::from_points([Vec3::new(3.0, 0.0, 0.0), Vec3::new(1.0, 2.0, 0.0)]);
/// assert_eq!(bounds, Aabb::new([1.0, 0.0, 0.0], [3.0, 2.0, 0.0]));
/// assert!(bounds.contains(Vec3::new(2.0, 1.0, 0.0)) && Aabb::EMPTY.is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: Vec3,
    /// The corner with the largest coordinates.
    pub max: Vec3,
}

impl Default for Aabb {
    /// [`Aabb::EMPTY`].
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Aabb {
    /// The box of no points: `min` is +inf, `max` is -inf.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The box between two corners, given in order.
    ///
    /// The function does not sort them: if `min > max` on any axis, the box is
    /// [empty](Self::is_empty). Use [`from_points`](Self::from_points) for corners in any order.
    pub fn new(min: impl Into<[f32; 3]>, max: impl Into<[f32; 3]>) -> Self {
        Self { min: Vec3::from_array(min.into()), max: Vec3::from_array(max.into()) }
    }

    /// The smallest box around the points; [`Aabb::EMPTY`] for no points. Points
    /// with NaN give an unspecified box.
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::grown)
    }

    /// The smallest box around the one between two corners in f64.
    pub(crate) fn around_f64(min: DVec3, max: DVec3) -> Self {
        let down = |x: f64| match x as f32 {
            rounded if f64::from(rounded) > x => rounded.next_down(),
            rounded => rounded,
        };
        let up = |x: f64| -down(-x);
        Self {
            min: Vec3::from_array(min.to_array().map(down)),
            max: Vec3::from_array(max.to_array().map(up)),
        }
    }

    /// The smallest box around this one and `point`.
    #[inline]
    #[must_use]
    pub fn grown(self, point: Vec3) -> Self {
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The smallest box around both.
    #[inline]
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether the box holds no point.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Whether `point` lies in the box or on its faces.
    pub fn contains(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Whether the whole of `other` lies in the box. An empty box lies in every box.
    pub fn contains_box(&self, other: &Self) -> bool {
        other.is_empty() || (self.contains(other.min) && self.contains(other.max))
    }

    /// The midpoint of the box. Not meaningful for an empty box.
    #[inline]
    pub fn center(&self) -> Vec3 {
        0.5 * self.min + 0.5 * self.max
    }

    /// The edge lengths. Not meaningful for an empty box.
    #[inline]
    pub fn extent(&self) -> Vec3 {
        self.max - self.min
    }

    /// Half of the surface area: `xy + yz + zx` of the edge lengths. 0 for an empty box.
    #[inline]
    pub fn half_area(&self) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let e = self.extent();
        e.x * e.y + e.y * e.z + e.z * e.x
    }

    /// The largest absolute coordinate; 0 for an empty box.
    pub fn max_abs_coordinate(&self) -> f32 {
        if self.is_empty() { 0.0 } else { self.min.abs().max(self.max.abs()).max_element() }
    }

    /// The `t` at which the ray enters and leaves the box, `(t_enter, t_exit)`, within its interval.
    ///
    /// An origin inside the box enters at `t_min`. Flat boxes, rays in a face and zero direction
    /// components of either sign work; an invalid ray or an empty box is `None`.
    ///
    /// The slab method (Kay and Kajiya, "Ray Tracing Complex Scenes", 1986). It divides once per plane
    /// and treats parallel rays apart, so that no NaN arises. Rounding may move both ends by an ulp;
    /// a tree that must not lose hits widens its boxes.
    ///
    /// ```
    /// use hitscan_primitives::{Aabb, Ray};
    ///
    /// let aabb = Aabb::new([-5.0, -6.0, -2.0], [5.0, 6.0, 2.0]);
    /// let ray = Ray::segment([4.0, -7.0, -4.0], [2.0, 3.0, 4.0]);
    /// assert_eq!(aabb.intersect(&ray), Some((0.25, 0.75)));
    /// ```
    pub fn intersect(&self, ray: &Ray) -> Option<(f32, f32)> {
        if !ray.is_valid() || self.is_empty() {
            return None;
        }
        let (mut enter, mut exit) = (ray.t_min, ray.t_max);
        for axis in 0..3 {
            let (o, d) = (ray.origin[axis], ray.direction[axis]);
            let (min, max) = (self.min[axis], self.max[axis]);
            if d == 0.0 {
                if o < min || o > max {
                    return None;
                }
            } else {
                let (to_min, to_max) = ((min - o) / d, (max - o) / d);
                enter = enter.max(to_min.min(to_max));
                exit = exit.min(to_min.max(to_max));
            }
        }
        (enter <= exit).then_some((enter, exit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_box_is_neutral() {
        let aabb = Aabb::new([0.0, 1.0, 2.0], [3.0, 4.0, 5.0]);
        assert_eq!(Aabb::EMPTY.union(aabb), aabb);
        assert!(Aabb::EMPTY.is_empty());
        assert_eq!(Aabb::EMPTY.half_area(), 0.0);
        assert_eq!(Aabb::EMPTY.intersect(&Ray::new([0.0; 3], [1.0, 0.0, 0.0])), None);
    }

    #[test]
    fn a_flat_box_is_hit_in_its_middle_and_on_its_rim() {
        let flat = Aabb::new([0.0, 0.0, 2.0], [1.0, 1.0, 2.0]);
        for (x, y) in [(0.5, 0.5), (0.0, 0.5), (1.0, 1.0)] {
            assert_eq!(flat.intersect(&Ray::new([x, y, 0.0], [0.0, -0.0, 1.0])), Some((2.0, 2.0)));
        }
        let in_plane = Ray::new([-1.0, 0.5, 2.0], [1.0, 0.0, 0.0]);
        assert_eq!(flat.intersect(&in_plane), Some((1.0, 2.0)));
    }

    #[test]
    fn a_box_behind_the_origin_is_missed_and_a_line_hits_it() {
        let aabb = Aabb::new([-1.0; 3], [1.0; 3]);
        let away = Ray::new([0.0, 0.0, 3.0], [0.0, 0.0, 1.0]);
        assert_eq!(aabb.intersect(&away), None);
        let line = Ray::line([0.0, 0.0, 3.0], [0.0, 0.0, 1.0]);
        assert_eq!(aabb.intersect(&line), Some((-4.0, -2.0)));
    }

    #[test]
    fn an_origin_inside_enters_at_t_min() {
        let aabb = Aabb::new([-1.0; 3], [1.0; 3]);
        assert_eq!(aabb.intersect(&Ray::new([0.0; 3], [0.0, 2.0, 0.0])), Some((0.0, 0.5)));
    }
}
