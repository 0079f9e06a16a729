//! PLY: elements with properties, text or binary.

mod body;
mod faces;
mod header;

use glam::{Vec2, Vec3};
use hitscan_files::{LoadOptions, ReadErrorKind};

use crate::{
    LoadReport,
    error_at::{ErrorAt, Position},
    loaded::Parts,
    mesh_builder::MeshBuilder,
};
use body::{Body, Rows};
use faces::Faces;
use header::{Element, Encoding, Header, Property};

/// The property names that exporters use for each value of a vertex.
const COLUMNS: [&[&str]; 8] = [
    &["x"],
    &["y"],
    &["z"],
    &["nx"],
    &["ny"],
    &["nz"],
    &["s", "u", "texture_u", "texture_s"],
    &["t", "v", "texture_v", "texture_t"],
];

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
    let mut first_error = None;
    for (rows, may_go_on) in rows {
        for header in std::iter::once(header.clone()).chain(header.with_other_end(bytes)) {
            match parse_body(bytes, &header, rows, may_go_on, options) {
                Ok(parts) => return Ok(parts),
                Err(error) => _ = first_error.get_or_insert(error),
            }
        }
    }
    Err(first_error.expect("the file was read at least once"))
}

fn parse_body(
    bytes: &[u8],
    header: &Header,
    rows: Rows,
    may_go_on: bool,
    options: &LoadOptions,
) -> Result<Parts, ErrorAt> {
    let mut body = Body::new(bytes, header, rows);
    let mut ply = Ply {
        options,
        builder: MeshBuilder::default(),
        is_finite: Vec::new(),
        has_normals: false,
        has_uvs: false,
        n_triangles: 0,
        report: header.report.clone(),
    };
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
    Ok(Parts::of_one(ply.builder.finish(options)?, ply.report))
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

struct Ply<'a> {
    options: &'a LoadOptions,
    builder: MeshBuilder,
    /// Per vertex, whether its position is finite.
    is_finite: Vec<bool>,
    /// Whether the vertices have normals, and texture coordinates.
    has_normals: bool,
    has_uvs: bool,
    n_triangles: u64,
    report: LoadReport,
}

impl Ply<'_> {
    /// Counts a property, or for the first one of a colour the colours of all elements.
    fn skip_property(&mut self, of: &str, element: &Element, property: &Property) {
        if !is_of_colour(property) {
            return self.report.add(&format!("{of} properties {}", property.name), 1);
        }
        let first = element.properties.iter().find(|property| is_of_colour(property));
        if first.is_some_and(|first| std::ptr::eq(first, property)) {
            self.report.add(&format!("{of} colours"), element.n);
        }
    }

    fn read_vertices(&mut self, element: &Element, body: &mut Body<'_>) -> Result<(), ErrorAt> {
        if element.n == 0 {
            return Ok(());
        }
        // The value that each property sets.
        let mut columns = vec![None; element.properties.len()];
        let mut found = [false; COLUMNS.len()];
        for (index, property) in element.properties.iter().enumerate() {
            let column = COLUMNS.iter().position(|names| names.contains(&property.name.as_str()));
            match column {
                Some(column) if property.list.is_none() && !found[column] => {
                    columns[index] = Some(column);
                    found[column] = true;
                }
                _ => self.skip_property("vertex", element, property),
            }
        }
        if !found[..3].iter().all(|&found| found) {
            let kind = ReadErrorKind::syntax("a vertex without x, y or z", "all three");
            return Err(Position::Line(element.line).error(kind));
        }
        self.has_normals = found[3..6] == [true; 3];
        self.has_uvs = found[6..] == [true; 2];
        for _ in 0..element.n {
            body.begin(element)?;
            let mut values = [0.0f32; COLUMNS.len()];
            for (property, column) in element.properties.iter().zip(&columns) {
                match column {
                    Some(column) => values[*column] = body.number(property.scalar)? as f32,
                    None => body.skip_property(property)?,
                }
            }
            let [x, y, z, nx, ny, nz, u, v] = values;
            let position = Vec3::new(x, y, z);
            self.is_finite.push(position.is_finite());
            // A vertex that is not finite keeps its index. Its faces are skipped.
            let n_not_finite = u64::from(!position.is_finite());
            self.report.add_as("vertices that are not finite", "set to (0, 0, 0)", n_not_finite);
            self.builder.positions.push(if position.is_finite() { position } else { Vec3::ZERO });
            if self.has_normals {
                self.builder.attributes.normals.push(Vec3::new(nx, ny, nz));
            }
            if self.has_uvs {
                self.builder.attributes.uvs.push(Vec2::new(u, v));
            }
        }
        Ok(())
    }
}

/// Whether a property is a part of a colour, such as `red` or `specular_blue`.
fn is_of_colour(property: &Property) -> bool {
    let name =
        property.name.rsplit_once('_').map_or(&property.name[..], |(kind, part)| match kind {
            "ambient" | "diffuse" | "specular" => part,
            _ => "",
        });
    matches!(name, "red" | "green" | "blue" | "alpha")
}
