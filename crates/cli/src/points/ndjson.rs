//! Points as JSON values, one per line.

use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::reader::PointReader;
use crate::table::json::{self, number, vector};
use crate::table::{Arrivals, Lines, Number};

/// A stream of points in NDJSON.
pub(super) struct NdjsonPoints<R>(Lines<R>);

impl<R: Arrivals> NdjsonPoints<R> {
    pub(super) fn new(input: R, name: String) -> Self {
        Self(Lines::new(input, name))
    }
}

impl<R: Arrivals> NdjsonPoints<R> {
    fn points<N: Number>(
        &mut self,
        points: &mut Vec<[N; 3]>,
        max_points: usize,
    ) -> anyhow::Result<()> {
        for n in 0..max_points {
            if n > 0 && !self.0.has_arrived(n, |_| false) {
                break;
            }
            let Some(line) = self.0.next()? else { break };
            let point = parse(line);
            points.push(point.with_context(|| self.0.location())?);
        }
        Ok(())
    }
}

impl<R: Arrivals> PointReader for NdjsonPoints<R> {
    fn read(&mut self, points: &mut Vec<[f32; 3]>, max_points: usize) -> anyhow::Result<()> {
        self.points(points, max_points)
    }

    fn read_f64(&mut self, points: &mut Vec<[f64; 3]>, max_points: usize) -> anyhow::Result<()> {
        self.points(points, max_points)
    }
}

const EXPECTED: &str = r#"{"point":[x,y,z]}, {"x":x,"y":y,"z":z} or [x,y,z]"#;

/// A point as written. The reader ignores other fields, because pandas writes all columns of a table.
#[derive(Deserialize)]
struct PointObject<'a> {
    #[serde(borrow, default)]
    point: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    x: Option<&'a RawValue>,
    #[serde(borrow, default)]
    y: Option<&'a RawValue>,
    #[serde(borrow, default)]
    z: Option<&'a RawValue>,
}

fn parse<N: Number>(line: &[u8]) -> anyhow::Result<[N; 3]> {
    let text = json::text(line)?;
    if text.starts_with('[') {
        let values: Vec<&RawValue> = json::parse(&text, EXPECTED)?;
        return vector(values, "the array");
    }
    let object: PointObject<'_> = json::parse(&text, EXPECTED)?;
    match object {
        PointObject { point: Some(values), x: None, y: None, z: None } => vector(values, "point"),
        PointObject { point: None, x: Some(x), y: Some(y), z: Some(z) } => {
            Ok([number(x).context("x")?, number(y).context("y")?, number(z).context("z")?])
        }
        PointObject { point: None, .. } => bail!("found no point; expected {EXPECTED}"),
        _ => bail!("found both point and x, y or z; expected {EXPECTED}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Vec<[f32; 3]>> {
        let mut points = Vec::new();
        NdjsonPoints::new(text.as_bytes(), "p.ndjson".into()).read(&mut points, 100)?;
        Ok(points)
    }

    #[test]
    fn three_spellings_are_one_point() {
        let text =
            "{\"point\":[1,-2.5,3e0]}\n\n{\"id\":7,\"z\":3,\"y\":-2.5,\"x\":1}\n[1,-2.5,3]\n";
        assert_eq!(read(text).unwrap(), [[1.0, -2.5, 3.0]; 3]);
        let odd = read("[NaN,Infinity,\"-inf\"]").unwrap()[0];
        assert!(odd[0].is_nan() && odd[1..] == [f32::INFINITY, f32::NEG_INFINITY]);
        // Almost halfway between two f32: rounding through f64 would round down.
        assert_eq!(read("[1.00000005960464477540,0,0]").unwrap()[0][0], 1.000_000_1);
    }

    #[test]
    fn an_error_names_the_line() {
        for (line, expected) in [
            ("{\"point\":[1,2]}", "p.ndjson:2: found 2 numbers in point; expected 3"),
            ("{\"x\":1,\"y\":2}", "p.ndjson:2: found no point; expected {\"point\""),
            ("{\"x\":1,\"y\":2,\"z\":null}", "p.ndjson:2: found no point"),
            ("{\"point\":[1,2,3],\"x\":1}", "p.ndjson:2: found both point and x"),
            ("{\"x\":1,\"y\":\"b\",\"z\":0}", "p.ndjson:2: y: found \"b\"; expected a number"),
            ("[1,2,3", "p.ndjson:2: EOF while parsing a list at column 6; expected"),
            ("7", "p.ndjson:2: invalid type: integer `7`"),
        ] {
            let error = format!("{:#}", read(&format!("[1,2,3]\n{line}\n")).unwrap_err());
            assert!(error.starts_with(expected), "{line}: {error}");
        }
    }
}
