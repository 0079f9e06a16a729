//! The exit codes and output files of `cast`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{command, cuboid, file, folder, hitscan, hitscan_in, names_in, path};

#[test]
fn the_exit_code_says_whether_a_ray_hit() {
    let hit = format!("cast {} --from 4,-7,-4 --to 2,3,4", cuboid());
    let miss = format!("cast {} --from 4,-7,-4 --dir 0,-1,0", cuboid());
    for query in ["", "--closest", "--all", "--all --once-per-crossing", "--any", "--count"] {
        for format in ["text", "ndjson", "csv", "npz"] {
            let folder = folder();
            let out = path(folder.path(), "out");
            for (command, code) in [(&hit, 0), (&miss, 1)] {
                let flags = format!("{command} {query} --format {format} -o {out}");
                let run = hitscan(&flags).expect_code(code);
                assert_eq!((run.text(), run.stderr.as_str()), ("", ""), "{flags}");
                assert_eq!(names_in(folder.path()), ["out"]);
            }
        }
    }
}

#[test]
fn a_segment_that_ends_before_the_surface_misses() {
    hitscan(&format!("cast {} --from 4,-7,-4 --to 3.6,-5,-2.4", cuboid())).expect_code(1);
    let beyond = format!("cast {} --from 4,-7,-4 --to 3.6,-5,-2.4 --t-max inf", cuboid());
    hitscan(&beyond).expect_code(0);
}

#[test]
fn one_invalid_ray_is_an_error() {
    for (flags, expected) in [
        ("--from 1,2,3 --to 1,2,3", "direction [0.0, 0.0, 0.0]"),
        ("--from 1,2,3 --dir 0,0,-0", "is zero or not finite"),
        ("--from nan,0,0 --dir 0,0,1", "expected a finite number"),
        ("--from 0,0,0 --dir 0,0,inf", "expected a finite number"),
        ("--from -3e38,0,0 --to 3e38,0,0", "is zero or not finite"),
        ("--from 0,0,0 --dir 0,0,1 --t-min 2 --t-max 1", "interval [2, 1]"),
        ("--from 0,0,0 --dir 0,0,1 --t-max nan", "interval [0, NaN]"),
    ] {
        hitscan(&format!("cast {} {flags}", cuboid())).expect_error(&[expected]);
    }
}

#[test]
fn invalid_rays_of_a_file_miss_and_are_counted() {
    let rays = "ox,oy,oz,dx,dy,dz\n4,-7,-4,-2,10,8\n4,-7,-4,0,0,0\nnan,0,0,0,0,1\n0,0,0,1e99,0,0\n";
    let flags = format!("cast {} --rays - --format ndjson", cuboid());
    let run = hitscan_in(".".as_ref(), &flags, rays.as_bytes()).expect_code(0);
    let n_hits: Vec<usize> =
        run.json_lines().iter().map(|line| line["hits"].as_array().unwrap().len()).collect();
    assert_eq!(n_hits, [1, 0, 0, 0]);
    assert!(run.stderr.contains("3 of 4 rays are invalid"), "{}", run.stderr);
}

#[test]
fn a_closed_pipe_ends_the_program_silently() {
    let mut rays = String::from("ox,oy,oz,dx,dy,dz\n");
    rays.extend((0..200_000).map(|_| "4,-7,-4,-2,10,8\n"));
    let folder = folder();
    let rays = file(folder.path(), "rays.csv", rays);
    for format in ["text", "ndjson", "csv"] {
        let mut child = command(&format!("cast {} --rays {rays} --format {format}", cuboid()))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        assert!(!line.is_empty());
        drop(stdout);
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!((child.wait().unwrap().code(), errors.as_str()), (Some(0), ""), "{format}");
    }
}

#[test]
fn an_error_leaves_no_file_and_keeps_the_one_that_was_there() {
    let folder = folder();
    // The bad row comes late, after the program has written results.
    let mut rays = String::from("ox,oy,oz,dx,dy,dz\n");
    rays.extend((0..150_000).map(|_| "4,-7,-4,-2,10,8\n"));
    rays.push_str("4,-7,-4,-2,10,eight\n");
    let rays = file(folder.path(), "rays.csv", rays);
    let (new, old) =
        (path(folder.path(), "new.out"), file(folder.path(), "old.out", "what was before"));
    for format in ["text", "ndjson", "csv", "npz"] {
        for out in [&new, &old] {
            let flags = format!("cast {} --rays {rays} --format {format} -o {out}", cuboid());
            hitscan(&flags).expect_error(&["rays.csv:150002: found \"eight\" in column dz"]);
        }
        assert_eq!(names_in(folder.path()), ["old.out", "rays.csv"]);
        assert_eq!(fs::read(&old).unwrap(), b"what was before");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let folder = folder();
    let aim = format!("cast {} --from 4,-7,-4 --to 2,3,4 -o", cuboid());
    let missing = path(folder.path(), "no/such/folder.csv");
    hitscan(&format!("{aim} {missing}")).expect_error(&["cannot write", &missing]);
    let here = folder.path().to_str().unwrap();
    hitscan(&format!("{aim} {here}")).expect_error(&["cannot write to a folder"]);
    let read_only = file(folder.path(), "read-only", "old");
    let mut permissions = fs::metadata(&read_only).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&read_only, permissions).unwrap();
    hitscan(&format!("{aim} {read_only}")).expect_error(&["the file is read-only"]);
    assert_eq!(fs::read(&read_only).unwrap(), b"old");
}

#[test]
fn an_output_that_is_an_input_is_an_error() {
    let folder = folder();
    // The readers ignore extensions, so one name suits meshes and pictures.
    let mesh = file(folder.path(), "t.png", "mtllib t.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let library = file(folder.path(), "t.mtl", "newmtl m\n");
    let plain = file(folder.path(), "t", fs::read(&mesh).unwrap());
    let cache = path(folder.path(), "t.hitscan");
    hitscan(&format!("build {mesh} -o {cache}")).expect_code(0);
    let rays = file(folder.path(), "rays.csv", "ox,oy,oz,dx,dy,dz\n0.2,0.2,9,0,0,-1\n");
    let scene = "[meshes]\nt = \"t.png\"\n[[instances]]\nmesh = \"t\"\n";
    let scene = file(folder.path(), "scene.toml", scene);
    // Another path to the same file.
    let round = path(folder.path(), "./t.png");
    let inputs = || [&mesh, &library, &rays, &cache].map(|input| fs::read(input).unwrap());
    let before = inputs();
    for (args, name) in [
        (format!("cast {mesh} --rays {rays} --format text -o {mesh}"), "t.png"),
        (format!("cast {mesh} --rays {rays} -o {rays}"), "rays.csv"),
        (format!("cast {mesh} --rays {rays} --format npz -o {rays}"), "rays.csv"),
        (format!("render {mesh} --size 8x8 -o {round}"), "t.png"),
        (format!("render {scene} --size 8x8 -o {mesh}"), "t.png"),
        (format!("build {plain} -o {plain}"), "t"),
        (format!("cast {cache} --rays {rays} --format csv -o {cache}"), "t.hitscan"),
        // The source of a cache file is an input, too.
        (format!("cast {cache} --rays {rays} --format csv -o {library}"), "t.mtl"),
    ] {
        let expected = format!("{name}: the output is also an input; use another file");
        hitscan(&args).expect_error(&[&expected]);
    }
    assert!(before == inputs());
    let names = ["rays.csv", "scene.toml", "t", "t.hitscan", "t.mtl", "t.png"];
    assert_eq!(names_in(folder.path()), names);
}

#[cfg(unix)]
#[test]
fn a_full_device_is_an_error() {
    let aim = format!("cast {} --from 4,-7,-4 --to 2,3,4 --format csv -o", cuboid());
    let run = hitscan(&format!("{aim} /dev/stdout")).expect_code(0);
    assert_eq!(run.text().lines().count(), 2);
    if std::path::Path::new("/dev/full").exists() {
        hitscan(&format!("{aim} /dev/full"))
            .expect_error(&["/dev/full: cannot write the file: No space left"]);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_command_leaves_no_file() {
    for signal in ["-INT", "-TERM"] {
        let folder = folder();
        let out = file(folder.path(), "out", "before");
        let mut child = command(&format!("cast {} --rays - -o {out}", cuboid()))
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        // Enough rays to open the output, and fewer than a chunk.
        let mut rays = child.stdin.take().unwrap();
        let lines = "4,-7,-4,-2,10,8\n".repeat(30_000);
        rays.write_all(format!("ox,oy,oz,dx,dy,dz\n{lines}").as_bytes()).unwrap();
        let start = Instant::now();
        while names_in(folder.path()).len() < 2 {
            assert!(start.elapsed() < Duration::from_secs(60), "no temporary file");
            thread::sleep(Duration::from_millis(10));
        }
        let kill = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert_eq!(names_in(folder.path()), ["out"]);
        assert_eq!(fs::read(&out).unwrap(), b"before");
    }
}

#[cfg(unix)]
#[test]
fn a_new_file_has_the_permissions_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let usual = file(folder.path(), "usual", "");
    let out = path(folder.path(), "out");
    hitscan(&format!("cast {} --from 4,-7,-4 --to 2,3,4 -o {out}", cuboid())).expect_code(0);
    let mode = |path: &str| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&out), mode(&usual));
}
