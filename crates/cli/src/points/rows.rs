//! Points from files and standard input.

use std::io::Read;

use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::table::json::{self, number, vector};
use crate::table::{
    MAX_COLUMNS, Number, Row, RowReader, Schema, Table, TableFormat, TableInput, TableSource,
};

/// A stream of points.
pub type PointReader = dyn RowReader<[f32; 3], [f64; 3]>;

/// Opens a stream of points. Without `format`, the extension gives the format, or else the first bytes.
///
/// # Errors
/// A file that cannot be read or does not start in its format.
pub(crate) fn open(
    source: &TableSource,
    format: Option<TableFormat>,
) -> anyhow::Result<Box<PointReader>> {
    Ok(Box::new(Table::new(source.open(format, SCHEMA.contents)?, &SCHEMA, vec![])?))
}

/// A stream of points from bytes. Errors call the input `name`. Without `format`, the first bytes give it.
///
/// # Errors
/// Input that cannot be read or does not start in its format.
pub fn from_reader(
    input: impl Read + 'static,
    name: String,
    format: Option<TableFormat>,
) -> anyhow::Result<Box<PointReader>> {
    let input = TableInput::new(input, name, format, SCHEMA.contents)?;
    Ok(Box::new(Table::new(input, &SCHEMA, vec![])?))
}

const SCHEMA: Schema = Schema {
    contents: "points",
    names: &["x", "y", "z"],
    n_required: 3,
    expected: "expected the header x,y,z, or 3 numbers per row",
};

impl<N: Number> Row for [N; 3] {
    type Number = N;

    const SCHEMA: &'static Schema = &SCHEMA;

    fn read_json(text: &str, numbers: &mut [N; MAX_COLUMNS]) -> anyhow::Result<()> {
        numbers[..3].copy_from_slice(&parse::<N>(text)?);
        Ok(())
    }

    fn from_numbers([x, y, z, ..]: [N; MAX_COLUMNS]) -> Self {
        [x, y, z]
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

fn parse<N: Number>(text: &str) -> anyhow::Result<[N; 3]> {
    if text.starts_with('[') {
        let values: Vec<&RawValue> = json::parse(text, EXPECTED)?;
        return vector(values, "the array");
    }
    let object: PointObject<'_> = json::parse(text, EXPECTED)?;
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
    use std::io::Cursor;

    use super::*;

    /// All points, two at a time.
    fn read_as(
        text: &str,
        name: &str,
        format: Option<TableFormat>,
    ) -> anyhow::Result<Vec<[f32; 3]>> {
        let input = Cursor::new(text.as_bytes().to_vec());
        let (mut points, mut reader) = (Vec::new(), from_reader(input, name.into(), format)?);
        while {
            let before = points.len();
            reader.read(&mut points, 2)?;
            points.len() > before
        } {}
        Ok(points)
    }

    fn read(text: &str) -> anyhow::Result<Vec<[f32; 3]>> {
        read_as(text, "p.csv", Some(TableFormat::Csv))
    }

    fn read_ndjson(text: &str) -> anyhow::Result<Vec<[f32; 3]>> {
        read_as(text, "p.ndjson", Some(TableFormat::Ndjson))
    }

    #[test]
    fn tables_of_numpy_and_pandas_are_points() {
        let expected = [[1.0, 2.0, 3.0], [-4.0, 0.5, 6e-3]];
        for text in [
            "x,y,z\n1,2,3\n-4,0.5,6e-3\n",
            "1,2,3\n-4,0.5,6e-3\n",
            "1 2 3\n\n-4  0.5\t6e-3\r\n",
            "# x,y,z\n1,2,3\n-4,0.5,6e-3\n",
            "# made by hand\n# x y z\n# the end of the head\n1 2 3\n# between\n-4 0.5 6e-3",
            "# x,y,z\n1.0e+00 2.0e+00 3.0e+00\n-4 0.5 0.006\n",
            "\u{feff}\"X\";\"Y\";\"Z\"\n1;2;3\n\"-4\";0.5;6e-3\n",
            ",x,y,z,label\n0,1.0,2.0,3.0,\"a, \"\"b\"\", c\"\n1,-4.0,0.5,0.006,\n",
            "z,time,y,x\n3,7,2,1\n0.006,,.5,-4\n",
        ] {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
        assert_eq!(read("x,y,z\n").unwrap(), [[0.0; 3]; 0]);
        assert_eq!(read("# x,y,z\n").unwrap(), [[0.0; 3]; 0]);
        let odd = read("nan,inf,-inf\n").unwrap()[0];
        assert!(odd[0].is_nan() && odd[1..] == [f32::INFINITY, f32::NEG_INFINITY]);
    }

    #[test]
    fn an_error_names_the_line_of_a_bad_row() {
        for (text, expected) in [
            ("x,y,z\n1,2,3\n\n1,b,3\n", "p.csv:4: found \"b\" in column y; expected a number"),
            ("x,y,z\n1,2\n", "p.csv:2: found 2 values; expected 3"),
            ("1 2 3\n1 2 3 4\n", "p.csv:2: found 4 values; expected 3"),
            ("0,1,2,3\n", "p.csv:1: found 4 numbers and no header; expected the header x,y,z"),
            ("x,y\n1,2\n", "p.csv:1: there is no column z; found \"x,y\"; expected the header"),
            ("x,y,z,x\n", "p.csv:1: found column \"x\" twice"),
            ("a,b,c\n1,2,3\n", "p.csv:1: there is no column x; found \"a,b,c\""),
            ("1,2,c\n", "p.csv:1: there is no column x; found \"1,2,c\""),
            ("x;y;z\n1,5;2,5;3\n", "p.csv:2: found \"1,5\" in column x"),
            ("x,y,z\n1,,3\n", "p.csv:2: found \"\" in column y"),
            ("# only words\n", "p.csv:2: there is no column x"),
        ] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }

    #[test]
    fn three_spellings_are_one_point() {
        let text =
            "{\"point\":[1,-2.5,3e0]}\n\n{\"id\":7,\"z\":3,\"y\":-2.5,\"x\":1}\n[1,-2.5,3]\n";
        assert_eq!(read_ndjson(text).unwrap(), [[1.0, -2.5, 3.0]; 3]);
        let odd = read_ndjson("[NaN,Infinity,\"-inf\"]").unwrap()[0];
        assert!(odd[0].is_nan() && odd[1..] == [f32::INFINITY, f32::NEG_INFINITY]);
        // Almost halfway between two f32: rounding through f64 would round down.
        assert_eq!(read_ndjson("[1.00000005960464477540,0,0]").unwrap()[0][0], 1.000_000_1);
    }

    #[test]
    fn an_error_names_the_line_of_an_object() {
        for (line, expected) in [
            ("{\"point\":[1,2]}", "p.ndjson:2: found 2 numbers in point; expected 3"),
            ("{\"x\":1,\"y\":2}", "p.ndjson:2: found no point; expected {\"point\""),
            ("{\"x\":1,\"y\":2,\"z\":null}", "p.ndjson:2: found no point"),
            ("{\"point\":[1,2,3],\"x\":1}", "p.ndjson:2: found both point and x"),
            ("{\"x\":1,\"y\":\"b\",\"z\":0}", "p.ndjson:2: y: found \"b\"; expected a number"),
            ("[1,2,3", "p.ndjson:2: EOF while parsing a list at column 6; expected"),
            ("7", "p.ndjson:2: invalid type: integer `7`"),
        ] {
            let error = format!("{:#}", read_ndjson(&format!("[1,2,3]\n{line}\n")).unwrap_err());
            assert!(error.starts_with(expected), "{line}: {error}");
        }
    }
}
