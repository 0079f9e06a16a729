//! Rays as a NumPy array of shape (n, 6) or (n, 8).

use hitscan::Ray;
use hitscan::scene::WorldRay;

use super::range::{DefaultRange, TableRay, ray_of};
use super::reader::RayReader;
use crate::table::{Arrivals, NpyTable};

/// A stream of rays in NPY.
pub(super) struct NpyRays<R> {
    table: NpyTable<R>,
    range: DefaultRange,
}

impl<R: Arrivals> NpyRays<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// A damaged header, an array that is not rays, or missing data.
    pub(super) fn new(input: R, name: String, range: DefaultRange) -> anyhow::Result<Self> {
        Ok(Self { table: NpyTable::new(input, name, &[6, 8])?, range })
    }
}

impl<R: Arrivals> NpyRays<R> {
    fn rays<T: TableRay>(&mut self, rays: &mut Vec<T>, max_rays: usize) -> anyhow::Result<()> {
        let numbers: Vec<T::Number> = self.table.read(max_rays)?;
        let rows = numbers.chunks_exact(self.table.width());
        rays.extend(rows.map(|numbers| ray_of(numbers, self.range)));
        Ok(())
    }
}

impl<R: Arrivals> RayReader for NpyRays<R> {
    fn read(&mut self, rays: &mut Vec<Ray>, max_rays: usize) -> anyhow::Result<()> {
        self.rays(rays, max_rays)
    }

    fn read_world(&mut self, rays: &mut Vec<WorldRay>, max_rays: usize) -> anyhow::Result<()> {
        self.rays(rays, max_rays)
    }

    fn total(&self) -> Option<u64> {
        Some(self.table.n_rows())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::MAGIC;

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

    fn read(file: &[u8]) -> anyhow::Result<Vec<Ray>> {
        let mut rays = Vec::new();
        let range = DefaultRange { t_min: 0.0.into(), t_max: 1.0.into() };
        let mut reader = NpyRays::new(file, "rays.npy".into(), range)?;
        while {
            let before = rays.len();
            reader.read(&mut rays, 2)?;
            rays.len() > before
        } {}
        Ok(rays)
    }

    const NUMBERS: [f64; 24] = [
        1.0,
        2.0,
        3.0,
        0.0,
        0.0,
        -1.0,
        -1.0,
        2.0, // the first ray with bounds
        4.0,
        5.0,
        6.0,
        1.0,
        0.1,
        0.0,
        0.0,
        f64::INFINITY, //
        7.0,
        8.0,
        9.0,
        0.0,
        1e300,
        0.0,
        f64::NEG_INFINITY,
        3.0,
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
                assert_eq!(read(&npy(descr, word, "(3, 8)", &data)).unwrap(), with_bounds);
                let data = laid_out(6, fortran, encode);
                let rays = read(&npy(descr, word, "(3, 6)", &data)).unwrap();
                assert_eq!(rays, with_bounds.map(|ray| ray.with_range(0.0, 1.0)), "{descr} {word}");
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
            let error = format!("{:#}", read(&file).unwrap_err());
            assert!(error.starts_with("rays.npy: ") && error.contains(expected), "{error}");
        }
        for order in ["False", "True"] {
            for (shape, expected) in [
                ("(1, 6)", "found data after row 0; expected the end"),
                ("(0, 6)", "found data after a header of no rows; expected the end"),
            ] {
                let longer = npy("<f4", order, shape, &[0; 48]);
                assert!(format!("{:#}", read(&longer).unwrap_err()).contains(expected), "{shape}");
            }
        }
    }

    #[test]
    fn a_scene_gets_every_bit_of_a_double() {
        let numbers = [1e7 + 0.37, 0.1, 1e-40, 0.0, 0.0, -1.0];
        let data: Vec<u8> = numbers.iter().flat_map(|x: &f64| x.to_le_bytes()).collect();
        let file = npy("<f8", "False", "(1, 6)", &data);
        let range = DefaultRange { t_min: 0.0.into(), t_max: 1.0.into() };
        let mut rays = Vec::new();
        let mut reader = NpyRays::new(&file[..], "rays.npy".into(), range).unwrap();
        reader.read_world(&mut rays, 2).unwrap();
        let [origin @ .., dx, dy, dz] = numbers;
        assert_eq!(rays, [WorldRay::new(origin, [dx, dy, dz]).with_range(0.0, 1.0)]);
    }

    #[test]
    fn no_rows_give_no_rays() {
        assert_eq!(read(&npy("<f8", "False", "(0, 6)", &[])).unwrap(), []);
    }
}
