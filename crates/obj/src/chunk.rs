//! A part of a file, read without knowing the parts before it.

use std::{
    collections::HashMap,
    hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState},
};

use glam::{Vec2, Vec3};

use crate::{
    LoadOptions, ReadErrorKind,
    faces::{Faces, MAX_VALUES},
    report::Tallies,
};

/// What the statements of a part of a file say.
///
/// All numbers of lines, faces and names count from the start of the part; `join` puts parts
/// together.
#[derive(Debug)]
pub(crate) struct Chunk<'o> {
    pub(crate) options: &'o LoadOptions,
    /// Whether nothing comes before, so that relative indices are known at once.
    pub(crate) is_first: bool,
    pub(crate) positions: Vec<Vec3>,
    /// The positions that are not finite, by place; zero stands there instead.
    pub(crate) not_finite: Vec<u32>,
    pub(crate) uvs: Vec<Vec2>,
    pub(crate) normals: Vec<Vec3>,
    /// Numbers of `vt` and `vn` statements, also where their values are not kept.
    pub(crate) n_uvs: u64,
    pub(crate) n_normals: u64,
    pub(crate) faces: Faces,
    pub(crate) names: Names,
    /// By name, the line of its first `usemtl`; `None`, or nothing, of names of other things.
    pub(crate) material_lines: Vec<Option<u64>>,
    pub(crate) changes: Changes,
    /// Arguments of `mtllib`, and the first line of each.
    pub(crate) libraries: Names,
    pub(crate) library_lines: Vec<u64>,
    pub(crate) tallies: Tallies,
    /// Statements that OBJ has, understood or not.
    pub(crate) n_known: u64,
    pub(crate) n_lines: u64,
    pub(crate) scratch: Scratch,
}

/// Buffers that are kept from statement to statement.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) joined: Vec<u8>,
    pub(crate) corners: Vec<[u32; 3]>,
}

/// An error on a line of a part, 1-based.
#[derive(Debug)]
pub(crate) struct ChunkError {
    pub(crate) line: u64,
    pub(crate) kind: ReadErrorKind,
}

impl<'o> Chunk<'o> {
    /// Remembers the line of a `usemtl` if it is the first of that name.
    pub(crate) fn note_material(&mut self, name: u32) {
        let (name, line) = (name as usize, self.line());
        if self.material_lines.len() <= name {
            self.material_lines.resize(name + 1, None);
        }
        self.material_lines[name].get_or_insert(line);
    }

    pub(crate) fn new(options: &'o LoadOptions, is_first: bool) -> Self {
        Self {
            options,
            is_first,
            positions: Vec::new(),
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
            tallies: Tallies::default(),
            n_known: 0,
            n_lines: 0,
            scratch: Scratch::default(),
        }
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

    /// The line of the statement that is being read.
    #[inline(always)]
    pub(crate) fn line(&self) -> u64 {
        self.n_lines + 1
    }

    /// How many values of a channel there are so far.
    #[inline(always)]
    pub(crate) fn n_values(&self, channel: usize) -> u64 {
        match channel {
            0 => self.positions.len() as u64,
            1 => self.n_uvs,
            _ => self.n_normals,
        }
    }
}

/// Names, one after the other in one piece of memory; a name rarely stands there twice.
#[derive(Debug, Default)]
pub(crate) struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The place of one name for each hash. Another name of the same hash is stored again each time,
    /// so that no choice of names can make this slow.
    places: HashMap<u64, u32, BuildHasherDefault<Unhashed>>,
    /// Anew for each, or names could be chosen to collide.
    keys: RandomState,
    last: Option<u32>,
}

impl Names {
    pub(crate) fn intern(&mut self, name: &[u8]) -> u32 {
        // Exporters tend to repeat the name they have just written.
        if let Some(last) = self.last.filter(|&last| self.get(last) == name) {
            return last;
        }
        let hash = self.keys.hash_one(name);
        let known = self.places.get(&hash).copied().filter(|&place| self.get(place) == name);
        let place = known.unwrap_or_else(|| {
            let place = self.ends.len() as u32;
            self.bytes.extend_from_slice(name);
            self.ends.push(self.bytes.len());
            self.places.entry(hash).or_insert(place);
            place
        });
        self.last = Some(place);
        place
    }

    fn get(&self, place: u32) -> &[u8] {
        let place = place as usize;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[place]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len() as u32).map(|place| self.get(place))
    }
}

/// Passes on numbers that are hashes already.
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

/// What the faces after a statement belong to: the state that `o`, `g`, `usemtl` and `s` set.
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

/// A change of a setting: from `face` on it is `value`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) face: u32,
    /// A name's place or a smoothing group; `None` is no name, or off.
    pub(crate) value: Option<u32>,
}

/// The changes of the four settings, in order of faces.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    lists: [Vec<Change>; 4],
}

impl Changes {
    pub(crate) fn push(&mut self, setting: Setting, change: Change) {
        let list = &mut self.lists[setting as usize];
        match list.last_mut() {
            Some(last) if last.value == change.value => {}
            // No face came between: the earlier change did nothing.
            Some(last) if last.face == change.face => *last = change,
            _ => list.push(change),
        }
    }

    pub(crate) fn of(&self, setting: Setting) -> &[Change] {
        &self.lists[setting as usize]
    }

    /// Moves the changes to where their faces are after some were left out.
    pub(crate) fn renumber(&mut self, n_kept_before: &[u32]) {
        for change in self.lists.iter_mut().flatten() {
            change.face = n_kept_before[change.face as usize];
        }
    }
}
