//! The vertices of a PLY file.

use glam::{DVec3, Vec2, Vec3};
use hitscan_files::{LoadOptions, ReadErrorKind};
use hitscan_primitives::Recentring;

use super::{
    body::Body,
    header::{Element, Property, Scalar},
};
use crate::{
    LoadReport,
    error_at::{ErrorAt, Position},
    mesh_builder::MeshBuilder,
};

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

/// A mesh under construction.
pub(super) struct Ply<'a> {
    pub(super) options: &'a LoadOptions,
    pub(super) builder: MeshBuilder,
    /// Per vertex, whether its position is finite.
    pub(super) is_finite: Vec<bool>,
    /// Whether the vertices have normals, and texture coordinates.
    pub(super) has_normals: bool,
    pub(super) has_uvs: bool,
    pub(super) n_triangles: u64,
    pub(super) report: LoadReport,
    recentring: &'a mut Recentring,
}

impl<'a> Ply<'a> {
    pub(super) fn new(
        report: LoadReport,
        options: &'a LoadOptions,
        recentring: &'a mut Recentring,
    ) -> Self {
        Self {
            options,
            builder: MeshBuilder::default(),
            is_finite: Vec::new(),
            has_normals: false,
            has_uvs: false,
            n_triangles: 0,
            report,
            recentring,
        }
    }

    /// Counts a property, or for the first one of a colour the colours of all elements.
    pub(super) fn skip_property(&mut self, of: &str, element: &Element, property: &Property) {
        if !is_of_colour(property) {
            return self.report.add(&format!("{of} properties {}", property.name), 1);
        }
        let first = element.properties.iter().find(|property| is_of_colour(property));
        if first.is_some_and(|first| std::ptr::eq(first, property)) {
            self.report.add(&format!("{of} colours"), element.n);
        }
    }

    pub(super) fn read_vertices(
        &mut self,
        element: &Element,
        body: &mut Body<'_>,
    ) -> Result<(), ErrorAt> {
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
        let reads_f64 = body.is_text() && !self.recentring.is_first_pass();
        for _ in 0..element.n {
            body.begin(element)?;
            let mut values = [0.0; COLUMNS.len()];
            for (property, column) in element.properties.iter().zip(&columns) {
                match column {
                    Some(column) => {
                        // A word may hold more digits than its type.
                        let scalar = if reads_f64 { Scalar::F64 } else { property.scalar };
                        values[*column] = body.number(scalar)?;
                    }
                    None => body.skip_property(property)?,
                }
            }
            let position = DVec3::new(values[0], values[1], values[2]);
            let position = self.recentring.local(position);
            let [_, _, _, nx, ny, nz, u, v] = values.map(|value| value as f32);
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
