//! Results for people: a block per hit.

use std::io::Write;
use std::ops::Range;

use super::record::{HitRecord, quoted};
use super::results::Results;
use crate::query::Answer;

pub(super) fn append(results: &Results<'_>, rays: Range<usize>, out: &mut Vec<u8>) {
    for i in rays {
        let ray = results.first_ray + i as u64;
        match results.answers.of(i) {
            Answer::Hits([]) => append_line(out, format_args!("ray {ray}: no hit")),
            Answer::Hits(hits) => {
                for (n, hit) in hits.iter().enumerate() {
                    let record = HitRecord::new(results.mesh, &results.rays[i], hit);
                    let of_many = match hits.len() {
                        1 => String::new(),
                        n_hits => format!(" {} of {n_hits}", n + 1),
                    };
                    append_line(out, format_args!("ray {ray}: hit{of_many}"));
                    append_hit(out, &record);
                }
            }
            Answer::Occluded(true) => append_line(out, format_args!("ray {ray}: occluded")),
            Answer::Occluded(false) => append_line(out, format_args!("ray {ray}: free")),
            Answer::Crossings(1) => append_line(out, format_args!("ray {ray}: 1 crossing")),
            Answer::Crossings(n) => append_line(out, format_args!("ray {ray}: {n} crossings")),
        }
    }
}

fn append_hit(out: &mut Vec<u8>, hit: &HitRecord<'_>) {
    let [x, y, z] = hit.point;
    let [a, b, c] = hit.vertices;
    let (t, distance, side, u, v, triangle) =
        (hit.t, hit.distance, hit.side, hit.u, hit.v, hit.triangle);
    append_line(out, format_args!("  t         {t:?}, distance {distance:?}"));
    append_line(out, format_args!("  point     {x:?} {y:?} {z:?}"));
    append_line(out, format_args!("  normal    {}, {side} side", in_words(hit.normal)));
    append_line(
        out,
        format_args!("  triangle  {triangle}, vertices {a} {b} {c}, u {u:?}, v {v:?}"),
    );
    if let Some(polygon) = hit.polygon {
        append_line(out, format_args!("  polygon   {polygon}"));
    }
    for (what, name) in
        [("object  ", hit.object), ("group   ", hit.group), ("material", hit.material)]
    {
        if let Some(name) = name {
            append_line(out, format_args!("  {what}  {}", quoted(name)));
        }
    }
}

/// A normal in words, also for a triangle without one.
pub(super) fn in_words(normal: Option<[f64; 3]>) -> String {
    match normal {
        Some([x, y, z]) => format!("{x:?} {y:?} {z:?}"),
        None => "none, the triangle has zero area".to_owned(),
    }
}

fn append_line(out: &mut Vec<u8>, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("writing to a Vec cannot fail");
}
