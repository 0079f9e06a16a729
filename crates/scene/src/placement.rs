//! The world transform of an instance with its inverse, and its box in the top-level tree.

use glam::{DAffine3, DMat3, DVec3, Vec3};
use hitscan_primitives::{Aabb, Ray};
use thiserror::Error;

use crate::{WorldRay, ray::LocalFrame, world_box::WorldBox};

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
    /// The box of the mesh in its own space, widened as in [`tree_box`].
    mesh_box: WorldBox,
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
            let frame =
                LocalFrame { translation, inverse_linear, center: DVec3::ZERO, radius: 0.0 };
            let empty = WorldBox::EMPTY;
            return Ok(Self { world, frame, bounds: empty, mesh_box: empty, rounding: 0.0 });
        }
        let (min, max) = (local.min.as_dvec3(), local.max.as_dvec3());
        let (center, half) = (0.5 * (min + max), 0.5 * (max - min));
        // Slightly larger than the sphere, so that rounding leaves no point outside.
        let radius = 1.001 * half.length();
        let extent = center.abs() + DVec3::splat(16.0 * radius);
        let size = (linear.abs() * extent).max_element();
        let condition = max_row_sum(linear.abs() * inverse_linear.abs());
        let rounding = (residual + condition * 2f64.powi(-48)) * size
            + translation.abs().max_element() * 2f64.powi(-48);
        let mesh_max_abs = (center.abs() + half).max_element();
        let bounds = tree_box(&world, center, half, mesh_max_abs, rounding);
        let max_abs_coord = bounds.min.abs().max(bounds.max.abs()).max_element();
        if max_abs_coord <= MAX_ABS_COORDINATE {
            let half = widened(half, mesh_max_abs);
            let mesh_box = WorldBox { min: center - half, max: center + half };
            let frame = LocalFrame { translation, inverse_linear, center, radius };
            Ok(Self { world, frame, bounds, mesh_box, rounding })
        } else {
            Err(TransformError::NotFinite)
        }
    }

    /// Whether a local ray meets the box of the mesh. `true` if it hits the mesh: by the proof of [`tree_box`] its point
    /// at `t` is within 85 u M of the mesh, an eleventh of the widening.
    ///
    /// The world box of a turned instance is larger than this one, so half of the rays that meet that one miss the mesh. This
    /// test spares them the memory of the mesh.
    #[inline]
    pub(crate) fn may_hit(&self, ray: &Ray) -> bool {
        SlabRay::new(&WorldRay::from(*ray)).entry(&self.mesh_box).is_some()
    }

    /// The placement with a smaller box, around the parts of its mesh. Under a rotation the box around the one box of the
    /// mesh is much larger.
    pub(crate) fn tightened(mut self, parts: &Parts) -> Self {
        if parts.boxes.is_empty() || keeps_axes(self.world.matrix3) {
            return self;
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
        self
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

/// The world box of a mesh, or of a part of it. If a local ray hits the mesh at `t`, [`SlabRay::enter`] of its world ray
/// meets the box at or before `t`. The proof:
///
/// Let u = 2^-24, M the mesh's largest coordinate, R <= 1.8 M the radius of its sphere. A local ray
/// starts within 4 R of the sphere's middle (see [`LocalRay`](crate::LocalRay)), so within 9 M of zero.
/// If it hits a triangle at `t`, its point there lies within 8.5 u D of the triangle in each component,
/// contact included, with D <= 10 M the largest component of a corner minus the start
/// ([`WatertightRay`](hitscan_primitives::WatertightRay)): 85 u M. The exact local ray differs from the
/// one in f32 by the rounding of the start, 9 u M, and of the direction, 10 u M at `t`. Where the bounds of
/// the interval were rounded to f32, [`world_t`](crate::LocalRay::world_t) moves `t` back by u times
/// itself, another 10 u M. So the point of the exact local ray at `world_t` is within 114 u M of the mesh's box,
/// and in the box widened by `LOCAL_PAD` = 2^-14 M = 1024 u M. `TINY` covers values below the smallest
/// normal number of f32. `linear` takes the widened box into the one here.
///
/// f64 rounds in world space. `linear * inverse` misses the identity by `residual`, and is evaluated to
/// 2^-50 of `|linear| |inverse|`. Both act on vectors of the size of the instance, because the difference
/// to the translation is taken first; `size` covers all points within 16 R. The difference itself is
/// rounded by 2^-53 of the larger of origin and translation. The pad of [`SlabRay`] covers the former and
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

/// Half the extent of a box in the space of a mesh whose largest coordinate is `max_abs_coord`, widened.
fn widened(half: DVec3, max_abs_coord: f64) -> DVec3 {
    const LOCAL_PAD: f64 = 1.0 / (1 << 14) as f64;
    const TINY: f64 = 1e-42;
    half + DVec3::splat(LOCAL_PAD * max_abs_coord + TINY)
}

/// Whether a transform takes axes to axes. Then the box around a box has its size, and parts of it gain nothing.
fn keeps_axes(linear: DMat3) -> bool {
    linear.to_cols_array().iter().filter(|&&entry| entry != 0.0).count() == 3
}

fn max_row_sum(m: DMat3) -> f64 {
    (m.x_axis + m.y_axis + m.z_axis).max_element()
}

/// A ray prepared for tests against many boxes in world space, such as those that [`Scene::visit`](crate::Scene::visit)
/// shows.
///
/// ```
/// use hitscan_scene::{SlabRay, WorldBox, WorldRay};
///
/// let slabs = SlabRay::new(&WorldRay::new([0.0, 0.5, 0.5], [1.0, 0.0, 0.0]));
/// let entry = slabs.entry(&WorldBox::new([2.0, 0.0, 0.0], [3.0, 1.0, 1.0])).expect("it meets the box");
/// assert!((2.0 - entry).abs() < 1e-9);
/// assert_eq!(slabs.entry(&WorldBox::new([2.0, 1.0, 0.0], [3.0, 2.0, 1.0])), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SlabRay {
    pub(crate) origin: DVec3,
    pub(crate) reciprocal: DVec3,
    pub(crate) t_min: f64,
    pub(crate) t_max: f64,
    /// Widens boxes by 32 times the rounding that is proportional to the origin.
    pub(crate) pad: f64,
}

impl SlabRay {
    /// Prepares a ray. One that is invalid has no meaning.
    pub fn new(ray: &WorldRay) -> Self {
        // Finite, so that no product with a zero is NaN.
        const MAX_RECIPROCAL: f64 = 1e300;
        let reciprocal = DVec3::from_array(
            ray.direction.to_array().map(|d| (1.0 / d).clamp(-MAX_RECIPROCAL, MAX_RECIPROCAL)),
        );
        let pad = ray.origin.abs().max_element() * 2f64.powi(-48);
        Self { origin: ray.origin, reciprocal, t_min: ray.t_min, t_max: ray.t_max, pad }
    }

    /// The `t` at which the ray enters a box, within the ray's interval; `None` if it misses.
    ///
    /// The test widens the box by more than its own rounding. So a ray that meets the box never misses it, and
    /// enters it by the last digits too early.
    pub fn entry(&self, bounds: &WorldBox) -> Option<f64> {
        let t = self.enter(bounds);
        (!t.is_nan()).then_some(t)
    }

    /// [`entry`](Self::entry), and NaN for a miss.
    #[inline(always)]
    pub(crate) fn enter(&self, bounds: &WorldBox) -> f64 {
        let to_min = (bounds.min - self.pad - self.origin) * self.reciprocal;
        let to_max = (bounds.max + self.pad - self.origin) * self.reciprocal;
        let enter = to_min.min(to_max).max_element().max(self.t_min);
        let exit = to_min.max(to_max).min_element().min(self.t_max);
        if enter <= exit { enter } else { f64::NAN }
    }
}
