//! The records of picked and selected elements, as lines of JSON or as text.

use std::io::Write;

use hitscan::Side;
use hitscan::picking::{Element, Pick};
use hitscan::scene::{InstanceId, Scene};
use serde::Serialize;

use super::record::path_names;
use super::target::Target;
use super::text::normal_in_words;
use super::value::quoted;
use crate::args::LineFormat;

/// An element of a scene.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ElementRecord<'a> {
    element: &'static str,
    /// The names from the outermost parent to the instance itself; `null` for a missing name.
    path: Vec<Option<&'a str>>,
    /// The index of the instance in the file.
    instance: u64,
    /// The polygon of a face.
    #[serde(skip_serializing_if = "Option::is_none")]
    polygon: Option<u32>,
    /// The vertices of an edge or a vertex.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vertices: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    material: Option<&'a str>,
    #[serde(flatten)]
    picked: Option<PickRecord>,
}

/// The point of a pick.
#[derive(Clone, Debug, Serialize)]
struct PickRecord {
    point: [f64; 3],
    pixel: [f64; 2],
    pixel_distance: f64,
    /// The distance from the eye.
    distance: f64,
    /// The normal of a hit triangle; `null` for a triangle of zero area.
    #[serde(skip_serializing_if = "Option::is_none")]
    normal: Option<Option<[f64; 3]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    triangle: Option<u32>,
}

impl<'a> ElementRecord<'a> {
    /// The record of an element, without the point of a pick.
    pub(crate) fn new(scene: &'a Scene, instance: InstanceId, element: Element) -> Self {
        let mesh = scene.get(instance).and_then(|instance| instance.mesh.as_deref());
        let (kind, polygon, vertices) = match element {
            Element::Object => ("object", None, vec![]),
            Element::Face(polygon) => ("face", Some(polygon), vec![]),
            Element::Edge(ends) => ("edge", None, ends.to_vec()),
            Element::Vertex(vertex) => ("vertex", None, vec![vertex]),
        };
        let records = mesh.and_then(|mesh| mesh.tri_mesh().records());
        let named = records.zip(polygon);
        Self {
            element: kind,
            path: path_names(scene, instance),
            instance: scene.insertion_order(instance).unwrap_or_default(),
            polygon,
            vertices,
            object: named.and_then(|(records, polygon)| records.object(polygon)),
            group: named.and_then(|(records, polygon)| records.group(polygon)),
            material: named.and_then(|(records, polygon)| records.material(polygon)),
            picked: None,
        }
    }

    /// The record of a pick at this distance from the eye. `triangle` is the index in the file's mesh of
    /// the triangle that the ray hit.
    pub(crate) fn of_pick(
        scene: &'a Scene,
        pick: &Pick,
        triangle: Option<u32>,
        distance: f64,
    ) -> Self {
        let details = pick.hit.as_ref().and_then(|hit| scene.describe(hit));
        // `+ 0.0` turns -0.0 into 0.0.
        let picked = PickRecord {
            point: pick.point.to_array().map(|x| x + 0.0),
            pixel: pick.pixel.to_array(),
            pixel_distance: pick.pixel_distance,
            distance,
            normal: details
                .as_ref()
                .map(|details| details.normal().map(|normal| normal.to_array().map(|x| x + 0.0))),
            side: details.as_ref().map(|details| match details.side() {
                Side::Front => "front",
                Side::Back => "back",
            }),
            triangle: details.and(triangle),
        };
        Self { picked: Some(picked), ..Self::new(scene, pick.instance, pick.element) }
    }

    /// Writes the record as a line of JSON or as text.
    pub(crate) fn write(&self, format: LineFormat, out: &mut Target) -> anyhow::Result<()> {
        match format {
            LineFormat::Ndjson => {
                serde_json::to_writer(&mut *out, self)?;
                writeln!(out)?;
            }
            LineFormat::Text => self.write_text(out)?,
        }
        Ok(())
    }

    fn write_text(&self, out: &mut Target) -> anyhow::Result<()> {
        write!(out, "{}", self.element)?;
        if let Some(polygon) = self.polygon {
            write!(out, " {polygon}")?;
        }
        for vertex in &self.vertices {
            write!(out, " {vertex}")?;
        }
        let names: Vec<String> = self.path.iter().flatten().map(|name| quoted(name)).collect();
        if !names.is_empty() {
            write!(out, " of {}", names.join(" / "))?;
        }
        // Instances may have equal names, or none.
        write!(out, ", instance {}", self.instance)?;
        for (what, name) in
            [("object", self.object), ("group", self.group), ("material", self.material)]
        {
            if let Some(name) = name {
                write!(out, ", {what} {}", quoted(name))?;
            }
        }
        writeln!(out)?;
        let Some(picked) = &self.picked else { return Ok(()) };
        let ([x, y, z], [px, py]) = (picked.point, picked.pixel);
        writeln!(out, "  point     {x:?} {y:?} {z:?}, distance {:?}", picked.distance)?;
        writeln!(out, "  pixel     {px:?} {py:?}, {:?} from the cursor", picked.pixel_distance)?;
        if let (Some(normal), Some(side)) = (picked.normal, picked.side) {
            writeln!(out, "  normal    {}, {side} side", normal_in_words(normal))?;
        }
        if let Some(triangle) = picked.triangle {
            writeln!(out, "  triangle  {triangle}")?;
        }
        Ok(())
    }
}
