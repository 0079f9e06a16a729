//! `report`: facts without names, the ray in doubt, and the triangles around it.

use std::fs;

use crate::support::{cuboid, file, folder, hitscan, path};

const RAY: &str = "--from 4,-7,-4 --to 2,3,4";

#[test]
fn a_report_has_numbers_and_no_names() {
    let folder = folder();
    let text = "o secret\ng hidden\nusemtl private\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let mesh = file(folder.path(), "confidential.obj", text);
    let run = hitscan(&format!("report {mesh}")).expect_code(0);
    for line in ["hitscan     ", "processor   ", "triangles   1, 0 of zero area", "bounds      "] {
        assert!(run.text().contains(line), "{line}: {}", run.text());
    }
    for name in ["secret", "hidden", "private", "confidential"] {
        assert!(!run.text().contains(name), "{name}: {}", run.text());
    }
}

#[test]
fn the_small_mesh_repeats_the_answer_of_the_ray() {
    let folder = folder();
    let small = path(folder.path(), "small.obj");
    let run = hitscan(&format!("report {} {RAY} --mesh {small}", cuboid())).expect_code(0);
    assert!(run.text().contains("equal       yes, every bit"), "{}", run.text());
    assert!(run.text().contains("its hit has the same t, u, v"), "{}", run.text());
    let triangles = fs::read_to_string(&small).expect("it was written").matches("\nf ").count();
    assert!((1..100).contains(&triangles), "{triangles} of 3072");
    let hit = |mesh: &str| {
        let run = hitscan(&format!("cast {mesh} {RAY} --fields t,w1,w2,point --json"));
        run.expect_code(0).text().to_owned()
    };
    assert_eq!(hit(&small), hit(cuboid()));
    // The file stays when it must.
    hitscan(&format!("report {} {RAY} --mesh {small} --no-clobber", cuboid())).expect_code(2);
}

#[test]
fn a_refused_file_still_names_the_machine() {
    let folder = folder();
    let mesh = file(folder.path(), "bad.obj", "v 0 0 0\nf 1 2 3\nv x\n");
    let run = hitscan(&format!("report {mesh}")).expect_code(2);
    assert!(run.text().starts_with("hitscan     "), "{}", run.text());
    // A ray without an aim, an aim without a ray, and a mesh without a ray.
    for flags in ["--from 0,0,9", "--dir 0,0,1", "--mesh x.obj", "--from 0,0,9 --dir 0,0,0"] {
        hitscan(&format!("report {} {flags}", cuboid())).expect_code(2);
    }
}
