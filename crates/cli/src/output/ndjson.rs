//! Results as JSON objects, one ray per line.

use std::ops::Range;

use serde::Serialize;

use super::record::HitRecord;
use super::results::Results;
use crate::query::Answer;

#[derive(Serialize)]
struct Line<'a> {
    ray: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    hits: Option<Vec<HitRecord<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    occluded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crossings: Option<u32>,
}

pub(super) fn append(results: &Results<'_>, rays: Range<usize>, out: &mut Vec<u8>) {
    for i in rays {
        let mut line =
            Line { ray: results.first_ray + i as u64, hits: None, occluded: None, crossings: None };
        match results.answers.of(i) {
            Answer::Hits(hits) => {
                let record = |hit| HitRecord::new(results.mesh, &results.rays[i], hit);
                line.hits = Some(hits.iter().map(record).collect());
            }
            Answer::Occluded(occluded) => line.occluded = Some(occluded),
            Answer::Crossings(crossings) => line.crossings = Some(crossings),
        }
        serde_json::to_writer(&mut *out, &line).expect("writing to a Vec cannot fail");
        out.push(b'\n');
    }
}
