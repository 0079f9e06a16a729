//! Traversal: rays from the root to the leaves. It owns the order and the stack; kernels do the
//! arithmetic.
//!
//! Four loops do the same: `single`, `interleaved`, `packet` and `counted`. All of them enter
//! a node under the same condition, so all of them find the same hits.

mod child_order;
mod counted;
mod interleaved;
mod packet;
mod single;

pub(crate) use counted::CountedTraversal;
pub use counted::TraversalStats;
pub(crate) use interleaved::{leaves_beyond_caches, trace_interleaved};
pub(crate) use packet::{ClosestHitsOfPacket, OccludedOfPacket};
pub(crate) use single::{trace, trace_each};
