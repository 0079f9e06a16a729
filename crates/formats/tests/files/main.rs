//! The readers return the right mesh or an error with its position, and never panic.

#![cfg_attr(
    not(all(feature = "stl", feature = "ply", feature = "gltf")),
    allow(dead_code, reason = "a format that is switched off uses them")
)]

mod any_format;
#[cfg(all(feature = "stl", feature = "compressed"))]
mod compressed;
#[cfg(feature = "gltf")]
mod gltf;
#[cfg(feature = "gltf")]
mod gltf_damage;
#[cfg(feature = "gltf")]
mod gltf_placement;
#[cfg(feature = "gltf")]
mod gltf_tolerance;
#[cfg(feature = "ply")]
mod ply;
mod recentring;
#[cfg(feature = "stl")]
mod stl;
mod support;
#[cfg(all(feature = "stl", feature = "ply", feature = "gltf"))]
mod writing;
