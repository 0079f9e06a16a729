//! Cache files: a saved mesh loads unchanged, and anything else is an error.

mod damaged;
mod round_trip;
mod saving;
mod scenes;
mod source;
mod support;
