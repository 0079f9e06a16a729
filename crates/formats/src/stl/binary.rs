//! Binary STL: a header, the number of facets, and the facets.

use glam::Vec3;
use hitscan_files::ReadErrorKind;

use super::solids::Solids;
use crate::{
    error_at::{ErrorAt, quoted},
    mesh_builder::Name,
};

/// The length of the header of a binary file, including the number of triangles.
const HEADER: usize = 84;
/// The length of a triangle: normal, corners, and two unused bytes.
const FACET: usize = 50;
/// The length without the unused bytes.
const USED: usize = 48;

/// Whether the length of a file matches the number of triangles in its header.
pub(super) fn is_exact(bytes: &[u8]) -> bool {
    n_in_header(bytes)
        .is_some_and(|n| bytes.len() as u64 == HEADER as u64 + FACET as u64 * u64::from(n))
}

fn n_in_header(bytes: &[u8]) -> Option<u32> {
    let n = bytes.get(HEADER - 4..HEADER)?;
    Some(u32::from_le_bytes([n[0], n[1], n[2], n[3]]))
}

/// Reads the triangles for which there are bytes, and those of further solids behind them.
///
/// If the number in the header is wrong, the bytes must look like triangles, because any other file
/// would be read as some.
pub(super) fn read(bytes: &[u8], solids: &mut Solids<'_>) -> Result<(), ErrorAt> {
    let mut rest = read_solid(bytes, solids)?;
    while is_exact(rest) {
        solids.report.add_as("further binary solids in the file", "read", 1);
        rest = read_solid(rest, solids)?;
    }
    solids.report.add("bytes after the last triangle", rest.len() as u64);
    Ok(())
}

/// Reads one solid, and returns the bytes behind it.
fn read_solid<'b>(bytes: &'b [u8], solids: &mut Solids<'_>) -> Result<&'b [u8], ErrorAt> {
    let Some((n_said, (_, facets))) = n_in_header(bytes).zip(bytes.split_at_checked(HEADER)) else {
        let found = match bytes {
            [] => "an empty file".to_owned(),
            _ => format!("{} bytes that start with {}", bytes.len(), quoted(bytes)),
        };
        let expected = format!("text that starts with `solid`, or a header of {HEADER} bytes");
        return Err(ReadErrorKind::syntax(found, expected).into());
    };
    let n_whole = facets.len() / FACET + usize::from(facets.len() % FACET >= USED);
    let mut n = n_said as usize;
    let after = facets.get(n.saturating_mul(FACET)..).unwrap_or_default();
    let may_be_wrong = n > n_whole || (after.len() >= FACET && !is_exact(after));
    if may_be_wrong && look_like_facets(after_or_all(n, n_whole, after, facets)) {
        n = n_whole;
        let wrong = format!("wrong numbers of triangles in the header ({n_said}, not {n})");
        solids.report.add_as(&wrong, "replaced", 1);
    }
    // Bytes after no triangle at all may be anything.
    if n > n_whole || (n == 0 && after.len() >= FACET) {
        let found = format!("{} bytes after the header", facets.len());
        let expected = format!("{FACET} for each of its {n_said} triangles, or text");
        return Err(ReadErrorKind::syntax(found, expected).into());
    }
    for facet in facets.chunks(FACET).take(n) {
        let (_, corners) = vectors(facet);
        let corners = corners.map(|corner| solids.recentring.local(corner.as_dvec3()));
        solids.add(&corners, &mut Name::default(), None)?;
    }
    let n_missing = (n * FACET).saturating_sub(facets.len()) as u64;
    solids.report.add_as("missing bytes at the end of the last triangle", "not needed", n_missing);
    Ok(facets.get(n * FACET..).unwrap_or_default())
}

/// The bytes that show whether the number in the header is too small, or too large.
fn after_or_all<'b>(n: usize, n_whole: usize, after: &'b [u8], facets: &'b [u8]) -> &'b [u8] {
    if n > n_whole { facets } else { after }
}

/// The normal and the corners of a facet.
fn vectors(facet: &[u8]) -> (Vec3, [Vec3; 3]) {
    let number =
        |at: usize| f32::from_le_bytes([facet[at], facet[at + 1], facet[at + 2], facet[at + 3]]);
    let vector = |at: usize| Vec3::new(number(at), number(at + 4), number(at + 8));
    (vector(0), [vector(12), vector(24), vector(36)])
}

/// Whether at least half of the bytes' facets have corners at different places, and a normal that is zero, of
/// length 1, or that of the corners. Text and compressed data have none of these.
fn look_like_facets(bytes: &[u8]) -> bool {
    let facets = bytes.chunks(FACET).filter(|facet| facet.len() >= USED);
    let (mut n, mut n_plausible) = (0u64, 0u64);
    for facet in facets {
        let (normal, [a, b, c]) = vectors(facet);
        let [normal, a, b, c] = [normal, a, b, c].map(Vec3::as_dvec3);
        let across = (b - a).cross(c - a);
        let is_parallel = normal.cross(across).length() <= 0.01 * normal.length() * across.length();
        let is_normal = (normal.length() - 1.0).abs() < 0.01 || is_parallel;
        n += 1;
        n_plausible += u64::from(is_normal && (a != b || b != c) && (a + b + c).is_finite());
    }
    n > 0 && 2 * n_plausible >= n
}
