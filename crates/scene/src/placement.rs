//! Where an instance stands in the world, and the box that the top-level tree keeps of it.

use glam::{DAffine3, DMat3, DVec3};
use hitscan_primitives::Aabb;
use thiserror::Error;

use crate::{WorldRay, ray::LocalFrame, world_box::WorldBox};

/// Why a matrix is no transform of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TransformError {
    /// A component is NaN or infinite, or so large that coordinates overflow.
    #[error("the transform is not finite or moves out of range, expected coordinates within 1e100")]
    NotFinite,
    /// The matrix flattens space, up to rounding.
    #[error("the transform is singular, expected an invertible matrix")]
    Singular,
}

/// The largest coordinate of a world box, in size.
const LARGEST_COORDINATE: f64 = 1e100;

/// The largest component of `linear * inverse - identity` that is still an inverse.
const LARGEST_RESIDUAL: f64 = 1e-6;

/// A world transform with what queries need of it.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    pub(crate) world: DAffine3,
    pub(crate) frame: LocalFrame,
    /// The box in the top-level tree, empty without triangles.
    pub(crate) bounds: WorldBox,
    /// What f64 rounds at most on the way from a point at the mesh to the mesh's space, in world units.
    pub(crate) rounding: f64,
}

impl Placement {
    /// Places a mesh with the bounds `local`, which may be empty.
    pub(crate) fn new(world: DAffine3, local: Aabb) -> Result<Self, TransformError> {
        if !world.is_finite() {
            return Err(TransformError::NotFinite);
        }
        let linear = world.matrix3;
        let inverse_linear = refined_inverse(linear);
        let residual = max_row_sum((linear * inverse_linear - DMat3::IDENTITY).abs());
        // Written so that NaN is an error.
        if !(inverse_linear.is_finite() && residual <= LARGEST_RESIDUAL) {
            return Err(TransformError::Singular);
        }
        let translation = world.translation;
        if local.is_empty() {
            let frame =
                LocalFrame { translation, inverse_linear, center: DVec3::ZERO, radius: 0.0 };
            return Ok(Self { world, frame, bounds: WorldBox::EMPTY, rounding: 0.0 });
        }
        let (min, max) = (local.min.as_dvec3(), local.max.as_dvec3());
        let (center, half) = (0.5 * (min + max), 0.5 * (max - min));
        // A little more than the sphere, so that rounding leaves nothing outside.
        let radius = 1.001 * half.length();
        let reach = center.abs() + DVec3::splat(16.0 * radius);
        let size = (linear.abs() * reach).max_element();
        let condition = max_row_sum(linear.abs() * inverse_linear.abs());
        let rounding = (residual + condition * 2f64.powi(-48)) * size
            + translation.abs().max_element() * 2f64.powi(-48);
        let bounds = tree_box(&world, center, half, rounding);
        let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
        if largest <= LARGEST_COORDINATE {
            let frame = LocalFrame { translation, inverse_linear, center, radius };
            Ok(Self { world, frame, bounds, rounding })
        } else {
            Err(TransformError::NotFinite)
        }
    }
}

/// The inverse of a matrix, with a step of Newton's method: the inverse by cofactors loses twice the
/// digits that a sheared or stretched matrix need lose.
pub(crate) fn refined_inverse(matrix: DMat3) -> DMat3 {
    let inverse = matrix.inverse();
    inverse * (2.0 * DMat3::IDENTITY - matrix * inverse)
}

/// The world box of an instance, wide enough that a ray whose local ray hits the mesh at `t` meets the
/// box not after `t` in [`SlabRay::enter`]. Why it is:
///
/// Let u = 2^-24, M the mesh's largest coordinate, R <= 1.8 M the radius of its sphere. A local ray
/// starts within 4 R of the sphere's middle (see [`LocalRay`](crate::LocalRay)), so within 9 M of zero.
/// If it hits a triangle at `t`, its point there lies within 8.5 u D of the triangle in each component,
/// contact included, with D <= 10 M the largest component of a corner minus the start
/// ([`WatertightRay`](hitscan_primitives::WatertightRay)): 85 u M. The exact local ray differs from the
/// one in f32 by the rounding of the start, 9 u M, and of the direction, 10 u M at `t`. Where the bounds of
/// the interval were rounded to f32, [`world_t`](crate::LocalRay::world_t) moves `t` back by u of itself,
/// another 10 u M. So the point of the exact local ray at `world_t` is within 114 u M of the mesh's box,
/// and in the box widened by `LOCAL_PAD` = 2^-14 M = 1024 u M; what is below the smallest normal number
/// of f32 is in `TINY`. `linear` takes the widened box into the one here.
///
/// What f64 rounds is in world space. `linear * inverse` misses the identity by `residual`, and is
/// evaluated to 2^-50 of `|linear| |inverse|`; both act on vectors of the size of the instance, as the
/// difference to the translation is taken first: `size` has room for all that is within 16 R. The
/// difference itself is rounded by 2^-53 of the larger of origin and translation; the former is in the
/// pad of [`SlabRay`], the latter in `rounding`, both more than ten times over.
fn tree_box(world: &DAffine3, center: DVec3, half: DVec3, rounding: f64) -> WorldBox {
    const LOCAL_PAD: f64 = 1.0 / (1 << 14) as f64;
    const TINY: f64 = 1e-42;
    let reach = (center.abs() + half).max_element();
    let half = world.matrix3.abs() * (half + DVec3::splat(LOCAL_PAD * reach + TINY));
    let center = world.transform_point3(center);
    WorldBox { min: center - half - rounding, max: center + half + rounding }
}

fn max_row_sum(m: DMat3) -> f64 {
    (m.x_axis + m.y_axis + m.z_axis).max_element()
}

/// A world ray ready to be tested against boxes of the top-level tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlabRay {
    origin: DVec3,
    reciprocal: DVec3,
    t_min: f64,
    t_max: f64,
    /// For all that is rounded in proportion to the origin, by 32 times as much.
    pad: f64,
}

impl SlabRay {
    pub(crate) fn new(ray: &WorldRay) -> Self {
        // Finite, so that no product with a zero is NaN.
        const LARGEST: f64 = 1e300;
        let reciprocal =
            DVec3::from_array(ray.direction.to_array().map(|d| (1.0 / d).clamp(-LARGEST, LARGEST)));
        let pad = ray.origin.abs().max_element() * 2f64.powi(-48);
        Self { origin: ray.origin, reciprocal, t_min: ray.t_min, t_max: ray.t_max, pad }
    }

    /// Where the ray enters a box, within its interval; NaN if it misses.
    #[inline(always)]
    pub(crate) fn enter(&self, bounds: &WorldBox) -> f64 {
        let to_min = (bounds.min - self.pad - self.origin) * self.reciprocal;
        let to_max = (bounds.max + self.pad - self.origin) * self.reciprocal;
        let enter = to_min.min(to_max).max_element().max(self.t_min);
        let exit = to_min.max(to_max).min_element().min(self.t_max);
        if enter <= exit { enter } else { f64::NAN }
    }
}
