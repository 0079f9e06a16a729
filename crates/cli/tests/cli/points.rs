//! `points`: the same results from every input format, in every output format.

use serde_json::{Value, json};

use crate::npy::{Npy, NpyValue, npy_file};
use crate::support::{Run, cuboid, file, folder, hitscan, hitscan_in, names_in, path};

/// Inside, outside, at a vertex, and not finite. The cuboid is 10 by 12 by 4 around the origin.
const POINTS: [[f64; 3]; 4] =
    [[1.0, 2.0, 1.75], [0.0, 0.0, -5.0], [5.0, 6.0, 2.0], [f64::NAN, 0.0, 0.0]];

fn rows(separator: &str) -> String {
    let row = |point: &[f64; 3]| point.map(|x| format!("{x:e}")).join(separator).to_lowercase();
    POINTS.iter().map(|point| row(point) + "\n").collect()
}

fn npy(descr: &str, fortran_order: bool, encode: impl Fn(f64) -> Vec<u8>) -> Vec<u8> {
    npy_file(descr, fortran_order, &POINTS.map(Vec::from), encode)
}

fn files() -> Vec<(&'static str, Vec<u8>)> {
    let ndjson = "{\"point\":[1,2,1.75]}\n{\"x\":0,\"y\":0,\"z\":-5,\"w\":1}\n[5,6,2]\n[NaN,0,0]\n";
    let pandas = ",z,y,x,name\n0,1.75,2.0,1.0,\"a,b\"\n1,-5.0,0.0,0.0,\n2,2,6,5,c\n3,0,0,nan,d\n";
    vec![
        ("plain.csv", rows(",").into()),
        ("named.csv", format!("x,y,z\n{}", rows(",")).into()),
        ("numpy.csv", format!("# x,y,z\n{}", rows(" ")).into()),
        ("pandas.csv", pandas.into()),
        ("points.ndjson", ndjson.into()),
        ("f32.npy", npy("<f4", false, |x| (x as f32).to_le_bytes().to_vec())),
        ("f64-fortran.npy", npy(">f8", true, |x| x.to_be_bytes().to_vec())),
    ]
}

fn measured() -> Run {
    let folder = folder();
    let points = file(folder.path(), "points.csv", rows(","));
    hitscan(&format!("points {} --points {points} --format ndjson", cuboid())).expect_code(0)
}

#[test]
fn a_point_has_its_closest_point_and_a_distance_that_is_negative_inside() {
    let run = measured();
    let lines = run.json_lines();
    let facts = |line: &Value| {
        ["point", "inside", "distance", "signed_distance", "closest"].map(|key| line[key].clone())
    };
    let expected = [
        [json!(0), json!(true), json!(0.25), json!(-0.25), json!([1.0, 2.0, 2.0])],
        [json!(1), json!(false), json!(3.0), json!(3.0), json!([0.0, 0.0, -2.0])],
        [json!(2), json!(false), json!(0.0), json!(0.0), json!([5.0, 6.0, 2.0])],
        [json!(3), json!(false), Value::Null, Value::Null, Value::Null],
    ];
    assert_eq!(lines.iter().map(facts).collect::<Vec<_>>(), expected);
    assert_eq!(lines[0]["vertices"].as_array().map(Vec::len), Some(3));
    assert!(lines[0]["triangle"].is_u64() && lines[3]["triangle"].is_null());
    assert!(run.stderr.contains("1 of 4 points are not finite"), "{}", run.stderr);
}

#[test]
fn every_format_gives_the_same_results_by_extension_by_look_and_by_flag() {
    let folder = folder();
    let expected = measured();
    let points = format!("points {} --format ndjson --points", cuboid());
    for (name, contents) in files() {
        let named = file(folder.path(), name, &contents);
        assert_eq!(hitscan(&format!("{points} {named}")).text(), expected.text(), "{name}");
        let run = hitscan_in(folder.path(), &format!("{points} -"), &contents);
        assert_eq!(run.text(), expected.text(), "{name} from standard input");
        let format = name.rsplit('.').next().unwrap();
        let flags = format!("{points} - --points-format {format}");
        let run = hitscan_in(folder.path(), &flags, &contents);
        assert_eq!(run.text(), expected.text(), "{name} by flag");
    }
}

#[test]
fn the_extension_of_the_output_or_the_flag_gives_its_format() {
    let folder = folder();
    let points = file(folder.path(), "points.csv", rows(","));
    let write = |name: &str, flags: &str| {
        let out = path(folder.path(), name);
        let run = hitscan(&format!("points {} --points {points} -o {out} {flags}", cuboid()));
        assert_eq!(run.expect_code(0).text(), "");
        std::fs::read(out).unwrap()
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    assert_eq!(text(write("out.ndjson", "")), measured().text());
    let csv = text(write("out.csv", ""));
    let csv: Vec<&str> = csv.lines().collect();
    assert_eq!(csv.len(), 5);
    assert!(csv[0].starts_with("point,inside,distance,signed_distance,closest_x,"), "{}", csv[0]);
    assert!(csv[1].starts_with("0,true,0.25,-0.25,1.0,2.0,2.0,"), "{}", csv[1]);
    assert_eq!(csv[4], format!("3,false{}", ",".repeat(12)));
    assert!(write("out.npz", "").starts_with(b"PK"));
    assert!(write("out.csv", "--format npz").starts_with(b"PK"));
    for name in ["out.txt", "out"] {
        let blocks = text(write(name, ""));
        assert!(blocks.starts_with("point 0: inside, distance 0.25\n  closest   1.0 2.0 2.0\n"));
        assert!(blocks.contains("point 2: on the surface, distance 0.0\n"), "{blocks}");
        assert!(blocks.ends_with("point 3: no closest point, the point is not finite\n"));
    }
}

#[test]
fn arrays_have_an_entry_per_point() {
    let folder = folder();
    let points = file(folder.path(), "points.csv", rows(","));
    let out = path(folder.path(), "out.npz");
    hitscan(&format!("points {} --points {points} -o {out}", cuboid())).expect_code(0);
    let (shape, signed_distances) = array::<f64>(&out, "signed_distance");
    assert_eq!((shape, signed_distances), (vec![4], vec![-0.25, 3.0, 0.0, f64::INFINITY]));
    let (shape, closest) = array::<f64>(&out, "points");
    assert_eq!((shape, &closest[..3]), (vec![4, 3], &[1.0, 2.0, 2.0][..]));
    assert!(closest[9..].iter().all(|x| x.is_nan()));
    assert_eq!(array::<bool>(&out, "inside").1, [true, false, false, false]);
    assert_eq!(array::<u32>(&out, "primitive_ids").1[3], u32::MAX);
    assert_eq!(array::<f32>(&out, "primitive_uvs").0, [4, 2]);
}

/// The shape and the values of an array of an archive.
fn array<T: NpyValue>(archive: &str, name: &str) -> (Vec<u64>, Vec<T>) {
    let file = std::fs::File::open(archive).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let array = Npy::read(archive.by_name(&format!("{name}.npy")).unwrap());
    let values = array.values();
    (array.shape, values)
}

#[test]
fn points_number_on_across_chunks_and_do_not_depend_on_threads() {
    let contents: String = (0..70_000).map(|i| format!("{},{},1\n", i % 13, i % 7)).collect();
    let run = |flags: &str| {
        let flags = format!("points {} --points - --format csv {flags}", cuboid());
        hitscan_in(".".as_ref(), &flags, contents.as_bytes()).expect_code(0)
    };
    let csv = run("");
    for (i, line) in csv.text().lines().skip(1).enumerate() {
        assert_eq!(line.split(',').next(), Some(i.to_string().as_str()));
    }
    assert_eq!(csv.text().lines().count(), 70_001);
    assert_eq!(run("--threads 1 --quality fast --layout compact").text(), csv.text());
}

#[test]
fn a_single_point_and_the_exit_codes() {
    let run = hitscan(&format!("points {} --at -5.5,0,0", cuboid())).expect_code(0);
    assert!(run.text().starts_with("point 0: outside, distance 0.5\n  closest   -5.0 0.0 0.0\n"));
    let folder = folder();
    let empty = file(folder.path(), "empty.obj", "v 0 0 0\n");
    let run = hitscan(&format!("points {empty} --at 0,0,0")).expect_code(1);
    assert_eq!(run.text(), "point 0: no closest point, the mesh has no triangles\n");
    let none = hitscan_in(folder.path(), &format!("points {} --points -", cuboid()), b"x,y,z\n");
    assert_eq!(none.expect_code(1).text(), "");
}

#[test]
fn bad_points_are_errors_that_name_the_place_and_leave_no_file() {
    let folder = folder();
    let good = npy("<f4", false, |x| (x as f32).to_le_bytes().to_vec());
    let mut wide = good.clone();
    let at = wide.windows(6).position(|bytes| bytes == b"(4, 3)").unwrap();
    wide[at + 4] = b'6';
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a.csv", b"x,y,z\n1,2,3\n1,2,c\n".to_vec(), "a.csv:3: found \"c\" in column z"),
        ("b.csv", b"0,1,2,3\n".to_vec(), "b.csv:1: found 4 numbers and no header"),
        ("c.ndjson", b"{\"origin\":[1,2,3]}\n".to_vec(), "c.ndjson:1: found no point"),
        ("d.npy", wide, "found shape (4, 6); expected (n, 3)"),
        ("e.npy", good[..good.len() - 1].to_vec(), "e.npy: the file ends before row 4"),
        ("f.data", b"".to_vec(), "f.data: the file is empty; expected points"),
    ];
    for (name, contents, expected) in cases {
        let points = file(folder.path(), name, contents);
        let out = path(folder.path(), "out.csv");
        let run = hitscan(&format!("points {} --points {points} -o {out}", cuboid()));
        run.expect_error(&[expected]);
        assert!(!names_in(folder.path()).contains(&"out.csv".to_owned()), "{name}");
    }
    let run = hitscan(&format!("points {} --points {}", cuboid(), folder.path().display()));
    run.expect_error(&["found a folder; expected a file of points"]);
}
