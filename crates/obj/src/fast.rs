//! A fast path for the common statements, in the form that exporters write.
//!
//! Each function parses one statement, or returns `None` without side effects, and the general
//! parser takes over. Both parsers give the same result.

use glam::{Vec2, Vec3};

use crate::{
    chunk::Chunk,
    faces::{MAX_VALUES, N_CHANNELS, NONE, absolute, relative},
    lines::{after_line_end, is_blank},
    number::{leading_f32, up_to_8_digits},
    report::LoadWarning,
};

/// Parses the statement at `at`, and returns the start of the next one.
#[inline(always)]
pub(crate) fn statement(chunk: &mut Chunk<'_>, text: &[u8], at: usize) -> Option<usize> {
    let next = match text.get(at..)?.first_chunk()? {
        [b'v', b' ' | b'\t', _] => position(chunk, text, at + 2)?,
        [b'f', b' ' | b'\t', _] => face(chunk, text, at + 2)?,
        [b'v', b't', b' ' | b'\t'] => texture_coordinate(chunk, text, at + 3)?,
        [b'v', b'n', b' ' | b'\t'] => normal(chunk, text, at + 3)?,
        _ => return None,
    };
    chunk.n_known += 1;
    chunk.n_lines += 1;
    Some(next)
}

#[inline(always)]
fn position(chunk: &mut Chunk<'_>, text: &[u8], at: usize) -> Option<usize> {
    let ([x, y, z], at) = numbers(text, at)?;
    let next = match after_line_end(text, at) {
        Some(next) => next,
        None => {
            let (next, n_more) = further_numbers(text, at)?;
            match n_more {
                0 => {}
                3 => chunk.warnings.add(LoadWarning::VertexColours, chunk.n_lines + 1),
                _ => return None,
            }
            next
        }
    };
    chunk.positions.push(Vec3::new(x, y, z));
    Some(next)
}

#[inline(always)]
fn normal(chunk: &mut Chunk<'_>, text: &[u8], at: usize) -> Option<usize> {
    if !chunk.options.attributes {
        return None;
    }
    let ([x, y, z], at) = numbers(text, at)?;
    let next = line_end(text, at)?;
    chunk.normals.push(Vec3::new(x, y, z));
    chunk.n_normals += 1;
    Some(next)
}

#[inline(always)]
fn texture_coordinate(chunk: &mut Chunk<'_>, text: &[u8], at: usize) -> Option<usize> {
    if !chunk.options.attributes {
        return None;
    }
    let ([u, v], at) = numbers(text, at)?;
    let next = match after_line_end(text, at) {
        Some(next) => next,
        None => match further_numbers(text, at)? {
            (next, 0 | 1) => next,
            _ => return None,
        },
    };
    chunk.uvs.push(Vec2::new(u, v));
    chunk.n_uvs += 1;
    Some(next)
}

/// Parses `N` numbers with blanks between, and returns their end.
#[inline(always)]
fn numbers<const N: usize>(text: &[u8], at: usize) -> Option<([f32; N], usize)> {
    let mut at = skip_blanks(text, at);
    let mut values = [0.0; N];
    for (i, value) in values.iter_mut().enumerate() {
        if i > 0 {
            if !is_blank(*text.get(at)?) {
                return None;
            }
            at = skip_blanks(text, at + 1);
        }
        (*value, at) = leading_f32(text, at)?;
    }
    Some((values, at))
}

/// Counts the further words up to the end of the line, and returns the start of the next line.
/// `None` if a word does not look like a finite number.
#[inline(always)]
fn further_numbers(text: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut n = 0;
    let mut is_between = false;
    loop {
        match *text.get(at)? {
            byte if is_blank(byte) => is_between = true,
            b'0'..=b'9' | b'.' | b'-' => {
                if is_between {
                    n += 1;
                    is_between = false;
                } else if n == 0 {
                    return None;
                }
            }
            _ => return Some((after_line_end(text, at)?, n)),
        }
        at += 1;
    }
}

#[inline(always)]
fn face(chunk: &mut Chunk<'_>, text: &[u8], at: usize) -> Option<usize> {
    let mut corners = [[NONE; N_CHANNELS]; 3];
    let mut at = skip_blanks(text, at);
    for (i, corner) in corners.iter_mut().enumerate() {
        if i > 0 {
            if !is_blank(*text.get(at)?) {
                return None;
            }
            at = skip_blanks(text, at + 1);
        }
        (*corner, at) = self::corner(chunk, text, at)?;
    }
    match line_end(text, at) {
        Some(next) => {
            chunk.faces.push_triangle(corners, chunk.n_lines + 1);
            Some(next)
        }
        None => polygon(chunk, text, at, corners),
    }
}

fn polygon(
    chunk: &mut Chunk<'_>,
    text: &[u8],
    mut at: usize,
    first: [[u32; N_CHANNELS]; 3],
) -> Option<usize> {
    let mut corners = std::mem::take(&mut chunk.scratch.corners);
    corners.clear();
    corners.extend(first);
    let next = loop {
        if !text.get(at).is_some_and(|&byte| is_blank(byte)) {
            break None;
        }
        at = skip_blanks(text, at + 1);
        let Some((corner, end)) = corner(chunk, text, at) else { break None };
        corners.push(corner);
        at = end;
        if let Some(next) = line_end(text, at) {
            break Some(next);
        }
    };
    let is_allowed = corners.len() <= chunk.options.max_polygon_corners as usize;
    let next = next.filter(|_| is_allowed);
    if next.is_some() {
        chunk.faces.push_polygon(&corners, chunk.n_lines + 1);
    }
    chunk.scratch.corners = corners;
    next
}

/// Parses one corner: `v`, `v/vt`, `v//vn` or `v/vt/vn`.
#[inline(always)]
fn corner(chunk: &Chunk<'_>, text: &[u8], at: usize) -> Option<([u32; N_CHANNELS], usize)> {
    let mut corner = [NONE; N_CHANNELS];
    let mut at = at;
    (corner[0], at) = index(chunk, text, at, 0)?;
    if text.get(at) == Some(&b'/') {
        if text.get(at + 1) == Some(&b'/') {
            (corner[2], at) = index(chunk, text, at + 2, 2)?;
        } else {
            (corner[1], at) = index(chunk, text, at + 1, 1)?;
            if text.get(at) == Some(&b'/') {
                (corner[2], at) = index(chunk, text, at + 1, 2)?;
            }
        }
        if !chunk.options.attributes {
            corner = [corner[0], NONE, NONE];
        }
    }
    Some((corner, at))
}

/// Parses and encodes one index; `None` for zero and for more than eight digits.
#[inline(always)]
fn index(chunk: &Chunk<'_>, text: &[u8], at: usize, channel: usize) -> Option<(u32, usize)> {
    let (value, n) = up_to_8_digits(text, at)?;
    let end = at + n;
    if n > 0 && value > 0 && !text.get(end)?.is_ascii_digit() {
        const { assert!(99_999_999 < MAX_VALUES) };
        return Some((absolute(value as u32 - 1), end));
    }
    if text.get(at) == Some(&b'-') {
        return relative_index(chunk, text, at, channel);
    }
    None
}

#[inline(always)]
fn relative_index(
    chunk: &Chunk<'_>,
    text: &[u8],
    at: usize,
    channel: usize,
) -> Option<(u32, usize)> {
    let (value, n) = up_to_8_digits(text, at + 1)?;
    let end = at + 1 + n;
    if n == 0 || value == 0 || text.get(end)?.is_ascii_digit() {
        return None;
    }
    let to_part = chunk.n_values(channel) as i64 - value as i64;
    let index =
        if chunk.is_first && to_part >= 0 { absolute(to_part as u32) } else { relative(to_part) };
    Some((index, end))
}

#[inline(always)]
fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&byte| is_blank(byte)) {
        at += 1;
    }
    at
}

/// The start of the next line, if only blanks are left of this one.
#[inline(always)]
fn line_end(text: &[u8], at: usize) -> Option<usize> {
    match after_line_end(text, at) {
        Some(next) => Some(next),
        None => after_line_end(text, skip_blanks(text, at)),
    }
}
