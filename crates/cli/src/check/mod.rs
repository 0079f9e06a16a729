//! Every way to an answer against brute force, bit by bit.

mod compare;
mod rays;

pub(crate) use compare::{Difference, QueryKind, Shape, Tally, Twin, compare};
pub(crate) use rays::HostileRays;
