//! `pick` and `select`, on a mesh and on scene files.

use serde_json::{Value, json};

use crate::support::{cuboid, file, folder, hitscan, hitscan_in, path};

/// A camera in front of the cuboid, whose front is 10 by 12 at z = 2: 20 pixels per unit.
const CAMERA: &str = "--eye 0,0,30 --target 0,0,0 --ortho 30 --size 800x600";

fn street() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/street.toml").to_owned()
}

/// The street seen from its middle.
const ON_STREET: &str = "--eye 0,6,30 --target 0,2,0 --size 800x600";

fn lines(args: &str) -> Vec<Value> {
    hitscan(&format!("{args} --format ndjson")).expect_code(0).json_lines()
}

#[test]
fn a_pick_is_the_point_that_the_camera_shows_at_the_pixel() {
    let mesh = cuboid();
    let [pick] = lines(&format!("pick {mesh} {CAMERA} --pixel 460,260")).try_into().unwrap();
    assert_eq!(pick["element"], "object");
    assert_eq!(pick["path"], json!([null]));
    for (axis, expected) in [3.0, 2.0, 2.0].into_iter().enumerate() {
        let x = pick["point"][axis].as_f64().unwrap();
        assert!((x - expected).abs() < 1e-6, "{x} is not {expected}");
    }
    assert_eq!(pick["normal"], json!([0.0, 0.0, 1.0]));
    assert_eq!((&pick["side"], &pick["pixel_distance"]), (&json!("front"), &json!(0.0)));
    let all = lines(&format!("pick {mesh} {CAMERA} --pixel 461,262 --element face --x-ray"));
    let z: Vec<f64> = all.iter().map(|pick| pick["point"][2].as_f64().unwrap()).collect();
    assert_eq!(z, [2.0, -2.0]);
    // Next to the cuboid, a pick finds nothing until the radius reaches the edge at x = 5, pixel 500.
    let beside = format!("pick {mesh} {CAMERA} --pixel 506,290");
    hitscan(&beside).expect_code(1);
    let [pick] = lines(&format!("{beside} --radius 7")).try_into().unwrap();
    let distance = pick["pixel_distance"].as_f64().unwrap();
    assert!((distance - 6.0).abs() < 1e-9, "{distance}");
    hitscan(&format!("{beside} --radius 5.5")).expect_code(1);
}

#[test]
fn pick_and_cast_measure_the_same_distance() {
    let mesh = cuboid();
    let distance = |value: &Value| value.as_f64().unwrap();
    let cast = |from: &str| {
        let [line] =
            lines(&format!("cast {mesh} --from {from} --to 3,2,2 --t-max inf")).try_into().unwrap();
        distance(&line["hits"][0]["distance"])
    };
    // The pixel shows the point 3, 2, 2 of the front, 60 pixels right of the centre and 40 above.
    let perspective = "--eye 0,0,30 --target 0,0,0 --size 800x600 --pixel";
    let slope = 300.0 / (22.5f64).to_radians().tan() / 28.0;
    let pixel = format!("{},{}", 400.0 + 3.0 * slope, 300.0 - 2.0 * slope);
    for (camera, from) in [
        (format!("{perspective} {pixel}"), "0,0,30"),
        (format!("{perspective} {pixel} --near 1"), "0,0,30"),
        (format!("{perspective} {pixel} --near 20 --far 40"), "0,0,30"),
        (format!("{CAMERA} --pixel 460,260"), "3,2,30"),
        (format!("{CAMERA} --pixel 460,260 --near 1"), "3,2,30"),
        (format!("{CAMERA} --pixel 460,260 --near -5"), "3,2,30"),
    ] {
        for element in ["object", "face"] {
            let pick = format!("pick {mesh} {camera} --element {element}");
            let [pick] = lines(&pick).try_into().unwrap();
            let (pick, cast) = (distance(&pick["distance"]), cast(from));
            assert!((pick - cast).abs() < 1e-5, "{camera}, {element}: {pick}, {cast}");
        }
    }
}

#[test]
fn a_matrix_is_the_camera_that_it_describes() {
    let mesh = cuboid();
    // x / 20, y / 15, depth from 0 at z = 30: the camera above, column by column.
    let matrix = "0.05,0,0,0,0,0.06666666666666667,0,0,0,0,-0.01,0,0,0,0.3,1";
    let by_matrix = format!("pick {mesh} --matrix {matrix} --size 800x600 --pixel 460,260");
    let [a] = lines(&by_matrix).try_into().unwrap();
    let [b] = lines(&format!("pick {mesh} {CAMERA} --pixel 460,260")).try_into().unwrap();
    assert_eq!((&a["triangle"], &a["point"]), (&b["triangle"], &b["point"]));
    // As an OpenGL matrix, the same numbers see from farther back. With reversed depth, they see from behind.
    hitscan(&format!("{by_matrix} --convention opengl")).expect_code(0);
    let [back] = lines(&format!("{by_matrix} --convention bevy")).try_into().unwrap();
    assert_eq!(back["point"][2], -2.0);
}

#[test]
fn regions_select_the_elements_of_a_mesh() {
    let mesh = cuboid();
    let select = format!("select {mesh} {CAMERA}");
    // The corner x = 5, y = 6 is at pixel 500, 180.
    let corner = lines(&format!("{select} --marquee 499,179,501,181 --element vertex --visible"));
    assert_eq!(corner.len(), 1);
    assert_eq!(lines(&format!("{select} --marquee 499,179,501,181 --element vertex")).len(), 17);
    let whole = "--marquee 290,170,510,430";
    assert_eq!(lines(&format!("{select} {whole} --enclose")).len(), 1);
    hitscan(&format!("{select} --marquee 310,170,510,430 --enclose")).expect_code(1);
    let lasso = "--lasso 290,170,510,170,510,430,290,430";
    let all = lines(&format!("{select} {whole} --element face --enclose"));
    assert_eq!(all.len(), 3072);
    assert_eq!(lines(&format!("{select} {lasso} --element face --enclose")), all);
    // A side has 2 * 4^4 triangles.
    assert_eq!(lines(&format!("{select} {whole} --element face --visible")).len(), 512);
}

#[test]
fn a_scene_file_places_meshes_and_names_the_hit() {
    let pick = format!("pick {} {ON_STREET} --pixel 250,330", street());
    let [face] = lines(&format!("{pick} --element face")).try_into().unwrap();
    assert_eq!(face["path"], json!(["street", "left"]));
    assert_eq!((&face["object"], &face["material"]), (&json!("house"), &json!("brick")));
    let text = hitscan(&pick).expect_code(0);
    assert!(
        text.text().starts_with("object of \"street\" / \"left\", instance 1\n"),
        "{}",
        text.text()
    );

    let select = format!("select {} {ON_STREET} --marquee 0,0,800,600", street());
    let names = |flags: &str| -> Vec<String> {
        let lines = lines(&format!("{select} {flags}"));
        lines
            .iter()
            .map(|line| line["path"].as_array().unwrap().last().unwrap().to_string())
            .collect()
    };
    assert_eq!(names(""), ["\"left\"", "\"right\""]);
    assert_eq!(names("--layers 3"), ["\"right\""]);
    assert_eq!(names("--include-hidden"), ["\"left\"", "\"right\"", "\"block\""]);
}

#[test]
fn clicks_go_deeper_and_skip_ignored_instances() {
    let pick = format!("pick {} {ON_STREET} --pixel 250,330 --element face", street());
    let all = lines(&format!("{pick} --x-ray"));
    assert!(all.len() > 1);
    for (click, expected) in (1..).zip(&all) {
        let [picked] = lines(&format!("{pick} --click {click}")).try_into().unwrap();
        assert_eq!(picked, *expected);
    }
    // The click after the last element picks the first again.
    let [again] = lines(&format!("{pick} --click {}", all.len() + 1)).try_into().unwrap();
    assert_eq!(again, all[0]);
    // The second instance of the file is the house on the left.
    hitscan(&format!("{pick} --ignore 1")).expect_code(1);
    hitscan(&format!("{pick} --ignore 0-2")).expect_code(1);
    assert_eq!(lines(&format!("{pick} --ignore 2-3"))[0], all[0]);
    let select = format!("select {} {ON_STREET} --marquee 0,0,800,600", street());
    assert_eq!(lines(&select).len(), lines(&format!("{select} --ignore 1")).len() + 1);
    hitscan(&format!("{pick} --ignore 9")).expect_error(&["no instance 9", "below 4"]);
    hitscan(&format!("{pick} --ignore 3-1")).expect_code(2);
}

#[test]
fn an_error_in_a_scene_file_names_the_line() {
    let folder = folder();
    let house = include_str!("../../../../assets/house.obj");
    file(folder.path(), "house.obj", house);
    file(folder.path(), "house.mtl", include_str!("../../../../assets/house.mtl"));
    file(folder.path(), "broken.obj", "v 1 2\n");
    let start =
        "[meshes]\nhouse = \"house.obj\"\n\n[[instances]]\nname = \"a\"\nmesh = \"house\"\n";
    for (text, expected) in [
        ("[meshes]\nhouse = \n", "line 2: "),
        ("[meshes]\nhouse = \"../house.obj\"\n", "line 2: mesh `house`: `../house.obj` is outside"),
        ("[meshes]\nhouse = \"/etc/passwd\"\n", "is outside of the scene's folder"),
        ("[meshes]\nhouse = \"none.obj\"\n", "line 2: mesh `house`: none.obj: cannot read"),
        ("[meshes]\n\nhouse = \"broken.obj\"\n", "line 3: mesh `house`: "),
        ("[[instances]]\nmesh = \"house\"\n", "line 2: there is no mesh `house`"),
        ("[[instances]]\ncolour = 3\n", "line 2: unknown field `colour`"),
        ("[[instances]]\nparent = \"b\"\n", "line 2: there is no instance `b` before this one"),
        ("[[instances]]\nlayers = [3, 32]\n", "line 2: found layer 32; expected 0 to 31"),
        ("\n[[instances]]\nscale = 0\n", "line 2: "),
        ("[[instances]]\nrotation = [0, 0, 0, 0]\n", "line 1: the rotation is zero"),
        ("[[instances]]\nscale = \"big\"\n", "line 2: "),
        ("[[instances]]\nmatrix = [1, 0, 0]\n", "line 2: "),
        (
            "[[instances]]\nmatrix = [1,0,0,5, 0,1,0,5, 0,0,1,5, 0,0,0,1]\n",
            "line 2: the last row of the matrix is not 0, 0, 0, 1",
        ),
        (
            "[[instances]]\nscale = 2\nmatrix = [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]\n",
            "line 3: found a matrix beside",
        ),
        (&format!("{start}[[instances]]\nname = \"a\"\n"), "line 8: found a second instance `a`"),
    ] {
        let scene = file(folder.path(), "scene.toml", text);
        let run = hitscan(&format!("pick {scene} {ON_STREET} --pixel 1,1"));
        run.expect_error(&["scene.toml", expected]);
    }
    let scene = file(folder.path(), "scene.toml", start);
    hitscan(&format!("pick {scene} {ON_STREET} --pixel 400,330")).expect_code(0);
    let missing = path(folder.path(), "missing.toml");
    hitscan(&format!("pick {missing} {ON_STREET} --pixel 1,1")).expect_error(&["missing.toml"]);
    // An empty scene is no error.
    let empty = file(folder.path(), "empty.toml", "");
    hitscan(&format!("pick {empty} {ON_STREET} --pixel 1,1")).expect_code(1);
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_out_of_the_scenes_folder() {
    let (outside, folder) = (folder(), folder());
    let house = file(outside.path(), "house.obj", include_str!("../../../../assets/house.obj"));
    std::os::unix::fs::symlink(house, folder.path().join("house.obj")).unwrap();
    let scene = file(folder.path(), "scene.toml", "[meshes]\nhouse = \"house.obj\"\n");
    hitscan(&format!("pick {scene} {ON_STREET} --pixel 1,1"))
        .expect_error(&["is outside of the scene's folder"]);
}

#[test]
fn invalid_cameras_and_regions_are_errors() {
    let mesh = cuboid();
    for (flags, expected) in [
        ("--size 800x600 --pixel 1,1", "--eye"),
        ("--eye 0,0,9 --size 800x600 --pixel 1,1", "--target"),
        ("--eye 0,0,9 --target 0,0,9 --size 8x6 --pixel 1,1", "no direction"),
        ("--eye 0,9,0 --target 0,0,0 --size 8x6 --pixel 1,1", "no direction"),
        ("--eye 0,0,9 --target 0,0,0 --size 8x0 --pixel 1,1", "expected two positive whole"),
        ("--eye 0,0,9 --target 0,0,0 --fov 180 --size 8x6 --pixel 1,1", "fov_y_radians"),
        ("--eye 0,0,9 --target 0,0,0 --size 8x6 --pixel 1", "found 1 number; expected 2"),
        ("--eye 0,0,9 --target 0,0,0 --size 8x6 --pixel 1,nan", "found `nan`"),
        ("--matrix 1,2,3 --size 8x6 --pixel 1,1", "found 3 numbers; expected 16"),
    ] {
        let run = hitscan(&format!("pick {mesh} {flags}"));
        assert_eq!(run.code, Some(2), "{flags}");
        assert!(run.stderr.contains(expected), "{flags}: {}", run.stderr);
    }
    let zero = ["0"; 16].join(",");
    hitscan(&format!("pick {mesh} --matrix {zero} --size 8x6 --pixel 1,1"))
        .expect_error(&["camera: it sees nothing", "singular"]);
    for (flags, expected) in [
        ("", "--marquee"),
        ("--lasso 1,1,2,2", "expected three or more pairs"),
        ("--marquee 1,1,2", "found 3 numbers; expected 4"),
    ] {
        let run = hitscan(&format!("select {mesh} {CAMERA} {flags}"));
        assert_eq!(run.code, Some(2), "{flags}");
        assert!(run.stderr.contains(expected), "{flags}: {}", run.stderr);
    }
}

/// The commands of the help's examples work.
#[test]
fn the_examples_of_pick_and_select_run_as_written() {
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets");
    let mut n_examples = 0;
    for command in ["pick", "select"] {
        let help = hitscan(&format!("{command} --help")).expect_code(0);
        // A backslash at the end of a line continues it.
        let text = help.text().replace("\\\n", "");
        for example in text.lines().filter_map(|line| line.trim().strip_prefix("hitscan ")) {
            n_examples += 1;
            let run = hitscan_in(assets.as_ref(), example, b"").expect_code(0);
            assert_eq!(run.stderr, "", "{example}");
        }
    }
    assert_eq!(n_examples, 7);
}

#[test]
fn ignored_faces_open_a_mesh_and_keep_the_indices_of_the_file() {
    let mesh = cuboid();
    let pick = format!("pick {mesh} {CAMERA} --pixel 461,262 --element face");
    let all = lines(&format!("{pick} --x-ray"));
    let [front, back] = &all[..] else { panic!("not two faces: {all:?}") };
    let front = front["polygon"].as_u64().unwrap();
    let opened = lines(&format!("{pick} --ignore-faces 0:{front}"));
    for key in ["polygon", "triangle", "point"] {
        assert_eq!(opened[0][key], back[key], "{key}");
    }
    let select = format!("select {mesh} {CAMERA} --marquee 460,260,462,264 --element face");
    let n_fewer = lines(&format!("{select} --ignore-faces 0:{front}")).len();
    assert_eq!(n_fewer + 1, lines(&select).len());
    // A scene, with flags for two instances.
    let pick = format!("pick {} {ON_STREET} --pixel 250,330", street());
    hitscan(&format!("{pick} --ignore-faces 2:0")).expect_code(0);
    hitscan(&format!("{pick} --ignore-faces 2:0 --ignore-faces 1:0-2")).expect_code(1);
    for (faces, parts) in [
        ("9:0", &["no mesh at instance 9", "below"][..]),
        ("1:99999", &["no polygon 99999", "polygons below"]),
    ] {
        hitscan(&format!("{pick} --ignore-faces {faces}")).expect_error(parts);
    }
    hitscan(&format!("{pick} --ignore-faces 1")).expect_code(2);
    let huge = "0:0-18446744073709551615";
    hitscan(&format!("{pick} --ignore-faces {huge}")).expect_code(2);
}

#[test]
fn clipping_planes_hide_elements_from_picks_and_selections() {
    let mesh = cuboid();
    let pick = format!("pick {mesh} {CAMERA} --pixel 460,260");
    let z_of = |args: &str| {
        let [pick] = lines(args).try_into().expect("one pick");
        pick["point"][2].as_f64().expect("a number")
    };
    assert_eq!(z_of(&pick), 2.0);
    // The front is hidden, and the back is seen from inside.
    assert_eq!(z_of(&format!("{pick} --clip 0,0,-1,0")), -2.0);
    hitscan(&format!("{pick} --clip 0,0,-1,0 --clip 0,0,1,0")).expect_code(1);
    let select = format!("select {mesh} {CAMERA} --marquee 0,0,800,600 --element vertex");
    let (all, half) = (lines(&select).len(), lines(&format!("{select} --clip 1,0,0,0")).len());
    assert!(half > 0 && half < all, "{half} of {all}");
    let bad = hitscan(&format!("{pick} --clip 0,0,0,1")).expect_code(2);
    assert!(bad.stderr.contains("--clip: the normal of the plane is (0, 0, 0)"), "{}", bad.stderr);
    let many = hitscan(&format!("{pick}{}", " --clip 0,0,1,9".repeat(7))).expect_code(2);
    assert!(many.stderr.contains("7 clipping planes"), "{}", many.stderr);
}
