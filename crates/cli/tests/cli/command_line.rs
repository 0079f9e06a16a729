//! Flags as people write them, and outputs that harm nobody.

use std::fs;

use crate::support::{cuboid, file, folder, hitscan, hitscan_in, names_in, path};

const TRIANGLE: &str = "v 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n";

#[test]
fn json_is_a_flag_of_every_command_that_prints_results() {
    let mesh = cuboid();
    let view = "--eye 1,1,30 --target 0,0,0 --size 64x64";
    for (args, format) in [
        (format!("cast {mesh} --from 0.1,0.2,9 --dir 0,0,-1"), "ndjson"),
        (format!("points {mesh} --at 0,0,9"), "ndjson"),
        (format!("pick {mesh} {view} --pixel 32,32"), "ndjson"),
        (format!("select {mesh} {view} --marquee 0,0,64,64"), "ndjson"),
    ] {
        let plain = hitscan(&format!("{args} --format {format}")).expect_code(0);
        assert!(!plain.json_lines().is_empty(), "{args}");
        for flags in ["--json", "--format json"] {
            let run = hitscan(&format!("{args} {flags}")).expect_code(0);
            assert_eq!(run.text(), plain.text(), "{args} {flags}");
        }
        hitscan(&format!("{args} --json --format text")).expect_error(&["--json", "--format"]);
    }
    for args in [format!("info {mesh} --json"), format!("bench {mesh} --rays 50 --json")] {
        let run = hitscan(&args).expect_code(0);
        assert!(serde_json::from_slice::<serde_json::Value>(&run.stdout).is_ok(), "{args}");
    }
}

#[test]
fn whole_numbers_are_taken_as_people_write_them() {
    let plain = hitscan("make soup --triangles 1000").expect_code(0);
    for number in ["1e3", "1_000", "1k", "0.001M"] {
        let run = hitscan(&format!("make soup --triangles {number}")).expect_code(0);
        assert!(run.stdout == plain.stdout, "{number}");
    }
    let mesh = cuboid();
    for (args, found) in [
        ("make soup --triangles many".to_owned(), "found `many`; expected a whole number"),
        ("make sphere x".to_owned(), "found `x`; expected a number"),
        (format!("info {mesh} --threads 2e9"), "expected a whole number from 1 to 1024"),
        (format!("check {mesh} --rays 1.5"), "found `1.5`; expected a whole number"),
        (format!("info {mesh} --max-file big"), "found `big`; expected a number of bytes"),
        (format!("cast {mesh} --from 5 --dir 0,0,1"), "found 1 number; expected three"),
    ] {
        hitscan(&args).expect_error(&[found]);
    }
}

#[test]
fn sizes_are_positions_or_flags() {
    for (positions, flags) in [
        ("cuboid 1 2 3 --level 1", "cuboid --width 1 --height 2 --depth 3 --level 1"),
        ("sphere 2 --triangles 100", "sphere --radius 2 --triangles 100"),
        ("torus 2 0.5 --triangles 100", "torus --major 2 --minor 0.5 --triangles 100"),
        ("grid 3 4 --triangles 100", "grid --width 3 --depth 4 --triangles 100"),
    ] {
        let [a, b] = [positions, flags].map(|args| hitscan(&format!("make {args}")).expect_code(0));
        assert!(a.stdout == b.stdout && !a.stdout.is_empty(), "{positions}");
    }
    for args in ["cuboid 1 2", "cuboid --width 1", "cuboid 1 2 3 --width 4", "sphere 1 --radius 2"]
    {
        hitscan(&format!("make {args}")).expect_error(&[]);
    }
}

#[test]
fn no_clobber_replaces_no_file_in_any_command() {
    let folder = folder();
    let mesh = file(folder.path(), "a.obj", TRIANGLE);
    let rays = "--from 1,1,9 --dir 0,0,-1";
    for (args, name) in [
        ("make soup --triangles 5 -o".to_owned(), "b.obj"),
        (format!("convert {mesh}"), "b.ply"),
        (format!("build {mesh} -o"), "b.hitscan"),
        (format!("cast {mesh} {rays} -o"), "b.csv"),
        (format!("points {mesh} --at 1,1,9 -o"), "c.csv"),
        (format!("render {mesh} --size 8x8 -o"), "b.png"),
        (format!("bench {mesh} --rays 10 --save"), "b.json"),
    ] {
        let output = path(folder.path(), name);
        let args = format!("{args} {output} --no-clobber");
        hitscan(&args).expect_code(0);
        fs::write(&output, "mine").expect("the folder is writable");
        hitscan(&args).expect_error(&[name, "the file exists", "--no-clobber"]);
        assert_eq!(fs::read(&output).expect("it is there"), b"mine", "{args}");
        hitscan(args.trim_end_matches(" --no-clobber")).expect_code(0);
        assert!(fs::read(&output).expect("it is there") != b"mine", "{args}");
    }
    assert!(names_in(folder.path()).iter().all(|name| !name.starts_with('.')));
}

#[test]
fn the_help_of_every_output_says_that_it_replaces_a_file() {
    for command in ["make", "convert", "build", "cast", "points", "render", "page", "bench"] {
        let help = hitscan(&format!("{command} --help")).expect_code(0);
        assert!(help.text().contains("replace"), "{command}");
        assert!(help.text().contains("--no-clobber"), "{command}");
    }
}

#[test]
fn names_in_csv_are_no_formulas() {
    let folder = folder();
    let obj = TRIANGLE.replace("f 1", "o =cmd|x\ng -2+3\nusemtl @sum\nf 1");
    let mesh = file(folder.path(), "a.obj", obj);
    for args in [
        format!("cast {mesh} --from 1,1,9 --dir 0,0,-1 --format csv"),
        format!("points {mesh} --at=1,1,-9 --format csv"),
    ] {
        let run = hitscan(&args).expect_code(0);
        assert!(run.text().trim_end().ends_with(",'=cmd|x,'-2+3,'@sum"), "{}", run.text());
        let run = hitscan(&args.replace("csv", "ndjson")).expect_code(0);
        assert!(run.text().contains("\"=cmd|x\""), "{}", run.text());
    }
    // Numbers stay numbers.
    let run =
        hitscan(&format!("cast {mesh} --from 1,1,-9 --dir 0,0,1 --format csv --fields normal"));
    assert_eq!(run.text().lines().nth(1), Some("0,0.0,0.0,1.0"));
    let run =
        hitscan(&format!("cast {mesh} --from=-1,-1,0 --dir 1,1,0 --t-min=-9 --all --format csv"));
    assert!(!run.text().contains("'-1"), "{}", run.text());
}

#[test]
fn info_describes_several_files_and_goes_on_after_an_error() {
    let folder = folder();
    file(folder.path(), "a.obj", TRIANGLE);
    file(folder.path(), "b.obj", "v 0 0 x\n");
    let info = |args: &str| hitscan_in(folder.path(), &format!("info {args}"), b"");
    let run = info("a.obj a.obj").expect_code(0);
    assert_eq!(run.text().matches("file        a.obj").count(), 2);
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
    let run = info("a.obj a.obj --json").expect_code(0);
    assert_eq!(json(run.text()).as_array().map(Vec::len), Some(2));
    assert!(json(info("a.obj --json").text()).is_object());
    for flags in ["", "--json", "--open-edges --json"] {
        let run = info(&format!("b.obj a.obj none.obj {flags}"));
        run.expect_error(&["b.obj:1: ", "none.obj: ", "2 of 3 files have no report"]);
        if !flags.is_empty() {
            assert_eq!(json(run.text()).as_array().map(Vec::len), Some(1), "{}", run.text());
        }
    }
    assert_eq!(info("b.obj c.obj --json").text(), "[]\n");
}

#[test]
fn info_reports_a_closed_mesh_that_is_inside_out() {
    const FACES: &str = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let folder = folder();
    let of = |name: &str, faces: &str| {
        let text = format!("v 0 0 0\nv 2 0 0\nv 0 3 0\nv 0 0 4\n{faces}");
        let mesh = file(folder.path(), name, &text);
        hitscan(&format!("info {mesh}")).expect_code(0).text().to_owned()
    };
    let outward = of("outward.obj", FACES);
    assert!(outward.contains("\nvolume      4\n"), "{outward}");
    let turned = of("turned.obj", "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
    assert!(turned.contains("\nvolume      -4: inside out, its front faces inward\n"), "{turned}");
    let open = of("open.obj", "f 1 2 3\n");
    assert!(!open.contains("volume"), "{open}");
}

#[test]
fn info_leaves_the_topology_out() {
    let mesh = cuboid();
    let run = hitscan(&format!("info {mesh} --no-topology")).expect_code(0);
    assert!(
        !run.text().contains("\nclosed") && !run.text().contains("components"),
        "{}",
        run.text()
    );
    let run = hitscan(&format!("info {mesh} --no-topology --json")).expect_code(0);
    let facts = &run.text();
    assert!(!facts.contains("\"closed\"") && facts.contains("\"degenerate\": 0"), "{facts}");
    hitscan(&format!("info {mesh} --no-topology --open-edges")).expect_error(&["--open-edges"]);
}

#[test]
fn info_tells_of_a_triangle_far_from_the_rest() {
    let folder = folder();
    let soup = hitscan("make sphere --triangles 100").expect_code(0);
    let n = soup.text().lines().filter(|line| line.starts_with("v ")).count();
    let (a, b, c) = (n + 1, n + 2, n + 3);
    let stray = format!("{}v 1e6 0 0\nv 1e6 1 0\nv 1e6 0 1\nf {a} {b} {c}\n", soup.text());
    let mesh = file(folder.path(), "stray.obj", stray);
    let run = hitscan(&format!("info {mesh}")).expect_code(0);
    assert!(run.text().contains("\nfar away    1 triangle lies up to 9"), "{}", run.text());
    let run = hitscan(&format!("info {mesh} --json")).expect_code(0);
    let info: serde_json::Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
    assert_eq!(info["far_away"]["triangles"], 1);
    assert!(!hitscan(&format!("info {}", cuboid())).text().contains("far away"));
}

#[test]
fn the_points_of_a_mesh_are_its_vertices_and_their_deviation_is_told() {
    let folder = folder();
    let [inner, outer] = ["cuboid 2 2 2", "cuboid 4 4 4"].map(|shape| {
        let name = path(folder.path(), &format!("{}.obj", shape.replace(' ', "_")));
        hitscan(&format!("make {shape} -o {name}")).expect_code(0);
        name
    });
    let run = hitscan(&format!("points {inner} --points {outer} --json")).expect_code(0);
    assert_eq!(run.json_lines().len(), 8);
    let distance = 3f64.sqrt();
    assert!(run.json_lines().iter().all(|point| point["distance"] == distance), "{}", run.text());
    let expected = format!("deviation of 8 points: min {distance}, max {distance}, mean ");
    assert!(run.stderr.contains(&expected) && run.stderr.contains(", rms "), "{}", run.stderr);
    hitscan(&format!("points {inner} --points {outer} --points-format csv"))
        .expect_error(&["found"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_file_is_told_in_the_words_of_the_system() {
    let run = hitscan("make cuboid 1 1 1 -o /proc/x.obj");
    run.expect_error(&["/proc/x.obj: cannot write the file: ", "os error"]);
    assert!(!run.stderr.contains("entity not found") && !run.stderr.contains(".hitscan-"));
}

#[test]
fn points_print_the_fields_that_the_flag_names() {
    let points = |flags: &str| hitscan(&format!("points {} --at 0,0,9 {flags}", cuboid()));
    let run = points("--fields triangle,distance --json").expect_code(0);
    assert!(run.text().starts_with("{\"point\":0,\"triangle\":"), "{}", run.text());
    assert!(run.text().ends_with(",\"distance\":7.0}\n"), "{}", run.text());
    let run = points("--fields position,closest --format csv").expect_code(0);
    let expected = "point,x,y,z,closest_x,closest_y,closest_z\n0,0.0,0.0,9.0,0.0,0.0,2.0\n";
    assert_eq!(run.text(), expected);
    let run = points("--fields distance").expect_code(0);
    assert_eq!(run.text(), "point 0: outside, distance 7.0\n");
    assert_eq!(points("").text(), points("--fields all").text());
    points("--fields t").expect_error(&["found `t`; expected all, or some of position,inside,"]);
    let folder = folder();
    let npz = path(folder.path(), "a.npz");
    points(&format!("--fields w2,w1,vertices -o {npz}")).expect_code(0);
    points(&format!("--fields object -o {npz}")).expect_error(&["--fields: npz holds no names"]);
}
