//! World rays against planes, lines and points, in f64: the arithmetic of a gizmo that a cursor drags.

use glam::DVec3;

use crate::WorldRay;

/// The sine of the smallest angle that counts as an angle, about 1.5e-8 radians. Closer to parallel, a
/// change of the last bit would move the answer by more than its own size.
const MIN_SINE: f64 = 1.0 / (1 << 26) as f64;

/// The points of a ray and a line that are closest to each other; see [`WorldRay::closest_to_line`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineApproach {
    /// The position on the ray, in units of its direction.
    pub t: f64,
    /// The position on the line, in units of its direction: `point + line_t * direction`.
    pub line_t: f64,
}

/// Geometry without a scene. Directions and normals have any nonzero length. The differences of positions
/// come first, so the answers are as exact far from the origin as the positions.
impl WorldRay {
    /// The `t` at which the ray meets the plane through `point` with this normal.
    ///
    /// `None` if the ray is parallel to the plane within 1.5e-8 radians, even if it lies in it; if it meets
    /// the plane outside `[t_min, t_max]`; if the normal is zero; or if a number is not finite.
    ///
    /// ```
    /// use hitscan_primitives::WorldRay;
    ///
    /// let ray = WorldRay::new([1.0e7, 5.0, 0.0], [1.0, -1.0, 0.0]);
    /// let t = ray.intersect_plane([0.0, 0.37, 0.0], [0.0, 1.0, 0.0]).expect("it looks down");
    /// let point = ray.at(t);
    /// assert!((point.x - (1.0e7 + 4.63)).abs() < 1e-8 && (point.y - 0.37).abs() < 1e-12);
    /// ```
    pub fn intersect_plane(
        &self,
        point: impl Into<[f64; 3]>,
        normal: impl Into<[f64; 3]>,
    ) -> Option<f64> {
        let point = DVec3::from_array(point.into());
        let normal = DVec3::from_array(normal.into()).try_normalize()?;
        let (direction, length) = self.unit_direction()?;
        let slope = normal.dot(direction);
        if slope.abs() < MIN_SINE {
            return None;
        }
        self.accept(normal.dot(point - self.origin) / slope / length)
    }

    /// The closest approach of the ray and the infinite line through `point` along `direction`, such as
    /// the ray of a pixel and the axis of a gizmo.
    ///
    /// `None` if they are parallel within 1.5e-8 radians; if the ray is closest outside `[t_min, t_max]`,
    /// as when the cursor is beyond the vanishing point of the line; if the direction is zero; or if a
    /// number is not finite.
    ///
    /// ```
    /// use hitscan_primitives::WorldRay;
    ///
    /// let ray = WorldRay::new([3.0, 2.0, 9.0], [0.0, 0.0, -1.0]);
    /// let near = ray.closest_to_line([0.0; 3], [2.0, 0.0, 0.0]).expect("they cross at a distance");
    /// assert_eq!((near.t, near.line_t), (9.0, 1.5));
    /// assert_eq!(ray.closest_to_line([0.0; 3], [0.0, 0.0, 1.0]), None);
    /// ```
    pub fn closest_to_line(
        &self,
        point: impl Into<[f64; 3]>,
        direction: impl Into<[f64; 3]>,
    ) -> Option<LineApproach> {
        let to_line = DVec3::from_array(point.into()) - self.origin;
        let (along_line, line_length) = unit(DVec3::from_array(direction.into()))?;
        let (along_ray, ray_length) = self.unit_direction()?;
        let across = along_ray.cross(along_line);
        let squared_sine = across.length_squared();
        if squared_sine < MIN_SINE * MIN_SINE {
            return None;
        }
        // Goldman, "Intersection of Two Lines in Three-Space", Graphics Gems, 1990.
        let t = self.accept(to_line.cross(along_line).dot(across) / squared_sine / ray_length)?;
        let line_t = to_line.cross(along_ray).dot(across) / squared_sine / line_length;
        line_t.is_finite().then_some(LineApproach { t, line_t })
    }

    /// The `t` of the point of the ray that is closest to `point`, within `[t_min, t_max]`. `None` if the
    /// ray is invalid or the point is not finite.
    ///
    /// ```
    /// use hitscan_primitives::WorldRay;
    ///
    /// let ray = WorldRay::segment([0.0; 3], [4.0, 0.0, 0.0]);
    /// assert_eq!(ray.closest_to_point([1.0, 7.0, 0.0]), Some(0.25));
    /// assert_eq!(ray.closest_to_point([9.0, 7.0, 0.0]), Some(1.0));
    /// ```
    pub fn closest_to_point(&self, point: impl Into<[f64; 3]>) -> Option<f64> {
        let (direction, length) = self.unit_direction()?;
        let t = (DVec3::from_array(point.into()) - self.origin).dot(direction) / length;
        (t.is_finite() && self.is_valid()).then(|| t.clamp(self.t_min, self.t_max))
    }

    fn unit_direction(&self) -> Option<(DVec3, f64)> {
        unit(self.direction)
    }

    /// A finite `t` of a valid ray within its interval.
    fn accept(&self, t: f64) -> Option<f64> {
        // The sum turns -0.0 into 0.0.
        (self.is_valid() && t.is_finite() && self.t_min <= t && t <= self.t_max).then_some(t + 0.0)
    }
}

/// The unit vector along a vector, and its length; `None` if it has none.
fn unit(vector: DVec3) -> Option<(DVec3, f64)> {
    vector.try_normalize().map(|direction| (direction, vector.length()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A position far from the origin, with a fraction that f32 cannot hold there.
    const FAR: f64 = 1.0e7 + 0.37;

    #[test]
    fn far_from_the_origin_a_plane_keeps_its_fraction() {
        let ray = WorldRay::new([FAR, FAR + 5.0, -FAR], [0.3, -1.0, 0.2]);
        let t = ray.intersect_plane([0.0, FAR, 0.0], [0.0, 3.0, 0.0]).unwrap();
        assert!((t - 5.0).abs() < 1e-8, "{t}");
        assert!((ray.at(t) - DVec3::new(FAR + 1.5, FAR, 1.0 - FAR)).length() < 1e-8);
    }

    #[test]
    fn far_from_the_origin_an_axis_keeps_its_fraction() {
        let pivot = DVec3::new(FAR, -FAR, FAR);
        let axis = DVec3::new(1.0, 2.0, -0.5);
        for along in [-3.25, 0.0, 0.125, 40.0] {
            let target = pivot + along * axis;
            // An offset across both lines does not change the closest points.
            let direction = DVec3::new(0.1, -0.4, -1.0);
            let offset = 0.7 * direction.cross(axis);
            let ray = WorldRay::new(target + offset - 6.0 * direction, direction);
            let near = ray.closest_to_line(pivot, axis).unwrap();
            assert!((near.line_t - along).abs() < 1e-8, "{along}: {near:?}");
            assert!((near.t - 6.0).abs() < 1e-8, "{along}: {near:?}");
        }
    }

    #[test]
    fn the_closest_point_far_from_the_origin_is_exact() {
        let ray = WorldRay::line([FAR, FAR, FAR], [0.0, 0.0, 2.0]);
        let t = ray.closest_to_point([FAR + 1.0, FAR - 4.0, FAR - 3.0]).unwrap();
        assert!((t + 1.5).abs() < 1e-8, "{t}");
    }

    #[test]
    fn no_other_points_are_closer() {
        let mut rng = crate::generate::SplitMix64::new(1);
        for _ in 0..1000 {
            let mut vector = || DVec3::from_array([(); 3].map(|()| rng.range(-4.0, 4.0)));
            let (point, direction) = (vector(), vector());
            let ray = WorldRay::line(vector(), vector());
            let Some(near) = ray.closest_to_line(point, direction) else { continue };
            let distance = |t: f64, s: f64| ray.at(t).distance(point + s * direction);
            let closest = distance(near.t, near.line_t);
            for (dt, ds) in [(1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3), (1e-3, 1e-3)] {
                assert!(distance(near.t + dt, near.line_t + ds) > closest - 1e-12, "{ray:?}");
            }
        }
    }

    #[test]
    fn parallel_lines_and_planes_have_no_answer() {
        let ray = WorldRay::new([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(ray.intersect_plane([0.0; 3], [0.0, 1.0, 0.0]), None);
        assert_eq!(ray.intersect_plane([0.0, 1.0, 0.0], [0.0, 1.0, 0.0]), None);
        assert_eq!(ray.closest_to_line([0.0; 3], [-2.0, 0.0, 0.0]), None);
        // By less and by more than the smallest angle.
        let tilted = |sine: f64| WorldRay::new([0.0, 1.0, 0.0], [1.0, -sine, 0.0]);
        for (sine, is_parallel) in [(1e-8, true), (2e-8, false)] {
            let ray = tilted(sine);
            let plane = ray.intersect_plane([0.0; 3], [0.0, 1.0, 0.0]);
            let line = ray.closest_to_line([0.0; 3], [1.0, 0.0, 0.0]);
            assert_eq!((plane.is_none(), line.is_none()), (is_parallel, is_parallel), "{sine}");
        }
    }

    #[test]
    fn the_interval_of_the_ray_counts() {
        let ray = WorldRay::new([0.0, 0.0, 5.0], [0.0, 0.0, -1.0]);
        assert_eq!(ray.intersect_plane([0.0; 3], [0.0, 0.0, 1.0]), Some(5.0));
        assert_eq!(ray.intersect_plane([0.0, 0.0, 5.0], [0.0, 0.0, 1.0]), Some(0.0));
        assert_eq!(ray.intersect_plane([0.0, 0.0, 6.0], [0.0, 0.0, 1.0]), None);
        assert_eq!(ray.with_range(0.0, 4.0).intersect_plane([0.0; 3], [0.0, 0.0, 1.0]), None);
        assert_eq!(ray.closest_to_line([0.0, 0.0, 6.0], [1.0, 0.0, 0.0]), None);
        assert_eq!(ray.closest_to_point([0.0, 0.0, 9.0]), Some(0.0));
    }

    #[test]
    fn degenerate_input_has_no_answer() {
        let ray = WorldRay::new([0.0, 0.0, 5.0], [0.0, 0.0, -1.0]);
        let still = WorldRay::new([0.0; 3], [0.0; 3]);
        let reversed = ray.with_range(1.0, 0.0);
        for bad in [f64::NAN, f64::INFINITY] {
            assert_eq!(ray.intersect_plane([bad; 3], [0.0, 0.0, 1.0]), None);
            assert_eq!(ray.intersect_plane([0.0; 3], [bad; 3]), None);
            assert_eq!(ray.closest_to_line([bad; 3], [1.0, 0.0, 0.0]), None);
            assert_eq!(ray.closest_to_line([0.0; 3], [bad, 0.0, 0.0]), None);
            assert_eq!(ray.closest_to_point([0.0, 0.0, bad]), None);
        }
        assert_eq!(ray.intersect_plane([0.0; 3], [0.0; 3]), None);
        assert_eq!(ray.closest_to_line([0.0; 3], [0.0; 3]), None);
        for ray in [still, reversed] {
            assert_eq!(ray.intersect_plane([0.0; 3], [0.0, 0.0, 1.0]), None);
            assert_eq!(ray.closest_to_line([0.0; 3], [1.0, 0.0, 0.0]), None);
            assert_eq!(ray.closest_to_point([1.0; 3]), None);
        }
        // Any length of a direction or normal, up to what a square holds.
        for scale in [1e-100, 1e100] {
            let ray = WorldRay::new([0.0, 0.0, 5.0], [0.0, 0.0, -scale]);
            let t = ray.intersect_plane([0.0; 3], [0.0, 0.0, scale]).unwrap();
            assert!((ray.at(t)).length() < 1e-12);
            let near = ray.closest_to_line([0.0; 3], [scale, 0.0, 0.0]).unwrap();
            assert!((ray.at(near.t)).length() < 1e-12 && near.line_t == 0.0);
        }
    }
}
