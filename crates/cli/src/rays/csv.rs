//! Rays as comma-separated values under a header.

use std::io::{self, Read};

use anyhow::{Context, anyhow, bail};
use csv::{ByteRecord, Reader, ReaderBuilder, Trim};
use hitscan::Ray;

use super::{DefaultRange, LONGEST_LINE, RayReader, ray_of};

/// The columns, of which the last two may be absent.
const COLUMNS: [&str; 8] = ["ox", "oy", "oz", "dx", "dy", "dz", "t_min", "t_max"];

/// A stream of rays in CSV.
pub(crate) struct CsvRays<R> {
    reader: Reader<ShortLines<R>>,
    record: ByteRecord,
    n_columns: usize,
    name: String,
    range: DefaultRange,
}

impl<R: Read> CsvRays<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// A header of other columns.
    pub(crate) fn new(input: R, name: String, range: DefaultRange) -> anyhow::Result<Self> {
        let mut reader = ReaderBuilder::new()
            .flexible(true)
            .trim(Trim::All)
            .from_reader(ShortLines { input, length: 0 });
        let header = reader.byte_headers().map_err(|error| located(&name, error))?;
        let found: Vec<&[u8]> = header.iter().collect();
        let expected = COLUMNS.map(str::as_bytes);
        if found != expected[..6] && found != expected {
            let found = String::from_utf8_lossy(&found.join(&b","[..])).into_owned();
            let found = found.chars().take(80).collect::<String>();
            bail!(
                "{name}:1: found {found:?}, expected the header {} or {}",
                COLUMNS[..6].join(","),
                COLUMNS.join(",")
            );
        }
        let n_columns = found.len();
        Ok(Self { reader, record: ByteRecord::new(), n_columns, name, range })
    }

    fn parse(&self) -> anyhow::Result<Ray> {
        let line = self.record.position().map_or(0, csv::Position::line);
        let name = &self.name;
        let n_found = self.record.len();
        if n_found != self.n_columns {
            bail!("{name}:{line}: found {n_found} values, expected {}", self.n_columns);
        }
        let mut numbers = [0.0; 8];
        numbers[6] = self.range.t_min;
        numbers[7] = self.range.t_max;
        for (column, field) in self.record.iter().enumerate() {
            if field.is_empty() && column >= 6 {
                continue; // A bound left out.
            }
            let number = str::from_utf8(field).ok().and_then(|text| text.parse().ok());
            numbers[column] = number.with_context(|| {
                let field = String::from_utf8_lossy(field).chars().take(40).collect::<String>();
                format!(
                    "{name}:{line}: found {field:?} in column {}, expected a number",
                    COLUMNS[column]
                )
            })?;
        }
        Ok(ray_of(&numbers, self.range))
    }
}

impl<R: Read> RayReader for CsvRays<R> {
    fn read(&mut self, rays: &mut Vec<Ray>, most: usize) -> anyhow::Result<()> {
        for _ in 0..most {
            let found = self.reader.read_byte_record(&mut self.record);
            if !found.map_err(|error| located(&self.name, error))? {
                break;
            }
            rays.push(self.parse()?);
        }
        Ok(())
    }
}

fn located(name: &str, error: csv::Error) -> anyhow::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => anyhow!(error).context(format!("cannot read {name}")),
        kind => anyhow!("{name}: {kind:?}"),
    }
}

/// A reader that fails at a line that is too long.
struct ShortLines<R> {
    input: R,
    length: usize,
}

impl<R: Read> Read for ShortLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(buffer)?;
        for line in buffer[..n].split_inclusive(|&byte| byte == b'\n' || byte == b'\r') {
            self.length += line.len();
            if self.length > LONGEST_LINE {
                let message = format!("a line is longer than {LONGEST_LINE} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            if line.ends_with(b"\n") || line.ends_with(b"\r") {
                self.length = 0;
            }
        }
        Ok(n)
    }
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
        let error = read(&format!("{header}1,2,x,0,0,1\n")).unwrap_err().to_string();
        assert_eq!(error, "rays.csv:3: found \"x\" in column oz, expected a number");
        let error = read(&format!("{header}\n1,5,2,3,0,0,1\n")).unwrap_err().to_string();
        assert_eq!(error, "rays.csv:4: found 7 values, expected 6");
        let error = read("x,y,z\n").unwrap_err().to_string();
        assert!(error.starts_with("rays.csv:1: found \"x,y,z\", expected the header ox,oy"));
        assert!(read("").is_err());
    }

    #[test]
    fn a_file_without_line_ends_does_not_fill_the_memory() {
        let mut endless =
            CsvRays::new(b"ox,oy,oz,dx,dy,dz\n".chain(io::repeat(b'1')), "rays.csv".into(), RANGE)
                .unwrap();
        let error = endless.read(&mut Vec::new(), 1).unwrap_err();
        assert!(format!("{error:#}").contains("longer than"));
    }
}
