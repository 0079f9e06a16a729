//! Rays from files and standard input.

use std::io::Read;

use anyhow::Context;
use hitscan::Ray;
use hitscan::scene::WorldRay;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::table::json::{self, number, vector};
use crate::table::{
    Decimal, MAX_COLUMNS, Number, Row, RowReader, Schema, Table, TableFormat, TableInput,
    TableSource,
};

/// A stream of rays.
pub type RayReader = dyn RowReader<Ray, WorldRay>;

/// The interval of rays without bounds in their file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DefaultRange {
    /// The minimum `t` of a hit.
    pub t_min: Decimal,
    /// The maximum `t` of a hit.
    pub t_max: Decimal,
}

impl DefaultRange {
    /// The interval from 0 on.
    pub fn from_zero() -> Self {
        Self { t_min: 0.0.into(), t_max: f32::INFINITY.into() }
    }
}

/// Opens a stream of rays. Without `format`, the extension gives the format, or else the first bytes.
///
/// # Errors
/// A file that cannot be read or does not start in its format.
pub(crate) fn open(
    source: &TableSource,
    format: Option<TableFormat>,
    range: DefaultRange,
) -> anyhow::Result<Box<RayReader>> {
    reader_of(source.open(format, SCHEMA.contents)?, range)
}

/// A stream of rays from bytes. Errors call the input `name`. Without `format`, the first bytes give it.
///
/// # Errors
/// Input that cannot be read or does not start in its format.
pub fn from_reader(
    input: impl Read + 'static,
    name: String,
    format: Option<TableFormat>,
    range: DefaultRange,
) -> anyhow::Result<Box<RayReader>> {
    reader_of(TableInput::new(input, name, format, SCHEMA.contents)?, range)
}

fn reader_of(input: TableInput, range: DefaultRange) -> anyhow::Result<Box<RayReader>> {
    Ok(Box::new(Table::new(input, &SCHEMA, vec![range.t_min, range.t_max])?))
}

const SCHEMA: Schema = Schema {
    contents: "rays",
    names: &["ox", "oy", "oz", "dx", "dy", "dz", "t_min", "t_max"],
    n_required: 6,
    expected: "expected the header ox,oy,oz,dx,dy,dz or ox,oy,oz,dx,dy,dz,t_min,t_max, \
               or 6 or 8 numbers per row",
};

impl Row for Ray {
    type Number = f32;

    const SCHEMA: &'static Schema = &SCHEMA;

    fn read_json(text: &str, numbers: &mut [f32; MAX_COLUMNS]) -> anyhow::Result<()> {
        read_json(text, numbers)
    }

    fn from_numbers([ox, oy, oz, dx, dy, dz, t_min, t_max]: [f32; MAX_COLUMNS]) -> Self {
        Self::new([ox, oy, oz], [dx, dy, dz]).with_range(t_min, t_max)
    }
}

impl Row for WorldRay {
    type Number = f64;

    const SCHEMA: &'static Schema = &SCHEMA;

    fn read_json(text: &str, numbers: &mut [f64; MAX_COLUMNS]) -> anyhow::Result<()> {
        read_json(text, numbers)
    }

    fn from_numbers([ox, oy, oz, dx, dy, dz, t_min, t_max]: [f64; MAX_COLUMNS]) -> Self {
        Self::new([ox, oy, oz], [dx, dy, dz]).with_range(t_min, t_max)
    }
}

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

fn read_json<N: Number>(text: &str, numbers: &mut [N; MAX_COLUMNS]) -> anyhow::Result<()> {
    const EXPECTED: &str =
        r#"{"origin":[x,y,z],"direction":[x,y,z]} and optionally "t_min" and "t_max""#;
    let RayObject { origin, direction, t_min, t_max } = json::parse(text, EXPECTED)?;
    numbers[..3].copy_from_slice(&vector(origin, "origin")?);
    numbers[3..6].copy_from_slice(&vector(direction, "direction")?);
    for (bound, found, name) in [(6, t_min, "t_min"), (7, t_max, "t_max")] {
        if let Some(found) = found {
            numbers[bound] = number(found).context(name)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::table::MAGIC;

    fn open(bytes: &[u8], format: TableFormat) -> anyhow::Result<Box<RayReader>> {
        let name = format!("rays.{format:?}").to_lowercase();
        let input = Cursor::new(bytes.to_vec());
        from_reader(input, name, Some(format), DefaultRange::from_zero())
    }

    /// All rays, two at a time.
    fn read_as(bytes: &[u8], format: TableFormat) -> anyhow::Result<Vec<Ray>> {
        let mut rays = Vec::new();
        let mut reader = open(bytes, format)?;
        while {
            let before = rays.len();
            reader.read(&mut rays, 2)?;
            rays.len() > before
        } {}
        Ok(rays)
    }

    fn read(text: &str) -> anyhow::Result<Vec<Ray>> {
        read_as(text.as_bytes(), TableFormat::Csv)
    }

    fn read_ndjson(text: &str) -> anyhow::Result<Vec<Ray>> {
        read_as(text.as_bytes(), TableFormat::Ndjson)
    }

    fn read_npy(bytes: &[u8]) -> anyhow::Result<Vec<Ray>> {
        read_as(bytes, TableFormat::Npy)
    }

    #[test]
    fn six_or_eight_columns_make_rays() {
        let rays = read("ox,oy,oz,dx,dy,dz\n1,2,3,0,0,-1\r\n\n 4,5,6, 1e-3,0,0\n7,8,9,1,1,1\n");
        assert_eq!(
            rays.unwrap(),
            [
                Ray::new([1.0, 2.0, 3.0], [0.0, 0.0, -1.0]),
                Ray::new([4.0, 5.0, 6.0], [1e-3, 0.0, 0.0]),
                Ray::new([7.0, 8.0, 9.0], [1.0; 3]),
            ]
        );
        let rays = read("\u{feff}ox,oy,oz,dx,dy,dz,t_min,t_max\n1,2,3,0,0,-1,-inf,\n").unwrap();
        assert_eq!(rays, [Ray::line([1.0, 2.0, 3.0], [0.0, 0.0, -1.0])]);
    }

    #[test]
    fn files_of_numpy_and_pandas_are_rays() {
        let expected = [
            Ray::new([1.0, 2.0, 3.0], [0.0, 0.0, -1.0]),
            Ray::new([4.0, 5.0, 6.0], [0.5, 0.0, 0.0]),
        ];
        let rows = "1.0e+00 2.0e+00 3.0e+00 0.0e+00 0.0e+00 -1.0e+00\n4 5 6 .5 0 0\n";
        let (spaces, commas) = (rows.to_owned(), rows.replace(' ', ","));
        for text in [
            // numpy.savetxt: without a header, with one, and with other comments.
            spaces.clone(),
            commas.clone(),
            format!("# ox,oy,oz,dx,dy,dz\n{spaces}"),
            format!("# ox oy oz dx dy dz\n{commas}# the end\n"),
            format!("# made today\n# ox, oy and oz are the origin\n{spaces}"),
            spaces.replace(' ', "\t  "),
            // pandas: an index without a name, further columns, another order.
            ",ox,oy,oz,dx,dy,dz\n0,1,2,3,0,0,-1\n1,4,5,6,.5,0,0\n".to_owned(),
            "dz,dy,dx,oz,oy,ox,name\n-1,0,0,3,2,1,left\n0,0,.5,6,5,4,right\n".to_owned(),
        ] {
            assert_eq!(read(&text).unwrap(), expected, "{text}");
        }
        let bounds = "t_max,ox,oy,oz,dx,dy,dz\n2,1,2,3,0,0,-1\n,1,2,3,0,0,-1\n";
        assert_eq!(read(bounds).unwrap(), [expected[0].with_range(0.0, 2.0), expected[0]]);
    }

    #[test]
    fn doubtful_columns_are_errors() {
        for (text, expected) in [
            ("1 2 3 4 5 6 7\n", "rays.csv:1: found 7 numbers and no header; expected the header"),
            ("0,1,2,3,4,5,6,7,8\n", "found 9 numbers and no header"),
            ("ox,oy,oz,dx,dy,dz,tmax\n", "found column \"tmax\"; expected t_max"),
            ("ox,oy,oz,dx,dy,dz,ox\n", "found column \"ox\" twice"),
            ("# made today\n# ox,oy,oz,dx,dy\n1,2,3,4,5,6\n", "rays.csv:2: there is no column dz"),
            ("1 2 3 0 0 -1\n1,2,3,0,0,-1\n", "rays.csv:2: found 1 values; expected 6"),
            ("\n1 2 3 0 0\n", "rays.csv:2: found 5 numbers and no header"),
        ] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_remark_names_the_ignored_columns() {
        let remarks =
            |text: &'static str| open(text.as_bytes(), TableFormat::Csv).unwrap().remarks();
        assert_eq!(remarks(",ox,oy,oz,dx,dy,dz\n"), [""; 0]);
        assert_eq!(
            remarks("id,ox,oy,oz,dx,dy,dz,name\n"),
            ["rays.csv: ignoring the columns \"id\", \"name\""]
        );
    }

    #[test]
    fn every_decimal_is_rounded_once() {
        // Almost halfway between two f32: rounding through f64 would round down.
        let rays = read("ox,oy,oz,dx,dy,dz\n1.00000005960464477540,0,0,1,0,0\n").unwrap();
        assert_eq!(rays[0].origin.x, 1.000_000_1);
    }

    #[test]
    fn an_error_names_the_line() {
        let header = "ox,oy,oz,dx,dy,dz\n1,2,3,0,0,1\n";
        let error = read(&format!("{header}1,2,x,0,0,1\n")).unwrap_err();
        let error = format!("{error:#}");
        assert_eq!(error, "rays.csv:3: found \"x\" in column oz; expected a number");
        let error = read(&format!("{header}\n1,5,2,3,0,0,1\n")).unwrap_err();
        let error = format!("{error:#}");
        assert_eq!(error, "rays.csv:4: found 7 values; expected 6");
        let error = read("x,y,z\n").unwrap_err().to_string();
        assert!(
            error.starts_with(
                "rays.csv:1: there is no column ox; found \"x,y,z\"; expected the header"
            ),
            "{error}"
        );
        assert!(read("").is_err());
        // The first row of a file without a header counts like any other.
        let error = read("1,2,3,0,0,1\n1,2,3,0,0,y\n").unwrap_err();
        assert_eq!(format!("{error:#}"), "rays.csv:2: found \"y\" in column dz; expected a number");
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
            assert_eq!(
                read_ndjson(&format!("\n{head}{tail}\r\n\n")).unwrap(),
                [expected],
                "{tail}"
            );
        }
    }

    #[test]
    fn every_decimal_of_an_object_is_rounded_once() {
        let text = r#"{"origin":[1.00000005960464477540,0,0],"direction":[1,0,0]}"#;
        assert_eq!(read_ndjson(text).unwrap()[0].origin.x, 1.000_000_1);
    }

    #[test]
    fn an_error_names_the_line_of_an_object() {
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
            let text = format!("{good}\n\n{line}\n");
            let error = format!("{:#}", read_ndjson(&text).unwrap_err());
            assert!(error.starts_with("rays.ndjson:3: "), "{error}");
            assert!(error.contains(expected), "{error}");
        }
    }

    fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        let mut file = MAGIC.to_vec();
        file.extend([1, 0]);
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.bytes());
        file.extend(data);
        file
    }

    /// Three rays with bounds.
    #[rustfmt::skip]
    const NUMBERS: [f64; 24] = [
        1.0, 2.0, 3.0, 0.0, 0.0, -1.0, -1.0, 2.0,
        4.0, 5.0, 6.0, 1.0, 0.1, 0.0, 0.0, f64::INFINITY,
        7.0, 8.0, 9.0, 0.0, 1e300, 0.0, f64::NEG_INFINITY, 3.0,
    ];

    /// The numbers as bytes, row by row or column by column.
    fn laid_out(columns: usize, fortran: bool, bytes: impl Fn(f64) -> Vec<u8>) -> Vec<u8> {
        let cells: Vec<(usize, usize)> = if fortran {
            (0..columns).flat_map(|c| (0..3).map(move |r| (r, c))).collect()
        } else {
            (0..3).flat_map(|r| (0..columns).map(move |c| (r, c))).collect()
        };
        cells.into_iter().flat_map(|(r, c)| bytes(NUMBERS[r * 8 + c])).collect()
    }

    #[test]
    fn every_dtype_order_and_width_gives_the_same_rays() {
        let with_bounds = [
            Ray::new([1.0, 2.0, 3.0], [0.0, 0.0, -1.0]).with_range(-1.0, 2.0),
            Ray::new([4.0, 5.0, 6.0], [1.0, 0.1, 0.0]),
            Ray::new([7.0, 8.0, 9.0], [0.0, f32::INFINITY, 0.0]).with_range(f32::NEG_INFINITY, 3.0),
        ];
        type Encode = fn(f64) -> Vec<u8>;
        let encodings: [(&str, Encode); 4] = [
            ("<f4", |x| (x as f32).to_le_bytes().to_vec()),
            (">f4", |x| (x as f32).to_be_bytes().to_vec()),
            ("<f8", |x| x.to_le_bytes().to_vec()),
            (">f8", |x| x.to_be_bytes().to_vec()),
        ];
        for (descr, encode) in encodings {
            for (fortran, word) in [(false, "False"), (true, "True")] {
                let data = laid_out(8, fortran, encode);
                assert_eq!(read_npy(&npy(descr, word, "(3, 8)", &data)).unwrap(), with_bounds);
                let data = laid_out(6, fortran, encode);
                let rays = read_npy(&npy(descr, word, "(3, 6)", &data)).unwrap();
                assert_eq!(
                    rays,
                    with_bounds.map(|ray| ray.with_range(0.0, f32::INFINITY)),
                    "{descr} {word}"
                );
            }
        }
    }

    #[test]
    fn an_array_that_is_not_rays_is_an_error() {
        let row = [0; 24];
        let cases: [(Vec<u8>, &str); 10] = [
            (npy("<i4", "False", "(1, 6)", &row), "found dtype \"<i4\"; expected float32"),
            (npy("<f4", "False", "(1, 7)", &row), "found shape (1, 7); expected (n, 6)"),
            (npy("<f4", "False", "(6,)", &row), "found shape (6,); expected (n, 6)"),
            (npy("<f4", "False", "(-1, 6)", &row), "found the NPY header"),
            (npy("<f4", "Maybe", "(1, 6)", &row), "found the NPY header"),
            (npy("<f4", "False", "(2, 6)", &row), "ends before row 2; expected 2 rows"),
            (npy("<f4", "True", "(2, 6)", &row), "found 24 bytes of data; expected 48"),
            (npy("<f4", "False", "(0, 6)", &row)[..20].to_vec(), "cannot read the NPY header"),
            (npy("<f4", "False", "(999999999999999999, 6)", &row), "at most 2^48"),
            (b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(), "a header of 4294967295 bytes"),
        ];
        for (file, expected) in cases {
            let error = format!("{:#}", read_npy(&file).unwrap_err());
            assert!(error.starts_with("rays.npy: ") && error.contains(expected), "{error}");
        }
        for order in ["False", "True"] {
            for (shape, expected) in [
                ("(1, 6)", "found data after row 0; expected the end"),
                ("(0, 6)", "found data after a header of no rows; expected the end"),
            ] {
                let longer = npy("<f4", order, shape, &[0; 48]);
                assert!(
                    format!("{:#}", read_npy(&longer).unwrap_err()).contains(expected),
                    "{shape}"
                );
            }
        }
    }

    #[test]
    fn a_scene_gets_every_bit_of_a_double() {
        let numbers = [1e7 + 0.37, 0.1, 1e-40, 0.0, 0.0, -1.0];
        let data: Vec<u8> = numbers.iter().flat_map(|x: &f64| x.to_le_bytes()).collect();
        let file = npy("<f8", "False", "(1, 6)", &data);
        let range = DefaultRange { t_min: 0.0.into(), t_max: 1.0.into() };
        let (input, mut rays) = (Cursor::new(file), Vec::new());
        let mut reader = from_reader(input, "rays.npy".into(), None, range).unwrap();
        reader.read_f64(&mut rays, 2).unwrap();
        let [origin @ .., dx, dy, dz] = numbers;
        assert_eq!(rays, [WorldRay::new(origin, [dx, dy, dz]).with_range(0.0, 1.0)]);
    }

    #[test]
    fn no_rows_give_no_rays() {
        assert_eq!(read_npy(&npy("<f8", "False", "(0, 6)", &[])).unwrap(), []);
    }
}
