//! The section of face records.

use hitscan_primitives::{FaceRecords, LineRuns, PolygonProperties, Runs};

use crate::wire::{Reader, Writer};

/// The index that stands for no name.
const NO_NAME: u32 = u32::MAX;

/// Face records as the bytes of their section: for a program that hands a mesh to another memory. Only the same
/// version of this crate reads them.
///
/// ```
/// use hitscan_cache::{records_from_bytes, records_to_bytes};
/// use hitscan_primitives::FaceRecords;
///
/// let records = FaceRecords::one_triangle_each(3);
/// assert_eq!(records_from_bytes(&records_to_bytes(&records)), Some(records));
/// assert_eq!(records_from_bytes(&[1, 2]), None);
/// ```
pub fn records_to_bytes(records: &FaceRecords) -> Vec<u8> {
    encode(Some(records))
}

/// The records of [`records_to_bytes`]; `None` if the bytes are none.
pub fn records_from_bytes(bytes: &[u8]) -> Option<FaceRecords> {
    decode(bytes).ok()?
}

pub(crate) fn encode(records: Option<&FaceRecords>) -> Vec<u8> {
    let mut writer = Writer::default();
    let Some(records) = records else { return writer.bytes };
    writer.u32(records.n_triangles() as u32);
    writer.bool(records.polygon_starts().is_some());
    if let Some(starts) = records.polygon_starts() {
        writer.numbers(starts);
    }
    writer.texts(records.names());
    for runs in [records.objects(), records.groups(), records.materials()] {
        encode_runs(
            &mut writer,
            runs.iter().map(|(start, &name)| (start, name.unwrap_or(NO_NAME))),
        );
    }
    encode_runs(&mut writer, records.smoothing().iter().map(|(start, &group)| (start, group)));
    let (starts, lines): (Vec<u32>, Vec<u64>) = records.lines().iter().unzip();
    writer.numbers(&starts);
    writer.numbers(&lines);
    writer.bytes
}

fn encode_runs(writer: &mut Writer, runs: impl Iterator<Item = (u32, u32)>) {
    let (starts, values): (Vec<u32>, Vec<u32>) = runs.unzip();
    writer.numbers(&starts);
    writer.numbers(&values);
}

/// Parses the records; `None` for an empty section.
pub(crate) fn decode(bytes: &[u8]) -> Result<Option<FaceRecords>, String> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let mut reader = Reader::new(bytes);
    let n_triangles = reader.u32()?;
    let records = if reader.bool()? {
        let starts = reader.numbers()?;
        FaceRecords::from_polygon_starts(starts).ok_or("first triangles of polygons that fall")?
    } else {
        FaceRecords::one_triangle_each(n_triangles)
    };
    let name = |index| (index != NO_NAME).then_some(index);
    let properties = PolygonProperties {
        names: reader.texts()?,
        objects: decode_runs(&mut reader, name)?,
        groups: decode_runs(&mut reader, name)?,
        materials: decode_runs(&mut reader, name)?,
        smoothing: decode_runs(&mut reader, |group| group)?,
        lines: {
            let (starts, lines) = (reader.numbers()?, reader.numbers()?);
            LineRuns::from_parts(starts, lines).ok_or("runs of lines that fall")?
        },
    };
    reader.end()?;
    records.with_properties(properties).map(Some).map_err(|error| error.to_string())
}

fn decode_runs<T>(reader: &mut Reader<'_>, value: impl Fn(u32) -> T) -> Result<Runs<T>, String> {
    let starts = reader.numbers()?;
    let values = reader.numbers()?.into_iter().map(value).collect();
    Runs::from_parts(starts, values).ok_or_else(|| "runs that fall".to_owned())
}
