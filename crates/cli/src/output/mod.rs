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
mod rays;
mod record;
mod results;
mod section;
mod target;
mod text;
mod value;
mod writer;

pub(crate) use archive::Archive;
pub(crate) use columns::{Column, NO_INDEX};
pub(crate) use csv::{Cell, append_cells};
pub(crate) use element::ElementRecord;
pub(crate) use mesh::write_mesh;
pub(crate) use rays::{default_fields, ray_writer};
pub(crate) use record::{Colours, Surface};
pub(crate) use results::Results;
pub(crate) use section::write_section;
pub(crate) use target::Target;
pub(crate) use value::{Value, quoted};
pub(crate) use writer::{Arrays, Chunk, Writer};
