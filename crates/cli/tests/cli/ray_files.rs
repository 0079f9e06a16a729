//! Rays in every format, from files and standard input, give the same results.

use crate::npy::npy_file;
use crate::support::{Run, cuboid, file, folder, hitscan, hitscan_in};

const CSV: &str = "\
ox,oy,oz,dx,dy,dz,t_min,t_max
4,-7,-4,-2,10,8,0,1
4,-7,-4,-2,10,6,0,1
3.5,0.1,9,0,0,-1,0,inf
3.5,0.1,9,0,0,1,-inf,0
0,0,0,1,0,0,6,inf
";

const NDJSON: &str = r#"{"origin":[4,-7,-4],"direction":[-2,10,8],"t_min":0,"t_max":1}
{"direction":[-2,10,6],"origin":[4,-7,-4],"t_max":1}

{"origin":[3.5,0.1,9],"direction":[0,0,-1],"t_max":null}
{"origin":[3.5,0.1,9],"direction":[0,0,1],"t_min":"-inf","t_max":0}
{"origin":[0,0,0],"direction":[1,0,0],"t_min":6,"t_max":Infinity}
"#;

/// The rays above as an NPY file.
fn npy(descr: &str, fortran_order: bool, encode: impl Fn(f64) -> Vec<u8>) -> Vec<u8> {
    let number = |text: &str| text.parse::<f64>().unwrap();
    let rows: Vec<Vec<f64>> =
        CSV.lines().skip(1).map(|line| line.split(',').map(number).collect()).collect();
    npy_file(descr, fortran_order, &rows, encode)
}

fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("rays.csv", CSV.into()),
        ("rays.ndjson", NDJSON.into()),
        ("f32.npy", npy("<f4", false, |x| (x as f32).to_le_bytes().to_vec())),
        ("f64.npy", npy("<f8", false, |x| x.to_le_bytes().to_vec())),
        ("f32-fortran.npy", npy("<f4", true, |x| (x as f32).to_le_bytes().to_vec())),
        ("f32-big.npy", npy(">f4", false, |x| (x as f32).to_be_bytes().to_vec())),
        ("f64-big-fortran.npy", npy(">f8", true, |x| x.to_be_bytes().to_vec())),
    ]
}

fn expected() -> Run {
    let folder = folder();
    let rays = file(folder.path(), "rays.csv", CSV);
    let run = hitscan(&format!("cast {} --rays {rays} --format ndjson --all", cuboid()));
    let n_hits: Vec<usize> =
        run.json_lines().iter().map(|line| line["hits"].as_array().unwrap().len()).collect();
    assert_eq!(n_hits[..2], [4, 3]);
    assert_eq!(n_hits[3], n_hits[2], "a ray and its reverse");
    assert_eq!(n_hits[4], 0);
    run
}

#[test]
fn every_format_gives_the_same_results_by_extension_content_and_flag() {
    let folder = folder();
    let expected = expected();
    for (name, contents) in files() {
        let cast = format!("cast {} --format ndjson --all --rays", cuboid());
        let rays = file(folder.path(), name, &contents);
        assert_eq!(hitscan(&format!("{cast} {rays}")).text(), expected.text(), "{name}");
        let rays = file(folder.path(), &format!("{name}.data"), &contents);
        assert_eq!(hitscan(&format!("{cast} {rays}")).text(), expected.text(), "{name} by content");
        let run = hitscan_in(folder.path(), &format!("{cast} -"), &contents);
        assert_eq!(run.text(), expected.text(), "{name} from standard input");
        let format = match name.rsplit('.').next().unwrap() {
            "csv" => "csv",
            "ndjson" => "ndjson",
            _ => "npy",
        };
        let run = hitscan_in(folder.path(), &format!("{cast} - --rays-format {format}"), &contents);
        assert_eq!(run.text(), expected.text(), "{name} by flag");
    }
}

#[test]
fn csv_of_numpy_and_pandas_gives_the_same_results() {
    let expected = expected();
    let cast = format!("cast {} --format ndjson --all --rays -", cuboid());
    let (header, rows) = CSV.split_once('\n').unwrap();
    let spaces = rows.replace(',', " ");
    let index = |text: &str| -> String {
        text.lines().enumerate().map(|(i, line)| format!("{i},{line},name\n")).collect()
    };
    for text in [
        rows.to_owned(),
        spaces.clone(),
        format!("# {header}\n{spaces}"),
        format!(",{header},\n{}", index(rows).replace(",name", ",")),
    ] {
        let run = hitscan_in(".".as_ref(), &cast, text.as_bytes()).expect_code(0);
        assert_eq!((run.text(), run.stderr.as_str()), (expected.text(), ""), "{text}");
    }
    let named = format!(",{header},name\n{}", index(rows));
    let run = hitscan_in(".".as_ref(), &cast, named.as_bytes()).expect_code(0);
    assert_eq!(run.text(), expected.text());
    assert_eq!(run.stderr, "note: <stdin>: ignoring the columns \"name\"\n");
}

#[test]
fn rays_without_bounds_take_those_of_the_flags() {
    let rays = "ox,oy,oz,dx,dy,dz\n4,-7,-4,-2,10,8\n";
    for (flags, n) in [("", 2), ("--t-max 0.5", 1), ("--t-min 0.5 --t-max 0.7", 0)] {
        let flags =
            format!("cast {} --rays - --all --once-per-crossing --format csv {flags}", cuboid());
        let run = hitscan_in(".".as_ref(), &flags, rays.as_bytes());
        assert_eq!(run.text().lines().count(), n + 1, "{flags}");
    }
}

#[test]
fn ray_numbers_continue_across_chunks() {
    let mut rays = String::from("ox,oy,oz,dx,dy,dz\n");
    rays.extend(
        (0..70_000).map(|i| if i % 7 == 0 { "4,-7,-4,-2,10,8\n" } else { "4,-7,-4,2,-10,-8\n" }),
    );
    for query in ["", "--all --once-per-crossing --faces front"] {
        let flags = format!("cast {} --rays - --format csv {query}", cuboid());
        let run = hitscan_in(".".as_ref(), &flags, rays.as_bytes()).expect_code(0);
        let numbers: Vec<usize> = run
            .text()
            .lines()
            .skip(1)
            .map(|line| line.split(',').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(numbers, (0..10_000).map(|i| i * 7).collect::<Vec<_>>());
    }
}

#[test]
fn no_rays_hit_nothing() {
    for rays in ["ox,oy,oz,dx,dy,dz\n", "\n"] {
        let format = if rays.len() > 1 { "csv" } else { "ndjson" };
        let flags = format!("cast {} --rays - --rays-format {format}", cuboid());
        let run = hitscan_in(".".as_ref(), &flags, rays.as_bytes()).expect_code(1);
        assert_eq!(run.text(), "");
    }
}

#[test]
fn an_error_in_a_ray_file_names_the_location() {
    let folder = folder();
    let good = npy("<f4", false, |x| (x as f32).to_le_bytes().to_vec());
    let cases: [(&str, Vec<u8>, &str); 12] = [
        (
            "a.csv",
            b"ox,oy,oz,dx,dy,dz\n1,2,3,4,5\n".to_vec(),
            "a.csv:2: found 5 values; expected 6",
        ),
        (
            "b.csv",
            b"ox,oy,oz,dx,dy,dz\n1,2,3,4,5,x\n".to_vec(),
            "b.csv:2: found \"x\" in column dz",
        ),
        ("c.csv", b"1,2,3,4,5\n".to_vec(), "c.csv:1: found 5 numbers and no header; expected the"),
        ("d.csv", b"".to_vec(), "d.csv:1: there is no column ox; found \"\"; expected the header"),
        ("e.csv", b"ox,oy,oz,dx,dy,dz\n1,2,\xff,4,5,6\n".to_vec(), "e.csv:2: found"),
        ("f.ndjson", b"{\"origin\":[1,2,3]}\n".to_vec(), "f.ndjson:1: missing field `direction`"),
        ("g.jsonl", b"\n[1,2]\n".to_vec(), "g.jsonl:2: "),
        (
            "h.npy",
            good[..good.len() - 1].to_vec(),
            "h.npy: the file ends before row 5; expected 5 rows",
        ),
        ("i.npy", good[..9].to_vec(), "i.npy: cannot read the NPY header"),
        ("j.npy", b"ox,oy,oz\n".to_vec(), "expected an NPY file"),
        ("k.npy", npy("<i4", false, |x| (x as i32).to_le_bytes().to_vec()), "found dtype \"<i4\""),
        ("l.data", b"".to_vec(), "l.data: the file is empty; expected rays"),
    ];
    for (name, contents, expected) in cases {
        let rays = file(folder.path(), name, contents);
        let out = folder.path().join("out");
        let flags = format!("cast {} --rays {rays} -o {}", cuboid(), out.display());
        hitscan(&flags).expect_error(&[expected]);
        assert!(!out.exists());
    }
}
