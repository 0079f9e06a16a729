//! What the readers promise: every mesh right, every error told, no panic.

#![cfg_attr(
    not(all(feature = "stl", feature = "ply", feature = "gltf")),
    allow(dead_code, reason = "what the formats use that are left out")
)]

#[cfg(feature = "gltf")]
mod gltf;
#[cfg(feature = "ply")]
mod ply;
#[cfg(feature = "stl")]
mod stl;
mod support;
