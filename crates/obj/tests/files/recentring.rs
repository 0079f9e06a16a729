//! Coordinates that f32 cannot hold.

use hitscan_obj::{LoadOptions, ObjModel, parse, write};
use hitscan_primitives::glam::DVec3;

use crate::load_text;

/// A cube with its first corner at `at`, with three decimals.
fn cube(at: [f64; 3], size: f64) -> String {
    let corner = |i: usize| [0, 1, 2].map(|axis| at[axis] + size * ((i >> axis) & 1) as f64);
    let vertex = |[x, y, z]: [f64; 3]| format!("v {x:.3} {y:.3} {z:.3}\n");
    let vertices: String = (0..8).map(|i| vertex(corner(i))).collect();
    vertices + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
}

const UTM: [f64; 3] = [454_321.123, 5_411_222.754, 312.5];

fn file_positions(model: &ObjModel) -> Vec<[u64; 3]> {
    let n = model.mesh.positions().len() as u32;
    (0..n).map(|v| model.mesh.file_position(v).to_array().map(f64::to_bits)).collect()
}

#[test]
fn a_centimetre_in_utm_metres_keeps_its_triangles_and_its_size() {
    let model = load_text(&cube(UTM, 0.01));
    assert_eq!((model.report.n_triangles, model.report.n_degenerate_triangles), (12, 0));
    assert_eq!(model.report.to_string(), "");
    let bounds = model.mesh.bounds();
    for side in (bounds.max.as_dvec3() - bounds.min.as_dvec3()).to_array() {
        // Two numbers of the file differ from decimals by half of the steps of f64, 2^-31 there.
        assert!((side / 0.01 - 1.0).abs() < 1e-6, "{side}");
    }
}

#[test]
fn written_text_has_the_decimals_of_the_file() {
    for size in [0.01, 8.4, 12_000.0] {
        let text = cube(UTM, size);
        let model = load_text(&text);
        assert_ne!(model.mesh.offset(), DVec3::ZERO);
        let mut written = Vec::new();
        write(&model.mesh, &mut written).unwrap();
        let numbers = |text: &str| -> Vec<u64> {
            let words = text.lines().filter(|line| line.starts_with('v'));
            let words = words.flat_map(|line| line.split(' ').skip(1));
            words.map(|word| word.parse::<f64>().unwrap().to_bits()).collect()
        };
        assert_eq!(numbers(str::from_utf8(&written).unwrap()), numbers(&text), "{size}");
        let again = parse(&written, "again.obj", &LoadOptions::default()).unwrap();
        assert_eq!(again.mesh.offset(), model.mesh.offset());
        assert_eq!(again.mesh.positions(), model.mesh.positions());
        assert_eq!(file_positions(&again), file_positions(&model));
    }
}

#[test]
fn f32_numbers_far_away_come_back_to_the_bit() {
    let at = UTM.map(|x| f64::from(x as f32));
    let text = cube(at, 3.0).replace(".500\n", ".5\n");
    let options = LoadOptions { recentre: false, ..LoadOptions::default() };
    let mesh = parse(text.as_bytes(), "t.obj", &options).unwrap().mesh;
    let mut written = Vec::new();
    write(&mesh, &mut written).unwrap();
    let again = parse(&written, "again.obj", &LoadOptions::default()).unwrap().mesh;
    assert_eq!((again.offset(), again.positions()), (DVec3::ZERO, mesh.positions()));
}

#[test]
fn without_recentring_the_report_tells_the_loss() {
    let options = LoadOptions { recentre: false, ..LoadOptions::default() };
    let model = parse(cube(UTM, 8.4).as_bytes(), "t.obj", &options).unwrap();
    assert_eq!(model.mesh.offset(), DVec3::ZERO);
    let report = model.report.to_string();
    assert!(report.starts_with("positions rounded by up to 0.2"), "{report}");
    assert!(report.ends_with(", because f32 is coarse there\n"), "{report}");
}

#[test]
fn a_concave_polygon_far_away_is_cut_by_its_own_corners() {
    // In f32 all have one y.
    let arrow = "v 500000.1 5400000.05 0\nv 500000.5 5400000.1 0\nv 500000.1 5400000.15 0\n\
                 v 500000.2 5400000.1 0\nf 1 2 3 4\n";
    assert_eq!(load_text(arrow).mesh.triangles(), [[1, 2, 3], [1, 3, 0]]);
}

#[test]
fn homogeneous_weights_divide_in_f64() {
    let text =
        "v 1000000.4 10800000.4 2 2\nv 500001.3 5400000.2 1\nv 500000.2 5400001.7 1\nf 1 2 3\n";
    let mesh = load_text(text).mesh;
    assert_eq!(mesh.file_position(0).to_array(), [500_000.2, 5_400_000.2, 1.0]);
}
