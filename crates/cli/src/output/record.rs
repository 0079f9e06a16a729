//! The record of a hit, shared by the formats.

use hitscan::{Hit, Ray, Side, TriMesh};
use serde::Serialize;

/// The fields of a hit, in the order of the formats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct HitRecord<'a> {
    /// The position on the ray, in units of its direction.
    pub(crate) t: f32,
    /// The distance from the origin of the ray: `t` times the length of the direction. Negative behind
    /// the origin.
    pub(crate) distance: f64,
    /// The point of the triangle with the weights `u` and `v`.
    pub(crate) point: [f64; 3],
    /// The unit normal by the triangle's winding, also where it points away from the ray. `None` for a
    /// triangle of zero area.
    pub(crate) normal: Option<[f64; 3]>,
    pub(crate) side: &'static str,
    pub(crate) u: f32,
    pub(crate) v: f32,
    pub(crate) triangle: u32,
    /// The indices of the corners in the file, from 0.
    pub(crate) vertices: [u32; 3],
    pub(crate) polygon: Option<u32>,
    pub(crate) object: Option<&'a str>,
    pub(crate) group: Option<&'a str>,
    pub(crate) material: Option<&'a str>,
}

impl<'a> HitRecord<'a> {
    pub(crate) fn new(mesh: &'a TriMesh, ray: &Ray, hit: &Hit) -> Self {
        let records = mesh.records();
        let polygon = records.map(|records| records.polygon(hit.triangle));
        let named = records.zip(polygon);
        Self {
            t: hit.t,
            distance: f64::from(hit.t) * ray.direction.as_dvec3().length(),
            point: without_negative_zeros(mesh.point(hit).to_array()),
            normal: mesh
                .unit_normal(hit.triangle)
                .map(|normal| without_negative_zeros(normal.to_array())),
            side: match hit.side {
                Side::Front => "front",
                Side::Back => "back",
            },
            u: hit.u,
            v: hit.v,
            triangle: hit.triangle,
            vertices: mesh.triangles()[hit.triangle as usize],
            polygon,
            object: named.and_then(|(records, polygon)| records.object(polygon)),
            group: named.and_then(|(records, polygon)| records.group(polygon)),
            material: named.and_then(|(records, polygon)| records.material(polygon)),
        }
    }
}

fn without_negative_zeros(v: [f64; 3]) -> [f64; 3] {
    v.map(|x| x + 0.0)
}

/// A name in quotes, with control characters escaped.
pub(crate) fn quoted(name: &str) -> String {
    format!("{name:?}")
}
