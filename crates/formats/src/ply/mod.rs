//! PLY: elements with properties, text or binary.

mod body;
mod header;

use glam::{Vec2, Vec3};
use hitscan_files::{Limit, LoadOptions, ReadErrorKind};
use hitscan_primitives::{CornerAttributes, Triangulator};

use crate::{
    LoadReport,
    error_at::{ErrorAt, Position},
    loaded::Parts,
    mesh_builder::MeshBuilder,
};
use body::{Body, Rows};
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
/// otherwise, each of its lines is one element.
pub(crate) fn parse(bytes: &[u8], options: &LoadOptions) -> Result<Parts, ErrorAt> {
    let header = Header::parse(bytes)?;
    parse_body(bytes, &header, Rows::Free, options).or_else(|error| match header.encoding {
        Encoding::Text => parse_body(bytes, &header, Rows::Lines, options).map_err(|_| error),
        _ => Err(error),
    })
}

fn parse_body(
    bytes: &[u8],
    header: &Header,
    rows: Rows,
    options: &LoadOptions,
) -> Result<Parts, ErrorAt> {
    let mut body = Body::new(bytes, header, rows);
    let mut ply = Ply {
        options,
        builder: MeshBuilder::default(),
        is_finite: Vec::new(),
        report: LoadReport::default(),
    };
    ply.report.add("header lines that are no statement", header.n_unknown);
    let mut has_vertices = false;
    for element in &header.elements {
        check_count(element, &body, options)?;
        match element.name.as_str() {
            "vertex" if !has_vertices => {
                has_vertices = true;
                ply.read_vertices(element, &mut body)?;
            }
            "face" if !has_vertices => {
                let expected = "the element vertex before it";
                let kind = ReadErrorKind::syntax("the element face", expected);
                return Err(Position::Line(element.line).error(kind));
            }
            "face" => ply.read_faces(element, &mut body)?,
            name => {
                ply.report.add(&format!("elements {name}"), element.n);
                for _ in 0..element.n {
                    body.skip(element)?;
                }
            }
        }
    }
    let n_long_rows = body.end()?;
    ply.report.add_as("rows with more numbers than declared", "the rest left out", n_long_rows);
    Ok(Parts::of_one(ply.builder.finish(options)?, ply.report))
}

/// Compares the number of elements with the unread bytes and the limit, before memory is allocated.
fn check_count(element: &Element, body: &Body<'_>, options: &LoadOptions) -> Result<(), ErrorAt> {
    let most = body.n_left() as u64 / body.shortest(element).max(1);
    if element.n > most {
        let found = format!("{} elements {}", element.n, element.name);
        let expected = format!("at most {most}, for which there are bytes");
        return Err(Position::Line(element.line).error(ReadErrorKind::syntax(found, expected)));
    }
    ReadErrorKind::check_vertices("elements", element.n, options)
        .map_err(|kind| Position::Line(element.line).error(kind))
}

struct Ply<'a> {
    options: &'a LoadOptions,
    builder: MeshBuilder,
    /// Per vertex, whether its position is finite.
    is_finite: Vec<bool>,
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
        let (has_normals, has_uvs) = (found[3..6] == [true; 3], found[6..] == [true; 2]);
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
            self.builder.positions.push(if position.is_finite() { position } else { Vec3::ZERO });
            if has_normals {
                self.builder.attributes.normals.push(Vec3::new(nx, ny, nz));
            }
            if has_uvs {
                self.builder.attributes.uvs.push(Vec2::new(u, v));
            }
        }
        Ok(())
    }

    /// Reads the corners of the face with number `face`. Its property with number `indices` holds them.
    fn read_polygon(
        &self,
        element: &Element,
        indices: usize,
        face: u64,
        body: &mut Body<'_>,
        polygon: &mut Vec<u32>,
    ) -> Result<(), ErrorAt> {
        let (position, n_vertices) = (body.position(), self.is_finite.len());
        polygon.clear();
        for (index, property) in element.properties.iter().enumerate() {
            if index != indices {
                body.skip_property(property)?;
                continue;
            }
            let n = body.list_len(property)?;
            let limit = u64::from(self.options.max_polygon_corners);
            if n as u64 > limit {
                let (what, found) = ("corners of a face", n as u64);
                let raised_by = Some(Limit::PolygonCorners);
                let kind = ReadErrorKind::TooLarge { what, found, limit, raised_by };
                return Err(position.error(kind));
            }
            for _ in 0..n {
                let index = body.number(property.scalar)?;
                if !(index >= 0.0 && index < n_vertices as f64 && index.fract() == 0.0) {
                    let found = format!("corner {index} of face {face}");
                    let expected = format!("one of the file's {n_vertices} vertices, from 0");
                    return Err(position.error(ReadErrorKind::syntax(found, expected)));
                }
                polygon.push(index as u32);
            }
        }
        Ok(())
    }

    fn read_faces(&mut self, element: &Element, body: &mut Body<'_>) -> Result<(), ErrorAt> {
        let is_indices = |property: &Property| {
            property.list.is_some()
                && matches!(property.name.as_str(), "vertex_indices" | "vertex_index")
        };
        let Some(indices) = element.properties.iter().position(is_indices) else {
            let expected = "a list vertex_indices";
            let kind = ReadErrorKind::syntax("a face without one", expected);
            return Err(Position::Line(element.line).error(kind));
        };
        for (index, property) in element.properties.iter().enumerate() {
            if index != indices {
                self.skip_property("face", element, property);
            }
        }
        let (has_normals, has_uvs) =
            (!self.builder.attributes.normals.is_empty(), !self.builder.attributes.uvs.is_empty());
        let mut triangulator = Triangulator::default();
        let (mut polygon, mut corners) = (Vec::new(), Vec::new());
        let mut n_triangles = 0;
        for face in 0..element.n {
            body.begin(element)?;
            let position = body.position();
            self.read_polygon(element, indices, face, body, &mut polygon)?;
            if polygon.len() < 3 {
                self.report.add("faces of fewer than 3 corners", 1);
                continue;
            }
            if !polygon.iter().all(|&vertex| self.is_finite[vertex as usize]) {
                self.report.add("faces at a vertex that is not finite", 1);
                continue;
            }
            n_triangles += polygon.len() as u64 - 2;
            ReadErrorKind::check_vertices("triangles", n_triangles, self.options)
                .map_err(|kind| position.error(kind))?;
            self.builder.begin_polygon(None, None, position.line());
            corners.clear();
            corners.extend(polygon.iter().map(|&vertex| self.builder.positions[vertex as usize]));
            triangulator.triangulate(&corners, |triangle| {
                let triangle = triangle.map(|corner| polygon[corner as usize]);
                let if_there =
                    |is_there| if is_there { triangle } else { [CornerAttributes::NONE; 3] };
                self.builder.add_triangle(triangle, if_there(has_normals), if_there(has_uvs));
            });
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
