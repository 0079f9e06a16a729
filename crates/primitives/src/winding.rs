//! Solid angles and the winding number: the definition of "inside".

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use glam::DVec3;

/// The signed solid angle of a triangle seen from a point, in steradians from -2 pi to 2 pi.
///
/// Positive from behind the triangle, which is inside a closed surface; negative from its front. 0 for
/// a point in the triangle's plane, including the triangle itself, where the angle jumps. 0 for a
/// triangle of zero area.
///
/// Van Oosterom and Strackee, "The Solid Angle of a Plane Triangle" (1983). It has no branches, so a loop takes several
/// triangles at a time. Its arctangent is hitscan's own, so all machines agree.
#[inline(always)]
pub fn solid_angle([a, b, c]: [DVec3; 3], from: DVec3) -> f64 {
    // Rounding would give a triangle of zero area a volume, and a point on it half a turn.
    let normal = (b - a).cross(c - a);
    let is_flat = (normal.x == 0.0) & (normal.y == 0.0) & (normal.z == 0.0);
    let (a, b, c) = (a - from, b - from, c - from);
    let volume = a.dot(b.cross(c));
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    let angle = 2.0 * arctangent(volume, denominator);
    if is_flat | (volume == 0.0) { 0.0 } else { angle }
}

/// The angle of `(x, y)` from the first axis, as `f64::atan2`, but at most `9 * 2^-53` off. NaN for `(0, 0)`.
#[inline(always)]
fn arctangent(y: f64, x: f64) -> f64 {
    let (height, width) = (y.abs(), x.abs());
    let is_steep = height > width;
    let (least, most) = if is_steep { (width, height) } else { (height, width) };
    // Angles beyond an eighth of pi turn back by a fourth, so that the tangent is at most 0.4143.
    let is_turned = least > 0.414_213_562_373_095_03 * most;
    let (numerator, denominator) =
        if is_turned { (least - most, least + most) } else { (least, most) };
    let tangent = numerator / denominator;
    let z = tangent * tangent;
    let z2 = z * z;
    let z4 = z2 * z2;
    let [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9] = ARCTANGENT;
    let first = (c0 + c1 * z) + (c2 + c3 * z) * z2;
    let second = (c4 + c5 * z) + (c6 + c7 * z) * z2;
    let series = first + second * z4 + (c8 + c9 * z) * (z4 * z4);
    let angle = tangent + tangent * z * series + if is_turned { FRAC_PI_4 } else { 0.0 };
    let angle = if is_steep { FRAC_PI_2 - angle } else { angle };
    let angle = if x < 0.0 { PI - angle } else { angle };
    angle.copysign(y)
}

/// Of `t + t^3 (c0 + c1 t^2 + ...)`: the polynomial with the least maximum difference from the arctangent, 9e-18, for tangents up
/// to 0.41422. By the exchange algorithm of Remez, with 60 digits.
const ARCTANGENT: [f64; 10] = [
    -0.333_333_333_333_251_9,
    0.199_999_999_981_832_15,
    -0.142_857_141_336_608_46,
    0.111_111_045_063_461_76,
    -0.090_907_388_659_105_64,
    0.076_895_246_459_354_65,
    -0.066_368_825_222_742_53,
    0.056_724_239_657_254_91,
    -0.043_059_386_727_507_594,
    0.020_660_005_461_097_37,
];

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
    fn the_arctangent_of_every_direction_is_that_of_the_standard_library() {
        let mut largest = 0f64;
        for i in -40_000..=40_000 {
            // Tangents of all magnitudes, close to 1 and close to the turn.
            let t = f64::from(i) * 1e-4;
            for (y, x) in
                [(t, 1.0), (t, -1.0), (1.0, t), (-1.0, t), (t * 1e-300, 1e-290), (1e300, t * 1e300)]
            {
                largest = largest.max((arctangent(y, x) - y.atan2(x)).abs());
            }
        }
        assert!(largest <= 10.0 * f64::EPSILON / 2.0, "{largest}");
        assert_eq!(arctangent(1.0, 0.0), FRAC_PI_2);
        assert_eq!(arctangent(-1.0, -0.0), -FRAC_PI_2);
        assert_eq!(arctangent(1.0, 1.0), FRAC_PI_4);
        assert_eq!(arctangent(-1e-30, 1.0), -1e-30);
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
