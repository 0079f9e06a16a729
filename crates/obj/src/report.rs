//! Counts of the contents of a file, and its warnings.

use std::fmt;

use crate::{
    library_issue::{LibraryIssue, LibraryProblem},
    lines::{decode_name, quoted},
};

/// Counts the statements of a file, and the parts that the reader skipped or repaired.
///
/// Its text has one line per kind of warning, and none for a file without warnings.
///
/// ```
/// use hitscan_obj::{LoadOptions, LoadWarning, parse};
///
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2\nf 1 2 3\n";
/// let report = parse(text, "example.obj", &LoadOptions::default())?.report;
/// assert_eq!((report.n_triangles, report.n_ignored()), (1, 1));
/// assert_eq!(report.count(LoadWarning::Lines).first_line, Some(4));
/// assert_eq!(report.to_string(), "1 line element left out (line 4)\n");
/// # Ok::<(), hitscan_obj::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjReport {
    /// The number of lines, with any line ending.
    pub n_lines: u64,
    /// The number of vertices (`v`).
    pub n_vertices: u64,
    /// The number of texture coordinates (`vt`).
    pub n_texture_coordinates: u64,
    /// The number of normals (`vn`).
    pub n_normals: u64,
    /// The number of accepted faces.
    pub n_polygons: u64,
    /// The number of triangles after triangulation.
    pub n_triangles: u64,
    /// The number of triangles of zero area. The mesh keeps them, because it may need them to be closed
    /// ([`TriMesh::is_degenerate`](hitscan_primitives::TriMesh::is_degenerate)).
    pub n_degenerate_triangles: u64,
    /// The largest movement of a coordinate by rounding, if [`LoadOptions::recentre`](crate::LoadOptions) is
    /// off and would have avoided it; otherwise 0.
    pub rounded_by: f64,
    /// The first 64 material libraries that were not read completely.
    pub libraries: Vec<LibraryIssue>,
    /// The first 64 keywords that OBJ does not define, in the order of the file.
    pub unknown_statements: UnknownStatements,
    /// The first 64 materials that faces use and no library defines, in the order of first use.
    pub unknown_materials: Vec<String>,
    pub(crate) warnings: WarningCounts,
}

/// A kind of part that the reader skipped or repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoadWarning {
    /// Line elements (`l`), skipped.
    Lines,
    /// Point elements (`p`), skipped.
    Points,
    /// Statements of curves and surfaces (`curv`, `surf`, `vp`, …), skipped.
    FreeForm,
    /// Statements about display (`lod`, `bevel`, `usemap`, `shadow_obj`, …), skipped.
    Display,
    /// `call` and `csh`, which would run something; skipped.
    Commands,
    /// Statements that OBJ does not define, skipped; see [`ObjReport::unknown_statements`].
    Unknown,
    /// Faces of fewer than three corners, skipped.
    ShortFaces,
    /// Faces with the vertex index 0, skipped. A file without any other face is an error.
    ZeroIndices,
    /// Faces at a vertex that is not finite in single precision, skipped.
    FacesNotFinite,
    /// Vertices that are not finite in single precision, replaced by (0, 0, 0).
    VerticesNotFinite,
    /// Texture coordinates and normals that are not finite, kept.
    AttributesNotFinite,
    /// Texture indices out of range; the corner gets no texture coordinate.
    BadTextureIndices,
    /// Normal indices out of range; the corner gets no normal.
    BadNormalIndices,
    /// Vertex colours, skipped.
    VertexColours,
    /// Vertices with too many numbers; the extra ones are skipped.
    ExtraNumbers,
    /// Numbers with the sign before the letter of the exponent: `3.1+e2`, read as `3.1e+2`.
    MisplacedSigns,
    /// Smoothing groups that are neither `off` nor a number, read as `off`.
    BadSmoothing,
    /// Materials that no library defines; see [`ObjReport::unknown_materials`].
    UnknownMaterials,
    /// Material libraries that were not read completely; see [`ObjReport::libraries`].
    Libraries,
    /// 16-bit units of UTF-16 text that are no characters, replaced by U+FFFD.
    BadUtf16,
}

impl LoadWarning {
    /// All kinds, in the order of the report.
    pub const ALL: [Self; 20] = [
        Self::Lines,
        Self::Points,
        Self::FreeForm,
        Self::Display,
        Self::Commands,
        Self::Unknown,
        Self::ShortFaces,
        Self::ZeroIndices,
        Self::FacesNotFinite,
        Self::VerticesNotFinite,
        Self::AttributesNotFinite,
        Self::BadTextureIndices,
        Self::BadNormalIndices,
        Self::VertexColours,
        Self::ExtraNumbers,
        Self::MisplacedSigns,
        Self::BadSmoothing,
        Self::UnknownMaterials,
        Self::Libraries,
        Self::BadUtf16,
    ];

    /// The singular, the plural, and the outcome.
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
            Self::ZeroIndices => {
                ("face with the vertex index 0", "faces with the vertex index 0", "left out")
            }
            Self::FacesNotFinite => {
                ("face at a vertex that is not finite", "faces at vertices not finite", "left out")
            }
            Self::VerticesNotFinite => {
                ("vertex that is not finite", "vertices that are not finite", "set to (0, 0, 0)")
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
            Self::MisplacedSigns => {
                ("number such as 3.1+e2", "numbers such as 3.1+e2", "read as 3.1e+2")
            }
            Self::BadSmoothing => ("bad smoothing group", "bad smoothing groups", "taken for off"),
            Self::UnknownMaterials => ("material", "materials", "in no library"),
            Self::Libraries => ("material library", "material libraries", "not fully read"),
            Self::BadUtf16 => {
                ("UTF-16 unit that is no character", "UTF-16 units that are none", "replaced")
            }
        }
    }
}

/// A keyword that OBJ does not define, with the line of the first statement that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStatement {
    /// The keyword, cut to 40 bytes.
    pub keyword: String,
    /// The line, counted from 1.
    pub first_line: u64,
}

impl fmt::Display for UnknownStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on line {}", quoted(self.keyword.as_bytes()), self.first_line)
    }
}

/// The first keywords that OBJ does not define, at most 64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownStatements(Vec<UnknownStatement>);

impl UnknownStatements {
    const MAX_KEYWORDS: usize = 64;
    const MAX_BYTES: usize = 40;

    /// The keywords in the order of the file.
    pub fn as_slice(&self) -> &[UnknownStatement] {
        &self.0
    }

    pub(crate) fn add(&mut self, keyword: &[u8], first_line: u64) {
        if self.0.len() == Self::MAX_KEYWORDS {
            return;
        }
        let keyword = decode_name(&keyword[..keyword.len().min(Self::MAX_BYTES)]);
        self.push(UnknownStatement { keyword, first_line });
    }

    fn push(&mut self, statement: UnknownStatement) {
        let is_new = |known: &UnknownStatement| known.keyword != statement.keyword;
        if self.0.len() < Self::MAX_KEYWORDS && self.0.iter().all(is_new) {
            self.0.push(statement);
        }
    }

    /// Adds the keywords of a later part, which follows `n_lines_before` lines. The result does not depend on
    /// the parts, because each part lists as many as the whole.
    pub(crate) fn merge(&mut self, part: &Self, n_lines_before: u64) {
        for UnknownStatement { keyword, first_line } in &part.0 {
            let (keyword, first_line) = (keyword.clone(), first_line + n_lines_before);
            self.push(UnknownStatement { keyword, first_line });
        }
    }
}

/// The number of warnings of a kind, and the first line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarningCount {
    /// The number of warnings.
    pub n: u64,
    /// The line of the first warning, counted from 1.
    pub first_line: Option<u64>,
}

impl ObjReport {
    const MAX_NAMES: usize = 64;

    /// The number of warnings of a kind, and the first line.
    pub fn count(&self, warning: LoadWarning) -> WarningCount {
        self.warnings.0[warning as usize]
    }

    /// The kinds of warnings that occur, in a fixed order.
    pub fn warnings(&self) -> impl Iterator<Item = (LoadWarning, WarningCount)> {
        LoadWarning::ALL
            .into_iter()
            .map(|warning| (warning, self.count(warning)))
            .filter(|(_, t)| t.n > 0)
    }

    /// The number of all warnings; 0 for a file that was read completely.
    pub fn n_ignored(&self) -> u64 {
        self.warnings.0.iter().map(|count| count.n).sum()
    }

    pub(crate) fn add_library_issue(&mut self, name: &[u8], line: u64, problem: LibraryProblem) {
        self.warnings.add(LoadWarning::Libraries, line);
        if self.libraries.len() < Self::MAX_NAMES {
            self.libraries.push(LibraryIssue { name: decode_name(name), line, problem });
        }
    }

    pub(crate) fn add_unknown_material(&mut self, name: &str, line: u64) {
        self.warnings.add(LoadWarning::UnknownMaterials, line);
        if self.unknown_materials.len() < Self::MAX_NAMES {
            self.unknown_materials.push(name.to_owned());
        }
    }
}

impl fmt::Display for ObjReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_SHOWN: usize = 4;
        const MAX_STATEMENTS_SHOWN: usize = 16;
        for (warning, WarningCount { n, first_line }) in self.warnings() {
            let (one, several, outcome) = warning.words();
            write!(f, "{n} {} {outcome}", if n == 1 { one } else { several })?;
            match first_line {
                Some(line) if n == 1 => write!(f, " (line {line})")?,
                Some(line) => write!(f, " (the first on line {line})")?,
                None => {}
            }
            let details: Vec<String> = match warning {
                LoadWarning::Libraries => {
                    self.libraries.iter().take(MAX_SHOWN).map(ToString::to_string).collect()
                }
                LoadWarning::Unknown => {
                    let shown = self.unknown_statements.0.iter().take(MAX_STATEMENTS_SHOWN);
                    shown.map(ToString::to_string).collect()
                }
                LoadWarning::UnknownMaterials => {
                    let names = self.unknown_materials.iter().take(MAX_SHOWN);
                    names.map(|name| quoted(name.as_bytes())).collect()
                }
                _ => Vec::new(),
            };
            if !details.is_empty() {
                let is_cut = match warning {
                    LoadWarning::Unknown => self.unknown_statements.0.len() > MAX_STATEMENTS_SHOWN,
                    _ => n > MAX_SHOWN as u64,
                };
                let more = if is_cut { ", …" } else { "" };
                write!(f, ": {}{more}", details.join(", "))?;
            }
            writeln!(f)?;
        }
        match self.n_degenerate_triangles {
            0 => {}
            1 => writeln!(f, "1 triangle of zero area")?,
            n => writeln!(f, "{n} triangles of zero area")?,
        }
        if self.rounded_by > 0.0 {
            writeln!(
                f,
                "positions rounded by up to {}, because f32 is coarse there",
                self.rounded_by
            )?;
        }
        if self.n_triangles == 0 {
            writeln!(f, "no triangles: the file has no usable face")?;
        }
        Ok(())
    }
}

/// A count per kind of warning.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WarningCounts([WarningCount; LoadWarning::ALL.len()]);

impl WarningCounts {
    pub(crate) fn add(&mut self, warning: LoadWarning, line: u64) {
        let count = &mut self.0[warning as usize];
        count.n += 1;
        // The minimum, because faces of a part may be checked before those of an earlier part.
        count.first_line = Some(count.first_line.map_or(line, |first| first.min(line)));
    }

    /// Counts `n` warnings whose lines are not known.
    pub(crate) fn add_all(&mut self, warning: LoadWarning, n: u64) {
        self.0[warning as usize].n += n;
    }

    /// Adds the counts of a later part, which follows `n_lines_before` lines.
    pub(crate) fn merge(&mut self, part: &Self, n_lines_before: u64) {
        for (count, part) in self.0.iter_mut().zip(&part.0) {
            count.n += part.n;
            let first = part.first_line.map(|line| line + n_lines_before);
            count.first_line = match (count.first_line, first) {
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
    fn every_warning_has_its_own_count() {
        for (index, warning) in LoadWarning::ALL.into_iter().enumerate() {
            assert_eq!(warning as usize, index, "{warning:?}");
            let mut report = ObjReport { n_triangles: 1, ..Default::default() };
            report.warnings.add(warning, 7);
            report.warnings.add(warning, 5);
            assert_eq!(report.count(warning), WarningCount { n: 2, first_line: Some(5) });
            assert_eq!(report.to_string().lines().count(), 1);
        }
    }

    #[test]
    fn parts_merge_with_their_lines_moved() {
        let (mut whole, mut part) = (WarningCounts::default(), WarningCounts::default());
        part.add(LoadWarning::Points, 3);
        whole.merge(&part, 10);
        whole.merge(&part, 20);
        assert_eq!(
            whole.0[LoadWarning::Points as usize],
            WarningCount { n: 2, first_line: Some(13) }
        );
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
