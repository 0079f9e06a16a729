//! Numbers from the bytes of an input.

use hitscan::Ray;
use hitscan::primitives::glam::Vec3;

/// The bytes of an input, in order; zeros after the end.
#[derive(Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

/// Numbers at which arithmetic changes its behaviour.
const SPECIAL: [f32; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    f32::EPSILON,
    1.0 + f32::EPSILON,
    1.0 - f32::EPSILON / 2.0,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1e-45,
    -1e-45,
    1e-40,
    f32::MAX,
    f32::MIN,
    1.1e12,
    1.0995116e12,
    9.094947e-13,
    9e-13,
    1.8446744e19,
    5.4210109e-20,
    16_777_216.0,
    1e-7,
    3.4e38,
];

impl Bytes<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// The next byte as a number below `n`, which is at most 256 and not 0.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    /// Any number: a small integer, a fraction, a power of two, a special value, or four bytes of bits.
    pub fn number(&mut self) -> f32 {
        let small = |bytes: &mut Self| f32::from(bytes.byte() as i8);
        match self.below(8) {
            0 | 1 => small(self),
            2 => small(self) / 16.0,
            3 => small(self) / 3.0,
            4 => small(self).clamp(-126.0, 127.0).exp2(),
            5 => SPECIAL[self.below(SPECIAL.len())],
            _ => f32::from_bits(u32::from_le_bytes([0; 4].map(|_| self.byte()))),
        }
    }

    /// A number that is finite.
    pub fn finite(&mut self) -> f32 {
        let number = self.number();
        if number.is_finite() { number } else { 0.0 }
    }

    /// Three of [`finite`](Self::finite).
    pub fn position(&mut self) -> Vec3 {
        Vec3::new(self.finite(), self.finite(), self.finite())
    }

    /// Any ray, or one through some of the given points.
    pub fn ray(&mut self, points: &[Vec3]) -> Ray {
        let any = |bytes: &mut Self| Vec3::new(bytes.number(), bytes.number(), bytes.number());
        let point = |bytes: &mut Self| points[bytes.below(points.len())];
        let ray = match self.below(8) {
            0 => Ray::new(any(self), any(self)),
            1 => Ray::segment(point(self), point(self)),
            2 => Ray::new(any(self), point(self)),
            3 => Ray::segment(any(self), 0.5 * point(self) + 0.5 * point(self)),
            4 => {
                let (mut direction, axis) =
                    (Vec3::splat([0.0, -0.0][self.below(2)]), self.below(3));
                direction[axis] = self.number();
                Ray::line(point(self), direction)
            }
            5 => {
                let to = (point(self) + point(self) + point(self)) / 3.0;
                Ray::segment(any(self), to)
            }
            6 => {
                let origin = Vec3::new(point(self).x, point(self).y, point(self).z);
                Ray::segment(origin, point(self))
            }
            _ => Ray::new(point(self), any(self)),
        };
        match self.below(6) {
            0 => ray.with_range(self.number(), self.number()),
            1 => ray.with_range(f32::NEG_INFINITY, ray.t_max),
            2 => ray.with_range(ray.t_min, f32::INFINITY),
            _ => ray,
        }
    }
}
