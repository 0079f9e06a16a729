//! Picking: pixels and points, regions, snapping and visibility, each against an oracle that knows
//! neither trees nor clip space.

mod making;
mod twin;

mod near;
mod regions;
mod round_trip;
mod visible;
