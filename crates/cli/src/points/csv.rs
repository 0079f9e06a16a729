//! Points as comma-separated values: rows of three numbers.

use super::reader::PointReader;
use crate::table::{Arrivals, CsvTable, Number, Schema};

/// A stream of points in CSV.
pub(super) struct CsvPoints<R>(CsvTable<R>);

const SCHEMA: Schema = Schema {
    names: &["x", "y", "z"],
    n_required: 3,
    expected: "expected the header x,y,z, or 3 numbers per row",
};

impl<R: Arrivals> CsvPoints<R> {
    /// Reads up to the header, or up to the first row of a file without one.
    ///
    /// # Errors
    /// A header that does not name the columns, and a first row without three numbers.
    pub(super) fn new(input: R, name: String) -> anyhow::Result<Self> {
        Ok(Self(CsvTable::new(input, name, &SCHEMA)?))
    }
}

impl<R: Arrivals> CsvPoints<R> {
    fn points<N: Number + Default>(
        &mut self,
        points: &mut Vec<[N; 3]>,
        max_points: usize,
    ) -> anyhow::Result<()> {
        for n in 0..max_points {
            if n > 0 && !self.0.has_arrived(n) {
                break;
            }
            let mut point = [N::default(); 3];
            if !self.0.read_row(&mut point)? {
                break;
            }
            points.push(point);
        }
        Ok(())
    }
}

impl<R: Arrivals> PointReader for CsvPoints<R> {
    fn read(&mut self, points: &mut Vec<[f32; 3]>, max_points: usize) -> anyhow::Result<()> {
        self.points(points, max_points)
    }

    fn read_f64(&mut self, points: &mut Vec<[f64; 3]>, max_points: usize) -> anyhow::Result<()> {
        self.points(points, max_points)
    }

    fn remarks(&self) -> Vec<String> {
        self.0.remarks()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Vec<[f32; 3]>> {
        let mut points = Vec::new();
        let mut reader = CsvPoints::new(text.as_bytes(), "p.csv".into())?;
        while {
            let before = points.len();
            reader.read(&mut points, 2)?;
            points.len() > before
        } {}
        Ok(points)
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
}
