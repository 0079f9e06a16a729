//! The clusters of a node's children, and what a point sees of all eight at once.

use std::f64::consts::PI;

use glam::DVec3;

use super::{
    eight::{self, Eight, Positions},
    harmonics::{self, Harmonics, MAX_DEGREE},
};
use crate::simd::{Kernel, Simd};

/// The degree up to which the moments of a cluster replace its triangles. Of the next, the power bounds the error.
const DEGREE: usize = MAX_DEGREE - 1;

/// What replaces the triangles below each child of a node.
#[derive(Clone, Debug)]
pub(super) struct Clusters {
    /// Those whose triangles have an area, as bits.
    pub(super) solid: u8,
    centers: Positions,
    /// The maximum distance of the triangles from the center.
    radii: Eight,
    /// The power of the first degree that is left out, over 4 pi.
    powers: Eight,
    /// The integral of the fourth power of the distance from the center, over 4 pi.
    spreads: Eight,
    /// The real and imaginary parts of the moments, order by order. Times irregular harmonics they add up to winding numbers.
    moments: [Eight; N_PARTS],
}

/// The parts of moments up to [`DEGREE`]: two for each order but 0, and none of degree 0.
const N_PARTS: usize = (DEGREE + 1) * (DEGREE + 1) - 1;

impl Clusters {
    /// Clusters by their moments, before they have extents.
    pub(super) fn new(centers: &Positions, harmonics: &Harmonics) -> Self {
        let mut moments = [Eight::ZERO; N_PARTS];
        let mut parts = moments.iter_mut();
        let mut push = |part: Eight| *parts.next().expect("one for each part") = part;
        for m in 0..=DEGREE {
            // Both signs of an order have the same share.
            let factor = if m == 0 { -1.0 } else { -2.0 } / (4.0 * PI);
            for n in m.max(1)..=DEGREE {
                let [re, im] = harmonics::scaled(factor, harmonics[harmonics::index(n, m)]);
                push(re);
                if m > 0 {
                    push(im);
                }
            }
        }
        let powers = (1.000_001 / (4.0 * PI)) * harmonics::power(harmonics, DEGREE + 1);
        let (radii, spreads) = (Eight::ZERO, Eight::ZERO);
        Self { solid: 0, centers: *centers, radii, powers, spreads, moments }
    }

    /// Sets the radius of a cluster that has an area, and the integral of the fourth power of the distance from its center.
    pub(super) fn set_extent(&mut self, slot: usize, radius: f64, spread: f64) {
        self.solid |= 1 << slot;
        self.radii.0[slot] = radius;
        self.spreads.0[slot] = spread / (4.0 * PI);
    }

    /// The center and the radius of a cluster.
    #[cfg(test)]
    pub(super) fn ball(&self, slot: usize) -> (DVec3, f64) {
        (eight::position(&self.centers, slot), self.radii.0[slot])
    }
}

/// The computation of [`Seen`].
pub(super) struct View<'a> {
    pub(super) clusters: &'a Clusters,
    pub(super) from: DVec3,
}

/// What a point sees of eight clusters.
pub(super) struct Seen {
    /// The winding number of each by its moments.
    pub(super) values: Eight,
    /// The bound on its error, where the ratio is at most 1/2.
    pub(super) errors: Eight,
    /// The radius over the distance.
    pub(super) ratios: Eight,
}

impl Kernel for View<'_> {
    type Output = Seen;

    /// The winding number of a piece of surface is the derivative of the potential along its normals, and that is a sum over
    /// degrees `n >= 1`. The share of a degree is at most its power over `d^(n + 1)`; and at most `n` times the
    /// integral of the distance from the center to the power `n - 1`, over `d^(n + 1)`, because a Legendre polynomial of degree `n` is a
    /// trigonometric one, whose derivative is bounded by the inequality of Bernstein and Szegő. With the ratio `p` of radius
    /// and distance, all degrees from 6 on add up to `(6 p - 5 p^2) / (1 - p)^2` times the fourth power's integral, over `d^6`.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Seen {
        let Self { clusters, from } = self;
        let [x, y, z] = eight::minus(from.to_array().map(Eight::splat), clusters.centers);
        let inverse_square = Eight::splat(1.0) / (x * x + y * y + z * z);
        let inverse = inverse_square.sqrt();
        let [x, y, z] = [x * inverse_square, y * inverse_square, z * inverse_square];

        let mut values = Eight::ZERO;
        let mut part = 0;
        // The irregular harmonics of an order and of the least degree it has.
        let mut least = [inverse, Eight::ZERO];
        for m in 0..=DEGREE {
            if m > 0 {
                least = harmonics::scaled((2 * m - 1) as f64, harmonics::times([x, y], least));
            }
            let ([mut re, mut im], mut last) = (least, [Eight::ZERO; 2]);
            for n in m..=DEGREE {
                if n > m {
                    let along = (2 * n - 1) as f64 * z;
                    let back = ((n - 1) * (n - 1) - m * m) as f64 * inverse_square;
                    ([re, im], last) =
                        ([along * re - back * last[0], along * im - back * last[1]], [re, im]);
                }
                if n > 0 {
                    values += clusters.moments[part] * re;
                    part += 1;
                    if m > 0 {
                        values += clusters.moments[part] * im;
                        part += 1;
                    }
                }
            }
        }

        let ratios = clusters.radii * inverse;
        let rest = Eight::splat(1.0) - ratios;
        let tail = ratios * (Eight::splat(6.0) - 5.0 * ratios) / (rest * rest);
        let cube = inverse_square * inverse_square * inverse_square;
        let errors = cube * (clusters.powers + clusters.spreads * tail);
        Seen { values, errors, ratios }
    }
}
