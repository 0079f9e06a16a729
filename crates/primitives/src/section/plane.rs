//! The plane of a section, with exact sides.

use glam::DVec3;
use thiserror::Error;

/// A component of the scaled normal or a coordinate below it counts as 0. Then no product underflows.
const SMALLEST: f64 = f64::from_bits((1023 - 400) << 52);

/// A sum of products below it may have lost digits to underflow.
const SMALLEST_CERTAIN: f64 = f64::from_bits((1023 - 900) << 52);

/// The bound of the error of a height in f64, as a share of the sum of its absolute products. The difference, the
/// product and two sums round by 2^-53 each; twice that covers the rounding of the bound itself.
const ERROR_SHARE: f64 = 4.0 * f64::EPSILON;

/// A plane in f64 that knows the exact side of every point: the points `x` with `normal . (x - point) = 0`.
///
/// A point in the plane counts as above it. The sign of `normal . (x - point)` is exact: a sum in f64 decides if it exceeds a
/// bound of its error, else a sum without rounding (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast
/// Robust Geometric Predicates", 1997). The normal may have any length. Components below 2^-400 of its largest count as
/// 0, and so do coordinates below 2^-400.
///
/// ```
/// use hitscan_primitives::SectionPlane;
///
/// let plane = SectionPlane::new([0.0, 0.0, 0.1], [0.0, 0.0, 3.0])?;
/// assert!(plane.is_above([7.0, 7.0, 0.1]) && !plane.is_above([7.0, 7.0, 0.099]));
/// let error = SectionPlane::new([0.0; 3], [0.0; 3]).unwrap_err();
/// assert!(error.to_string().starts_with("the normal of the plane is (0, 0, 0)"));
/// # Ok::<(), hitscan_primitives::SectionPlaneError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionPlane {
    point: DVec3,
    /// The largest component lies in [1, 2).
    normal: DVec3,
}

impl SectionPlane {
    /// The maximum magnitude of a coordinate of the point.
    pub const MAX_COORDINATE: f64 = 1e100;

    /// The plane through `point` with a normal of any length. The normal points to the side above.
    ///
    /// # Errors
    /// A normal that is zero or not finite, or a point that is not finite or exceeds
    /// [`MAX_COORDINATE`](Self::MAX_COORDINATE).
    pub fn new(
        point: impl Into<[f64; 3]>,
        normal: impl Into<[f64; 3]>,
    ) -> Result<Self, SectionPlaneError> {
        let [point, normal] = [point.into(), normal.into()];
        Self::from_vectors(DVec3::from_array(point), DVec3::from_array(normal))
    }

    /// The plane `a x + b y + c z + d = 0`, given as `[a, b, c, d]`. Its point is the one nearest to the coordinate
    /// origin, rounded to f64.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_coefficients([a, b, c, d]: [f64; 4]) -> Result<Self, SectionPlaneError> {
        let normal = DVec3::new(a, b, c);
        let (unit, scale) = with_unit_exponent(normal)?;
        // With `d` in two factors, because `scale` may overflow.
        let point = -(d * scale[0] * scale[1]) / unit.length_squared() * unit;
        Self::from_vectors(point, normal)
    }

    fn from_vectors(point: DVec3, normal: DVec3) -> Result<Self, SectionPlaneError> {
        let (normal, _) = with_unit_exponent(normal)?;
        // In this form a NaN is an error.
        if !point.abs().cmple(DVec3::splat(Self::MAX_COORDINATE)).all() {
            let [x, y, z] = point.to_array();
            return Err(SectionPlaneError::Point { x, y, z });
        }
        Ok(Self { point: without_tiny(point), normal: without_tiny(normal) })
    }

    /// A point of the plane, as given.
    pub fn point(&self) -> DVec3 {
        self.point
    }

    /// The normal, scaled by a power of two: its largest component lies in [1, 2).
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Whether a point lies above the plane or in it. Exact.
    pub fn is_above(&self, point: impl Into<[f64; 3]>) -> bool {
        self.height(DVec3::from_array(point.into())) >= 0.0
    }

    /// The plane in a space `scale` times as large, where `scale` is a power of two.
    #[must_use]
    pub fn scaled(&self, scale: f64) -> Self {
        Self { point: without_tiny(self.point * scale), normal: self.normal }
    }

    /// The plane relative to a point: its own becomes the origin.
    #[must_use]
    pub fn at_origin(&self) -> Self {
        Self { point: DVec3::ZERO, normal: self.normal }
    }

    /// `normal . (point - self.point)` in f64, with the exact sign. 0 is in the plane.
    pub(super) fn height(&self, point: DVec3) -> f64 {
        let products = self.normal * (point - self.point);
        let (height, size) = (products.element_sum(), products.abs().element_sum());
        if height.abs() > ERROR_SHARE * size && size > SMALLEST_CERTAIN {
            return height;
        }
        self.exact_height(without_tiny(point))
    }

    /// The height from a sum without rounding.
    #[cold]
    fn exact_height(&self, point: DVec3) -> f64 {
        // Each axis adds four parts. They do not overlap, and their magnitudes increase.
        let mut sum = [0.0; 12];
        let mut n = 0;
        for axis in 0..3 {
            let (difference, error) = two_sum(point[axis], -self.point[axis]);
            for factor in [error, difference] {
                let (product, error) = two_product(self.normal[axis], factor);
                for part in [error, product] {
                    let mut carry = part;
                    for place in &mut sum[..n] {
                        (carry, *place) = two_sum(carry, *place);
                    }
                    sum[n] = carry;
                    n += 1;
                }
            }
        }
        let largest = sum.iter().rev().copied().find(|&part| part != 0.0).unwrap_or(0.0);
        let rounded: f64 = sum.iter().sum();
        if rounded * largest > 0.0 { rounded } else { largest }
    }

    /// Whether the plane may have corners of triangles in a box on both sides. `false` proves that it has not.
    pub fn may_cut_box(&self, min: DVec3, max: DVec3) -> bool {
        let is_positive = self.normal.cmpge(DVec3::ZERO);
        let (above, below) = (
            DVec3::select(is_positive, max, min) - self.point,
            DVec3::select(is_positive, min, max) - self.point,
        );
        let certain = |products: DVec3| {
            let (height, size) = (products.element_sum(), products.abs().element_sum());
            if height.abs() > ERROR_SHARE * size && size > SMALLEST_CERTAIN { height } else { 0.0 }
        };
        certain(self.normal * above) >= 0.0 && certain(self.normal * below) <= 0.0
    }
}

/// The normal times the power of two that brings its largest component into [1, 2), and that power as two factors.
fn with_unit_exponent(normal: DVec3) -> Result<(DVec3, [f64; 2]), SectionPlaneError> {
    let largest = normal.abs().max_element();
    if !normal.is_finite() || largest == 0.0 {
        let [x, y, z] = normal.to_array();
        return Err(SectionPlaneError::Normal { x, y, z });
    }
    // The first factor makes a subnormal number normal, and the inverse of the largest one too.
    let first = if largest < 1.0 { 2f64.powi(500) } else { 2f64.powi(-500) };
    let biased_exponent = ((largest * first).to_bits() >> 52) & 0x7ff;
    let second = f64::from_bits((2 * 1023 - biased_exponent) << 52);
    Ok((normal * first * second, [first, second]))
}

fn without_tiny(vector: DVec3) -> DVec3 {
    DVec3::select(vector.abs().cmplt(DVec3::splat(SMALLEST)), DVec3::ZERO, vector)
}

/// The rounded sum and its error: Knuth, "The Art of Computer Programming", volume 2, section 4.2.2.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// The rounded product and its error, by the halves of both factors: Dekker, "A floating-point technique for extending the
/// available precision", 1971.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let halves = |x: f64| {
        let shifted = f64::from((1 << 27) + 1) * x;
        let high = shifted - (shifted - x);
        (high, x - high)
    };
    let (product, (a_high, a_low), (b_high, b_low)) = (a * b, halves(a), halves(b));
    let error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (product, error)
}

/// The reason why a point and a normal are no plane.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SectionPlaneError {
    /// The normal is zero, or not finite.
    #[error(
        "the normal of the plane is ({x}, {y}, {z}), expected finite numbers that are not all zero"
    )]
    Normal {
        /// The component found.
        x: f64,
        /// The component found.
        y: f64,
        /// The component found.
        z: f64,
    },
    /// The point is not finite or too far away.
    #[error(
        "the point of the plane is ({x}, {y}, {z}), expected finite coordinates of at most 1e100"
    )]
    Point {
        /// The coordinate found.
        x: f64,
        /// The coordinate found.
        y: f64,
        /// The coordinate found.
        z: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::SplitMix64;

    /// The sign of `normal . point` for integers below 2^60.
    fn sign(normal: [i64; 3], point: [i64; 3]) -> i32 {
        let sum: i128 = (0..3).map(|i| i128::from(normal[i]) * i128::from(point[i])).sum();
        sum.signum() as i32
    }

    #[test]
    fn the_side_is_exact_also_where_f64_cancels() {
        let mut random = SplitMix64::new(1);
        let mut integer = |bits: u32| (random.next_u64() >> (64 - bits)) as i64 - (1 << (bits - 1));
        let mut counts = [0; 3];
        for round in 0..20_000 {
            // The normal is orthogonal to the way from point to point, up to one in one component.
            let way = [integer(4), integer(24), integer(24)];
            let other = [integer(26), integer(26), integer(26)];
            let cross = |i: usize, j: usize| way[i] * other[j] - way[j] * other[i];
            let n = [cross(1, 2) + round % 3 - 1, cross(2, 0), cross(0, 1)];
            let q = [integer(20), integer(30), integer(40)].map(|x| x * (round % 2));
            let p = [0, 1, 2].map(|i| q[i] + way[i]);
            if n == [0; 3] {
                continue;
            }
            let f64s = |v: [i64; 3]| v.map(|x| x as f64);
            let scale = 2f64.powi([0, -300, 300][round as usize % 3]);
            let plane =
                SectionPlane::new(f64s(q), f64s(n).map(|x| x * scale)).expect("it has a normal");
            let height = plane.height(DVec3::from_array(f64s(p)));
            let expected = sign(n, way);
            let found = i32::from(height > 0.0) - i32::from(height < 0.0);
            assert_eq!(found, expected, "{n:?} {q:?} {p:?}");
            counts[(expected + 1) as usize] += 1;
        }
        assert!(counts.iter().all(|&n| n > 3000), "{counts:?}");
        let plane = SectionPlane::new([0.1, 0.2, 0.3], [1.0, 1.0, 1.0]).expect("it has a normal");
        assert_eq!(plane.height(DVec3::new(0.3, 0.1, 0.2)).to_bits(), 0);
    }

    #[test]
    fn a_box_that_the_plane_may_not_cut_has_corners_on_one_side() {
        let mut random = SplitMix64::new(2);
        let mut n_rejected = 0;
        for _ in 0..5000 {
            let mut vector = || DVec3::from_array([(); 3].map(|()| random.range(-1.0, 1.0)));
            let [point, normal, a, size] = [(); 4].map(|()| vector());
            let b = a + 0.3 * size;
            let plane = SectionPlane::new(point, normal).expect("it has a normal");
            let corner = |i: usize| {
                DVec3::select(glam::BVec3::new(i & 1 == 0, i & 2 == 0, i & 4 == 0), a, b)
            };
            let n_above = (0..8).filter(|&i| plane.is_above(corner(i))).count();
            let may = plane.may_cut_box(a.min(b), a.max(b));
            assert_eq!(may, n_above % 8 != 0);
            n_rejected += usize::from(!may);
        }
        assert!(n_rejected > 1000 && n_rejected < 4900, "{n_rejected}");
        // A box that touches the plane from above or below may be cut.
        let plane = SectionPlane::new([0.0; 3], [0.0, 0.0, 1.0]).expect("it has a normal");
        assert!(plane.may_cut_box(DVec3::ZERO, DVec3::ONE));
        assert!(plane.may_cut_box(DVec3::NEG_ONE, DVec3::ZERO));
    }

    #[test]
    fn bad_planes_are_errors_that_name_the_numbers() {
        for bad in [[0.0; 3], [f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0]] {
            let error = SectionPlane::new([0.0; 3], bad).unwrap_err();
            assert!(matches!(error, SectionPlaneError::Normal { .. }), "{bad:?}");
            let [a, b, c] = bad;
            assert!(SectionPlane::from_coefficients([a, b, c, 1.0]).is_err());
        }
        for bad in [f64::NAN, f64::INFINITY, -2e100] {
            let error = SectionPlane::new([0.0, bad, 0.0], [1.0; 3]).unwrap_err();
            assert!(error.to_string().contains("the point of the plane is (0,"), "{error}");
            assert!(SectionPlane::from_coefficients([0.0, 1.0, 0.0, bad]).is_err());
        }
    }

    #[test]
    fn normals_of_any_length_and_coefficients_give_the_same_plane() {
        for length in [1.0, 1e-320, 5e-324, 1e-200, 1e200, f64::MAX] {
            let plane = SectionPlane::new([1.0, 2.0, 3.0], [0.0, 0.0, length]).expect("it is one");
            assert!(plane.is_above([9.0, -9.0, 3.0]) && !plane.is_above([0.0, 0.0, 2.999]));
        }
        for (coefficients, z) in [([0.0, 0.0, 2.0, -0.6], 0.3), ([0.0, 0.0, -1e200, 5e199], 0.5)] {
            let plane = SectionPlane::from_coefficients(coefficients).expect("it is one");
            assert_eq!(plane.point().to_array(), [0.0, 0.0, z]);
        }
    }

    #[test]
    fn a_box_whose_corner_is_in_the_plane_or_nearer_than_f64_can_tell_may_be_cut() {
        // A corner in the plane counts as above it.
        let top = SectionPlane::new([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]).expect("it has a normal");
        assert!(top.may_cut_box(DVec3::ZERO, DVec3::ONE));
        let plane = SectionPlane::new([0.1, 0.2, 0.3], [1.0, 1.0, 1.0]).expect("it has a normal");
        let below = DVec3::new(0.3, 0.1, 0.2f64.next_down());
        assert!(!plane.is_above(below) && plane.is_above(below + 1.0));
        assert!(plane.may_cut_box(below, below + 1.0));
        assert!(!plane.may_cut_box(below + 1e-9, below + 1.0));
    }
}
