//! Wrong flags, numbers and files: a helpful message and exit code 2.

use crate::support::{command, cuboid, file, folder, hitscan, path, shared};

// Longer than 60 lines: one table with a row per command line.
#[test]
fn errors_of_the_command_line_show_the_wrong_word() {
    let mesh = cuboid();
    for (args, parts) in [
        ("cast", &["required"][..]),
        ("cast MESH", &["--from", "--rays"]),
        ("cast MESH --from 1,2,3", &["--to", "--dir"]),
        ("cast MESH --to 1,2,3", &["--from"]),
        ("cast MESH --from 1,2 --dir 0,0,1", &["'1,2'", "found 2 numbers; expected three"]),
        ("cast MESH --from 1,2,three --dir 0,0,1", &["found `three`; expected a number"]),
        ("cast MESH --from 0 0 5 --dir 0,0,1", &["'0'", "by commas: '--from 0,0,5'"]),
        (
            "pick MESH --eye -1 2 -3 --target 0,0,0 --size 8x6 --pixel 1,1",
            &["by commas: '--eye -1,2,-3'"],
        ),
        ("cast MESH --from 1,2,1e99 --dir 0,0,1", &["expected a finite number"]),
        ("cast MESH --from 1,2,3 --dir 0,0,1 --to 0,0,0", &["--dir", "--to"]),
        ("cast MESH --from 1,2,3 --dir 0,0,1 --rays x.csv", &["--rays"]),
        ("cast MESH --from 1,2,3 --dir 0,0,1 --any --all", &["--any", "--all"]),
        ("cast MESH --from 1,2,3 --dir 0,0,1 --once-per-crossing", &["--all"]),
        (
            "cast MESH --from 1,2,3 --dir 0,0,1 --t-max far",
            &["'far'", "--t-max", "expected a number"],
        ),
        ("cast MESH --from 1,2,3 --dir 0,0,1 --faces top", &["'top'", "both, front, back"]),
        ("cast MESH --from 1,2,3 --dir 0,0,1 --format xml", &["'xml'", "text, ndjson, csv, npz"]),
        ("cast MESH --from 1,2,3 --dir 0,0,1 --quality best", &["'best'", "fast, balanced, high"]),
        ("cast MESH --from 1,2,3 --dir 0,0,1 --isa mmx", &["'mmx'", "expected one of", "scalar"]),
        ("cast MESH --from 1,2,3 --dir 0,0,1 --threads 0", &["'0'", "--threads"]),
        ("cast MESH --rays x.csv --t-min 2 --t-max 1", &["expected an interval"]),
        ("cast MESH --from 1,2,3 --dir 0,0,1 --depth 3", &["--depth"]),
        ("make", &["cuboid"]),
        ("make cube 1 2 3", &["'cube'"]),
        ("make cuboid 1 2", &["<D>"]),
        ("make cuboid 1 two 3", &["'two'"]),
        ("make cuboid -1 2 3", &["width is -1, expected"]),
        ("make cuboid 1 2 nan", &["depth is NaN, expected"]),
        ("make cuboid 1 2 3 --level 99", &["level is 99, expected at most"]),
        ("make sphere --triangles 1", &["triangles is 1, expected"]),
        ("make sphere --triangles 99999999999999", &["expected"]),
        ("make torus --major 1 --minor 2", &["minor radius is 2, expected"]),
        ("make sphere --seed 3", &["--seed"]),
        ("info", &["<FILE_OR_SCENE>"]),
        ("build MESH", &["--output"]),
        ("page MESH", &["--output"]),
        ("check MESH --rays many", &["'many'"]),
        ("bench MESH --rays 0", &["'0'"]),
        ("veiw MESH", &["'veiw'", "view"]),
        ("rendr MESH", &["'rendr'", "'render'"]),
        ("render MESH --sampels 3", &["'--sampels'", "'--samples'"]),
    ] {
        let run = hitscan(&args.replace("MESH", mesh));
        if args == "make" {
            // Without a shape, the program prints the help.
            assert_eq!(run.code, Some(2));
            assert!(run.stderr.contains("cuboid"));
        } else {
            run.expect_error(parts);
        }
        assert_eq!(run.text(), "", "{args}");
    }
}

#[test]
fn a_mesh_that_cannot_be_read_is_an_error_for_every_command() {
    let folder = folder();
    let missing = path(folder.path(), "no.obj");
    let broken = file(folder.path(), "broken.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n");
    let image = file(folder.path(), "image.obj", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01");
    let here = folder.path().to_str().unwrap().to_owned();
    for (mesh, parts) in [
        (&missing, vec!["no.obj"]),
        (&here, vec!["expected a regular file"]),
        (&broken, vec!["broken.obj:3: ", "expected"]),
        (&image, vec!["image.obj"]),
    ] {
        for command in [
            "info MESH",
            "info MESH --json",
            "check MESH",
            "bench MESH",
            "cast MESH --from 0,0,0 --dir 0,0,1",
        ] {
            let run = hitscan(&command.replace("MESH", mesh));
            run.expect_error(&parts);
            assert_eq!(run.text(), "");
            assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        }
    }
}

#[test]
fn a_file_without_triangles_is_a_mesh_that_nothing_hits() {
    let folder = folder();
    for (name, text) in [("empty.obj", ""), ("points.obj", "v 1 2 3\np 1\n")] {
        let mesh = file(folder.path(), name, text);
        let run = hitscan(&format!("info {mesh} --json")).expect_code(0);
        let info: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!((&info["triangles"], &info["bounds"]), (&0.into(), &serde_json::Value::Null));
        hitscan(&format!("info {mesh}")).expect_code(0);
        for query in ["", "--all", "--any", "--count", "--brute"] {
            let flags = format!("cast {mesh} --from 1,2,9 --to 1,2,3 {query}");
            hitscan(&flags).expect_code(1);
        }
        hitscan(&format!("check {mesh} --rays 100")).expect_code(0);
        hitscan(&format!("bench {mesh} --rays 100")).expect_code(0);
    }
}

#[test]
fn help_is_true_and_a_success() {
    let run = hitscan("--help").expect_code(0);
    for command in [
        "make",
        "info",
        "cast",
        "build",
        "pick",
        "select",
        "render",
        "view",
        "page",
        "check",
        "bench",
        "report",
        "completions",
        "man",
    ] {
        assert!(run.text().contains(&format!("\n  {command} ")), "{command}");
        let help = hitscan(&format!("{command} --help")).expect_code(0);
        assert!(help.text().contains("Examples:"), "{command}");
    }
    hitscan("--version").expect_code(0);
    assert_eq!(hitscan("").code, Some(2));
}

/// The commands of the help's examples work.
#[test]
fn the_examples_of_make_run_as_written() {
    let run = hitscan("make --help").expect_code(0);
    let examples: Vec<&str> = run
        .text()
        .lines()
        .filter_map(|line| line.trim().strip_prefix("hitscan "))
        .filter(|line| !line.contains("1000000"))
        .map(|line| line.split(['|']).next().unwrap().split("    ").next().unwrap())
        .collect();
    assert!(examples.len() >= 2);
    for example in examples {
        let folder = folder();
        crate::support::hitscan_in(folder.path(), example, b"").expect_code(0);
    }
}

/// The hostile files of the folder `shared`, if it exists, give an answer or an error, never a panic.
#[test]
fn hostile_files_end_in_an_answer_or_an_error() {
    let Some(folder) = shared("bad-obj") else { return };
    let mut n_files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "obj") {
            continue;
        }
        n_files += 1;
        for command in ["info", "cast --from 0.1,0.2,9 --dir 0,0,-1 --all"] {
            let run = hitscan(&format!("{command} {}", path.display()));
            assert!(matches!(run.code, Some(0..=2)), "{}: {run:?}", path.display());
            assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
            if run.code == Some(2) {
                run.expect_error(&[path.file_name().unwrap().to_str().unwrap()]);
            }
        }
    }
    assert!(n_files > 30);
}

/// The names of a file reach notes, the remarks of `info`, cache files and errors.
#[test]
fn no_name_of_a_file_controls_the_terminal() {
    let folder = folder();
    let ply = "ply\nformat ascii 1.0\nelement \x1b[2J\x7f 1\nproperty float x\nelement vertex 3\n\
        property float x\nproperty float y\nproperty float z\nelement face 1\n\
        property list uchar int vertex_indices\nend_header\n7\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    let mesh = file(folder.path(), "esc.ply", ply);
    let cache = path(folder.path(), "esc.hitscan");
    hitscan(&format!("build {mesh} -o {cache}")).expect_code(0);
    let acts = |text: &str| text.chars().any(|char| char.is_control() && char != '\n');
    for file in [&mesh, &cache] {
        let run = hitscan(&format!("info {file}")).expect_code(0);
        for text in [run.text(), run.stderr.as_str()] {
            assert!(text.contains("\\u{1b}[2J\\u{7f}") && !acts(text), "{text:?}");
        }
    }
    let scene = "[[instances]]\nmesh = \"\\u001b[2J\\nx\"\n";
    let scene = file(folder.path(), "esc.toml", scene);
    let run = hitscan(&format!("render {scene} --size 8x8 -o {scene}.png"));
    run.expect_error(&["there is no mesh `\\u{1b}[2J\\nx`"]);
    assert!(!acts(&run.stderr), "{:?}", run.stderr);
}

#[test]
fn errors_have_colours_only_on_request() {
    let errors = |variables: &[(&str, &str)], args| {
        let mut command = command(args);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        let run = command.envs(variables.iter().copied()).output().unwrap();
        assert_eq!(run.status.code(), Some(2));
        String::from_utf8(run.stderr).unwrap()
    };
    // An error of the program, and one of the command line parser.
    for args in ["info no-such-file.obj", "info --no-such-flag"] {
        // The output is a pipe here.
        let plain = errors(&[], args);
        assert!(plain.starts_with("error: ") && !plain.contains('\x1b'), "{plain:?}");
        let forced = errors(&[("CLICOLOR_FORCE", "1")], args);
        assert!(forced.starts_with("\x1b[1m\x1b[31merror:\x1b[0m "), "{forced:?}");
        assert_eq!(errors(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], args), plain);
    }
}

#[test]
fn an_exceeded_limit_names_the_flag_that_raises_it() {
    let folder = folder();
    let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let obj = file(folder.path(), "square.obj", square);
    let stl = format!("solid s\n{facet}{facet}endsolid s\n");
    let stl = file(folder.path(), "two.stl", &stl);
    let cache = path(folder.path(), "square.hitscan");
    hitscan(&format!("build {obj} -o {cache}")).expect_code(0);
    for (mesh, exceeded, expected, raised) in [
        (&cache, "--max-file 1000", "bytes; expected at most 1000; --max-file", "--max-file 1MB"),
        (&obj, "--max-file 41", "42 bytes; expected at most 41; --max-file", "--max-file 1kB"),
        (&obj, "--max-statement 6B", "bytes of one statement", "--max-statement 0.5KiB"),
        (&obj, "--max-corners 3", "square.obj:5: 4 corners of a face", "--max-corners 4"),
        (
            &stl,
            "--max-vertices 1",
            "2 triangles; expected at most 1; --max-vertices",
            "--max-vertices 3",
        ),
    ] {
        for command in ["info", "check --rays 10"] {
            hitscan(&format!("{command} {mesh} {exceeded}"))
                .expect_error(&[expected, "raises the limit"]);
            let run = hitscan(&format!("{command} {mesh} {raised}"));
            assert_eq!(run.code, Some(0), "{command} {raised}: {}", run.stderr);
        }
    }
    hitscan(&format!("info {obj} --max-file lots")).expect_error(&["'lots'", "--max-file"]);
}
