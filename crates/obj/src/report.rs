//! What a file holds, and what of it was left out.

use std::fmt;

use crate::lines::{decode_name, quoted};

/// What a file holds, and what of it was left out or is odd.
///
/// Its text is for people: one line per kind of oddity, nothing for a file without any.
///
/// ```
/// use hitscan_obj::{LoadOptions, Oddity, parse};
///
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2\nf 1 2 3\n";
/// let report = parse(text, "example.obj", &LoadOptions::default())?.report;
/// assert_eq!((report.n_triangles, report.n_ignored()), (1, 1));
/// assert_eq!(report.tally(Oddity::Lines).first_line, Some(4));
/// assert_eq!(report.to_string(), "1 line element left out (line 4)\n");
/// # Ok::<(), hitscan_obj::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjReport {
    /// Lines of the file, however they end.
    pub n_lines: u64,
    /// Vertices (`v`).
    pub n_vertices: u64,
    /// Texture coordinates (`vt`).
    pub n_texture_coordinates: u64,
    /// Normals (`vn`).
    pub n_normals: u64,
    /// Faces that were accepted.
    pub n_polygons: u64,
    /// Triangles that the faces were cut into.
    pub n_triangles: u64,
    /// How many of the triangles have no area. They are kept, and never hit.
    pub n_degenerate_triangles: u64,
    /// Material libraries that were not read, or only in part: the first 64 of them.
    pub libraries: Vec<LibraryIssue>,
    /// Materials that faces ask for and no library has: the first 64 of them, in order of first use.
    pub unknown_materials: Vec<String>,
    pub(crate) tallies: Tallies,
}

/// A kind of thing that was left out, or that is odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Oddity {
    /// Line elements (`l`).
    Lines,
    /// Point elements (`p`).
    Points,
    /// Statements of curves and surfaces (`curv`, `surf`, `vp`, …).
    FreeForm,
    /// Statements about display (`lod`, `bevel`, `usemap`, `shadow_obj`, …).
    Display,
    /// `call` and `csh`, which ask to run something. Never obeyed.
    Commands,
    /// Statements that OBJ does not have.
    Unknown,
    /// Faces of fewer than three corners, left out.
    ShortFaces,
    /// Faces at a vertex that is not finite in single precision, left out.
    FacesNotFinite,
    /// Vertices that are not finite in single precision; their place is kept, as (0, 0, 0).
    VerticesNotFinite,
    /// Texture coordinates and normals that are not finite, kept as they are.
    AttributesNotFinite,
    /// Corners whose texture index names nothing; they have no texture coordinate.
    BadTextureIndices,
    /// Corners whose normal index names nothing; they have no normal.
    BadNormalIndices,
    /// Vertices with a colour, which is left out.
    VertexColours,
    /// Vertices with more numbers than mean anything.
    ExtraNumbers,
    /// Smoothing groups that are neither `off` nor a number, taken for `off`.
    BadSmoothing,
    /// Materials, by name, that no library has; see [`ObjReport::unknown_materials`].
    UnknownMaterials,
    /// Material libraries that were not read, or only in part; see [`ObjReport::libraries`].
    Libraries,
}

impl Oddity {
    /// All kinds, in the order of the report.
    pub const ALL: [Self; 17] = [
        Self::Lines,
        Self::Points,
        Self::FreeForm,
        Self::Display,
        Self::Commands,
        Self::Unknown,
        Self::ShortFaces,
        Self::FacesNotFinite,
        Self::VerticesNotFinite,
        Self::AttributesNotFinite,
        Self::BadTextureIndices,
        Self::BadNormalIndices,
        Self::VertexColours,
        Self::ExtraNumbers,
        Self::BadSmoothing,
        Self::UnknownMaterials,
        Self::Libraries,
    ];

    /// What one and several of them are called, and what became of them.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Lines => ("line element", "line elements", "left out"),
            Self::Points => ("point element", "point elements", "left out"),
            Self::FreeForm => ("free-form statement", "free-form statements", "left out"),
            Self::Display => ("display statement", "display statements", "left out"),
            Self::Commands => ("call or csh command", "call or csh commands", "not obeyed"),
            Self::Unknown => ("unknown statement", "unknown statements", "left out"),
            Self::ShortFaces => {
                ("face of fewer than 3 corners", "faces of fewer than 3 corners", "left out")
            }
            Self::FacesNotFinite => {
                ("face at a vertex that is not finite", "faces at vertices not finite", "left out")
            }
            Self::VerticesNotFinite => {
                ("vertex not finite in single precision", "vertices not finite", "never used")
            }
            Self::AttributesNotFinite => {
                ("vt or vn that is not finite", "vt or vn that are not finite", "kept")
            }
            Self::BadTextureIndices => {
                ("texture index out of range", "texture indices out of range", "dropped")
            }
            Self::BadNormalIndices => {
                ("normal index out of range", "normal indices out of range", "dropped")
            }
            Self::VertexColours => ("vertex colour", "vertex colours", "left out"),
            Self::ExtraNumbers => {
                ("vertex with extra numbers", "vertices with extra numbers", "extra ones left out")
            }
            Self::BadSmoothing => ("bad smoothing group", "bad smoothing groups", "taken for off"),
            Self::UnknownMaterials => ("material", "materials", "in no library"),
            Self::Libraries => ("material library", "material libraries", "not fully read"),
        }
    }
}

/// How often something occurs, and where first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of occurrences.
    pub n: u64,
    /// The line of the first, 1-based.
    pub first_line: Option<u64>,
}

/// A material library that was not read, or only in part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LibraryIssue {
    /// The name as the file gives it.
    pub name: String,
    /// The line of the OBJ file that asks for it.
    pub line: u64,
    /// Why.
    pub problem: LibraryProblem,
}

/// Why a material library was not read, or only in part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LibraryProblem {
    /// There is no such file.
    NotFound,
    /// The path leads out of the folder of the OBJ file; it was not opened.
    OutsideFolder,
    /// It is a folder, a device or a pipe; it was not opened.
    NotARegularFile,
    /// It is larger than what [`LoadOptions::max_material_bytes`](crate::LoadOptions) leaves.
    TooLarge,
    /// Reading failed.
    Unreadable(String),
    /// Text in memory has no folder to look in.
    NoFolder,
    /// More names than [`LoadOptions::max_libraries`](crate::LoadOptions); it was not looked for.
    TooMany,
    /// Some of its statements make no sense; the rest was read.
    BadStatements {
        /// How many.
        n: u64,
        /// The line of the first in the library, 1-based.
        first_line: u64,
    },
}

impl fmt::Display for LibraryProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => write!(f, "not found"),
            Self::OutsideFolder => write!(f, "not in the folder of the OBJ file, not opened"),
            Self::NotARegularFile => write!(f, "not a regular file, not opened"),
            Self::TooLarge => write!(f, "too large, not read"),
            Self::Unreadable(reason) => write!(f, "not readable: {reason}"),
            Self::NoFolder => write!(f, "not read, the text comes without a folder"),
            Self::TooMany => write!(f, "not looked for, there are too many"),
            Self::BadStatements { n: 1, first_line } => {
                write!(f, "read but for line {first_line}")
            }
            Self::BadStatements { n, first_line } => {
                write!(f, "read but for {n} statements, the first on line {first_line}")
            }
        }
    }
}

impl ObjReport {
    const MAX_NAMES: usize = 64;

    /// How often an oddity occurs, and where first.
    pub fn tally(&self, oddity: Oddity) -> Tally {
        self.tallies.0[oddity as usize]
    }

    /// The oddities that occur, in a fixed order.
    pub fn oddities(&self) -> impl Iterator<Item = (Oddity, Tally)> {
        Oddity::ALL.into_iter().map(|oddity| (oddity, self.tally(oddity))).filter(|(_, t)| t.n > 0)
    }

    /// The sum over all oddities; 0 for a file that was understood in full.
    pub fn n_ignored(&self) -> u64 {
        self.tallies.0.iter().map(|tally| tally.n).sum()
    }

    pub(crate) fn add_library_issue(&mut self, name: &[u8], line: u64, problem: LibraryProblem) {
        self.tallies.add(Oddity::Libraries, line);
        if self.libraries.len() < Self::MAX_NAMES {
            self.libraries.push(LibraryIssue { name: decode_name(name), line, problem });
        }
    }

    pub(crate) fn add_unknown_material(&mut self, name: &str, line: u64) {
        self.tallies.add(Oddity::UnknownMaterials, line);
        if self.unknown_materials.len() < Self::MAX_NAMES {
            self.unknown_materials.push(name.to_owned());
        }
    }
}

impl fmt::Display for ObjReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_SHOWN: usize = 4;
        for (oddity, Tally { n, first_line }) in self.oddities() {
            let (one, several, outcome) = oddity.words();
            write!(f, "{n} {} {outcome}", if n == 1 { one } else { several })?;
            match first_line {
                Some(line) if n == 1 => write!(f, " (line {line})")?,
                Some(line) => write!(f, " (the first on line {line})")?,
                None => {}
            }
            let details: Vec<String> = match oddity {
                Oddity::Libraries => self.libraries.iter().take(MAX_SHOWN).map(describe).collect(),
                Oddity::UnknownMaterials => {
                    let names = self.unknown_materials.iter().take(MAX_SHOWN);
                    names.map(|name| quoted(name.as_bytes())).collect()
                }
                _ => Vec::new(),
            };
            if !details.is_empty() {
                let more = if n > MAX_SHOWN as u64 { ", …" } else { "" };
                write!(f, ": {}{more}", details.join(", "))?;
            }
            writeln!(f)?;
        }
        match self.n_degenerate_triangles {
            0 => {}
            1 => writeln!(f, "1 triangle without area")?,
            n => writeln!(f, "{n} triangles without area")?,
        }
        if self.n_triangles == 0 {
            writeln!(f, "no triangles: the file has no usable face")?;
        }
        Ok(())
    }
}

fn describe(issue: &LibraryIssue) -> String {
    format!("{} {}", quoted(issue.name.as_bytes()), issue.problem)
}

/// A tally for each kind of oddity.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tallies([Tally; Oddity::ALL.len()]);

impl Tallies {
    pub(crate) fn add(&mut self, oddity: Oddity, line: u64) {
        let tally = &mut self.0[oddity as usize];
        tally.n += 1;
        // Not the first call: faces of one part may be looked at before an earlier part's.
        tally.first_line = Some(tally.first_line.map_or(line, |first| first.min(line)));
    }

    /// Adds the tallies of a later part, whose lines follow `n_lines_before` others.
    pub(crate) fn merge(&mut self, part: &Self, n_lines_before: u64) {
        for (tally, part) in self.0.iter_mut().zip(&part.0) {
            tally.n += part.n;
            let first = part.first_line.map(|line| line + n_lines_before);
            tally.first_line = match (tally.first_line, first) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_oddity_finds_its_own_tally() {
        for (place, oddity) in Oddity::ALL.into_iter().enumerate() {
            assert_eq!(oddity as usize, place, "{oddity:?}");
            let mut report = ObjReport { n_triangles: 1, ..Default::default() };
            report.tallies.add(oddity, 7);
            report.tallies.add(oddity, 5);
            assert_eq!(report.tally(oddity), Tally { n: 2, first_line: Some(5) });
            assert_eq!(report.to_string().lines().count(), 1);
        }
    }

    #[test]
    fn parts_merge_with_their_lines_moved() {
        let (mut whole, mut part) = (Tallies::default(), Tallies::default());
        part.add(Oddity::Points, 3);
        whole.merge(&part, 10);
        whole.merge(&part, 20);
        assert_eq!(whole.0[Oddity::Points as usize], Tally { n: 2, first_line: Some(13) });
    }

    #[test]
    fn a_report_shows_names_escaped_and_few_of_them() {
        let mut report = ObjReport { n_triangles: 1, ..Default::default() };
        for line in 1..=1000 {
            report.add_library_issue(b"a\x1b[2J.mtl", line, LibraryProblem::NotFound);
        }
        let text = report.to_string();
        assert!(text.starts_with("1000 material libraries not fully read"), "{text}");
        assert!(!text.contains('\u{1b}') && text.len() < 400, "{text}");
        assert_eq!(report.libraries.len(), 64);
    }
}
