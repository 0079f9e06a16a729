//! What is told about picked and selected elements: a line of JSON each, or text for people.

use std::io::Write;

use hitscan::Side;
use hitscan::picking::{Element, Pick};
use hitscan::scene::{InstanceId, Scene};
use serde::Serialize;

use super::{Target, quoted, text::in_words};
use crate::args::LineFormat;

/// An element of a scene.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ElementRecord<'a> {
    element: &'static str,
    /// Names from the outermost parent to the instance itself; `null` for one without a name.
    path: Vec<Option<&'a str>>,
    /// The place of the instance in the file.
    instance: u64,
    /// Of a face.
    #[serde(skip_serializing_if = "Option::is_none")]
    polygon: Option<u32>,
    /// Of an edge or a vertex.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vertices: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    material: Option<&'a str>,
    #[serde(flatten)]
    place: Option<PlaceRecord>,
}

/// Where an element was picked.
#[derive(Clone, Debug, Serialize)]
struct PlaceRecord {
    point: [f64; 3],
    pixel: [f64; 2],
    pixel_distance: f64,
    distance: f64,
    /// Of what a ray hit; there, `null` for a triangle of zero area.
    #[serde(skip_serializing_if = "Option::is_none")]
    normal: Option<Option<[f64; 3]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    triangle: Option<u32>,
}

impl<'a> ElementRecord<'a> {
    pub(crate) fn new(scene: &'a Scene, instance: InstanceId, element: Element) -> Self {
        let name = |id| scene.get(id).and_then(|instance| instance.name.as_deref());
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
            path: scene.path(instance).into_iter().map(name).collect(),
            instance: scene.insertion_order(instance).unwrap_or_default(),
            polygon,
            vertices,
            object: named.and_then(|(records, polygon)| records.object(polygon)),
            group: named.and_then(|(records, polygon)| records.group(polygon)),
            material: named.and_then(|(records, polygon)| records.material(polygon)),
            place: None,
        }
    }

    pub(crate) fn of_pick(scene: &'a Scene, pick: &Pick) -> Self {
        let details = pick.hit.as_ref().and_then(|hit| scene.describe(hit));
        // `+ 0.0` turns -0.0 into 0.0.
        let place = PlaceRecord {
            point: pick.point.to_array().map(|x| x + 0.0),
            pixel: pick.pixel.to_array(),
            pixel_distance: pick.pixel_distance,
            distance: pick.distance,
            normal: details
                .as_ref()
                .map(|details| details.normal().map(|normal| normal.to_array().map(|x| x + 0.0))),
            side: details.as_ref().map(|details| match details.side() {
                Side::Front => "front",
                Side::Back => "back",
            }),
            triangle: details.map(|details| details.triangle()),
        };
        Self { place: Some(place), ..Self::new(scene, pick.instance, pick.element) }
    }

    /// Writes the record on a line of JSON, or as text.
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
        for (what, name) in
            [("object", self.object), ("group", self.group), ("material", self.material)]
        {
            if let Some(name) = name {
                write!(out, ", {what} {}", quoted(name))?;
            }
        }
        writeln!(out)?;
        let Some(place) = &self.place else { return Ok(()) };
        let ([x, y, z], [px, py]) = (place.point, place.pixel);
        writeln!(out, "  point     {x:?} {y:?} {z:?}, distance {:?}", place.distance)?;
        writeln!(out, "  pixel     {px:?} {py:?}, {:?} from the cursor", place.pixel_distance)?;
        if let (Some(normal), Some(side)) = (place.normal, place.side) {
            writeln!(out, "  normal    {}, {side} side", in_words(normal))?;
        }
        if let Some(triangle) = place.triangle {
            writeln!(out, "  triangle  {triangle}")?;
        }
        Ok(())
    }
}
