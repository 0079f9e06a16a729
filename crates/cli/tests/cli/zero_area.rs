//! Results for triangles of zero area.

use serde_json::{Value, json};

use crate::npy::Npy;
use crate::support::{file, folder, hitscan};

/// A tetrahedron with a vertex in the exact middle of an edge on one side. The last face, a segment,
/// closes it.
const STITCHED: &str = "\
v 0.099999905 0.20000005 0.29999995
v 1.3 0.70000005 0.099999905
v 0.4 1.1 0.2
v 0.6 0.5 1.2
v 0.6999999 0.45000005 0.19999993
f 1 3 5\nf 5 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\nf 1 5 2
";

/// A ray from inside to the segment.
const RAY: &str = "--from 0.5878906,0.61621094,0.6591797 --dir 0.23861372,-0.113500714,-0.48026383";

#[test]
fn a_hit_without_a_normal_says_so_in_every_format() {
    let folder = folder();
    let mesh = file(folder.path(), "stitched.obj", STITCHED);
    let cast =
        |format: &str| hitscan(&format!("cast {mesh} {RAY} --format {format}")).expect_code(0);
    let line = &cast("ndjson").json_lines()[0];
    let hit = &line["hits"][0];
    assert_eq!((&hit["triangle"], &hit["vertices"]), (&json!(5), &json!([0, 4, 1])), "{line}");
    assert_eq!(hit.get("normal"), Some(&Value::Null), "{line}");
    assert!(hit["side"] == "front" || hit["side"] == "back", "{line}");

    let run = cast("csv");
    let row: Vec<&str> = run.text().lines().nth(1).expect("a row").split(',').collect();
    assert_eq!((&row[5..8], row[11]), (&["", "", ""][..], "5"), "{row:?}");

    let run = cast("text");
    assert!(run.text().contains("normal    none, the triangle has zero area, "), "{}", run.text());
    assert!(!run.text().contains("NaN"), "{}", run.text());

    let npz = cast("npz").stdout;
    let array = |name: &str| {
        let archive = zip::ZipArchive::new(std::io::Cursor::new(&npz));
        let mut archive = archive.expect("it is an archive");
        let array = archive.by_name(&format!("{name}.npy")).expect("it is there");
        Npy::read(array).values::<f32>()
    };
    assert_eq!(array("primitive_normals"), [0.0; 3]);
    assert!(array("t_hit")[0].is_finite());
}

#[test]
fn a_mesh_that_a_triangle_of_zero_area_closes_is_closed() {
    let folder = folder();
    let mesh = file(folder.path(), "stitched.obj", STITCHED);
    let run = hitscan(&format!("info {mesh} --json")).expect_code(0);
    let info: Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
    assert_eq!((&info["closed"], &info["degenerate"]), (&json!(true), &json!(1)));
    let run = hitscan(&format!("info {mesh}")).expect_code(0);
    assert!(run.text().contains("triangles   6, 1 of zero area\n"), "{}", run.text());
    let last = STITCHED.rfind("f 1 5 2").expect("it is the last face");
    let open = file(folder.path(), "open.obj", &STITCHED[..last]);
    let run = hitscan(&format!("info {open} --json")).expect_code(0);
    let info: Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
    assert_eq!((&info["closed"], &info["degenerate"]), (&json!(false), &json!(0)));
}
