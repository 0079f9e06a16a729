//! Every query beyond plain rays against its brute-force twin.

mod closest_point;
mod filter;
mod overlap;
mod support;
mod visit;
mod winding;
mod work;
