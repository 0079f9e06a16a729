//! Any bytes as a file of rays, in any format: reading one ray at a time or many gives the same rays.

#![no_main]

use std::io::Cursor;

use hitscan::Ray;
use hitscan_cli::rays::{DefaultRange, from_reader};
use hitscan_cli::table::TableFormat;
use hitscan_fuzz::bounded;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| bounded(data.len(), || check(data)));

/// The first byte chooses the format.
fn check(data: &[u8]) {
    let Some((&format, data)) = data.split_first() else { return };
    let format = match format % 4 {
        0 => Some(TableFormat::Csv),
        1 => Some(TableFormat::Ndjson),
        2 => Some(TableFormat::Npy),
        _ => None,
    };
    let at_once = read(data, format, 1 << 16);
    let one_by_one = read(data, format, 1);
    match (&at_once, &one_by_one) {
        (Ok(a), Ok(b)) => assert_eq!(bits(a), bits(b)),
        // The row in the error of a truncated array depends on the number read at a time.
        (Err(a), Err(b))
            if format == Some(TableFormat::Csv) || format == Some(TableFormat::Ndjson) =>
        {
            assert_eq!(format!("{a:#}"), format!("{b:#}"));
        }
        (Err(a), Err(_)) => assert!(format!("{a:#}").contains("rays.bin")),
        _ => panic!("{at_once:?} at once, {one_by_one:?} one by one"),
    }
}

fn read(data: &[u8], format: Option<TableFormat>, most: usize) -> anyhow::Result<Vec<Ray>> {
    let range = DefaultRange::from_zero();
    let mut reader = from_reader(Cursor::new(data.to_vec()), "rays.bin".into(), format, range)?;
    let mut rays = Vec::new();
    loop {
        let before = rays.len();
        reader.read(&mut rays, most)?;
        assert!(rays.len() - before <= most);
        if rays.len() == before {
            break;
        }
    }
    if let Some(total) = reader.total() {
        assert_eq!(total, rays.len() as u64);
    }
    Ok(rays)
}

fn bits(rays: &[Ray]) -> Vec<[u32; 8]> {
    let numbers = |ray: &Ray| {
        let ([ox, oy, oz], [dx, dy, dz]) = (ray.origin.to_array(), ray.direction.to_array());
        [ox, oy, oz, dx, dy, dz, ray.t_min, ray.t_max].map(f32::to_bits)
    };
    rays.iter().map(numbers).collect()
}
