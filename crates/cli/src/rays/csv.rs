//! Rays as comma-separated values: rows of six or eight numbers.

use hitscan::Ray;
use hitscan::scene::WorldRay;

use super::range::{DefaultRange, TableRay, ray_of};
use super::reader::RayReader;
use crate::table::{Arrivals, CsvTable, Number, Schema};

/// A stream of rays in CSV.
pub(super) struct CsvRays<R> {
    table: CsvTable<R>,
    range: DefaultRange,
}

const SCHEMA: Schema = Schema {
    names: &["ox", "oy", "oz", "dx", "dy", "dz", "t_min", "t_max"],
    n_required: 6,
    expected: "expected the header ox,oy,oz,dx,dy,dz or ox,oy,oz,dx,dy,dz,t_min,t_max, \
               or 6 or 8 numbers per row",
};

impl<R: Arrivals> CsvRays<R> {
    /// Reads up to the header, or up to the first row of a file without one.
    ///
    /// # Errors
    /// A header that does not name the columns, and a first row without six or eight numbers.
    pub(super) fn new(input: R, name: String, range: DefaultRange) -> anyhow::Result<Self> {
        Ok(Self { table: CsvTable::new(input, name, &SCHEMA)?, range })
    }
}

impl<R: Arrivals> CsvRays<R> {
    fn rays<T: TableRay>(&mut self, rays: &mut Vec<T>, max_rays: usize) -> anyhow::Result<()> {
        for n in 0..max_rays {
            if n > 0 && !self.table.has_arrived(n) {
                break;
            }
            let [t_min, t_max] = self.range.bounds();
            let zero = T::Number::from_f32(0.0);
            let mut numbers = [zero, zero, zero, zero, zero, zero, t_min, t_max];
            if !self.table.read_row(&mut numbers)? {
                break;
            }
            rays.push(ray_of(&numbers, self.range));
        }
        Ok(())
    }
}

impl<R: Arrivals> RayReader for CsvRays<R> {
    fn read(&mut self, rays: &mut Vec<Ray>, max_rays: usize) -> anyhow::Result<()> {
        self.rays(rays, max_rays)
    }

    fn read_world(&mut self, rays: &mut Vec<WorldRay>, max_rays: usize) -> anyhow::Result<()> {
        self.rays(rays, max_rays)
    }

    fn remarks(&self) -> Vec<String> {
        self.table.remarks()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Vec<Ray>> {
        let mut rays = Vec::new();
        let mut reader =
            CsvRays::new(text.as_bytes(), "rays.csv".into(), DefaultRange::from_zero())?;
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
        let remarks = |text: &'static str| {
            CsvRays::new(text.as_bytes(), "rays.csv".into(), DefaultRange::from_zero())
                .unwrap()
                .remarks()
        };
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
}
