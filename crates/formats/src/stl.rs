//! STL: triangles that share no vertices.

use std::collections::HashMap;

use glam::Vec3;
use hitscan_files::{LoadOptions, ReadErrorKind};
use hitscan_primitives::CornerAttributes;

use crate::{
    LoadReport,
    error_at::{ErrorAt, quoted},
    loaded::Parts,
    mesh_builder::{MeshBuilder, Name},
    words::Words,
};

/// The length of the header of a binary file, including the number of triangles.
const HEADER: usize = 84;
/// The length of a triangle: normal, corners, and two unused bytes.
const FACET: usize = 50;

pub(crate) fn parse(bytes: &[u8], options: &LoadOptions) -> Result<Parts, ErrorAt> {
    let mut solids = Solids::new(options);
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let is_text =
        text.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
    match binary_facets(bytes) {
        Ok(facets) => facets.chunks_exact(FACET).try_for_each(|facet| solids.add_binary(facet))?,
        Err(_) if is_text => solids.add_text(text)?,
        Err(error) => return Err(error.into()),
    }
    let Solids { builder, report, .. } = solids;
    Ok(Parts::of_one(builder.finish(options)?, report))
}

/// The facets of a binary file, whose length must match the number in its header.
fn binary_facets(bytes: &[u8]) -> Result<&[u8], ReadErrorKind> {
    let Some((header, facets)) = bytes.split_at_checked(HEADER) else {
        let found = match bytes {
            [] => "an empty file".to_owned(),
            _ => format!("{} bytes that start with {}", bytes.len(), quoted(bytes)),
        };
        let expected = format!("text that starts with `solid`, or a header of {HEADER} bytes");
        return Err(ReadErrorKind::syntax(found, expected));
    };
    let n = u32::from_le_bytes([header[80], header[81], header[82], header[83]]);
    if facets.len() as u64 != u64::from(n) * FACET as u64 {
        let found = format!("{} bytes after the header", facets.len());
        let expected = format!("{FACET} for each of its {n} triangles, or text");
        return Err(ReadErrorKind::syntax(found, expected));
    }
    Ok(facets)
}

/// The solids of a file as one mesh.
#[derive(Debug)]
struct Solids<'a> {
    builder: MeshBuilder,
    vertices: HashMap<[u32; 3], u32>,
    report: LoadReport,
    n_triangles: u64,
    options: &'a LoadOptions,
}

impl<'a> Solids<'a> {
    fn new(options: &'a LoadOptions) -> Self {
        Self {
            builder: MeshBuilder::default(),
            vertices: HashMap::new(),
            report: LoadReport::default(),
            n_triangles: 0,
            options,
        }
    }

    fn add_binary(&mut self, facet: &[u8]) -> Result<(), ErrorAt> {
        let number = |i: usize| {
            let at = 12 + 4 * i;
            f32::from_le_bytes([facet[at], facet[at + 1], facet[at + 2], facet[at + 3]])
        };
        let corner = |i: usize| Vec3::new(number(3 * i), number(3 * i + 1), number(3 * i + 2));
        self.add([corner(0), corner(1), corner(2)], &mut Name::default(), None)
    }

    fn add_text(&mut self, text: &[u8]) -> Result<(), ErrorAt> {
        let mut words = Words::new(text, 0, 1);
        let mut name = Name::default();
        let mut is_open = false;
        while let Some(word) = words.next() {
            match word.to_ascii_lowercase().as_slice() {
                b"solid" => {
                    let rest = String::from_utf8_lossy(words.rest_of_line());
                    name = Name::new((!rest.is_empty()).then_some(rest));
                    is_open = true;
                }
                b"endsolid" if is_open => {
                    words.rest_of_line();
                    is_open = false;
                }
                b"facet" if is_open => {
                    let line = words.line;
                    let corners = facet(&mut words)?;
                    self.add(corners, &mut name, Some(line))?;
                }
                _ => {
                    let expected = if is_open { "`facet` or `endsolid`" } else { "`solid`" };
                    return Err(words.error(Some(word), expected));
                }
            }
        }
        if is_open {
            return Err(words.error(None, "`facet` or `endsolid`"));
        }
        Ok(())
    }

    fn add(
        &mut self,
        corners: [Vec3; 3],
        object: &mut Name<'_>,
        line: Option<u64>,
    ) -> Result<(), ErrorAt> {
        if !corners.iter().all(|corner| corner.is_finite()) {
            self.report.add("triangles at a vertex that is not finite", 1);
            return Ok(());
        }
        self.n_triangles += 1;
        ReadErrorKind::check_vertices("triangles", self.n_triangles, self.options)?;
        let vertices = corners.map(|corner| self.vertex(corner));
        let object = self.builder.name_index(object);
        self.builder.begin_polygon(object, None, line);
        let none = [CornerAttributes::NONE; 3];
        self.builder.add_triangle(vertices, none, none);
        Ok(())
    }

    /// The one vertex at a position. -0 and 0 are the same position.
    fn vertex(&mut self, position: Vec3) -> u32 {
        let key = position.to_array().map(|x| (x + 0.0).to_bits());
        let positions = &mut self.builder.positions;
        *self.vertices.entry(key).or_insert_with(|| {
            positions.push(position);
            positions.len() as u32 - 1
        })
    }
}

/// The corners of a facet, after the word `facet`. The reader skips the normal, up to `outer`.
fn facet(words: &mut Words<'_>) -> Result<[Vec3; 3], ErrorAt> {
    const MOST_WORDS: usize = 4;
    for i in 0..=MOST_WORDS {
        match words.next() {
            Some(word) if word.eq_ignore_ascii_case(b"outer") => break,
            Some(_) if i < MOST_WORDS => {}
            found => return Err(words.error(found, "`outer loop`")),
        }
    }
    words.expect("loop")?;
    let mut corners = [Vec3::ZERO; 3];
    for corner in &mut corners {
        words.expect("vertex")?;
        for axis in 0..3 {
            corner[axis] = words.number("a coordinate")?;
        }
    }
    words.expect("endloop")?;
    words.expect("endfacet")?;
    Ok(corners)
}
