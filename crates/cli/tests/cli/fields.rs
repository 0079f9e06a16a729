//! The fields of a hit, and hits of scenes.

use serde_json::{Value, json};

use crate::npy::Npy;
use crate::support::{cuboid, file, folder, hitscan, path};

const SQUARE: &str = "mtllib m.mtl\no wall\nv 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nvt 0 0\nvt 1 0\nvt 1 1\n\
    vt 0 1\nvn 0 0 1\nusemtl brick\nf 1/1/1 2/2/1 3/3/1 4/4/1\n";

/// Two instances of a square, the second in a group and twice as large.
const SCENE: &str = "[meshes]\nsquare = \"square.obj\"\n[[instances]]\nname = \"near\"\nmesh = \"square\"\n\
    [[instances]]\nname = \"street\"\ntranslation = [0.0, 0.0, -10.0]\n\
    [[instances]]\nname = \"far\"\nmesh = \"square\"\nparent = \"street\"\nscale = 2.0\n";

fn all_fields(flags: &str) -> Value {
    let run = hitscan(&format!("cast {flags} --fields all --format ndjson")).expect_code(0);
    run.json_lines()[0]["hits"].clone()
}

#[test]
fn a_hit_of_a_mesh_has_every_field() {
    let folder = folder();
    file(folder.path(), "m.mtl", "newmtl brick\nKd 0.5 0.25 0\n");
    let mesh = file(folder.path(), "square.obj", SQUARE);
    let hits = all_fields(&format!("{mesh} --from 3,1,9 --dir 0,0,-2"));
    assert_eq!(
        hits,
        json!([{
            "t": 4.5, "distance": 9.0, "point": [3.0, 1.0, 0.0], "normal": [0.0, 0.0, 1.0],
            "interpolated_normal": [0.0, 0.0, 1.0], "side": "front", "feature": null, "w1": 0.5, "w2": 0.25,
            "instance": null, "path": null, "triangle": 0, "vertices": [0, 1, 2], "polygon": 0,
            "line": 13, "object": "wall", "group": null, "material": "brick",
            "colour": [0.5, 0.25, 0.0], "texture": [0.75, 0.25],
        }])
    );
}

#[test]
fn the_fields_and_their_order_are_those_of_the_flag() {
    let folder = folder();
    let mesh = file(folder.path(), "square.obj", SQUARE.replace("mtllib m.mtl\n", ""));
    let cast = format!("cast {mesh} --from 3,1,9 --dir 0,0,-2");
    let csv = hitscan(&format!("{cast} --fields texture,t,colour --format csv")).expect_code(0);
    assert_eq!(csv.text(), "ray,texture_u,texture_v,t,red,green,blue\n0,0.75,0.25,4.5,,,\n");
    let text = hitscan(&format!("{cast} --fields texture,w2,triangle")).expect_code(0);
    assert_eq!(text.text(), "ray 0: hit\n  triangle  0, w2 0.25\n  texture   0.75 0.25\n");
    hitscan(&format!("{cast} --fields t,u")).expect_error(&["found `u`", "t,distance,point"]);
    hitscan(&format!("{cast} --fields t --any")).expect_error(&["--fields: --any and --count"]);
}

#[test]
fn the_arrays_are_those_of_the_fields() {
    let folder = folder();
    let mesh = file(folder.path(), "square.obj", SQUARE.replace("mtllib m.mtl\n", ""));
    let rays = file(folder.path(), "r.csv", "3,1,9,0,0,-2\n9,9,9,0,0,-2\n1,3,9,0,0,-1\n");
    let out = path(folder.path(), "hits.npz");
    hitscan(&format!("cast {mesh} --rays {rays} --fields all -o {out}")).expect_code(0);
    let mut archive = zip::ZipArchive::new(std::fs::File::open(&out).unwrap()).unwrap();
    let mut array = |name: &str| Npy::read(archive.by_name(&format!("{name}.npy")).unwrap());
    assert_eq!(array("t_hit").values::<f32>(), [4.5, f32::INFINITY, 9.0]);
    assert_eq!(array("is_front").values::<bool>(), [true, false, true]);
    assert_eq!(array("lines").values::<u64>(), [12, 0, 12]);
    assert_eq!(array("object_ids").values::<u32>(), [0, u32::MAX, 0]);
    assert_eq!(array("object_names").text(), ["wall"]);
    assert_eq!(array("group_names").text(), [""; 0]);
    let uvs = array("texture_uvs");
    assert_eq!(uvs.shape, [3, 2]);
    let uvs = uvs.values::<f64>();
    assert_eq!(
        (&uvs[..2], uvs[2].is_nan(), &uvs[4..]),
        (&[0.75, 0.25][..], true, &[0.25, 0.75][..])
    );
}

#[test]
fn a_scene_answers_with_instance_path_and_the_triangle_of_the_mesh() {
    let folder = folder();
    file(folder.path(), "m.mtl", "newmtl brick\nKd 0.5 0.25 0\n");
    file(folder.path(), "square.obj", SQUARE);
    let scene = file(folder.path(), "scene.toml", SCENE);
    // In the mesh of the second instance, the point is (3, 1).
    let hits = all_fields(&format!("{scene} --from 6,2,9 --dir 0,0,-2"));
    assert_eq!(
        hits,
        json!([{
            "t": 9.5, "distance": 19.0, "point": [6.0, 2.0, -10.0], "normal": [0.0, 0.0, 1.0],
            "interpolated_normal": [0.0, 0.0, 1.0], "side": "front", "feature": null, "w1": 0.5, "w2": 0.25,
            "instance": 2, "path": ["street", "far"], "triangle": 0, "vertices": [0, 1, 2],
            "polygon": 0, "line": 13, "object": "wall", "group": null, "material": "brick",
            "colour": [0.5, 0.25, 0.0], "texture": [0.75, 0.25],
        }])
    );
    let cast = format!("cast {scene} --from 1,3,9 --dir 0,0,-1");
    let all = hitscan(&format!("{cast} --all --fields t,instance,path --format csv"));
    assert_eq!(
        all.expect_code(0).text(),
        "ray,t,instance,path\n0,9.0,0,near\n0,19.0,2,street/far\n"
    );
    let text = hitscan(&format!("{cast} --fields instance,path")).expect_code(0);
    assert_eq!(text.text(), "ray 0: hit\n  instance  0 \"near\"\n");
    assert_eq!(hitscan(&format!("{cast} --count")).expect_code(0).text(), "ray 0: 2 crossings\n");
    assert_eq!(hitscan(&format!("{cast} --any")).expect_code(0).text(), "ray 0: occluded\n");
    hitscan(&format!("{cast} --faces back")).expect_code(1);
    let all = hitscan(&format!("{cast} --all"));
    assert_eq!(hitscan(&format!("{cast} --all --brute")).expect_code(0).stdout, all.stdout);
}

/// A pick and a ray through its pixel name the same instance, polygon and triangle.
#[test]
fn pick_and_cast_number_alike() {
    let folder = folder();
    file(folder.path(), "m.mtl", "newmtl brick\n");
    file(folder.path(), "square.obj", SQUARE);
    let scene = file(folder.path(), "scene.toml", SCENE);
    for file in [scene.as_str(), cuboid()] {
        let pick = format!("pick {file} --eye 1,2,30 --target 1,2,0 --size 9x9 --pixel 4.5,4.5");
        let pick = hitscan(&format!("{pick} --element face --format ndjson")).expect_code(0);
        let cast = format!("cast {file} --from 1,2,30 --dir 0,0,-1 --format ndjson");
        let hit = hitscan(&cast).expect_code(0).json_lines()[0]["hits"][0].clone();
        let picked = &pick.json_lines()[0];
        for key in ["triangle", "polygon", "distance", "point", "side"] {
            assert_eq!(picked[key], hit[key], "{file}: {key}");
        }
        assert!(hit["instance"].is_null() || hit["instance"] == picked["instance"], "{file}");
    }
}
