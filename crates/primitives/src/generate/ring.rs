//! Closed rings of vertices, zipped together to surfaces.
//!
//! Rings may have different numbers of vertices. Triangles therefore keep about the same size from a
//! sphere's equator to its poles, and a surface can have any even number of triangles.

use glam::DVec3;

use super::parts::Parts;
use super::turns;

/// A ring of vertices in a mesh under construction, at even steps of an angle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    first_vertex: u32,
    n_vertices: u32,
    /// Whether the ring is turned by half the angle between its vertices.
    is_turned: bool,
}

impl Ring {
    /// Adds the vertices of a ring to `parts`; `position` maps the sine and cosine of their angles.
    pub(super) fn new(
        parts: &mut Parts,
        n_vertices: u32,
        is_turned: bool,
        position: impl Fn(f64, f64) -> DVec3,
    ) -> Self {
        let ring = Self { first_vertex: parts.next_vertex(), n_vertices, is_turned };
        parts.positions.extend((0..n_vertices).map(|i| {
            let (sin, cos) = turns::sin_cos(ring.half_steps(i), 2 * u64::from(n_vertices));
            position(sin, cos).as_vec3()
        }));
        ring
    }

    /// The angle of a vertex, in halves of the angle between vertices. `i` may be `n_vertices`.
    fn half_steps(self, i: u32) -> u64 {
        2 * u64::from(i) + u64::from(self.is_turned)
    }

    fn vertex(self, i: u32) -> u32 {
        self.first_vertex + i % self.n_vertices
    }
}

/// Fills the band between two rings with `upper.n_vertices + lower.n_vertices` triangles,
/// counter-clockwise when seen with `upper` above `lower` and the rings running to the right.
pub(super) fn zip(parts: &mut Parts, upper: Ring, lower: Ring) {
    let (mut u, mut l) = (0, 0);
    while u < upper.n_vertices || l < lower.n_vertices {
        // Go on along the ring whose next vertex comes first, compared as fractions of a turn.
        let next_u = upper.half_steps(u + 1) * u64::from(lower.n_vertices);
        let next_l = lower.half_steps(l + 1) * u64::from(upper.n_vertices);
        let advance_upper = l == lower.n_vertices || (u < upper.n_vertices && next_u < next_l);
        if advance_upper {
            parts.triangles.push([upper.vertex(u), lower.vertex(l), upper.vertex(u + 1)]);
            u += 1;
        } else {
            parts.triangles.push([upper.vertex(u), lower.vertex(l), lower.vertex(l + 1)]);
            l += 1;
        }
    }
}

/// Closes a ring with a fan to a vertex above it.
pub(super) fn cap_above(parts: &mut Parts, pole: u32, ring: Ring) {
    let fan = (0..ring.n_vertices).map(|i| [pole, ring.vertex(i), ring.vertex(i + 1)]);
    parts.triangles.extend(fan);
}

/// Closes a ring with a fan to a vertex below it.
pub(super) fn cap_below(parts: &mut Parts, pole: u32, ring: Ring) {
    let fan = (0..ring.n_vertices).map(|i| [pole, ring.vertex(i + 1), ring.vertex(i)]);
    parts.triangles.extend(fan);
}

/// Distributes `total` vertices among rings by their weights, at least three each.
///
/// `total` is at least three times the number of rings, and the weights are positive.
pub(super) fn share_out(total: u32, weights: &[f64]) -> Vec<u32> {
    let spare = f64::from(total - 3 * weights.len() as u32);
    let sum: f64 = weights.iter().sum();
    let (mut weight_so_far, mut given) = (0.0, 0);
    let mut counts: Vec<u32> = weights
        .iter()
        .map(|weight| {
            weight_so_far += weight;
            let until_here = (spare * (weight_so_far / sum) + 0.5).min(spare) as u32;
            let share = until_here - given;
            given = until_here;
            3 + share
        })
        .collect();
    // Rounding may leave the last share one short.
    if let Some(last) = counts.last_mut() {
        *last += spare as u32 - given;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_are_never_below_three() {
        let weights: Vec<f64> = (1..=40).map(|k| 1.0 / f64::from(k)).collect();
        for total in [120, 121, 500, 1_000_003] {
            let counts = share_out(total, &weights);
            assert_eq!(counts.iter().sum::<u32>(), total);
            assert!(counts.iter().all(|&n| n >= 3));
        }
    }
}
