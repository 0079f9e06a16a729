//! Conversions between Bevy's vectors and hitscan's, which may come from two versions of glam.

use hitscan::{
    glam::{DAffine3, DMat4, DVec2, DVec3},
    scene::WorldRay,
};

use crate::bevy_api::{GlobalTransform, Mat4, Ray3d, Vec2, Vec3};

pub(crate) fn dvec2(v: Vec2) -> DVec2 {
    DVec2::from_array(v.to_array().map(f64::from))
}

pub(crate) fn vec2(v: DVec2) -> Vec2 {
    Vec2::from_array(v.as_vec2().to_array())
}

pub(crate) fn dvec3(v: Vec3) -> DVec3 {
    DVec3::from_array(v.to_array().map(f64::from))
}

pub(crate) fn vec3(v: DVec3) -> Vec3 {
    Vec3::from_array(v.as_vec3().to_array())
}

pub(crate) fn dmat4(m: &Mat4) -> DMat4 {
    DMat4::from_cols_array(&m.to_cols_array().map(f64::from))
}

/// The matrix without its last row, which is (0, 0, 0, 1) for a bind pose.
pub(crate) fn daffine3_from_mat4(m: &Mat4) -> DAffine3 {
    DAffine3::from_mat4(dmat4(m))
}

pub(crate) fn daffine3(transform: &GlobalTransform) -> DAffine3 {
    DAffine3::from_cols_array(&transform.affine().to_cols_array().map(f64::from))
}

/// The ray in f64. Its `t` is the distance, because Bevy's directions have unit length.
pub(crate) fn world_ray(ray: Ray3d) -> WorldRay {
    WorldRay::new(dvec3(ray.origin), dvec3(*ray.direction))
}
