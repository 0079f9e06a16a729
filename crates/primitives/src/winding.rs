//! Solid angles and the winding number: the definition of "inside".

use std::f64::consts::PI;

use glam::DVec3;

/// The signed solid angle of a triangle seen from a point, in steradians from -2 pi to 2 pi.
///
/// Positive from behind the triangle, which is inside a closed surface; negative from its front. 0 for
/// a point in the triangle's plane, including the triangle itself, where the angle jumps. 0 for a
/// triangle of zero area.
///
/// Van Oosterom and Strackee, "The Solid Angle of a Plane Triangle" (1983).
pub fn solid_angle(corners: [DVec3; 3], from: DVec3) -> f64 {
    let [a, b, c] = corners;
    // Rounding would give a triangle of zero area a volume, and a point on it half a turn.
    if (b - a).cross(c - a) == DVec3::ZERO {
        return 0.0;
    }
    let [a, b, c] = corners.map(|corner| corner - from);
    let volume = a.dot(b.cross(c));
    if volume == 0.0 {
        return 0.0;
    }
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * volume.atan2(denominator)
}

/// The largest coordinate of a point in f64 around which winding numbers are summed. Around farther points they are 0,
/// because a mesh in f32 fills next to nothing of all directions there, and products would overflow.
pub const MAX_WINDING_COORDINATE: f64 = 1e100;

/// A winding number, summed from solid angles: the number of times a surface winds around a point.
///
/// 1 inside a closed surface whose front is outside, and 0 outside of it. Around a surface with holes
/// it varies smoothly between them: Jacobson, Kavan and Sorkine-Hornung, "Robust Inside-Outside
/// Segmentation using Generalized Winding Numbers" (2013).
///
/// The sum is an integer multiple of 2^-62, so that it does not depend on the order of its terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindingSum {
    units: i128,
}

impl WindingSum {
    const UNIT: f64 = (1u64 << 62) as f64;

    /// Adds a solid angle from -2 pi to 2 pi.
    pub fn add_solid_angle(&mut self, solid_angle: f64) {
        self.units += i128::from((solid_angle * (Self::UNIT / (4.0 * PI))) as i64);
    }

    /// Adds the sum over other triangles.
    pub fn add_sum(&mut self, other: Self) {
        self.units += other.units;
    }

    /// The winding number.
    pub fn winding_number(&self) -> f64 {
        self.units as f64 / Self::UNIT
    }

    /// Whether the winding number is greater than 1/2 or less than -1/2: whether the surface winds around the point, in
    /// either direction. A surface that is inside out has the same inside as its turned copy.
    pub fn is_inside(&self) -> bool {
        self.units.abs() > 1 << 61
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_octant_is_an_eighth_of_all_directions() {
        let corners = [DVec3::X, DVec3::Y, DVec3::Z];
        let eighth = solid_angle(corners, DVec3::ZERO) / (4.0 * PI);
        assert!((eighth - 0.125).abs() < 1e-15, "{eighth}");
        let [a, b, c] = corners;
        assert_eq!(solid_angle([a, c, b], DVec3::ZERO), -solid_angle(corners, DVec3::ZERO));
    }

    #[test]
    fn a_triangle_close_by_fills_half_of_all_directions() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let at = |z: f64| solid_angle(corners, DVec3::new(0.25, 0.25, z)) / (2.0 * PI);
        assert!((at(-1e-9) - 1.0).abs() < 1e-7 && (at(1e-9) + 1.0).abs() < 1e-7);
        assert_eq!(at(0.0), 0.0);
        assert_eq!(solid_angle(corners, DVec3::X), 0.0);
    }

    #[test]
    fn the_sum_does_not_depend_on_its_order() {
        let angles: Vec<f64> = (1..1000).map(|i| f64::from(i % 37 - 18) / f64::from(i)).collect();
        let (mut forward, mut backward) = (WindingSum::default(), WindingSum::default());
        angles.iter().for_each(|&angle| forward.add_solid_angle(angle));
        angles.iter().rev().for_each(|&angle| backward.add_solid_angle(angle));
        assert_eq!(forward, backward);
        let plain: f64 = angles.iter().sum::<f64>() / (4.0 * PI);
        assert!((forward.winding_number() - plain).abs() < 1e-12);
    }
}
