//! PLY: elements with properties, text or binary.

mod body;
mod faces;
mod header;
mod vertices;

use hitscan_files::{LoadOptions, ReadErrorKind};
use hitscan_primitives::{Recentring, TriMesh};

use crate::{
    LoadReport,
    error_at::{ErrorAt, Position},
    loaded::Parts,
};
use body::{Body, Rows};
use faces::Faces;
use header::{Element, Encoding, Header};
use vertices::Ply;

/// Parses a file.
///
/// Some programs write more numbers per row than the header declares. Only if a text file makes no sense
/// otherwise, each of its lines is one element. Only if no reading ends with the file, something follows the
/// elements.
pub(crate) fn parse(bytes: &[u8], options: &LoadOptions) -> Result<Parts, ErrorAt> {
    let header = Header::parse(bytes)?;
    let (free, lines) = ((Rows::Free, false), (Rows::Lines, false));
    let rows = match header.encoding {
        Encoding::Text => [free, lines, (Rows::Lines, true)],
        _ => [free, (Rows::Free, true), (Rows::Free, true)],
    };
    Parts::recentred(options, |recentring| {
        let mut first_error = None;
        for (rows, may_go_on) in rows {
            for header in std::iter::once(header.clone()).chain(header.with_other_end(bytes)) {
                match parse_body(bytes, &header, rows, may_go_on, options, recentring) {
                    Ok(read) => return Ok(read),
                    Err(error) => _ = first_error.get_or_insert(error),
                }
            }
        }
        Err(first_error.expect("the file was read at least once"))
    })
}

fn parse_body(
    bytes: &[u8],
    header: &Header,
    rows: Rows,
    may_go_on: bool,
    options: &LoadOptions,
    recentring: &mut Recentring,
) -> Result<(TriMesh, LoadReport), ErrorAt> {
    let mut body = Body::new(bytes, header, rows);
    let mut ply = Ply::new(header.report.clone(), options, recentring);
    let mut has_vertices = false;
    // The faces before the vertices, which are read after them.
    let mut early = Vec::new();
    for element in &header.elements {
        let faces = Faces::named(&element.name);
        let is_vertex = element.name == "vertex" && !has_vertices;
        if element.properties.is_empty() && !is_vertex && faces.is_none() {
            // They take no bytes, but reading them could take hours.
            ply.report.add(&format!("elements {}", element.name), element.n);
            continue;
        }
        check_count(element, &body)?;
        if is_vertex {
            check_vertices(element, options)?;
            ply.read_vertices(element, &mut body)?;
            has_vertices = true;
            for (kind, element, mut body) in early.drain(..) {
                ply.read_faces(kind, element, &mut body)?;
            }
            continue;
        }
        match faces {
            Some(kind) if has_vertices => {
                check_vertices(element, options)?;
                ply.read_faces(kind, element, &mut body)?;
            }
            Some(kind) => {
                early.push((kind, element, body.clone()));
                body.skip_all(element)?;
            }
            None => {
                ply.report.add(&format!("elements {}", element.name), element.n);
                body.skip_all(element)?;
            }
        }
    }
    if let Some((_, element, _)) = early.iter().find(|(_, element, _)| element.n > 0) {
        let found = format!("an element {}", element.name);
        let kind = ReadErrorKind::syntax(found, "an element vertex beside it");
        return Err(Position::Line(element.line).error(kind));
    }
    let (n_long_rows, n_after) = body.end(may_go_on)?;
    ply.report.add_as("rows with more numbers than declared", "the rest left out", n_long_rows);
    let is_text = header.encoding == Encoding::Text;
    let what =
        if is_text { "words after the last element" } else { "bytes after the last element" };
    ply.report.add(what, n_after);
    Ok((ply.builder.finish(options)?, ply.report))
}

/// Compares the number of elements with the unread bytes, before memory is allocated.
fn check_count(element: &Element, body: &Body<'_>) -> Result<(), ErrorAt> {
    let most = body.n_left() as u64 / body.shortest(element).max(1);
    if element.n > most {
        let found = format!("{} elements {}", element.n, element.name);
        let expected = format!("at most {most}, for which there are bytes");
        return Err(Position::Line(element.line).error(ReadErrorKind::syntax(found, expected)));
    }
    Ok(())
}

fn check_vertices(element: &Element, options: &LoadOptions) -> Result<(), ErrorAt> {
    ReadErrorKind::check_vertices("elements", element.n, options)
        .map_err(|kind| Position::Line(element.line).error(kind))
}
