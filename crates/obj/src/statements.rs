//! The general parser of statements, for every valid form and every error.

use glam::{DVec3, Vec2, Vec3};

use crate::{
    Limit, ReadErrorKind,
    chunk::{Change, Chunk, ChunkError, Setting},
    faces::{MAX_VALUES, N_CHANNELS, NONE, absolute, relative},
    lines::{self, after_first_word, first_word, is_blank, quoted, words},
    number::{f32_with_misplaced_sign, f32_word, f64_word},
    report::LoadWarning,
};

/// The valid forms of an index.
const INDEX_FORMS: &str = "an index such as 7, -1, 7/2, 7//3 or 7/2/3";

/// Parses the statement at `at`, and returns the start of the next one.
pub(crate) fn statement(
    chunk: &mut Chunk<'_>,
    text: &[u8],
    at: usize,
) -> Result<usize, ChunkError> {
    let mut joined = std::mem::take(&mut chunk.scratch.joined);
    let statement = lines::statement(text, at, &mut joined);
    let result = read_statement(chunk, statement.text);
    let line = chunk.line();
    let (next, n_endings) = (statement.next, statement.n_endings);
    // The last line may have no line ending.
    let is_unterminated = !text[..next].ends_with(b"\n") && !text[..next].ends_with(b"\r");
    chunk.n_lines += n_endings + u64::from(is_unterminated);
    chunk.scratch.joined = joined;
    match result {
        Ok(()) => Ok(next),
        Err(kind) => Err(ChunkError { line, kind }),
    }
}

/// Quotes the corner of a face statement for a message. `corner` counts from 0.
pub(crate) fn corner_text(statement: &[u8], corner: usize) -> String {
    quoted(words(statement).nth(1 + corner).unwrap_or_default())
}

fn read_statement(chunk: &mut Chunk<'_>, statement: &[u8]) -> Result<(), ReadErrorKind> {
    let keyword = first_word(statement);
    // Some exporters write keywords in capitals. No keyword has more than ten letters.
    let mut lower = [0; 10];
    let lower = match lower.get_mut(..keyword.len()) {
        Some(lower) => {
            lower.copy_from_slice(keyword);
            lower.make_ascii_lowercase();
            &*lower
        }
        None => b"?",
    };
    let line = chunk.line();
    let left_out = match lower {
        b"" => return Ok(()),
        b"v" => return known(chunk, position, statement),
        b"vt" => return known(chunk, texture_coordinate, statement),
        b"vn" => return known(chunk, normal, statement),
        // Version 2.11 of the format had `fo` for the outline of a face; the reader treats it as
        // `f`.
        b"f" | b"fo" => return known(chunk, face, statement),
        b"o" => return known(chunk, |c, s| name(c, s, Setting::Object), statement),
        b"g" => return known(chunk, groups, statement),
        b"usemtl" => return known(chunk, |c, s| name(c, s, Setting::Material), statement),
        b"s" => return known(chunk, smoothing, statement),
        b"mtllib" => return known(chunk, library, statement),
        b"l" => LoadWarning::Lines,
        b"p" => LoadWarning::Points,
        b"vp" | b"cstype" | b"deg" | b"bmat" | b"step" | b"curv" | b"curv2" | b"surf" | b"parm"
        | b"trim" | b"hole" | b"scrv" | b"sp" | b"end" | b"con" | b"bsp" | b"bzp" | b"cdc"
        | b"cdp" | b"res" | b"mg" => LoadWarning::FreeForm,
        b"bevel" | b"c_interp" | b"d_interp" | b"lod" | b"maplib" | b"usemap" | b"shadow_obj"
        | b"trace_obj" | b"ctech" | b"stech" => LoadWarning::Display,
        b"call" | b"csh" => LoadWarning::Commands,
        _ => {
            chunk.warnings.add(LoadWarning::Unknown, line);
            chunk.unknown.add(keyword, line);
            return Ok(());
        }
    };
    chunk.n_known += 1;
    chunk.warnings.add(left_out, line);
    Ok(())
}

fn known(
    chunk: &mut Chunk<'_>,
    read: impl FnOnce(&mut Chunk<'_>, &[u8]) -> Result<(), ReadErrorKind>,
    statement: &[u8],
) -> Result<(), ReadErrorKind> {
    chunk.n_known += 1;
    read(chunk, statement)
}

fn position(chunk: &mut Chunk<'_>, statement: &[u8]) -> Result<(), ReadErrorKind> {
    let ([x, y, z], n_more) = numbers(chunk, statement, "vertex", "3 coordinates", 3)?;
    let line = chunk.line();
    let mut position = Vec3::new(x, y, z);
    let mut exact = DVec3::ZERO;
    if !chunk.recentring.is_first_pass() {
        for (value, word) in exact.as_mut().iter_mut().zip(words(statement).skip(1)) {
            *value = f64_word(word);
        }
    }
    match n_more {
        0 => {}
        // The weight of homogeneous coordinates.
        1 => {
            let word = words(statement).nth(4).unwrap_or_default();
            let w = number(chunk, word, "vertex weight")?;
            position /= w;
            exact /= f64_word(word);
        }
        3 | 4 => chunk.warnings.add(LoadWarning::VertexColours, line),
        _ => chunk.warnings.add(LoadWarning::ExtraNumbers, line),
    }
    if !chunk.recentring.is_first_pass() && position.is_finite() {
        position = chunk.recentring.local(exact);
    }
    if !position.is_finite() {
        chunk.warnings.add(LoadWarning::VerticesNotFinite, line);
        chunk.not_finite.push(chunk.positions.len() as u32);
        position = Vec3::ZERO;
    }
    chunk.positions.push(position);
    Ok(())
}

fn texture_coordinate(chunk: &mut Chunk<'_>, statement: &[u8]) -> Result<(), ReadErrorKind> {
    chunk.n_uvs += 1;
    if chunk.options.attributes {
        let ([u, v], _) = numbers(chunk, statement, "texture coordinate", "1 to 3 numbers", 1)?;
        let uv = Vec2::new(u, v);
        if !uv.is_finite() {
            chunk.warnings.add(LoadWarning::AttributesNotFinite, chunk.line());
        }
        chunk.uvs.push(uv);
    }
    Ok(())
}

fn normal(chunk: &mut Chunk<'_>, statement: &[u8]) -> Result<(), ReadErrorKind> {
    chunk.n_normals += 1;
    if chunk.options.attributes {
        let ([x, y, z], _) = numbers(chunk, statement, "normal", "3 numbers", 3)?;
        let normal = Vec3::new(x, y, z);
        if !normal.is_finite() {
            chunk.warnings.add(LoadWarning::AttributesNotFinite, chunk.line());
        }
        chunk.normals.push(normal);
    }
    Ok(())
}

/// Parses the first `N` numbers, and returns them with the number of further words. At least
/// `n_needed` must exist; missing ones are zero.
fn numbers<const N: usize>(
    chunk: &mut Chunk<'_>,
    statement: &[u8],
    what: &str,
    expected: &str,
    n_needed: usize,
) -> Result<([f32; N], usize), ReadErrorKind> {
    let mut words = words(statement).skip(1);
    let mut values = [0.0; N];
    for (i, value) in values.iter_mut().enumerate() {
        match words.next() {
            Some(word) => *value = number(chunk, word, what)?,
            None if i >= n_needed => break,
            None => {
                return Err(ReadErrorKind::Syntax {
                    found: format!("{what} with {i} {}", if i == 1 { "number" } else { "numbers" }),
                    expected: expected.to_owned(),
                });
            }
        }
    }
    Ok((values, words.count()))
}

fn number(chunk: &mut Chunk<'_>, word: &[u8], what: &str) -> Result<f32, ReadErrorKind> {
    if let Some(number) = f32_word(word) {
        return Ok(number);
    }
    let mended = f32_with_misplaced_sign(word);
    if mended.is_some() {
        chunk.warnings.add(LoadWarning::MisplacedSigns, chunk.line());
    }
    mended.ok_or_else(|| ReadErrorKind::Syntax {
        found: format!("{what} with {}", quoted(word)),
        expected: "a number".to_owned(),
    })
}

fn face(chunk: &mut Chunk<'_>, statement: &[u8]) -> Result<(), ReadErrorKind> {
    let mut corners = std::mem::take(&mut chunk.scratch.corners);
    corners.clear();
    let result = face_corners(chunk, statement, &mut corners);
    let line = chunk.line();
    if let Ok(FaceKind::Plain) = result {
        match corners[..] {
            [a, b, c] => chunk.faces.push_triangle([a, b, c], line),
            [_, _, _, ..] => chunk.faces.push_polygon(&corners, line),
            _ => chunk.warnings.add(LoadWarning::ShortFaces, line),
        }
    }
    chunk.scratch.corners = corners;
    result.map(|_| ())
}

/// Whether the chunk keeps a face.
enum FaceKind {
    Plain,
    /// A corner has the vertex index 0, so the face is skipped.
    WithZero,
}

fn face_corners(
    chunk: &mut Chunk<'_>,
    statement: &[u8],
    corners: &mut Vec<[u32; N_CHANNELS]>,
) -> Result<FaceKind, ReadErrorKind> {
    let limit = u64::from(chunk.options.max_polygon_corners.max(3));
    let mut kind = FaceKind::Plain;
    for word in words(statement).skip(1) {
        if corners.len() as u64 == limit {
            let found = words(statement).count() as u64 - 1;
            let (what, raised_by) = ("corners of a face", Some(Limit::PolygonCorners));
            return Err(ReadErrorKind::TooLarge { what, found, limit, raised_by });
        }
        corners.push(match corner(chunk, word)? {
            Some(corner) => corner,
            None => {
                if matches!(kind, FaceKind::Plain) {
                    chunk.skip_face_with_zero(quoted(word));
                }
                kind = FaceKind::WithZero;
                [NONE; N_CHANNELS]
            }
        });
    }
    Ok(kind)
}

/// Parses a corner; `None` for the vertex index 0.
fn corner(chunk: &mut Chunk<'_>, word: &[u8]) -> Result<Option<[u32; N_CHANNELS]>, ReadErrorKind> {
    let unlike_an_index = || ReadErrorKind::Syntax {
        found: format!("face corner {}", quoted(word)),
        expected: INDEX_FORMS.to_owned(),
    };
    let mut corner = [NONE; N_CHANNELS];
    let mut has_zero = false;
    for (channel, part) in word.split(|&byte| byte == b'/').enumerate() {
        if channel >= N_CHANNELS {
            return Err(unlike_an_index());
        }
        if part.is_empty() && channel > 0 {
            continue;
        }
        let index = WrittenIndex::parse(part).ok_or_else(unlike_an_index)?;
        let kept = index.keep(chunk, channel);
        match (channel, kept) {
            (0, Some(index)) => corner[0] = index,
            (0, None) if index.size == 0 => has_zero = true,
            (0, None) => return Err(index_error(quoted(word))),
            _ if !chunk.options.attributes => {}
            (_, Some(index)) => corner[channel] = index,
            (1, None) => chunk.warnings.add(LoadWarning::BadTextureIndices, chunk.line()),
            (_, None) => chunk.warnings.add(LoadWarning::BadNormalIndices, chunk.line()),
        }
    }
    Ok((!has_zero).then_some(corner))
}

/// The error for a corner that no file can have.
pub(crate) fn index_error(corner: String) -> ReadErrorKind {
    let expected = "1 for the first vertex of the file, -1 for the last so far".to_owned();
    ReadErrorKind::Index { corner, expected }
}

/// An index as written, with its size capped.
struct WrittenIndex {
    is_negative: bool,
    size: u64,
}

impl WrittenIndex {
    fn parse(text: &[u8]) -> Option<Self> {
        let (is_negative, digits) = match text {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let append =
            |size: u64, digit: &u8| size.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
        Some(Self { is_negative, size: digits.iter().fold(0, append) })
    }

    /// Encodes the index for a face; `None` if no file can have it.
    fn keep(&self, chunk: &Chunk<'_>, channel: usize) -> Option<u32> {
        if self.size == 0 || self.size > u64::from(MAX_VALUES) {
            return None;
        }
        if !self.is_negative {
            return Some(absolute(self.size as u32 - 1));
        }
        let to_part = chunk.n_values(channel) as i64 - self.size as i64;
        Some(match to_part {
            0.. if chunk.is_first => absolute(to_part as u32),
            _ => relative(to_part),
        })
    }
}

fn name(chunk: &mut Chunk<'_>, statement: &[u8], setting: Setting) -> Result<(), ReadErrorKind> {
    let name = after_first_word(statement);
    change_name(chunk, setting, name);
    Ok(())
}

fn groups(chunk: &mut Chunk<'_>, statement: &[u8]) -> Result<(), ReadErrorKind> {
    let names = after_first_word(statement);
    // Names are separated by one blank, whatever the file has.
    let is_plain = |pair: &[u8]| !is_blank(pair[1]) || (pair[1] == b' ' && !is_blank(pair[0]));
    if names.windows(2).all(is_plain) {
        change_name(chunk, Setting::Group, names);
    } else {
        change_name(chunk, Setting::Group, &words(names).collect::<Vec<_>>().join(&b' '));
    }
    Ok(())
}

fn change_name(chunk: &mut Chunk<'_>, setting: Setting, name: &[u8]) {
    let value = (!name.is_empty()).then(|| chunk.names.intern(name));
    if let (Setting::Material, Some(name)) = (setting, value) {
        chunk.note_material(name);
    }
    chunk.changes.push(setting, Change { face: chunk.faces.n_faces, value });
}

fn smoothing(chunk: &mut Chunk<'_>, statement: &[u8]) -> Result<(), ReadErrorKind> {
    let value = after_first_word(statement).to_ascii_lowercase();
    let group = match &value[..] {
        b"" | b"off" => Some(0),
        b"on" => Some(1),
        number => std::str::from_utf8(number).ok().and_then(|number| number.parse().ok()),
    };
    if group.is_none() {
        chunk.warnings.add(LoadWarning::BadSmoothing, chunk.line());
    }
    let value = group.filter(|&group: &u32| group > 0);
    chunk.changes.push(Setting::Smoothing, Change { face: chunk.faces.n_faces, value });
    Ok(())
}

fn library(chunk: &mut Chunk<'_>, statement: &[u8]) -> Result<(), ReadErrorKind> {
    let name = after_first_word(statement);
    if chunk.options.materials && !name.is_empty() {
        let index = chunk.libraries.intern(name) as usize;
        if index == chunk.library_lines.len() {
            chunk.library_lines.push(chunk.line());
        }
    }
    Ok(())
}
