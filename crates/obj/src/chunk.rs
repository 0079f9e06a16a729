//! The contents of a part of a file, which is parsed independently of the parts before it.

use std::{
    collections::HashMap,
    hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState},
};

use glam::{Vec2, Vec3};
use hitscan_primitives::Recentring;

use crate::{
    LoadOptions, ReadErrorKind,
    faces::{Faces, MAX_VALUES},
    report::{LoadWarning, UnknownStatements, WarningCounts},
};

/// The values, faces and settings in a part of a file.
///
/// Lines, faces and names are counted from the start of the part. `join` merges the parts.
#[derive(Debug)]
pub(crate) struct Chunk<'o> {
    pub(crate) options: &'o LoadOptions,
    /// Whether this is the first part, in which relative indices are resolved at once.
    pub(crate) is_first: bool,
    pub(crate) positions: Vec<Vec3>,
    /// Converts the positions, which are relative to its offset.
    pub(crate) recentring: Recentring,
    /// The indices of positions that are not finite and were replaced by zero.
    pub(crate) not_finite: Vec<u32>,
    pub(crate) uvs: Vec<Vec2>,
    pub(crate) normals: Vec<Vec3>,
    /// The numbers of `vt` and `vn` statements, even if their values are not kept.
    pub(crate) n_uvs: u64,
    pub(crate) n_normals: u64,
    pub(crate) faces: Faces,
    pub(crate) names: Names,
    /// Per name, the line of its first `usemtl`; `None` for names of other things.
    pub(crate) material_lines: Vec<Option<u64>>,
    pub(crate) changes: Changes,
    /// The arguments of `mtllib`, and the first line of each.
    pub(crate) libraries: Names,
    pub(crate) library_lines: Vec<u64>,
    pub(crate) warnings: WarningCounts,
    pub(crate) unknown: UnknownStatements,
    /// The line and the corner of the first face that was skipped for its vertex index 0.
    pub(crate) first_zero: Option<(u64, String)>,
    /// The number of statements with a keyword of OBJ.
    pub(crate) n_known: u64,
    pub(crate) n_lines: u64,
    pub(crate) scratch: Scratch,
}

/// Buffers that statements reuse.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) joined: Vec<u8>,
    pub(crate) corners: Vec<[u32; 3]>,
}

/// An error on a line of a part, counted from 1.
#[derive(Debug)]
pub(crate) struct ChunkError {
    pub(crate) line: u64,
    pub(crate) kind: ReadErrorKind,
}

impl<'o> Chunk<'o> {
    /// Stores the line of a `usemtl` if it is the first of its name.
    pub(crate) fn note_material(&mut self, name: u32) {
        let (name, line) = (name as usize, self.line());
        if self.material_lines.len() <= name {
            self.material_lines.resize(name + 1, None);
        }
        self.material_lines[name].get_or_insert(line);
    }

    pub(crate) fn new(options: &'o LoadOptions, recentring: Recentring, is_first: bool) -> Self {
        Self {
            options,
            is_first,
            positions: Vec::new(),
            recentring,
            not_finite: Vec::new(),
            uvs: Vec::new(),
            normals: Vec::new(),
            n_uvs: 0,
            n_normals: 0,
            faces: Faces::default(),
            names: Names::default(),
            material_lines: Vec::new(),
            changes: Changes::default(),
            libraries: Names::default(),
            library_lines: Vec::new(),
            warnings: WarningCounts::default(),
            unknown: UnknownStatements::default(),
            first_zero: None,
            n_known: 0,
            n_lines: 0,
            scratch: Scratch::default(),
        }
    }

    /// Counts a face with the vertex index 0 at `corner`.
    #[cold]
    pub(crate) fn skip_face_with_zero(&mut self, corner: String) {
        let line = self.line();
        self.warnings.add(LoadWarning::ZeroIndices, line);
        self.first_zero.get_or_insert((line, corner));
    }

    /// Compares the counts with their limits. The reader calls it once per window, because the counts
    /// cannot wrap within one.
    pub(crate) fn check_counts(&self) -> Result<(), ChunkError> {
        let counts = [
            ("vertices", self.positions.len() as u64),
            ("texture coordinates", self.n_uvs),
            ("normals", self.n_normals),
            ("faces", u64::from(self.faces.n_faces)),
        ];
        match counts.into_iter().find(|&(_, found)| found > u64::from(MAX_VALUES)) {
            None => Ok(()),
            Some((what, found)) => {
                let limit = u64::from(MAX_VALUES);
                let kind = ReadErrorKind::TooLarge { what, found, limit, raised_by: None };
                Err(ChunkError { line: self.n_lines, kind })
            }
        }
    }

    /// The line of the current statement.
    #[inline(always)]
    pub(crate) fn line(&self) -> u64 {
        self.n_lines + 1
    }

    /// The number of values of a channel so far.
    #[inline(always)]
    pub(crate) fn n_values(&self, channel: usize) -> u64 {
        match channel {
            0 => self.positions.len() as u64,
            1 => self.n_uvs,
            _ => self.n_normals,
        }
    }
}

/// Interned names in one buffer. A name rarely occurs in it twice.
#[derive(Debug, Default)]
pub(crate) struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The index of one name per hash. A second name with the same hash is stored again at each
    /// use, so that no choice of names makes interning slow.
    indices: HashMap<u64, u32, BuildHasherDefault<Unhashed>>,
    /// New keys per instance, so that chosen names cannot collide.
    keys: RandomState,
    last: Option<u32>,
}

impl Names {
    pub(crate) fn intern(&mut self, name: &[u8]) -> u32 {
        // Exporters often repeat the last name.
        if let Some(last) = self.last.filter(|&last| self.get(last) == name) {
            return last;
        }
        let hash = self.keys.hash_one(name);
        let known = self.indices.get(&hash).copied().filter(|&index| self.get(index) == name);
        let index = known.unwrap_or_else(|| {
            let index = self.ends.len() as u32;
            self.bytes.extend_from_slice(name);
            self.ends.push(self.bytes.len());
            self.indices.entry(hash).or_insert(index);
            index
        });
        self.last = Some(index);
        index
    }

    fn get(&self, index: u32) -> &[u8] {
        let index = index as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[index]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len() as u32).map(|index| self.get(index))
    }
}

/// A hasher that returns its input, which is a hash already.
#[derive(Debug, Default)]
struct Unhashed(u64);

impl Hasher for Unhashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// A setting of the faces that follow: `o`, `g`, `usemtl` or `s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    Object,
    Group,
    Material,
    Smoothing,
}

impl Setting {
    pub(crate) const ALL: [Self; 4] = [Self::Object, Self::Group, Self::Material, Self::Smoothing];
}

/// A change of a setting to `value`, from the face `face` on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) face: u32,
    /// The index of a name, or a smoothing group; `None` for no name, or `off`.
    pub(crate) value: Option<u32>,
}

/// The changes of the four settings in the order of faces.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    lists: [Vec<Change>; 4],
}

impl Changes {
    pub(crate) fn push(&mut self, setting: Setting, change: Change) {
        let list = &mut self.lists[setting as usize];
        match list.last_mut() {
            Some(last) if last.value == change.value => {}
            // The earlier change applied to no face.
            Some(last) if last.face == change.face => *last = change,
            _ => list.push(change),
        }
    }

    pub(crate) fn of(&self, setting: Setting) -> &[Change] {
        &self.lists[setting as usize]
    }

    /// Renumbers the changes after faces were removed.
    pub(crate) fn renumber(&mut self, n_kept_before: &[u32]) {
        for change in self.lists.iter_mut().flatten() {
            change.face = n_kept_before[change.face as usize];
        }
    }
}
