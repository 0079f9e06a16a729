//! Results as comma-separated values: a row per hit; with `--any` and `--count` a row per ray.

use std::ops::Range;

use csv::WriterBuilder;
use serde::Serialize;

use super::record::HitRecord;
use super::results::Results;
use crate::query::{Answer, Query};

/// The header line.
pub(super) fn header(query: Query) -> &'static str {
    match query {
        Query::Closest | Query::All(_) => {
            "ray,t,x,y,z,nx,ny,nz,side,u,v,triangle,polygon,object,group,material\n"
        }
        Query::Any => "ray,occluded\n",
        Query::Count => "ray,crossings\n",
    }
}

/// The columns of a hit; an absent normal, polygon or name is an empty field.
#[derive(Serialize)]
struct Row<'a> {
    ray: u64,
    t: f32,
    x: f64,
    y: f64,
    z: f64,
    nx: Option<f64>,
    ny: Option<f64>,
    nz: Option<f64>,
    side: &'a str,
    u: f32,
    v: f32,
    triangle: u32,
    polygon: Option<u32>,
    object: Option<&'a str>,
    group: Option<&'a str>,
    material: Option<&'a str>,
}

pub(super) fn append(results: &Results<'_>, rays: Range<usize>, out: &mut Vec<u8>) {
    const MEMORY: &str = "writing to a Vec cannot fail";
    let mut writer = WriterBuilder::new().has_headers(false).from_writer(&mut *out);
    for i in rays {
        let ray = results.first_ray + i as u64;
        match results.answers.of(i) {
            Answer::Hits(hits) => {
                for hit in hits {
                    let hit = HitRecord::new(results.mesh, &results.rays[i], hit);
                    writer.serialize(row(ray, &hit)).expect(MEMORY);
                }
            }
            Answer::Occluded(occluded) => writer.serialize((ray, occluded)).expect(MEMORY),
            Answer::Crossings(crossings) => writer.serialize((ray, crossings)).expect(MEMORY),
        }
    }
    writer.flush().expect(MEMORY);
}

fn row<'a>(ray: u64, hit: &HitRecord<'a>) -> Row<'a> {
    let [x, y, z] = hit.point;
    let [nx, ny, nz] = hit.normal.map_or([None; 3], |normal| normal.map(Some));
    Row {
        ray,
        t: hit.t,
        x,
        y,
        z,
        nx,
        ny,
        nz,
        side: hit.side,
        u: hit.u,
        v: hit.v,
        triangle: hit.triangle,
        polygon: hit.polygon,
        object: hit.object,
        group: hit.group,
        material: hit.material,
    }
}
