//! The power of two that brings a mesh near 1, so that no product of coordinates leaves the range of f32.

use crate::Aabb;

/// The largest absolute coordinate that queries take unscaled: 2^40. See [`TriMesh::query_scale`](crate::TriMesh::query_scale).
const LARGEST_UNSCALED: f32 = (1u64 << 40) as f32;

/// [`TriMesh::query_scale`](crate::TriMesh::query_scale) of a mesh with these bounds, which are not empty.
pub(crate) fn query_scale_of(bounds: Aabb) -> f64 {
    let largest = bounds.max_abs_coordinate();
    if largest == 0.0 || (1.0 / LARGEST_UNSCALED..=LARGEST_UNSCALED).contains(&largest) {
        return 1.0;
    }
    let biased_exponent = (f64::from(largest).to_bits() >> 52) & 0x7ff;
    f64::from_bits((2 * 1023 - biased_exponent) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_scale_brings_extreme_meshes_near_one() {
        for exponent in [-149, -126, -41, 41, 127] {
            let x = 2f64.powi(exponent) as f32;
            let scale = query_scale_of(Aabb::new([0.0; 3], [x, x, 0.0]));
            assert_eq!(scale * f64::from(x), 1.0, "2^{exponent}");
        }
    }
}
