//! The polygons of a file as bytes, on their way from the module of the readers to the engine.
//!
//! The bytes are words of 32 bits, little-endian: lists, each behind its length. The lists are the first
//! triangles of the polygons, the runs of objects, groups, materials and smoothing groups, those of lines, and
//! the lengths of the names. Then come the names. Both modules are of one version of the package, so the bytes
//! have no version.

use hitscan_primitives::FaceRecords;
#[cfg(feature = "engine")]
use hitscan_primitives::{LineRuns, PolygonProperties, Runs};

/// The word of no name.
const NONE: u32 = u32::MAX;

/// The bytes of records.
#[cfg(feature = "readers")]
pub(crate) fn encode(records: &FaceRecords) -> Vec<u8> {
    let mut words = vec![records.n_triangles() as u32];
    let mut put = |list: &[u32]| {
        words.push(list.len() as u32);
        words.extend_from_slice(list);
    };
    put(records.polygon_starts().unwrap_or_default());
    for runs in [records.objects(), records.groups(), records.materials()] {
        let (starts, values): (Vec<u32>, Vec<u32>) =
            runs.iter().map(|(start, value)| (start, value.unwrap_or(NONE))).unzip();
        put(&starts);
        put(&values);
    }
    let (starts, values): (Vec<u32>, Vec<u32>) = records.smoothing().iter().unzip();
    put(&starts);
    put(&values);
    let (starts, lines): (Vec<u32>, Vec<u64>) = records.lines().iter().unzip();
    put(&starts);
    put(&lines.iter().map(|&line| line as u32).collect::<Vec<_>>());
    put(&lines.iter().map(|&line| (line >> 32) as u32).collect::<Vec<_>>());
    put(&records.names().iter().map(|name| name.len() as u32).collect::<Vec<_>>());
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    for name in records.names() {
        bytes.extend_from_slice(name.as_bytes());
    }
    bytes
}

/// The records of bytes; `None` if they are no records.
#[cfg(feature = "engine")]
pub(crate) fn decode(mut bytes: &[u8]) -> Option<FaceRecords> {
    let n_triangles = word(&mut bytes)?;
    let starts = list(&mut bytes)?;
    let records = if starts.is_empty() {
        FaceRecords::one_triangle_each(n_triangles)
    } else {
        FaceRecords::from_polygon_starts(starts)?
    };
    let mut names_of_polygons = || {
        let (starts, values) = (list(&mut bytes)?, list(&mut bytes)?);
        let values = values.into_iter().map(|value| (value != NONE).then_some(value)).collect();
        Runs::from_parts(starts, values)
    };
    let (objects, groups, materials) =
        (names_of_polygons()?, names_of_polygons()?, names_of_polygons()?);
    let smoothing = Runs::from_parts(list(&mut bytes)?, list(&mut bytes)?)?;
    let (starts, low, high) = (list(&mut bytes)?, list(&mut bytes)?, list(&mut bytes)?);
    let lines = low.iter().zip(&high).map(|(&low, &high)| u64::from(low) | u64::from(high) << 32);
    let lines = LineRuns::from_parts(starts, lines.collect())?;
    let mut names = Vec::new();
    for length in list(&mut bytes)? {
        let (name, rest) = bytes.split_at_checked(length as usize)?;
        names.push(str::from_utf8(name).ok()?.to_owned());
        bytes = rest;
    }
    let properties = PolygonProperties { names, objects, groups, materials, smoothing, lines };
    records.with_properties(properties).ok()
}

#[cfg(feature = "engine")]
fn word(bytes: &mut &[u8]) -> Option<u32> {
    let (word, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*word))
}

#[cfg(feature = "engine")]
fn list(bytes: &mut &[u8]) -> Option<Vec<u32>> {
    let n = word(bytes)? as usize;
    let (words, rest) = bytes.split_at_checked(n.checked_mul(size_of::<u32>())?)?;
    *bytes = rest;
    Some(words.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}
