//! The header of a cache file: signature, version and sections.

use crate::{CacheErrorKind, checksum, wire::Reader, wire::Writer};

/// The signature of a cache file. No text starts with it.
pub(crate) const MAGIC: [u8; 8] = *b"\x89hitscan";
/// The signature of a cache file of a scene.
pub(crate) const SCENE_MAGIC: [u8; 8] = *b"\x89hitscen";
pub(crate) const BYTE_ORDER: u32 = 0x0102_0304;
/// The version of all sections but the tree, which has [`RawBvh::LAYOUT_VERSION`](hitscan_bvh::RawBvh).
const VERSION: [u32; 2] = [2, hitscan_bvh::RawBvh::LAYOUT_VERSION];

/// The sections of a file in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    About,
    Materials,
    Positions,
    Triangles,
    Normals,
    NormalIndices,
    Uvs,
    UvIndices,
    Records,
    Nodes,
    Blocks,
    Corners,
}

pub(crate) const N_SECTIONS: usize = 12;

const ENTRY_LEN: usize = 32;
/// The length of a header.
pub(crate) const HEADER_LEN: usize = 32 + N_SECTIONS * ENTRY_LEN + 8;

impl Section {
    /// The name in errors.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::About => "section about the whole",
            Self::Materials => "materials",
            Self::Positions => "positions",
            Self::Triangles => "triangles",
            Self::Normals => "normals",
            Self::NormalIndices => "indices of normals",
            Self::Uvs => "texture coordinates",
            Self::UvIndices => "indices of texture coordinates",
            Self::Records => "records",
            Self::Nodes => "nodes",
            Self::Blocks => "blocks",
            Self::Corners => "corners",
        }
    }
}

/// The entry of a section in the header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) offset: u64,
    pub(crate) len: u64,
    pub(crate) checksum: u64,
}

/// The entries of all sections.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Header {
    entries: [Entry; N_SECTIONS],
}

impl Header {
    /// The header for sections of these lengths and checksums.
    pub(crate) fn new(sections: [(u64, u64); N_SECTIONS]) -> Self {
        let mut offset = HEADER_LEN as u64;
        let entries = sections.map(|(len, checksum)| {
            let entry = Entry { offset, len, checksum };
            offset += len;
            entry
        });
        Self { entries }
    }

    pub(crate) fn entry(&self, section: Section) -> Entry {
        self.entries[section as usize]
    }

    /// The length of the header and all sections.
    pub(crate) fn file_len(&self) -> u64 {
        let Entry { offset, len, .. } = self.entries[N_SECTIONS - 1];
        offset + len
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let mut writer = Writer { bytes: MAGIC.to_vec() };
        writer.u32(BYTE_ORDER);
        VERSION.into_iter().for_each(|version| writer.u32(version));
        writer.u32(N_SECTIONS as u32);
        writer.u64(self.file_len());
        for (number, entry) in (1..).zip(self.entries) {
            writer.u32(number);
            writer.u32(0);
            [entry.offset, entry.len, entry.checksum].into_iter().for_each(|n| writer.u64(n));
        }
        writer.u64(checksum::of_piece(&writer.bytes));
        writer.bytes
    }

    /// Parses the header of a file of that length, from at most [`HEADER_LEN`] first bytes.
    pub(crate) fn parse(start: &[u8], file_len: u64) -> Result<Self, CacheErrorKind> {
        let too_short = |_| CacheErrorKind::Length { found: file_len, expected: HEADER_LEN as u64 };
        if start.starts_with(&SCENE_MAGIC) {
            return Err(CacheErrorKind::IsAScene);
        }
        if !start.starts_with(&MAGIC) {
            if MAGIC.starts_with(start) {
                return Err(too_short(String::new()));
            }
            let bytes = &start[..start.len().min(MAGIC.len())];
            let found = format!("\"{}\"", bytes.escape_ascii());
            return Err(CacheErrorKind::NotACache { found });
        }
        let mut reader = Reader::new(&start[MAGIC.len()..]);
        match reader.u32().map_err(too_short)? {
            BYTE_ORDER => {}
            order if order.swap_bytes() == BYTE_ORDER => return Err(CacheErrorKind::ByteOrder),
            _ => return Err(damaged_header(String::new())),
        }
        let version = [reader.u32().map_err(too_short)?, reader.u32().map_err(too_short)?];
        if version != VERSION {
            let text = |[version, form]: [u32; 2]| format!("{version}.{form}");
            let (found, expected) = (text(version), text(VERSION));
            return Err(CacheErrorKind::Version { found, expected });
        }
        if start.len() < HEADER_LEN {
            return Err(too_short(String::new()));
        }
        let (body, sum) = start.split_at(HEADER_LEN - 8);
        if Reader::new(sum).u64() != Ok(checksum::of_piece(body)) {
            return Err(damaged_header(String::new()));
        }
        let n_sections = reader.u32().map_err(damaged_header)?;
        let expected = reader.u64().map_err(damaged_header)?;
        if expected != file_len {
            return Err(CacheErrorKind::Length { found: file_len, expected });
        }
        let (header, end) = Self::parse_sections(&mut reader, file_len)?;
        if n_sections as usize != N_SECTIONS || end != file_len {
            let reason = format!("{n_sections} sections up to {end} of {file_len} bytes");
            return Err(CacheErrorKind::invalid("header", reason));
        }
        Ok(header)
    }

    /// Parses the entries of the sections, and returns the end of the last section.
    fn parse_sections(
        reader: &mut Reader<'_>,
        file_len: u64,
    ) -> Result<(Self, u64), CacheErrorKind> {
        let mut header = Self::default();
        let mut offset = HEADER_LEN as u64;
        for (number, entry) in (1..).zip(&mut header.entries) {
            let marks =
                [reader.u32().map_err(damaged_header)?, reader.u32().map_err(damaged_header)?];
            let mut next = || reader.u64().map_err(damaged_header);
            *entry = Entry { offset: next()?, len: next()?, checksum: next()? };
            let end = offset.checked_add(entry.len).filter(|&end| end <= file_len);
            let (true, true, Some(end)) = (marks == [number, 0], entry.offset == offset, end)
            else {
                let reason = format!(
                    "section {number} is {marks:?} with {} bytes at {}, expected [{number}, 0] with \
                     at most {} at {offset}",
                    entry.len,
                    entry.offset,
                    file_len - offset
                );
                return Err(CacheErrorKind::invalid("header", reason));
            };
            offset = end;
        }
        Ok((header, offset))
    }
}

fn damaged_header(_: String) -> CacheErrorKind {
    CacheErrorKind::Damaged { part: "header" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_as_documented() {
        let header = Header::new([(5, 7); N_SECTIONS]);
        let bytes = header.to_bytes();
        assert_eq!(HEADER_LEN, 424);
        assert_eq!(bytes.len(), HEADER_LEN);
        assert_eq!(bytes[..16], *b"\x89hitscan\x04\x03\x02\x01\x02\0\0\0");
        assert_eq!(bytes[24..32], (424u64 + 60).to_le_bytes());
        assert_eq!(bytes[64..72], [2, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[72..80], 429u64.to_le_bytes());
        let parsed = Header::parse(&bytes, 484).expect("it is whole");
        assert_eq!(parsed.entry(Section::Corners), Entry { offset: 479, len: 5, checksum: 7 });
    }

    #[test]
    fn sections_that_overlap_or_reach_out_are_refused() {
        for (at, value) in [(72, 430), (80, 4), (80, u64::MAX), (80, u64::MAX - 428), (64, 3)] {
            let mut bytes = Header::new([(5, 7); N_SECTIONS]).to_bytes();
            bytes[at..at + 8].copy_from_slice(&u64::to_le_bytes(value));
            let sum = checksum::of_piece(&bytes[..HEADER_LEN - 8]);
            bytes[HEADER_LEN - 8..].copy_from_slice(&sum.to_le_bytes());
            let error = Header::parse(&bytes, 484).expect_err("it is wrong");
            assert!(matches!(error, CacheErrorKind::Invalid { .. }), "{at}: {error}");
        }
    }
}
