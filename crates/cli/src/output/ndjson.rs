//! Results as JSON objects, one ray per line.

use std::ops::Range;

use serde::{Serialize, Serializer};

use super::record::HitRecord;
use super::results::Results;
use crate::args::Field;
use crate::query::Answer;

#[derive(Serialize)]
struct Line<'a> {
    ray: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    hits: Option<Vec<HitObject<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    occluded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crossings: Option<u32>,
}

/// A hit as an object of the chosen fields; `null` where there is no value.
struct HitObject<'a> {
    record: HitRecord<'a>,
    fields: &'a [Field],
}

impl Serialize for HitObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = |&field: &Field| (field.name(), self.record.value(field));
        serializer.collect_map(self.fields.iter().map(entry))
    }
}

pub(super) fn append(results: &Results<'_>, rays: Range<usize>, out: &mut Vec<u8>) {
    for i in rays {
        let mut line =
            Line { ray: results.first_ray + i as u64, hits: None, occluded: None, crossings: None };
        match results.answers.of(i) {
            Answer::Hits(hits) => {
                let object =
                    |hit| HitObject { record: results.record(i, hit), fields: results.fields };
                line.hits = Some(hits.iter().map(object).collect());
            }
            Answer::Occluded(occluded) => line.occluded = Some(occluded),
            Answer::Crossings(crossings) => line.crossings = Some(crossings),
        }
        serde_json::to_writer(&mut *out, &line).expect("writing to a Vec cannot fail");
        out.push(b'\n');
    }
}
