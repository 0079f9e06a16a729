//! Kernels: one ray against eight boxes or eight triangles, written once over lanes.

mod boxes;
mod ray;
mod triangles;
mod watertight;

pub(crate) use boxes::BoxRay;
pub(crate) use ray::{Origin, QueryRay};
pub(crate) use triangles::{Found, TriangleRay};
