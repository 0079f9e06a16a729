//! Traversal: rays and points from the root to the leaves. It owns the order and the stack; kernels do the
//! arithmetic.
//!
//! Four loops do the same: `single`, `interleaved`, `packet` and `counted`. All of them enter a node under
//! the same condition, so all of them find the same hits. They share the parts, not the loop, because a
//! shared loop would cost speed: `single` stays between two leaves with its constants and its limit at
//! hand, `interleaved` must leave after every node, and `counted` tests every block in full. A fifth,
//! `closest_point`, goes from a point to the nearest boxes.
//!
//! `choice` picks how `single` goes on to a child (`coherence`), and `robust` runs it for rays that need care.

mod choice;
mod single;

mod child_order;
mod coherence;
mod occluder;
mod robust;

mod closest_point;
mod counted;
mod interleaved;
mod packet;
mod packet_occluders;

pub(crate) use child_order::{KeyCodec, cut_and_pop, pop_within, prefetch, push_children};
pub(crate) use choice::{Answering, answer, answer_each, trace};
pub(crate) use closest_point::ClosestPoint;
pub(crate) use coherence::{Coherent, DescentPolicy, Incoherent};
pub(crate) use counted::CountedTraversal;
pub use counted::TraversalStats;
pub(crate) use interleaved::{IN_FLIGHT, InFlight, answer_interleaved, leaves_beyond_caches, step};
pub(crate) use packet::{Outcome, PacketAnswer, Packets, Sharing};
pub(crate) use single::{Traversal, fast_query};
