//! The world transform of an instance with its inverse, and its box in the top-level tree.

use glam::{DAffine3, DMat3, DVec3, Vec3};
use hitscan_bvh::instances::widened;
use hitscan_primitives::{Aabb, LocalFrame, LocalSphere, WorldBox};
use thiserror::Error;

/// The reason why a matrix cannot be the transform of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TransformError {
    /// A component is NaN or infinite, or moves the mesh beyond 1e100 world units.
    #[error("the world transform is not finite or exceeds 1e100 units; use finite, smaller values")]
    NotFinite,
    /// The matrix is singular, up to rounding.
    #[error("the world transform is singular; use an invertible matrix, without zero scale")]
    Singular,
}

/// The maximum magnitude of a world box's coordinates.
const MAX_ABS_COORDINATE: f64 = 1e100;

/// The maximum row sum of `|linear * inverse - identity|` of an accepted inverse.
const MAX_RESIDUAL: f64 = 1e-6;

/// A world transform with the values that queries derive from it.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    pub(crate) world: DAffine3,
    pub(crate) frame: LocalFrame,
    /// The box in the top-level tree, empty without triangles.
    pub(crate) bounds: WorldBox,
    /// A bound of the f64 rounding when a point near the mesh is taken to the mesh's space, in world
    /// units.
    pub(crate) rounding: f64,
}

impl Placement {
    /// The placement of a mesh with the bounds `local`, which may be empty.
    pub(crate) fn new(world: DAffine3, local: Aabb) -> Result<Self, TransformError> {
        if !world.is_finite() {
            return Err(TransformError::NotFinite);
        }
        let linear = world.matrix3;
        let inverse_linear = refined_inverse(linear);
        let residual = max_row_sum((linear * inverse_linear - DMat3::IDENTITY).abs());
        // In this form a NaN is an error.
        if !(inverse_linear.is_finite() && residual <= MAX_RESIDUAL) {
            return Err(TransformError::Singular);
        }
        let translation = world.translation;
        if local.is_empty() {
            let frame = LocalFrame { translation, inverse_linear, sphere: LocalSphere::default() };
            return Ok(Self { world, frame, bounds: WorldBox::EMPTY, rounding: 0.0 });
        }
        let half = 0.5 * (local.max.as_dvec3() - local.min.as_dvec3());
        let sphere = LocalSphere::new(local);
        let LocalSphere { center, radius } = sphere;
        let extent = center.abs() + DVec3::splat(16.0 * radius);
        let size = (linear.abs() * extent).max_element();
        let condition = max_row_sum(linear.abs() * inverse_linear.abs());
        let rounding = (residual + condition * 2f64.powi(-48)) * size
            + translation.abs().max_element() * 2f64.powi(-48);
        let mesh_max_abs = (center.abs() + half).max_element();
        let bounds = tree_box(&world, center, half, mesh_max_abs, rounding);
        let max_abs_coord = bounds.min.abs().max(bounds.max.abs()).max_element();
        if max_abs_coord <= MAX_ABS_COORDINATE {
            let frame = LocalFrame { translation, inverse_linear, sphere };
            Ok(Self { world, frame, bounds, rounding })
        } else {
            Err(TransformError::NotFinite)
        }
    }

    /// Makes the box smaller, around the parts of the mesh. Under a rotation the box around the one box of the
    /// mesh is much larger.
    pub(crate) fn tighten(&mut self, parts: &Parts) {
        if parts.boxes.is_empty() || keeps_axes(self.world.matrix3) {
            return;
        }
        let linear = self.world.matrix3;
        let size = linear.abs();
        // Around the middle of the mesh, without the margin of `tree_box`.
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &(to_middle, half) in &parts.boxes {
            let (to_middle, half) = (linear * to_middle, size * half);
            (min, max) = (min.min(to_middle - half), max.max(to_middle + half));
        }
        let rows = linear.transpose();
        let reach = parts.radius * DVec3::from_array([0, 1, 2].map(|axis| rows.col(axis).length()));
        let middle =
            tree_box(&self.world, parts.center, DVec3::ZERO, parts.max_abs_coord, self.rounding);
        self.bounds.min = self.bounds.min.max(middle.min + min.max(-reach));
        self.bounds.max = self.bounds.max.min(middle.max + max.min(reach));
    }
}

/// Smaller shapes than its one box that hold a mesh.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    /// Boxes that together hold all triangles: from `center` to the middle of each, and half its extent.
    boxes: Vec<(DVec3, DVec3)>,
    /// A sphere around the mesh.
    center: DVec3,
    radius: f64,
    max_abs_coord: f64,
}

impl Parts {
    /// `boxes` together hold all triangles, whose corners are among `positions`.
    pub(crate) fn new(boxes: &[Aabb], bounds: Aabb, positions: &[Vec3]) -> Self {
        if boxes.len() < 2 {
            return Self::default();
        }
        let middle = |bounds: &Aabb| 0.5 * (bounds.min.as_dvec3() + bounds.max.as_dvec3());
        let half = |bounds: &Aabb| 0.5 * (bounds.max.as_dvec3() - bounds.min.as_dvec3());
        let center = middle(&bounds);
        let squared = |position: &Vec3| position.as_dvec3().distance_squared(center);
        let radius = positions.iter().map(squared).fold(0.0, f64::max).sqrt();
        let max_abs_coord = bounds.min.abs().max(bounds.max.abs()).max_element();
        Self {
            boxes: boxes.iter().map(|part| (middle(part) - center, half(part))).collect(),
            center,
            // Rounding leaves no point outside.
            radius: (1.0 + 1e-12) * radius,
            max_abs_coord: max_abs_coord.into(),
        }
    }
}

/// The inverse of a matrix, refined by one step of Newton's method. The inverse by cofactors alone loses
/// twice the necessary digits for a sheared or stretched matrix.
pub(crate) fn refined_inverse(matrix: DMat3) -> DMat3 {
    let inverse = matrix.inverse();
    inverse * (2.0 * DMat3::IDENTITY - matrix * inverse)
}

/// The world box of a mesh, or of a part of it. If a local ray hits the mesh at `t`, [`SlabRay::enter`](hitscan_primitives::SlabRay::enter) of its world ray
/// meets the box at or before `t`. The proof:
///
/// Let u = 2^-24, M the mesh's largest coordinate, R <= 1.8 M the radius of its sphere. A local ray
/// starts within 4 R of the sphere's middle (see [`LocalRay`](hitscan_primitives::LocalRay)), so within 9 M of zero.
/// If it hits a triangle at `t`, its point there lies within 8.5 u D of the triangle in each component,
/// contact included, with D <= 10 M the largest component of a corner minus the start
/// ([`WatertightRay`](hitscan_primitives::WatertightRay)): 85 u M. The exact local ray differs from the
/// one in f32 by the rounding of the start, 9 u M, and of the direction, 10 u M at `t`. Where the bounds of
/// the interval were rounded to f32, [`world_t`](hitscan_primitives::LocalRay::world_t) moves `t` back by u times
/// itself, another 10 u M. So the point of the exact local ray at `world_t` is within 114 u M of the mesh's box,
/// and in the box [`widened`] by 2^-14 M = 1024 u M. `linear` takes the widened box into the one here.
///
/// f64 rounds in world space. `linear * inverse` misses the identity by `residual`, and is evaluated to
/// 2^-50 of `|linear| |inverse|`. Both act on vectors of the size of the instance, because the difference
/// to the translation is taken first; `size` covers all points within 16 R. The difference itself is
/// rounded by 2^-53 of the larger of origin and translation. The pad of `SlabRay` covers the former and
/// `rounding` the latter, both more than ten times over.
///
/// The point lies within the same distance of the triangle, so what holds for the box of the mesh holds for the sphere
/// around it, and for boxes that together hold its triangles. `max_abs_coord` is M, that of the whole mesh.
fn tree_box(
    world: &DAffine3,
    center: DVec3,
    half: DVec3,
    max_abs_coord: f64,
    rounding: f64,
) -> WorldBox {
    let half = world.matrix3.abs() * widened(half, max_abs_coord);
    let center = world.transform_point3(center);
    WorldBox { min: center - half - rounding, max: center + half + rounding }
}

/// Whether a transform takes axes to axes. Then the box around a box has its size, and parts of it gain nothing.
fn keeps_axes(linear: DMat3) -> bool {
    linear.to_cols_array().iter().filter(|&&entry| entry != 0.0).count() == 3
}

fn max_row_sum(m: DMat3) -> f64 {
    (m.x_axis + m.y_axis + m.z_axis).max_element()
}
