//! Queries of a mesh or a scene with many rays, by trees or by brute force.

mod answers;
mod ball;
mod caster;
mod found;

pub(crate) use answers::{Answer, Answers, Query};
pub(crate) use ball::{BallCaster, BallTarget};
pub(crate) use caster::{RayCaster, SceneCaster, SceneScan};
pub(crate) use found::Found;
