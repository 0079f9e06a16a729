//! Kernels: one ray against eight boxes or eight triangles, written once over lanes.

mod boxes;
mod packet;
mod ray;
mod triangles;
mod watertight;

pub(crate) use boxes::{BoxHits, BoxRay};
pub(crate) use packet::{PACKET, Packet};
pub(crate) use ray::QueryRay;
pub(crate) use triangles::{Found, Meeting, TriangleRay};
