//! Every query beyond plain rays against its brute-force twin.

mod filter;
mod support;
mod visit;
