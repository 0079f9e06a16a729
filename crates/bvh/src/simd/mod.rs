//! Instruction sets: which of them this machine has, and the lanes that kernels are written over.
//!
//! Nearly all `unsafe` of the crate is here. The module knows lanes, and of rays only their place in
//! memory. Kernels are written once over [`Simd`], and [`Isa::run`] compiles them for each instruction
//! set.

mod isa;
mod lanes;
mod predict;
mod rows;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod scalar;
mod stack;
mod three;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
mod compress;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use isa::Isa;
pub(crate) use lanes::{CACHE_LINE, Kernel, KernelFn, KernelOn, LANES, Lanes, ORDER_BITS, Simd};
pub(crate) use predict::predicted;
pub(crate) use rows::{OctantRows, Row, as_row, as_wide_row, in_one_piece, of_row};
pub(crate) use stack::{BOTTOM, ShallowStack, ShallowStackMemory, Stack, StackMemory, StackOf};
