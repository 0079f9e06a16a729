//! Rays as comma-separated values under a header.

use std::io::BufRead;

use anyhow::{Context, bail};
use hitscan::Ray;

use super::lines::Lines;
use super::{DefaultRange, RayReader, ray_of};

/// The columns, of which the last two may be absent.
const COLUMNS: [&str; 8] = ["ox", "oy", "oz", "dx", "dy", "dz", "t_min", "t_max"];

/// A stream of rays in CSV: numbers need no quotes, so a line is a row.
pub(crate) struct CsvRays<R> {
    lines: Lines<R>,
    n_columns: usize,
    range: DefaultRange,
}

impl<R: BufRead> CsvRays<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// A header of other columns.
    pub(crate) fn new(input: R, name: String, range: DefaultRange) -> anyhow::Result<Self> {
        let mut lines = Lines::new(input, name);
        let header = lines.next()?.unwrap_or_default().to_vec();
        let columns: Vec<&[u8]> = fields(&header).collect();
        let expected = COLUMNS.map(str::as_bytes);
        if columns != expected[..6] && columns != expected {
            bail!(
                "{}: found {}, expected the header {} or {}",
                lines.place(),
                shown(&header),
                COLUMNS[..6].join(","),
                COLUMNS.join(",")
            );
        }
        let n_columns = columns.len();
        Ok(Self { lines, n_columns, range })
    }
}

impl<R: BufRead> RayReader for CsvRays<R> {
    fn read(&mut self, rays: &mut Vec<Ray>, most: usize) -> anyhow::Result<()> {
        for _ in 0..most {
            let Some(line) = self.lines.next()? else { break };
            let ray = parse(line, self.n_columns, self.range);
            rays.push(ray.with_context(|| self.lines.place())?);
        }
        Ok(())
    }
}

fn parse(line: &[u8], n_columns: usize, range: DefaultRange) -> anyhow::Result<Ray> {
    let n_found = fields(line).count();
    if n_found != n_columns {
        bail!("found {n_found} values, expected {n_columns}");
    }
    let mut numbers = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, range.t_min, range.t_max];
    for (column, field) in fields(line).enumerate() {
        if field.is_empty() && column >= 6 {
            continue; // A bound left out.
        }
        let number = str::from_utf8(field).ok().and_then(|text| text.parse().ok());
        numbers[column] = number.with_context(|| {
            let column = COLUMNS[column];
            format!("found {} in column {column}, expected a number", shown(field))
        })?;
    }
    Ok(ray_of(&numbers, range))
}

/// The fields of a row, without white space around them; some programs put names into quotes.
fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| byte == b',').map(|field| {
        let field = field.trim_ascii();
        field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\"")).unwrap_or(field)
    })
}

/// The beginning of some input, in quotes.
fn shown(bytes: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(bytes).chars().take(80).collect();
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: DefaultRange = DefaultRange { t_min: 0.0, t_max: f32::INFINITY };

    fn read(text: &str) -> anyhow::Result<Vec<Ray>> {
        let mut rays = Vec::new();
        let mut reader = CsvRays::new(text.as_bytes(), "rays.csv".into(), RANGE)?;
        while {
            let before = rays.len();
            reader.read(&mut rays, 2)?;
            rays.len() > before
        } {}
        Ok(rays)
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
    fn every_decimal_is_rounded_once() {
        // Halfway between two f32 but for the last digit: through f64 it would round down.
        let rays = read("ox,oy,oz,dx,dy,dz\n1.00000005960464477540,0,0,1,0,0\n").unwrap();
        assert_eq!(rays[0].origin.x, 1.000_000_1);
    }

    #[test]
    fn a_bad_row_is_named_by_its_line() {
        let header = "ox,oy,oz,dx,dy,dz\n1,2,3,0,0,1\n";
        let error = read(&format!("{header}1,2,x,0,0,1\n")).unwrap_err();
        let error = format!("{error:#}");
        assert_eq!(error, "rays.csv:3: found \"x\" in column oz, expected a number");
        let error = read(&format!("{header}\n1,5,2,3,0,0,1\n")).unwrap_err();
        let error = format!("{error:#}");
        assert_eq!(error, "rays.csv:4: found 7 values, expected 6");
        let error = read("x,y,z\n").unwrap_err().to_string();
        assert!(error.starts_with("rays.csv:1: found \"x,y,z\", expected the header ox,oy"));
        assert!(read("").is_err());
    }
}
