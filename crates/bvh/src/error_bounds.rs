//! Every constant that the proof in docs/proof.md depends on, with the bound that it must exceed.
//!
//! A constant that is too small loses hits. A constant that is too large only costs time, because the
//! reference test decides every candidate. A change here means a change in docs/proof.md.
//!
//! `u` is 2^-24, half a unit in the last place of 1. All coordinates are in scaled space and in absolute
//! value. `M` is the largest one of the mesh, `O` that of a ray's origin, and `E = O + M`. `m` is the largest one
//! of the triangles in a box, or the tree's [near reach](crate::layout::Reach::near) if that is larger. `D` is the largest
//! component of a corner minus the origin.

use hitscan_primitives::WatertightRay;

/// `u`, half a unit in the last place of 1.
const U: f32 = 1.0 / (1 << 24) as f32;

/// The widening of a node box on every side, as a share of its `m`: 32 `u`. docs/proof.md needs 29.5 `u`.
///
/// A hit lies within 8.5 `u D` of its triangle, and `D <= 3 m` for an origin within [`NEAR_ORIGIN`] times
/// `near_reach` of zero. The rounding of the slab test takes the rest.
pub(crate) const INFLATION: f32 = 32.0 * U;

/// The widening of the box of an instance on every side, in the space of an `InstanceBvh`: 48 `u`. docs/proof.md needs 34 `u`.
pub(crate) const SPACE_WIDENING: f32 = 48.0 * U;

/// The minimum of `near_reach`, for trees in the mesh's own space and for scaled ones. What underflows must be far below
/// the widening: on the fast path 2^-90, on the robust path, which alone takes scaled trees, 2^-149.
pub(crate) const LEAST_REACH: f32 = 1.0 / (1u64 << 60) as f32;
pub(crate) const LEAST_SCALED_REACH: f32 = 1.0 / (1u128 << 120) as f32;

/// The widening of the box of a part of a triangle, as a share of the triangle's largest coordinate: 2^-40.
/// docs/proof.md needs 2^-46.
pub(crate) const CUT_SLACK: f64 = 1.0 / (1u64 << 40) as f64;

/// The share of [`INFLATION`] that the validation of a tree requires: 30.4 `u`, more than the 29.5 `u` that
/// docs/proof.md needs. It tolerates the rounding of the stored boxes.
pub(crate) const REQUIRED_INFLATION_SHARE: f32 = 0.95;

/// The maximum `O`, as a multiple of `near_reach`, for which [`INFLATION`] is enough. Planes are shifted for rays from
/// farther away (docs/proof.md).
pub(crate) const NEAR_ORIGIN: f32 = 2.0;

/// The shift of a far origin away from each plane, as a share of `O`: 12 `u`. docs/proof.md needs 10.5 `u`. The
/// widening of the box covers the share of its triangles.
const ORIGIN_SHIFT: f32 = 12.0 * U;

/// How far an origin is shifted away from each plane: not at all within [`NEAR_ORIGIN`]. `farthest_coordinate` is `O`.
#[inline(always)]
pub(crate) fn origin_shift(farthest_coordinate: f32, near_reach: f32) -> f32 {
    if farthest_coordinate <= NEAR_ORIGIN * near_reach {
        0.0
    } else {
        ORIGIN_SHIFT * farthest_coordinate
    }
}

/// The slack of the plane test, as a share of `E`: 48 `u`. docs/proof.md needs 45.8 `u`. A larger one passes
/// the triangle that a bounced ray starts on.
pub(crate) const PLANE_SLACK: f32 = 48.0 * U;

/// The distance from the surface at which crossings tell inside from outside, as a share of the largest extent:
/// 16 `u`. docs/proof.md needs 9 `u`.
pub(crate) const CROSSING_CLEARANCE: f32 = 16.0 * U;

/// The rounding of a triangle's share of a winding number is at most this times `1 + (s / h)^2`, for a triangle with a longest
/// edge `s` at a distance `h`: 24 `e`, with `e` = 2^-53. docs/proof.md needs 22 `e`.
pub(crate) const SOLID_ANGLE_ROUNDING: f64 = 24.0 / (1u64 << 53) as f64;

/// The rounding of a far field, for each triangle: 2^14 `e`. docs/proof.md needs 7,500 `e`.
pub(crate) const FAR_FIELD_ROUNDING: f64 = (1u64 << 14) as f64 / (1u64 << 53) as f64;

/// The share by which the f32 bound on a squared distance may exceed it: 2^-20. Six roundings make 6 `u`, and
/// the rounding of the limit one more.
pub(crate) const DISTANCE_SLACK: f64 = 16.0 * U as f64;

/// The slack of the bound along a direction, as a share of the sum of absolute products: 8 `u`. Four roundings make
/// 4 `u`, that of the corner relative to the point one more.
pub(crate) const OFFSET_SLACK: f32 = 8.0 * U;

/// The widening of a box that is placed in the space of a pair of meshes, as a share of the sizes that enter it: 24 `u`. docs/proof.md
/// needs 15 `u`.
pub(crate) const PLACED_BOX_SHARE: f32 = 24.0 * U;

/// The rounding of placed corners in f64, as a share of both translations: 2^-48. docs/proof.md needs 2^-51.
pub(crate) const PLACED_BOX_ROUNDING: f64 = 1.0 / (1u64 << 48) as f64;

/// What underflows in a placed box is less than 2^-100.
pub(crate) const PLACED_BOX_UNDERFLOW: f32 = 1.0 / (1u128 << 100) as f32;

/// The lower bound on the squared length of a direction: 2^-100. A shorter one has no relative precision.
pub(crate) const LEAST_DIRECTION_SQUARED: f32 = 1.0 / (1u128 << 100) as f32;

/// A squared distance below which f32 has no relative precision: 2^-120.
pub(crate) const LEAST_DISTANCE_SQUARED: f64 = 1.0 / (1u128 << 120) as f64;

/// The maximum `E` of a packet. Products of two components must stay finite in f32, and the square of
/// this does (docs/proof.md).
pub(crate) const FARTHEST: f32 = (1u64 << 60) as f32;

/// The maximum component of a direction in a packet, in the fast box test, and of one whose slope to a plane
/// is tested. The slope must stay finite, a contact must not hide in a subnormal `t`, and the rounding of a
/// subnormal product with the origin must be small beside the mesh (docs/proof.md).
pub(crate) const LONGEST: f32 = (1u64 << 60) as f32;

/// A direction whose components are all smaller takes the robust box test, and no packet. Must be at least 2^26 times
/// [`LEAST_COMPONENT`], so that the fast test changes no component that matters (docs/proof.md).
pub(crate) const SHORT: f32 = 1.0 / (1u64 << 34) as f32;

/// The lower bound on components of the direction in the fast box test and in packets. It caps reciprocals at 2^60, so
/// that products with them stay finite. A component below 2^-26 of the largest one moves no ray by a
/// unit in the last place (docs/proof.md).
pub(crate) const LEAST_COMPONENT: f32 = 1.0 / (1u64 << 60) as f32;

/// A direction whose components are all smaller is multiplied by [`STRETCH`], because its reciprocals
/// would overflow. Must exceed 2^-128, the reciprocal of `f32::MAX` rounded up (docs/proof.md).
pub(crate) const TINY: f32 = 1.0 / (1u128 << 100) as f32;

/// The factor for directions below [`TINY`]. A power of two, so that the product is exact.
pub(crate) const STRETCH: f32 = (1u128 << 100) as f32;

/// An upper bound on `D` from a computed `E`. Must exceed the rounding of the sum in `E` and of the
/// difference in `D`, 2 `u` relative, and whatever underflows (docs/proof.md).
#[inline(always)]
pub(crate) fn farthest_bound(farthest: f32) -> f32 {
    farthest * 1.000_001 + 1e-30
}

/// The maximum depth of a contact, the case in which a ray starts on a triangle. Must exceed
/// [`WatertightRay::CONTACT`] times `E` by the rounding of the depth, a few `u` (docs/proof.md).
#[inline(always)]
pub(crate) fn contact_depth(farthest: f32) -> f32 {
    1.01 * WatertightRay::CONTACT as f32 * farthest
}

/// The minimum product of two edge functions that proves both non-zero with one sign. Must exceed zero by
/// more than underflow takes: signs of differences of f32 are exact, a product may vanish (docs/proof.md).
pub(crate) const CERTAIN_SIGN: f32 = f32::MIN_POSITIVE;

/// The minimum size of a normal's largest component, as a share of the product of the edges' largest
/// components, for the normal to be known. The f64 normal is wrong by less than 2^-50 of that product,
/// so a normal above this keeps 26 bits, and [`PLANE_SLACK`] covers its error (docs/proof.md).
pub(crate) const KNOWN_NORMAL: f64 = 1.0 / (1 << 24) as f64;
