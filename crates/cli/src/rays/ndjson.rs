//! Rays as JSON objects, one per line.

use anyhow::Context;
use hitscan::Ray;
use hitscan::scene::WorldRay;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::range::{DefaultRange, TableRay};
use super::reader::RayReader;
use crate::table::json::{self, number, vector};
use crate::table::{Arrivals, Lines, Number};

/// A stream of rays in NDJSON.
pub(super) struct NdjsonRays<R> {
    lines: Lines<R>,
    range: DefaultRange,
}

impl<R: Arrivals> NdjsonRays<R> {
    pub(super) fn new(input: R, name: String, range: DefaultRange) -> Self {
        Self { lines: Lines::new(input, name), range }
    }
}

impl<R: Arrivals> NdjsonRays<R> {
    fn rays<T: TableRay>(&mut self, rays: &mut Vec<T>, max_rays: usize) -> anyhow::Result<()> {
        for n in 0..max_rays {
            if n > 0 && !self.lines.has_arrived(n, |_| false) {
                break;
            }
            let Some(line) = self.lines.next()? else { break };
            let ray = parse(line, self.range);
            rays.push(ray.with_context(|| self.lines.location())?);
        }
        Ok(())
    }
}

impl<R: Arrivals> RayReader for NdjsonRays<R> {
    fn read(&mut self, rays: &mut Vec<Ray>, max_rays: usize) -> anyhow::Result<()> {
        self.rays(rays, max_rays)
    }

    fn read_world(&mut self, rays: &mut Vec<WorldRay>, max_rays: usize) -> anyhow::Result<()> {
        self.rays(rays, max_rays)
    }
}

fn parse<T: TableRay>(line: &[u8], range: DefaultRange) -> anyhow::Result<T> {
    let text = json::text(line)?;
    let object: RayObject<'_> = json::parse(&text, EXPECTED)?;
    let origin = vector(object.origin, "origin")?;
    let direction = vector(object.direction, "direction")?;
    let [t_min, t_max] = range.bounds();
    let t_min = bound(object.t_min, t_min).context("t_min")?;
    let t_max = bound(object.t_max, t_max).context("t_max")?;
    Ok(T::new(origin, direction, [t_min, t_max]))
}

const EXPECTED: &str =
    r#"{"origin":[x,y,z],"direction":[x,y,z]} and optionally "t_min" and "t_max""#;

/// A ray as written. Numbers stay text here, so that the reader rounds each number once.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RayObject<'a> {
    #[serde(borrow)]
    origin: Vec<&'a RawValue>,
    #[serde(borrow)]
    direction: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    t_min: Option<&'a RawValue>,
    #[serde(borrow, default)]
    t_max: Option<&'a RawValue>,
}

fn bound<N: Number>(value: Option<&RawValue>, default: N) -> anyhow::Result<N> {
    value.map_or(Ok(default), number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Vec<Ray>> {
        let mut rays = Vec::new();
        NdjsonRays::new(text.as_bytes(), "rays.ndjson".into(), DefaultRange::from_zero())
            .read(&mut rays, 100)?;
        Ok(rays)
    }

    fn error(text: &str) -> String {
        format!("{:#}", read(text).unwrap_err())
    }

    #[test]
    fn bounds_may_be_absent_null_or_infinite() {
        let ray = Ray::new([1.0, -2.5, 3.0], [0.0, 0.0, -1.0]);
        let head = r#"{"origin":[1,-2.5,3],"direction":[0,0,-1]"#;
        let line = ray.with_range(f32::NEG_INFINITY, f32::INFINITY);
        for (tail, expected) in [
            ("}", ray),
            (r#","t_min":null,"t_max":null}"#, ray),
            (r#","t_min":0.5,"t_max":2e0}"#, ray.with_range(0.5, 2.0)),
            (r#","t_min":"-inf","t_max":"inf"}"#, line),
            (r#","t_min":-Infinity,"t_max":Infinity}"#, line),
            (r#","t_min":-1e99}"#, line),
        ] {
            assert_eq!(read(&format!("\n{head}{tail}\r\n\n")).unwrap(), [expected], "{tail}");
        }
    }

    #[test]
    fn every_decimal_is_rounded_once() {
        let text = r#"{"origin":[1.00000005960464477540,0,0],"direction":[1,0,0]}"#;
        assert_eq!(read(text).unwrap()[0].origin.x, 1.000_000_1);
    }

    #[test]
    fn an_error_names_the_line() {
        let good = r#"{"origin":[1,2,3],"direction":[0,0,1]}"#;
        let bad = [
            (r#"{"origin":[1,2],"direction":[0,0,1]}"#, "found 2 numbers in origin; expected 3"),
            (r#"{"origin":[1,2,"x"],"direction":[0,0,1]}"#, "origin: found \"x\""),
            (r#"{"origin":[1,2,null],"direction":[0,0,1]}"#, "origin: found null"),
            (r#"{"origin":[1,2,3]}"#, "missing field `direction`"),
            (r#"{"origin":[1,2,3],"direction":[0,0,1],"tmax":1}"#, "unknown field `tmax`"),
            (r#"{"origin":[1,2,3],"direction":[0,0,1],"t_max":[1]}"#, "t_max: found [1]"),
            (r#"{"origin":[1,2,3],"direction":[0,0,1]} 5"#, "trailing characters"),
            ("1,2,3,0,0,1", "expected {\"origin\""),
            ("{", "EOF"),
        ];
        for (line, expected) in bad {
            let error = error(&format!("{good}\n\n{line}\n"));
            assert!(error.starts_with("rays.ndjson:3: "), "{error}");
            assert!(error.contains(expected), "{error}");
        }
    }
}
