//! Results for people: a block per hit.

use std::io::Write;
use std::ops::Range;

use super::record::HitRecord;
use super::results::Results;
use super::value::Value;
use crate::args::Field;
use crate::query::Answer;

/// The fields that share a line. A line starts with the name of its first field.
const LINES: [&[Field]; 11] = [
    &[Field::T, Field::Distance],
    &[Field::Point],
    &[Field::Normal, Field::Side, Field::Feature],
    &[Field::InterpolatedNormal],
    &[Field::Instance, Field::Path],
    &[Field::Triangle, Field::Vertices, Field::W1, Field::W2],
    &[Field::Polygon, Field::Line],
    &[Field::Object],
    &[Field::Group],
    &[Field::Material, Field::Colour],
    &[Field::Texture],
];

pub(super) fn append(results: &Results<'_>, rays: Range<usize>, out: &mut Vec<u8>) {
    for i in rays {
        let ray = results.first_ray + i as u64;
        match results.answers.of(i) {
            Answer::Hits([]) => append_line(out, format_args!("ray {ray}: no hit")),
            Answer::Hits(hits) => {
                for (n, hit) in hits.iter().enumerate() {
                    let of_many = match hits.len() {
                        1 => String::new(),
                        n_hits => format!(" {} of {n_hits}", n + 1),
                    };
                    append_line(out, format_args!("ray {ray}: hit{of_many}"));
                    append_hit(out, &results.record(i, hit), results.fields);
                }
            }
            Answer::Occluded(true) => append_line(out, format_args!("ray {ray}: occluded")),
            Answer::Occluded(false) => append_line(out, format_args!("ray {ray}: free")),
            Answer::Crossings(1) => append_line(out, format_args!("ray {ray}: 1 crossing")),
            Answer::Crossings(n) => append_line(out, format_args!("ray {ray}: {n} crossings")),
        }
    }
}

/// Appends the lines of the chosen fields, without those that have no value.
fn append_hit(out: &mut Vec<u8>, hit: &HitRecord<'_>, chosen: &[Field]) {
    for fields in LINES {
        let mut parts = fields
            .iter()
            .filter(|field| chosen.contains(field))
            .filter_map(|&field| Some((field, in_words(field, &hit.value(field))?)));
        let Some((first, value)) = parts.next() else { continue };
        let label = match first {
            Field::InterpolatedNormal => "interpolated",
            _ => first.name(),
        };
        let mut line = format!("  {label:<8}  {value}");
        for (field, value) in parts {
            match field {
                Field::Feature => line += &format!(" at {value}"),
                Field::Side => line += &format!(", {value} side"),
                Field::Path => line += &format!(" {value}"),
                _ => line += &format!(", {} {value}", field.name()),
            }
        }
        append_line(out, format_args!("{line}"));
    }
}

/// A value in words; `None` for no value.
fn in_words(field: Field, value: &Value<'_>) -> Option<String> {
    match (field, value) {
        (Field::Normal, Value::None) => Some(normal_in_words(None)),
        (Field::Side | Field::Feature, Value::Name(name)) => Some((*name).to_owned()),
        _ => value.in_words(),
    }
}

/// A normal in words, also for a triangle without one.
pub(super) fn normal_in_words(normal: Option<[f64; 3]>) -> String {
    match normal {
        Some([x, y, z]) => format!("{x:?} {y:?} {z:?}"),
        None => "none, the triangle has zero area".to_owned(),
    }
}

fn append_line(out: &mut Vec<u8>, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("writing to a Vec cannot fail");
}
