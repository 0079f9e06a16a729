//! Cache files: what is saved comes back, and nothing else does.

mod damaged;
mod round_trip;
mod saving;
mod source;
mod support;
