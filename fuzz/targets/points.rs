//! Any bytes as a file of points, in any format: read one by one or many at a time they are the same.

#![no_main]

use std::io::Cursor;

use hitscan_cli::points::from_reader;
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
        // An array that ends early says so at another row.
        (Err(a), Err(b))
            if format == Some(TableFormat::Csv) || format == Some(TableFormat::Ndjson) =>
        {
            assert_eq!(format!("{a:#}"), format!("{b:#}"));
        }
        (Err(a), Err(_)) => assert!(format!("{a:#}").contains("points.bin")),
        _ => panic!("{at_once:?} at once, {one_by_one:?} one by one"),
    }
}

fn read(data: &[u8], format: Option<TableFormat>, most: usize) -> anyhow::Result<Vec<[f32; 3]>> {
    let mut reader = from_reader(Cursor::new(data.to_vec()), "points.bin".into(), format)?;
    let mut points = Vec::new();
    loop {
        let before = points.len();
        reader.read(&mut points, most)?;
        assert!(points.len() - before <= most);
        if points.len() == before {
            break;
        }
    }
    if let Some(total) = reader.total() {
        assert_eq!(total, points.len() as u64);
    }
    Ok(points)
}

fn bits(points: &[[f32; 3]]) -> Vec<[u32; 3]> {
    points.iter().map(|point| point.map(f32::to_bits)).collect()
}
