//! Reports of picked elements for the page.

use hitscan::Side;
use hitscan::picking::{Element, Pick};
use hitscan::scene::Scene;

use crate::parts::{Item, name_of, path_of};
use crate::protocol::{ElementName, HitReport, PickReport};

/// The facts about a pick.
pub(crate) fn of_pick(scene: &Scene, pick: &Pick, click: usize, command: String) -> PickReport {
    let mesh = scene.get(pick.instance).and_then(|instance| instance.mesh.as_deref());
    let details = pick.hit.as_ref().and_then(|hit| scene.describe(hit));
    let (element, polygon, vertices) = match pick.element {
        Element::Object => (ElementName::Object, details.and_then(|hit| hit.polygon()), vec![]),
        Element::Face(polygon) => (ElementName::Face, Some(polygon), vec![]),
        Element::Edge(ends) => (ElementName::Edge, None, ends.to_vec()),
        Element::Vertex(vertex) => (ElementName::Vertex, None, vec![vertex]),
    };
    let named = mesh.and_then(|mesh| mesh.tri_mesh().records()).zip(polygon);
    let name = |name: Option<&str>| name.map(str::to_owned);
    PickReport {
        element,
        instance: scene.insertion_order(pick.instance).unwrap_or_default(),
        path: path_of(scene, pick.instance),
        polygon,
        vertices,
        object: name(named.and_then(|(records, polygon)| records.object(polygon))),
        group: name(named.and_then(|(records, polygon)| records.group(polygon))),
        material: name(named.and_then(|(records, polygon)| records.material(polygon))),
        line: named.and_then(|(records, polygon)| records.lines().get(polygon)),
        // `+ 0.0` turns -0.0 into 0.0.
        point: pick.point.to_array().map(|x| x + 0.0),
        t: pick.distance,
        hit: details.zip(pick.hit).map(|(details, hit)| HitReport {
            triangle: hit.triangle(),
            weights: [hit.local.u, hit.local.v],
            normal: details.normal().map(|normal| normal.to_array().map(|x| x + 0.0)),
            is_front: details.side() == Side::Front,
            uv: details.uv().map(|uv| uv.to_array()),
        }),
        click,
        command,
    }
}

/// Short description of an element or part.
pub(crate) fn describe(scene: &Scene, item: &Item) -> String {
    let instance = item.instance();
    let what = match item {
        Item::Part(part) => match name_of(scene, part) {
            Some(name) => format!("{} {name}", part.kind.as_str()),
            None => format!("faces without {}", part.kind.as_str()),
        },
        Item::Element(selected) => match selected.element {
            Element::Object => "object".to_owned(),
            Element::Face(polygon) => format!("face {polygon}"),
            Element::Edge([a, b]) => format!("edge {a}-{b}"),
            Element::Vertex(vertex) => format!("vertex {vertex}"),
        },
    };
    match path_of(scene, instance).join(" / ") {
        name if !name.is_empty() => format!("{what} of {name}"),
        _ if scene.len() > 1 => {
            format!("{what} of instance {}", scene.insertion_order(instance).unwrap_or_default())
        }
        _ => what,
    }
}
