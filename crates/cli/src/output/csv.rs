//! Results as comma-separated values: a row per hit; with `--any` and `--count` a row per ray.

use std::borrow::Cow;
use std::ops::Range;

use csv::WriterBuilder;
use serde::{Serialize, Serializer};

use super::results::Results;
use super::value::{Value, joined};
use crate::args::Field;
use crate::query::{Answer, Query};

/// The header line.
pub(super) fn header(query: Query, fields: &[Field]) -> String {
    match query {
        Query::Closest | Query::All(_) => {
            let mut columns = vec!["ray"];
            columns.extend(fields.iter().flat_map(|field| field.columns()));
            columns.join(",") + "\n"
        }
        Query::Any => "ray,occluded\n".to_owned(),
        Query::Count => "ray,crossings\n".to_owned(),
    }
}

/// A field of a row; empty where there is no value.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Cell<'a> {
    #[serde(serialize_with = "empty")]
    Empty,
    Bool(bool),
    F32(f32),
    F64(f64),
    Index(u64),
    Name(Cow<'a, str>),
}

fn empty<S: Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_none()
}

pub(super) fn append(results: &Results<'_>, rays: Range<usize>, out: &mut Vec<u8>) {
    const MEMORY: &str = "writing to a Vec cannot fail";
    let mut writer = WriterBuilder::new().has_headers(false).from_writer(&mut *out);
    let mut row = Vec::new();
    for i in rays {
        let ray = results.first_ray + i as u64;
        match results.answers.of(i) {
            Answer::Hits(hits) => {
                for hit in hits {
                    let record = results.record(i, hit);
                    row.clear();
                    row.push(Cell::Index(ray));
                    for &field in results.fields {
                        append_cells(field.columns().len(), record.value(field), &mut row);
                    }
                    writer.serialize(&row).expect(MEMORY);
                }
            }
            Answer::Occluded(occluded) => writer.serialize((ray, occluded)).expect(MEMORY),
            Answer::Crossings(crossings) => writer.serialize((ray, crossings)).expect(MEMORY),
        }
    }
    writer.flush().expect(MEMORY);
}

/// A name that no spreadsheet takes for a formula. A name that begins with one of `= + - @ '`, a tab or a
/// carriage return gets a `'` in front, so that dropping one `'` gives every name back.
fn plain_name(name: &str) -> Cow<'_, str> {
    match name.starts_with(['=', '+', '-', '@', '\'', '\t', '\r']) {
        true => Cow::Owned(format!("'{name}")),
        false => Cow::Borrowed(name),
    }
}

/// Appends the cells of a value, which fill `n_columns` columns.
pub(crate) fn append_cells<'a>(n_columns: usize, value: Value<'a>, row: &mut Vec<Cell<'a>>) {
    match value {
        Value::None => row.extend((0..n_columns).map(|_| Cell::Empty)),
        Value::Bool(is) => row.push(Cell::Bool(is)),
        Value::Single(v) => row.extend(v.map(Cell::F32)),
        Value::F32(x) => row.push(Cell::F32(x)),
        Value::F64(x) => row.push(Cell::F64(x)),
        Value::Index(i) => row.push(Cell::Index(i)),
        Value::Name(name) => row.push(Cell::Name(plain_name(name))),
        Value::Vector(v) => row.extend(v.map(Cell::F64)),
        Value::Pair(v) => row.extend(v.map(Cell::F64)),
        Value::Indices(i) => row.extend(i.map(|i| Cell::Index(i.into()))),
        Value::Path(path) => {
            row.push(Cell::Name(Cow::Owned(plain_name(&joined(&path)).into_owned())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_a_formula_and_every_name_comes_back() {
        for name in ["=1+2", "+x", "-x", "@x", "\tx", "\rx", "'x", "''", "wall", "", "a=b"] {
            let plain = plain_name(name);
            assert!(!plain.starts_with(['=', '+', '-', '@', '\t', '\r']), "{plain}");
            assert_eq!(plain.strip_prefix('\'').unwrap_or(&plain), name);
        }
    }
}
