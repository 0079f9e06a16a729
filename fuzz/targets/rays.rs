//! Any bytes as a file of rays, in any format: read one by one or many at a time they are the same.

#![no_main]

use std::io::Cursor;

use hitscan::Ray;
use hitscan_cli::rays::{DefaultRange, RayFormat, from_reader};
use hitscan_fuzz::bounded;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| bounded(data.len(), || check(data)));

/// The first byte chooses the format.
fn check(data: &[u8]) {
    let Some((&format, data)) = data.split_first() else { return };
    let format = match format % 4 {
        0 => Some(RayFormat::Csv),
        1 => Some(RayFormat::Ndjson),
        2 => Some(RayFormat::Npy),
        _ => None,
    };
    let at_once = read(data, format, 1 << 16);
    let one_by_one = read(data, format, 1);
    match (&at_once, &one_by_one) {
        (Ok(a), Ok(b)) => assert_eq!(bits(a), bits(b)),
        // An array that ends early says so at another row.
        (Err(a), Err(b)) if format == Some(RayFormat::Csv) || format == Some(RayFormat::Ndjson) => {
            assert_eq!(format!("{a:#}"), format!("{b:#}"));
        }
        (Err(a), Err(_)) => assert!(format!("{a:#}").contains("rays.bin")),
        _ => panic!("{at_once:?} at once, {one_by_one:?} one by one"),
    }
}

fn read(data: &[u8], format: Option<RayFormat>, most: usize) -> anyhow::Result<Vec<Ray>> {
    let range = DefaultRange { t_min: 0.0, t_max: f32::INFINITY };
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
