//! Bitwise comparison of every query of a tree with brute force, on hostile rays.

mod compare;
mod rays;

pub(crate) use compare::{Difference, Oracle, QueryKind, Shape, Tally, compare};
pub(crate) use rays::HostileRays;
