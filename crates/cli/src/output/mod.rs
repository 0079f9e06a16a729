//! Writes results as text, NDJSON, CSV or NPZ, to standard output or to a file.

mod archive;
mod columns;
mod csv;
mod element;
mod interruption;
mod mesh;
mod ndjson;
mod npy;
mod npz;
mod record;
mod results;
mod target;
mod text;
mod value;
mod writer;

pub(crate) use archive::write_archive;
pub(crate) use columns::{Column, NO_INDEX};
pub(crate) use csv::plain_name;
pub(crate) use element::ElementRecord;
pub(crate) use mesh::write_mesh;
pub(crate) use record::{Colours, Surface, quoted};
pub(crate) use results::Results;
pub(crate) use target::Target;
pub(crate) use writer::{ResultWriter, default_fields};
