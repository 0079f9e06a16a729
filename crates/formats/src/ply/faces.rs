//! The elements of a PLY file that hold triangles.

use glam::{Vec2, Vec3};
use hitscan_files::{Limit, ReadErrorKind};
use hitscan_primitives::{CornerAttributes, Triangulator};

use super::{
    body::Body,
    header::{Element, Property},
    vertices::Ply,
};
use crate::error_at::{ErrorAt, Position};

/// An element with lists of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Faces {
    /// Each list is a polygon.
    Polygons,
    /// Each list has strips of triangles, with -1 between two of them.
    Strips,
}

/// The index between two strips. No mesh has as many vertices.
const RESTART: u32 = u32::MAX;

impl Faces {
    pub(super) fn named(element: &str) -> Option<Self> {
        match element {
            "face" => Some(Self::Polygons),
            "tristrips" => Some(Self::Strips),
            _ => None,
        }
    }
}

/// A list of vertices with its own texture coordinates, and its place in the file.
struct Row {
    vertices: Vec<u32>,
    /// Two numbers per vertex, or none.
    uvs: Vec<f32>,
    position: Position,
    /// The positions of the vertices.
    corners: Vec<Vec3>,
}

impl Ply<'_> {
    /// Reads all lists of an element. The vertices must have been read.
    pub(super) fn read_faces(
        &mut self,
        kind: Faces,
        element: &Element,
        body: &mut Body<'_>,
    ) -> Result<(), ErrorAt> {
        if element.n == 0 {
            return Ok(());
        }
        let list_named = |names: &[&str]| {
            let is_named = |p: &Property| p.list.is_some() && names.contains(&p.name.as_str());
            element.properties.iter().position(is_named)
        };
        let Some(indices) = list_named(&["vertex_indices", "vertex_index"]) else {
            let found = format!("a {} without one", element.name);
            let kind = ReadErrorKind::syntax(found, "a list vertex_indices");
            return Err(Position::Line(element.line).error(kind));
        };
        let uvs = list_named(&["texcoord", "texcoords"]);
        for (index, property) in element.properties.iter().enumerate() {
            if index != indices && Some(index) != uvs {
                self.skip_property(&element.name, element, property);
            }
        }
        let (position, corners) = (body.position(), Vec::new());
        let mut row = Row { vertices: Vec::new(), uvs: Vec::new(), position, corners };
        let mut triangulator = Triangulator::default();
        for number in 0..element.n {
            body.begin(element)?;
            row.position = body.position();
            row.vertices.clear();
            row.uvs.clear();
            for (index, property) in element.properties.iter().enumerate() {
                if index == indices {
                    self.read_indices(kind, element, property, number, body, &mut row)?;
                } else if Some(index) == uvs {
                    for _ in 0..body.list_len(property)? {
                        row.uvs.push(body.number(property.scalar)? as f32);
                    }
                } else {
                    body.skip_property(property)?;
                }
            }
            match kind {
                Faces::Polygons => self.add_polygon(&mut row, &mut triangulator)?,
                Faces::Strips => self.add_strips(&row)?,
            }
        }
        Ok(())
    }

    /// Reads the vertices of the list with that number.
    fn read_indices(
        &self,
        kind: Faces,
        element: &Element,
        property: &Property,
        number: u64,
        body: &mut Body<'_>,
        row: &mut Row,
    ) -> Result<(), ErrorAt> {
        let n_vertices = self.is_finite.len();
        let n = body.list_len(property)?;
        let limit = u64::from(self.options.max_polygon_corners);
        if kind == Faces::Polygons && n as u64 > limit {
            let (what, found) = ("corners of a face", n as u64);
            let raised_by = Some(Limit::PolygonCorners);
            let kind = ReadErrorKind::TooLarge { what, found, limit, raised_by };
            return Err(row.position.error(kind));
        }
        for _ in 0..n {
            let index = body.number(property.scalar)?;
            if kind == Faces::Strips && (index == -1.0 || index == f64::from(RESTART)) {
                row.vertices.push(RESTART);
                continue;
            }
            if !(index >= 0.0 && index < n_vertices as f64 && index.fract() == 0.0) {
                let found = format!("corner {index} of {} {number}", element.name);
                let expected = format!("one of the file's {n_vertices} vertices, from 0");
                return Err(row.position.error(ReadErrorKind::syntax(found, expected)));
            }
            row.vertices.push(index as u32);
        }
        Ok(())
    }

    fn add_polygon(
        &mut self,
        row: &mut Row,
        triangulator: &mut Triangulator,
    ) -> Result<(), ErrorAt> {
        let polygon = &row.vertices[..];
        let n_triangles = (polygon.len() as u64).saturating_sub(2);
        if !self.begin_polygon("faces", polygon, n_triangles, row.position)? {
            return Ok(());
        }
        // The index of the first texture coordinate of the polygon itself.
        let mut first_uv = None;
        if row.uvs.len() == 2 * polygon.len() {
            let uvs = &mut self.builder.attributes.uvs;
            first_uv = Some(uvs.len() as u32);
            uvs.extend(row.uvs.chunks_exact(2).map(|uv| Vec2::new(uv[0], uv[1])));
        } else if !row.uvs.is_empty() {
            let what = "texture coordinates of faces, of another number than their corners";
            self.report.add(what, 1);
        }
        let Self { builder, has_normals, has_uvs, .. } = self;
        row.corners.clear();
        row.corners.extend(polygon.iter().map(|&vertex| builder.positions[vertex as usize]));
        triangulator.triangulate(&row.corners, |corners| {
            let triangle = corners.map(|corner| polygon[corner as usize]);
            let uvs = match first_uv {
                Some(first) => corners.map(|corner| first + corner),
                None => if_there(*has_uvs, triangle),
            };
            builder.add_triangle(triangle, if_there(*has_normals, triangle), uvs);
        });
        Ok(())
    }

    /// Adds each triangle of the strips as a polygon. Every other one has the opposite winding. Triangles with a
    /// vertex twice only join strips.
    fn add_strips(&mut self, row: &Row) -> Result<(), ErrorAt> {
        for strip in row.vertices.split(|&vertex| vertex == RESTART) {
            self.report
                .add("strips of fewer than 3 corners", u64::from(matches!(strip.len(), 1 | 2)));
            for (number, corners) in strip.windows(3).enumerate() {
                let [a, b, c] = [corners[0], corners[1], corners[2]];
                let triangle = if number % 2 == 0 { [a, b, c] } else { [b, a, c] };
                if a == b || b == c || c == a {
                    self.report.add("triangles of strips with a vertex twice", 1);
                } else if self.begin_polygon("triangles", &triangle, 1, row.position)? {
                    let normals = if_there(self.has_normals, triangle);
                    self.builder.add_triangle(triangle, normals, if_there(self.has_uvs, triangle));
                }
            }
        }
        self.report.add("strips with other texture coordinates", u64::from(!row.uvs.is_empty()));
        Ok(())
    }

    /// Begins a polygon, and returns whether it is kept.
    fn begin_polygon(
        &mut self,
        what: &str,
        vertices: &[u32],
        n_triangles: u64,
        position: Position,
    ) -> Result<bool, ErrorAt> {
        if vertices.len() < 3 {
            self.report.add(&format!("{what} of fewer than 3 corners"), 1);
            return Ok(false);
        }
        if !vertices.iter().all(|&vertex| self.is_finite[vertex as usize]) {
            self.report.add(&format!("{what} at a vertex that is not finite"), 1);
            return Ok(false);
        }
        self.n_triangles += n_triangles;
        ReadErrorKind::check_vertices("triangles", self.n_triangles, self.options)
            .map_err(|kind| position.error(kind))?;
        self.builder.begin_polygon(None, None, position.line());
        Ok(true)
    }
}

/// The indices of the attributes of a triangle whose vertices may have some.
fn if_there(is_there: bool, triangle: [u32; 3]) -> [u32; 3] {
    if is_there { triangle } else { [CornerAttributes::NONE; 3] }
}
