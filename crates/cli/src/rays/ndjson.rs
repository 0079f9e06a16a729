//! Rays as JSON objects, one a line.

use std::borrow::Cow;
use std::io::BufRead;

use anyhow::{Context, anyhow, bail};
use hitscan::Ray;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::lines::Lines;
use super::{DefaultRange, RayReader};

/// A stream of rays in NDJSON.
pub(crate) struct NdjsonRays<R> {
    lines: Lines<R>,
    range: DefaultRange,
}

impl<R: BufRead> NdjsonRays<R> {
    pub(crate) fn new(input: R, name: String, range: DefaultRange) -> Self {
        Self { lines: Lines::new(input, name), range }
    }
}

impl<R: BufRead> RayReader for NdjsonRays<R> {
    fn read(&mut self, rays: &mut Vec<Ray>, most: usize) -> anyhow::Result<()> {
        for _ in 0..most {
            let Some(line) = self.lines.next()? else { break };
            let ray = parse(line, self.range);
            rays.push(ray.with_context(|| self.lines.place())?);
        }
        Ok(())
    }
}

fn parse(line: &[u8], range: DefaultRange) -> anyhow::Result<Ray> {
    let text = str::from_utf8(line).context("found bytes that are not UTF-8")?;
    let text = with_quoted_infinities(text);
    let object: RayObject<'_> = serde_json::from_str(&text).map_err(|error| {
        // serde_json counts lines within the text it is given, which is always one.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        anyhow!("{message} at column {}, expected {EXPECTED}", error.column())
    })?;
    let origin = vector(object.origin, "origin")?;
    let direction = vector(object.direction, "direction")?;
    let t_min = bound(object.t_min, range.t_min).context("t_min")?;
    let t_max = bound(object.t_max, range.t_max).context("t_max")?;
    Ok(Ray::new(origin, direction).with_range(t_min, t_max))
}

const EXPECTED: &str = r#"{"origin":[x,y,z],"direction":[x,y,z]} and perhaps "t_min" and "t_max""#;

/// Numbers stay text here, so that each is rounded once, to f32.
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

fn vector(values: Vec<&RawValue>, what: &'static str) -> anyhow::Result<[f32; 3]> {
    let [x, y, z] = values.as_slice() else {
        bail!("found {} numbers in {what}, expected 3", values.len());
    };
    let numbers = [number(x), number(y), number(z)];
    match numbers {
        [Ok(x), Ok(y), Ok(z)] => Ok([x, y, z]),
        [x, y, z] => Err(x.and(y).and(z).expect_err("one of them is an error").context(what)),
    }
}

fn bound(value: Option<&RawValue>, default: f32) -> anyhow::Result<f32> {
    value.map_or(Ok(default), number)
}

/// A JSON number, or a string that names what JSON has no number for.
fn number(value: &RawValue) -> anyhow::Result<f32> {
    let text = value.get();
    let unquoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    unquoted.parse().map_err(|_| {
        let found: String = text.chars().take(40).collect();
        anyhow!("found {found}, expected a number")
    })
}

/// Puts quotes around the bare `Infinity` and `NaN` that some programs, Python's json module among
/// them, write although JSON has no such words.
fn with_quoted_infinities(text: &str) -> Cow<'_, str> {
    if !text.contains("Infinity") && !text.contains("NaN") {
        return Cow::Borrowed(text);
    }
    let mut quoted = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = ["-Infinity", "Infinity", "NaN"].into_iter().find(|word| rest.starts_with(word));
        let n = if let Some(word) = word {
            quoted.push('"');
            quoted.push_str(word);
            quoted.push('"');
            word.len()
        } else {
            let n = if first == '"' { string_length(rest) } else { first.len_utf8() };
            quoted.push_str(&rest[..n]);
            n
        };
        rest = &rest[n..];
    }
    Cow::Owned(quoted)
}

/// The length of the JSON string at the start of `text`, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return at + 1,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: DefaultRange = DefaultRange { t_min: 0.0, t_max: f32::INFINITY };

    fn read(text: &str) -> anyhow::Result<Vec<Ray>> {
        let mut rays = Vec::new();
        NdjsonRays::new(text.as_bytes(), "rays.ndjson".into(), RANGE).read(&mut rays, 100)?;
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
    fn a_bad_line_is_named_by_its_number() {
        let good = r#"{"origin":[1,2,3],"direction":[0,0,1]}"#;
        let bad = [
            (r#"{"origin":[1,2],"direction":[0,0,1]}"#, "found 2 numbers in origin, expected 3"),
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

    #[test]
    fn words_inside_strings_are_left_alone() {
        let text = r#"{"a\"NaN":"Infinity","b":[NaN,-Infinity]}"#;
        let quoted = r#"{"a\"NaN":"Infinity","b":["NaN","-Infinity"]}"#;
        assert_eq!(with_quoted_infinities(text), quoted);
    }
}
