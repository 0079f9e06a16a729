//! The section about the whole file: options of the tree, remarks of the reader, source.

use glam::DVec3;
use hitscan_bvh::{BuildQuality, Layout, RawBvh};

use crate::{
    Source,
    built_mesh::MeshParts,
    source,
    wire::{Reader, Writer},
};

/// The properties that are needed before the mesh and the tree are read.
#[derive(Debug)]
pub(crate) struct About {
    pub(crate) quality: BuildQuality,
    pub(crate) layout: Layout,
    pub(crate) built_cost: f32,
    pub(crate) near_reach: f32,
    pub(crate) offset: DVec3,
    pub(crate) n_ignored: u64,
    pub(crate) remarks: Vec<String>,
    pub(crate) source: Option<Source>,
}

pub(crate) fn encode(built: &MeshParts<'_>, memory: &RawBvh<'_>) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.u32(index_in(&BuildQuality::ALL, built.quality));
    writer.u32(index_in(&Layout::ALL, memory.layout));
    writer.f32(memory.built_cost);
    writer.f32(memory.near_reach);
    for number in built.mesh.offset().to_array() {
        writer.u64(number.to_bits());
    }
    writer.u64(built.n_ignored);
    writer.texts(built.remarks);
    writer.bool(built.source.is_some());
    if let Some(source) = built.source {
        source::encode(source, &mut writer);
    }
    writer.bytes
}

pub(crate) fn decode(bytes: &[u8]) -> Result<About, String> {
    let mut reader = Reader::new(bytes);
    let about = About {
        quality: choice(&BuildQuality::ALL, reader.u32()?)?,
        layout: choice(&Layout::ALL, reader.u32()?)?,
        built_cost: reader.f32()?,
        near_reach: reader.f32()?,
        offset: offset(&mut reader)?,
        n_ignored: reader.u64()?,
        remarks: reader.texts()?,
        source: if reader.bool()? { Some(source::decode(&mut reader)?) } else { None },
    };
    reader.end()?;
    Ok(about)
}

fn offset(reader: &mut Reader<'_>) -> Result<DVec3, String> {
    let mut offset = [0.0; 3];
    for number in &mut offset {
        *number = f64::from_bits(reader.u64()?);
    }
    match offset.iter().all(|number| number.is_finite()) {
        true => Ok(offset.into()),
        false => Err(format!("an offset of {offset:?}; expected finite numbers")),
    }
}

fn index_in<T: PartialEq>(all: &[T], value: T) -> u32 {
    all.iter().position(|choice| *choice == value).expect("`ALL` has all of them") as u32
}

fn choice<T: Copy + std::fmt::Debug>(all: &[T], index: u32) -> Result<T, String> {
    let choice = all.get(index as usize).copied();
    choice.ok_or_else(|| format!("choice {index}; expected an index into {all:?}"))
}
