//! Comparison of every query of a mesh or a scene with brute force.

mod comparison;
mod rays;
mod scene;
mod space;

pub(crate) use comparison::{Comparison, FirstDifference};
pub(crate) use rays::{Expected, Shape};
pub(crate) use scene::{
    ExpectedInScene, ExpectedInSceneSpace, SceneDifference, SceneRays, SceneTally,
};
pub(crate) use space::{ExpectedInSpace, displaced};
