//! Kernels: one ray or point against a node or a block, or a packet of rays against a box or a triangle.
//!
//! Each is written once over the lanes of [`Simd`](crate::simd::Simd), or of [`Lanes`](crate::simd::Lanes) if they
//! may be more than eight. No tree, no stack.

mod box_test;
mod hit_sink;
mod packet;
mod point_bound;
mod ray_mode;
mod ray_setup;
mod triangle_decision;
mod triangle_filter;
mod triangle_test;

pub(crate) use box_test::{BoxHits, BoxRay};
pub(crate) use hit_sink::{
    AllHits, AnyHit, CandidateGeometry, ClosestHit, ClosestPlace, CountCrossings, HitSink,
    MeshCandidate, NearestHits, Query,
};
pub(crate) use packet::{PACKET_WIDTH, Packet, RaySet};
pub(crate) use point_bound::{NearTriangles, PointBound, limit_on_bound, unit_for};
pub(crate) use ray_mode::{Fast, FastFar, RayMode, Robust};
pub(crate) use ray_setup::{DIRECTION, QueryRay};
pub(crate) use triangle_test::{LeafTest, TriangleRay};
