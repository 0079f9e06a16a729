//! Rays and hits, of meshes and of scenes.

use engine::{
    Hit, Ray, Side,
    glam::DVec3,
    scene::{SceneHit, WorldRay},
};

use crate::{
    memory::{Caller, Plain, plain},
    options::{HITSCAN_NO_INSTANCE, hitscan_instance_id, id_of, instance_id},
    status::{Failure, invalid, refused},
};

/// A ray in the space of a mesh: the points origin + t * direction with t from t_min to t_max, inclusive.
/// The direction has any length but zero, and t is in units of it. A segment from a to b has the direction
/// b - a and t from 0 to 1. t_max may be INFINITY.
///
/// In a call for one ray, a ray that is not finite, has no direction or an empty interval is
/// HITSCAN_INVALID_ARGUMENT. In a batch it hits nothing.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_ray {
    /// The point at t = 0.
    pub origin: [f32; 3],
    /// The change of position per unit of t.
    pub direction: [f32; 3],
    /// The smallest t that counts.
    pub t_min: f32,
    /// The largest t that counts.
    pub t_max: f32,
}

/// A ray in the space of a scene; see hitscan_ray.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_world_ray {
    /// The point at t = 0.
    pub origin: [f64; 3],
    /// The change of position per unit of t.
    pub direction: [f64; 3],
    /// The smallest t that counts.
    pub t_min: f64,
    /// The largest t that counts.
    pub t_max: f64,
}

/// The side of a triangle that a ray came from.
pub type hitscan_side = u32;

/// Seen from here, the corners run counter-clockwise.
pub const HITSCAN_SIDE_FRONT: hitscan_side = 0;
/// Seen from here, the corners run clockwise.
pub const HITSCAN_SIDE_BACK: hitscan_side = 1;

/// The triangle of a ray that hits nothing.
pub const HITSCAN_NO_TRIANGLE: u32 = 0xffff_ffff;

/// A hit of a mesh. A ray that hits nothing has t = INFINITY and triangle = HITSCAN_NO_TRIANGLE.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_hit {
    /// The position on the ray, in units of its direction.
    pub t: f32,
    /// The weight of the second corner: the point is (1 - u - v) * a + u * b + v * c.
    pub u: f32,
    /// The weight of the third corner.
    pub v: f32,
    /// The index of the triangle, in the order of the mesh.
    pub triangle: u32,
    /// HITSCAN_SIDE_FRONT or HITSCAN_SIDE_BACK.
    pub side: hitscan_side,
}

/// A hit of a scene. A ray that hits nothing has t = INFINITY and instance = HITSCAN_NO_INSTANCE.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_scene_hit {
    /// The position on the ray of the world, in units of its direction.
    pub t: f64,
    /// The instance.
    pub instance: hitscan_instance_id,
    /// The number that decides between hits of equal t: the place of the instance in the order of insertion.
    pub insertion_order: u64,
    /// The hit of the mesh of the instance.
    pub local: hitscan_hit,
    /// 0.
    pub reserved: u32,
}

plain!(hitscan_ray, hitscan_world_ray, hitscan_hit, hitscan_scene_hit);

// A batch of rays without gaps is read in place.
const _: () = assert!(
    size_of::<hitscan_ray>() == size_of::<Ray>()
        && align_of::<hitscan_ray>() == align_of::<Ray>()
        && std::mem::offset_of!(hitscan_ray, direction) == std::mem::offset_of!(Ray, direction)
        && std::mem::offset_of!(hitscan_ray, t_min) == std::mem::offset_of!(Ray, t_min)
        && std::mem::offset_of!(hitscan_ray, t_max) == std::mem::offset_of!(Ray, t_max)
);

// SAFETY: it is `repr(C)`, of eight numbers.
unsafe impl Plain for Ray {}

impl hitscan_hit {
    pub(crate) const MISS: Self = Self {
        t: f32::INFINITY,
        u: 0.0,
        v: 0.0,
        triangle: HITSCAN_NO_TRIANGLE,
        side: HITSCAN_SIDE_FRONT,
    };

    #[inline]
    pub(crate) fn new(hit: Option<Hit>) -> Self {
        hit.map_or(Self::MISS, Self::from)
    }

    /// The hit of the engine. The triangle is not compared with a mesh.
    pub(crate) fn to_hit(self, name: &str) -> Result<Hit, Failure> {
        let side = match self.side {
            HITSCAN_SIDE_FRONT => Side::Front,
            HITSCAN_SIDE_BACK => Side::Back,
            other => {
                return Err(invalid(
                    name,
                    format_args!("side {other}"),
                    "HITSCAN_SIDE_FRONT or _BACK",
                ));
            }
        };
        Ok(Hit { t: self.t, u: self.u, v: self.v, triangle: self.triangle, side })
    }
}

impl From<Hit> for hitscan_hit {
    #[inline]
    fn from(hit: Hit) -> Self {
        Self { t: hit.t, u: hit.u, v: hit.v, triangle: hit.triangle, side: hit.side as u32 }
    }
}

impl hitscan_scene_hit {
    pub(crate) const MISS: Self = Self {
        t: f64::INFINITY,
        instance: HITSCAN_NO_INSTANCE,
        insertion_order: u64::MAX,
        local: hitscan_hit::MISS,
        reserved: 0,
    };

    #[inline]
    pub(crate) fn new(hit: Option<SceneHit>) -> Self {
        hit.map_or(Self::MISS, Self::from)
    }

    pub(crate) fn to_hit(self, name: &str) -> Result<SceneHit, Failure> {
        Ok(SceneHit {
            t: self.t,
            instance: instance_id(self.instance),
            insertion_order: self.insertion_order,
            local: self.local.to_hit(name)?,
        })
    }
}

impl From<SceneHit> for hitscan_scene_hit {
    #[inline]
    fn from(hit: SceneHit) -> Self {
        let SceneHit { t, instance, insertion_order, local } = hit;
        Self { t, instance: id_of(instance), insertion_order, local: local.into(), reserved: 0 }
    }
}

impl hitscan_world_ray {
    #[inline]
    pub(crate) fn to_ray(self) -> WorldRay {
        WorldRay {
            origin: DVec3::from_array(self.origin),
            direction: DVec3::from_array(self.direction),
            t_min: self.t_min,
            t_max: self.t_max,
        }
    }
}

impl From<WorldRay> for hitscan_world_ray {
    fn from(ray: WorldRay) -> Self {
        let WorldRay { origin, direction, t_min, t_max } = ray;
        Self { origin: origin.to_array(), direction: direction.to_array(), t_min, t_max }
    }
}

/// A ray of the caller that must be valid.
#[inline]
pub(crate) fn ray(caller: &Caller, ray: *const hitscan_ray) -> Result<&Ray, Failure> {
    let ray = any_ray(caller, ray)?;
    check_ray(ray)?;
    Ok(ray)
}

/// A ray of the caller, in place. An invalid one hits nothing, so [`check_ray`] may wait for a miss.
#[inline]
pub(crate) fn any_ray(caller: &Caller, ray: *const hitscan_ray) -> Result<&Ray, Failure> {
    caller.read(ray.cast::<Ray>(), "ray")
}

#[inline]
pub(crate) fn check_ray(ray: &Ray) -> Result<(), Failure> {
    if ray.is_valid() { Ok(()) } else { Err(invalid_ray(ray)) }
}

#[cold]
fn invalid_ray(ray: &Ray) -> Failure {
    match ray.checked() {
        Ok(ray) => invalid("ray", format_args!("{ray:?}"), "a valid ray"),
        Err(error) => refused("ray", error),
    }
}

/// A ray of the caller in the world that must be valid.
#[inline]
pub(crate) fn world_ray(
    caller: &Caller,
    ray: *const hitscan_world_ray,
) -> Result<WorldRay, Failure> {
    let ray = caller.read(ray, "ray")?.to_ray();
    ray.checked().map_err(|error| refused("ray", error))
}

/// A point of the caller that must be finite.
pub(crate) fn point<T: Plain + Into<f64>>(
    caller: &Caller,
    point: *const T,
    name: &str,
) -> Result<[T; 3], Failure> {
    let point = *caller.read(point.cast::<[T; 3]>(), name)?;
    let [x, y, z] = point.map(Into::into);
    if [x, y, z].iter().all(|x| x.is_finite()) {
        return Ok(point);
    }
    Err(invalid(name, format_args!("({x}, {y}, {z})"), "finite numbers"))
}
