//! The extension of `-o` gives the format, and a command refuses a format that it cannot write.

use std::fs;

use crate::support::{cuboid, folder, hitscan, names_in, path};

#[test]
fn the_extension_gives_the_format_and_the_flag_overrides_it() {
    let folder = folder();
    let aim = "--from 4,-7,-4 --to 2,3,4";
    for (name, format) in [
        ("hits.npz", "npz"),
        ("hits.csv", "csv"),
        ("hits.ndjson", "ndjson"),
        ("hits.JSONL", "ndjson"),
        ("hits.txt", "text"),
        ("hits", "text"),
    ] {
        let out = path(folder.path(), name);
        hitscan(&format!("cast {} {aim} -o {out}", cuboid())).expect_code(0);
        let expected = hitscan(&format!("cast {} {aim} --format {format}", cuboid()));
        assert!(fs::read(&out).unwrap() == expected.expect_code(0).stdout, "{name}");
        hitscan(&format!("cast {} {aim} -o {out} --format csv", cuboid())).expect_code(0);
        assert!(fs::read_to_string(&out).unwrap().starts_with("ray,t,"), "{name}");
    }
}

#[test]
fn an_extension_that_a_command_cannot_write_is_an_error_before_work_starts() {
    let folder = folder();
    let out = |name: &str| path(folder.path(), name);
    // A missing mesh shows that the error comes before the read.
    for (args, expected) in [
        (
            format!("cast none.obj --from 0,0,9 --dir 0,0,-1 -o {}", out("hits.parquet")),
            "hits.parquet: cast cannot write .parquet files; use a name that ends in .txt, .ndjson",
        ),
        (
            format!("make sphere -o {}", out("s.fbx")),
            "s.fbx: hitscan cannot write .fbx files; use a name that ends in .obj, .stl",
        ),
        (
            format!("build none.obj -o {}", out("m.PLY")),
            "m.PLY: build writes cache files, not .PLY files; use a name that ends in .hitscan",
        ),
        (
            format!("render none.obj -o {}", out("m.jpg")),
            "m.jpg: render cannot write .jpg files; use a name that ends in .png",
        ),
    ] {
        hitscan(&args).expect_error(&[expected]);
    }
    assert_eq!(names_in(folder.path()), [""; 0]);
    hitscan(&format!("make sphere -o {}", out("s.OBJ"))).expect_code(0);
    hitscan(&format!("build {} -o {}", cuboid(), out("any.name"))).expect_code(0);
}

#[test]
fn json_is_a_format_of_reports_under_both_names() {
    for command in ["info", "bench --rays 100 --threads 1"] {
        for flag in ["--json", "--format json"] {
            let run = hitscan(&format!("{command} {} {flag}", cuboid())).expect_code(0);
            let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
            assert_eq!(report["triangles"], 3072, "{command} {flag}");
        }
        hitscan(&format!("{command} {} --json --format text", cuboid()))
            .expect_error(&["cannot be used with"]);
    }
}

#[test]
fn the_help_of_cast_describes_a_miss_in_each_format() {
    let help = hitscan("cast --help").expect_code(0);
    let miss = format!("cast {} --from 4,-7,-4 --dir 0,-1,0", cuboid());
    let text = hitscan(&miss).expect_code(1);
    assert!(text.text().contains("no hit") && help.text().contains("\"no hit\" for a miss"));
    let ndjson = hitscan(&format!("{miss} --format ndjson")).expect_code(1);
    assert!(ndjson.text().contains("\"hits\":[]") && help.text().contains("\"hits\":[]"));
    let csv = hitscan(&format!("{miss} --format csv")).expect_code(1);
    assert_eq!(csv.text().lines().count(), 1);
    assert!(help.text().contains("a miss has no row"));
    // A test of the results reads these numbers back from an archive.
    assert!(help.text().contains("a miss has t_hit inf, primitive_ids 4294967295"));
}
