//! STL as text.

use glam::{DVec3, Vec3};

use super::solids::Solids;
use crate::{
    error_at::ErrorAt,
    mesh_builder::Name,
    words::{Words, number},
};

/// A word of the format, or two: `endsolid` and `end solid` are one keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keyword {
    Solid,
    Facet,
    Normal,
    Loop,
    Vertex,
    EndLoop,
    EndFacet,
    EndSolid,
    Unknown,
}

/// Whether a file is text. Binary files have bytes below 8 in the number of triangles or in the first one, even
/// if they begin with `solid`.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(1024)];
    let has = |text: &[u8]| start.windows(text.len()).any(|part| part.eq_ignore_ascii_case(text));
    let word = start.trim_ascii_start().get(..5);
    let is_solid = word.is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    match start[..start.len().min(134)].iter().any(|&byte| byte < 8) {
        true => is_solid && has(b"facet normal"),
        false => is_solid || has(b"facet"),
    }
}

/// Reads all solids. Statements that the format does not define are skipped and reported; whatever else is
/// missing between two facets is mended and counted.
pub(super) fn read(text: &[u8], solids: &mut Solids<'_>) -> Result<(), ErrorAt> {
    let mut text = Text { words: Words::new(text, 0, 1), last_line: 0, corners: Vec::new() };
    let mut name = Name::default();
    let (mut is_open, mut n_facets, mut n_ends) = (false, 0u64, 0u64);
    while let Some(word) = text.next() {
        let line = Some(text.words.line);
        match text.keyword(word) {
            Keyword::Solid => {
                if is_open {
                    solids.report.add_on_line("missing `endsolid`", "not needed", line);
                }
                let start = word.get(5..).unwrap_or_default();
                let rest = text.words.rest_of_line_before(b"facet normal");
                let rest = String::from_utf8_lossy(if start.is_empty() { rest } else { start });
                name = Name::new((!rest.is_empty()).then_some(rest));
                is_open = true;
            }
            Keyword::EndSolid => {
                text.words.rest_of_line_before(b"facet normal");
                name = Name::default();
                n_ends += 1;
                is_open = false;
            }
            Keyword::Facet => {
                if !is_open {
                    solids.report.add_on_line("facets outside of a solid", "read", line);
                }
                n_facets += u64::from(text.facet(&mut name, n_facets > 0, solids)?);
            }
            Keyword::Unknown => text.skip_unknown(word, solids),
            _ => return Err(text.words.error(Some(word), "`facet` or `endsolid`")),
        }
    }
    if n_facets + n_ends == 0 {
        return Err(text.words.error(None, "`facet` or `endsolid`"));
    }
    if is_open {
        solids.report.add_as("missing `endsolid`", "not needed", 1);
    }
    Ok(())
}

struct Text<'a> {
    words: Words<'a>,
    /// The line of the word before the last one.
    last_line: u64,
    /// The corners of the last facet.
    corners: Vec<Vec3>,
}

impl<'a> Text<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        self.last_line = if self.words.is_at_start() { 0 } else { self.words.line };
        self.words.next()
    }

    /// The keyword that begins with the word, whose second word is read too.
    fn keyword(&mut self, word: &[u8]) -> Keyword {
        let mut is_next =
            |wanted: &[u8]| self.words.next_if(|word| word.eq_ignore_ascii_case(wanted));
        // The end of a solid may be followed by its name.
        let lower = word[..word.len().min(12)].to_ascii_lowercase();
        let end = lower.strip_prefix(b"end").map(|rest| match rest {
            [b'_' | b'-', rest @ ..] => rest,
            _ => rest,
        });
        match (&lower[..], end) {
            (b"facet", _) => Keyword::Facet,
            (b"normal", _) => Keyword::Normal,
            (b"vertex", _) => Keyword::Vertex,
            (b"loop" | b"outerloop" | b"outer_loop", _) => Keyword::Loop,
            (b"outer", _) => {
                is_next(b"loop");
                Keyword::Loop
            }
            (_, Some(b"facet")) => Keyword::EndFacet,
            (_, Some(b"loop")) => Keyword::EndLoop,
            (_, Some(b"")) if is_next(b"facet") => Keyword::EndFacet,
            (_, Some(b"")) if is_next(b"loop") => Keyword::EndLoop,
            (_, Some(b"")) => Keyword::EndSolid,
            (_, Some(rest)) if rest.starts_with(b"solid") => Keyword::EndSolid,
            (start, _) if start.starts_with(b"solid") => Keyword::Solid,
            _ => Keyword::Unknown,
        }
    }

    /// Skips the line of an unknown first word, or the word itself.
    fn skip_unknown(&mut self, word: &[u8], solids: &mut Solids<'_>) {
        let line = Some(self.words.line);
        if self.last_line == self.words.line {
            solids.report.add_named("words", word, 1, line);
        } else {
            self.words.rest_of_line();
            solids.report.add_named("statements", word, 1, line);
        }
    }

    /// Reads a facet after the word `facet`, and returns whether it did. The facet at the end of the file may
    /// be incomplete, if there are `others`. The normal is skipped, because the corners have it.
    fn facet(
        &mut self,
        name: &mut Name<'_>,
        others: bool,
        solids: &mut Solids<'_>,
    ) -> Result<bool, ErrorAt> {
        let line = self.words.line;
        self.corners.clear();
        let (mut has_loop, mut is_loop_closed, mut is_closed) = (false, false, false);
        while !is_closed {
            let before = self.words.clone();
            let Some(word) = self.next() else {
                // Without the end of the loop, the last number may be cut.
                if others && !is_loop_closed {
                    return Ok(self.leave_out_cut(line, solids));
                }
                self.check(None, has_loop, is_loop_closed)?;
                break;
            };
            match self.keyword(word) {
                Keyword::Normal => {
                    let mut n = 0;
                    while n < 3 && self.words.next_if(|word| number::<f32>(word).is_some()) {
                        n += 1;
                    }
                }
                Keyword::Loop if !is_loop_closed => has_loop = true,
                Keyword::Vertex if !is_loop_closed => match self.vertex(solids) {
                    Err(_) if others && self.words.n_left() == 0 => {
                        return Ok(self.leave_out_cut(line, solids));
                    }
                    result => result?,
                },
                Keyword::Unknown => self.skip_unknown(word, solids),
                Keyword::EndLoop if !is_loop_closed => {
                    self.check(Some(word), has_loop, true)?;
                    is_loop_closed = true;
                }
                Keyword::EndFacet => {
                    self.check(Some(word), has_loop, is_loop_closed)?;
                    is_closed = true;
                }
                Keyword::Solid | Keyword::Facet | Keyword::EndSolid => {
                    self.check(Some(word), has_loop, is_loop_closed)?;
                    self.words = before;
                    break;
                }
                _ => return Err(self.words.error(Some(word), "`endfacet`")),
            }
        }
        if !(has_loop && is_loop_closed && is_closed) {
            let what = "facets without `outer loop`, `endloop` or `endfacet`";
            solids.report.add_on_line(what, "read", Some(line));
        }
        solids.add(&self.corners, name, Some(line))?;
        Ok(true)
    }

    /// Counts the facet that the end of the file cuts, and returns `false`.
    fn leave_out_cut(&self, line: u64, solids: &mut Solids<'_>) -> bool {
        solids.report.add_on_line("facets cut by the end of the file", "left out", Some(line));
        false
    }

    /// Refuses the end of a facet that has too few corners.
    fn check(
        &self,
        found: Option<&[u8]>,
        has_loop: bool,
        is_loop_closed: bool,
    ) -> Result<(), ErrorAt> {
        let expected = match (self.corners.len(), has_loop) {
            (0, false) => "`outer loop`",
            (0..3, _) => "`vertex`",
            _ if found.is_none() && !is_loop_closed => "`endloop`",
            _ => return Ok(()),
        };
        Err(self.words.error(found, expected))
    }

    fn vertex(&mut self, solids: &mut Solids<'_>) -> Result<(), ErrorAt> {
        let mut corner = Vec3::ZERO;
        // Rounded to f32 once: by the parser, or relative to the offset.
        if solids.recentring.is_first_pass() {
            for number in corner.as_mut() {
                *number = self.words.number("a coordinate")?;
            }
        } else {
            let mut position = DVec3::ZERO;
            for number in position.as_mut() {
                *number = self.words.number("a coordinate")?;
            }
            corner = solids.recentring.local(position);
        }
        self.corners.push(corner);
        if self.words.next_if(|word| number::<f32>(word).is_some()) {
            while self.words.next_if(|word| number::<f32>(word).is_some()) {}
            let (what, line) = ("vertices of more than 3 numbers", Some(self.words.line));
            solids.report.add_on_line(what, "the rest left out", line);
        }
        Ok(())
    }
}
