//! The space of the upper level: f32, relative to the middle of all boxes.

use glam::{DVec3, Vec3};
use hitscan_primitives::{
    Ray, WorldBox, WorldRay, power_of_two_below, reciprocal_of_power_of_two, rounded_up,
};

use crate::{
    box3::{Box3, larger},
    error_bounds::{LONGEST, SHORT, SPACE_WIDENING},
    kernel::{BoxRay, DIRECTION, Fast, QueryRay},
    layout::WideNode,
    simd::{LANES, Simd, as_wide_row, in_one_piece, of_row},
};

/// The largest coordinate of a ray's start.
const FARTHEST_START: f64 = 6.0;

/// The largest coordinate of an origin that gets another start. Beyond, the rounding of f64 would count.
const FARTHEST_ORIGIN: f64 = (1 << 20) as f64;

/// The range of the largest component of a direction in the world.
const DIRECTION_RANGE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// A cube in the world, which the space maps to [-1, 1] on each axis.
#[derive(Clone, Debug)]
pub(super) struct Space {
    center: DVec3,
    /// Half the edge of the cube, a power of two.
    half: f64,
    /// Its reciprocal.
    scale: f64,
    rows: Rows,
}

/// What brings a ray near the cube into the space, for the rows of [`as_wide_row`]: the differences, and then the factors.
#[derive(Clone, Debug)]
struct Rows {
    subtrahends: [f64; LANES],
    factors: [f64; LANES],
}

impl Default for Space {
    fn default() -> Self {
        Self::new(DVec3::ZERO, 1.0)
    }
}

/// A ray in the space, which may start elsewhere than its ray of the world.
pub(super) struct SpaceRay {
    pub(super) ray: Ray,
    /// The `t` of the world ray at the start.
    t_offset: f64,
    /// The `t` of this ray per unit of that one, a power of two.
    unit: f64,
}

/// What becomes of a ray of the world.
pub(super) enum Entrance {
    Ray(SpaceRay),
    /// It passes by everything.
    Miss,
    /// f32 cannot express it, or it may be invalid.
    Extreme,
}

/// The largest component, if none is NaN.
#[inline(always)]
fn largest(v: DVec3) -> f64 {
    larger(larger(v.x, v.y), v.z)
}

impl SpaceRay {
    /// The ray at the boxes of nodes.
    #[inline(always)]
    pub(super) fn boxes<S: Simd>(&self, simd: S) -> BoxRay<S, Fast> {
        BoxRay::new(&QueryRay::in_space(simd, &self.ray))
    }

    /// The largest f32 `t` of anything up to a `t` of the world ray.
    #[inline(always)]
    pub(super) fn until(&self, t: f64) -> f32 {
        // Exceeds the rounding of the sum in `LocalRay::world_t`.
        let slack = f64::EPSILON * (t.abs() + self.t_offset.abs());
        rounded_up((t - self.t_offset + slack) * self.unit)
    }
}

impl Space {
    fn new(center: DVec3, half: f64) -> Self {
        /// More than the rounding of a number to f32, as a share, and absolutely.
        const ROUNDING: f64 = 4.0 / (1 << 24) as f64;
        const TINY: f64 = 1e-44;
        let (DVec3 { x, y, z }, scale) = (center, 1.0 / half);
        // The zero of `t_min` is negative, so that -0.0 becomes 0.0.
        let subtrahends = [x, y, z, 0.0, 0.0, 0.0, -0.0, -TINY * half];
        let [start, end] = [scale * (1.0 - ROUNDING), scale * (1.0 + ROUNDING)];
        let factors = [scale, scale, scale, 1.0, 1.0, 1.0, start, end];
        Self { center, half, scale, rows: Rows { subtrahends, factors } }
    }

    /// A space with room for twice the size of `bounds`.
    pub(super) fn around(bounds: &WorldBox) -> Self {
        let center = bounds.center();
        let extent = (0.5 * bounds.max - 0.5 * bounds.min).max_element();
        // Two to four times half the extent.
        Self::new(center, 4.0 * power_of_two_below(extent.max(1e-200)))
    }

    /// Half the edge of the cube in the world.
    pub(super) fn half(&self) -> f64 {
        self.half
    }

    /// A box of the world in the space, widened; `None` if it is not within the cube.
    pub(super) fn place(&self, bounds: &WorldBox) -> Option<Box3> {
        let [min, max] = [bounds.min, bounds.max].map(|at| (at - self.center) * self.scale);
        // In this form a NaN is not within.
        let is_within = min.min_element() >= -1.0 && max.max_element() <= 1.0;
        if !is_within {
            return None;
        }
        let down = |x: f64| (x as f32).next_down() - SPACE_WIDENING;
        let up = |x: f64| (x as f32).next_up() + SPACE_WIDENING;
        Some(Box3 {
            min: Vec3::new(down(min.x), down(min.y), down(min.z)).into(),
            max: Vec3::new(up(max.x), up(max.y), up(max.z)).into(),
        })
    }

    /// The box of a child in the world.
    pub(super) fn world_bounds(&self, node: &WideNode, slot: usize) -> WorldBox {
        let bounds = node.child_bounds(slot);
        let pad = self.center.abs().max_element() * f64::EPSILON;
        WorldBox {
            min: bounds.min.as_dvec3() * self.half + self.center - pad,
            max: bounds.max.as_dvec3() * self.half + self.center + pad,
        }
    }

    /// A ray of the world in the space.
    #[inline(always)]
    pub(super) fn enter<S: Simd>(&self, simd: S, ray: &WorldRay) -> Entrance {
        const MAX: [f64; LANES] = {
            let (start, direction) = (FARTHEST_START, LONGEST as f64);
            let endless = f64::INFINITY;
            [start, start, start, direction, direction, direction, endless, endless]
        };
        let s = simd;
        let row = s.load_wide(as_wide_row(ray));
        let moved = s.sub_wide(row, s.load_wide(&self.rows.subtrahends));
        let moved = s.mul_wide(moved, s.load_wide(&self.rows.factors));
        let sizes = s.abs_wide(moved);
        let within = s.le_wide(sizes, s.load_wide(&MAX));
        let long = s.le_wide(s.load_wide(&[SHORT.into(); LANES]), sizes);
        // In these forms a NaN is not ordinary.
        let is_ordinary = within == u32::MAX >> (32 - LANES)
            && long & DIRECTION != 0
            && 0.0 <= ray.t_min
            && ray.t_min <= ray.t_max;
        if is_ordinary {
            let ray = of_row(s.store(s.narrow(moved)));
            return Entrance::Ray(SpaceRay { ray, t_offset: 0.0, unit: self.scale });
        }
        self.enter_from_elsewhere(simd, ray)
    }

    /// [`enter`](Self::enter) for a ray that needs another start, or a direction of another length.
    #[inline(always)]
    fn enter_from_elsewhere<S: Simd>(&self, simd: S, ray: &WorldRay) -> Entrance {
        let length = ray.direction.abs();
        let longest = largest(length);
        let mut origin = (ray.origin - self.center) * self.scale;
        let far = origin.abs();
        let farthest = largest(far);
        // In these forms a NaN is extreme; `largest` may pass over one, but the sum does not.
        let sum = far.x + far.y + far.z + length.x + length.y + length.z;
        let is_ordinary = DIRECTION_RANGE.contains(&longest)
            && farthest <= FARTHEST_ORIGIN
            && !sum.is_nan()
            && ray.t_min <= ray.t_max;
        if !is_ordinary {
            return Entrance::Extreme;
        }
        // The direction with its largest component from 1 to 2.
        let step = power_of_two_below(longest);
        let direction = ray.direction * reciprocal_of_power_of_two(step);
        let unit = step * self.scale;
        let mut t_offset = 0.0;
        let is_near = farthest <= FARTHEST_START && ray.t_min >= 0.0;
        if !is_near {
            const RADIUS: f64 = 1.74;
            let length_squared = direction.length_squared();
            let middle = -origin.dot(direction) / length_squared;
            let nearest = origin + middle * direction;
            if nearest.length_squared() > 1.01 * RADIUS * RADIUS {
                return Entrance::Miss;
            }
            let start = middle - 2.0 * RADIUS / length_squared.sqrt();
            origin += start * direction;
            t_offset = start / unit;
        }
        let t_min = if ray.t_min > t_offset {
            larger(-rounded_up((t_offset - ray.t_min) * unit), 0.0)
        } else {
            0.0
        };
        let mut space_ray = SpaceRay {
            ray: Ray {
                origin: origin.as_vec3(),
                direction: direction.as_vec3(),
                t_min,
                t_max: 0.0,
            },
            t_offset,
            unit,
        };
        space_ray.ray =
            in_one_piece(simd, &Ray { t_max: space_ray.until(ray.t_max), ..space_ray.ray });
        Entrance::Ray(space_ray)
    }
}
