//! Reads every format back and compares it with the others.

use std::fs::File;
use std::io::Write;

use serde_json::Value;

use crate::npy::{Npy, NpyValue};
use crate::support::{cuboid, file, folder, hitscan, path};

/// A tent of two quads and a triangle, with names that the formats must escape.
const TENT: &str = "\
o tent \"red\", old
v 0 0 0\nv 4 0 0\nv 4 2 2\nv 0 2 2\nv 4 4 0\nv 0 4 0
g left, side\nusemtl canvas
f 1 2 3 4
g right\nusemtl canvas\x1b[31m
f 4 3 5 6
o
g
usemtl
f 2 5 3
";

/// Rays down on each face, one that misses, and one along the ridge.
const RAYS: &str = "\
ox,oy,oz,dx,dy,dz,t_min,t_max
1,1,5,0,0,-2,0,inf
1,3,5,0,0,-1,0,inf
9,9,5,0,0,-1,0,inf
5,2,1,-1,0,0,0,
-1,2,2,1,0,0,,
";

struct Files {
    _folder: tempfile::TempDir,
    mesh: String,
    rays: String,
    out: String,
}

impl Files {
    fn new() -> Self {
        let folder = folder();
        Self {
            mesh: file(folder.path(), "tent.obj", TENT),
            rays: file(folder.path(), "rays.csv", RAYS),
            out: path(folder.path(), "out"),
            _folder: folder,
        }
    }

    fn cast(&self, flags: &str) -> Vec<u8> {
        let Self { mesh, rays, .. } = self;
        hitscan(&format!("cast {mesh} --rays {rays} {flags}")).expect_code(0).stdout
    }

    fn json(&self, query: &str) -> Vec<Value> {
        let lines = self.cast(&format!("--format ndjson {query}"));
        let lines = str::from_utf8(&lines).unwrap().lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn npz(&self, query: &str) -> Npz {
        self.cast(&format!("--format npz {query} -o {}", self.out));
        Npz(zip::ZipArchive::new(File::open(&self.out).unwrap()).unwrap())
    }
}

/// An archive, read by an independent library.
struct Npz(zip::ZipArchive<File>);

impl Npz {
    fn names(&mut self) -> Vec<String> {
        let names = 0..self.0.len();
        let mut names: Vec<String> =
            names.map(|i| self.0.by_index(i).unwrap().name().unwrap().into_owned()).collect();
        names.sort();
        names
    }

    /// The values of an array, its shape and dtype.
    fn array<T: NpyValue>(&mut self, name: &str) -> (Vec<T>, Vec<u64>, String) {
        let array = Npy::read(self.0.by_name(&format!("{name}.npy")).unwrap());
        (array.values(), array.shape.clone(), array.dtype)
    }
}

#[test]
fn ndjson_has_every_field_of_a_hit_and_no_hits_for_a_miss() {
    let lines = Files::new().json("");
    let rays: Vec<u64> = lines.iter().map(|line| line["ray"].as_u64().unwrap()).collect();
    assert_eq!(rays, [0, 1, 2, 3, 4]);
    let hit = &lines[0]["hits"][0];
    let keys: Vec<&String> = hit.as_object().unwrap().keys().collect();
    let mut expected = [
        "t", "distance", "point", "normal", "side", "w1", "w2", "triangle", "vertices", "polygon",
        "object", "group", "material",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!((&hit["t"], &hit["distance"]), (&2.0.into(), &4.0.into()));
    assert_eq!(hit["point"], serde_json::json!([1.0, 1.0, 1.0]));
    assert_eq!(hit["side"], "front");
    assert_eq!(hit["vertices"], serde_json::json!([0, 2, 3]));
    assert_eq!(
        (&hit["object"], &hit["group"], &hit["material"]),
        (&"tent \"red\", old".into(), &"left, side".into(), &"canvas".into())
    );
    let hit = &lines[1]["hits"][0];
    assert_eq!((&hit["polygon"], &hit["material"]), (&1.into(), &"canvas\u{1b}[31m".into()));
    assert_eq!(lines[2]["hits"], serde_json::json!([]));
    let hit = &lines[3]["hits"][0];
    assert_eq!(
        (&hit["triangle"], &hit["polygon"], &hit["object"]),
        (&4.into(), &2.into(), &Value::Null)
    );
}

#[test]
fn csv_equals_ndjson() {
    let files = Files::new();
    for query in ["", "--all", "--all --once-per-crossing"] {
        let csv = files.cast(&format!("--format csv {query}"));
        let mut reader = csv::Reader::from_reader(csv.as_slice());
        assert_eq!(
            reader.headers().unwrap().iter().collect::<Vec<_>>().join(","),
            "ray,t,x,y,z,nx,ny,nz,side,w1,w2,triangle,polygon,object,group,material"
        );
        let rows: Vec<Vec<String>> =
            reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
        let text = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        let mut expected = Vec::new();
        for line in files.json(query) {
            for hit in line["hits"].as_array().unwrap() {
                let mut row = vec![text(&line["ray"]), text(&hit["t"])];
                row.extend((0..3).map(|axis| text(&hit["point"][axis])));
                row.extend((0..3).map(|axis| text(&hit["normal"][axis])));
                let rest =
                    ["side", "w1", "w2", "triangle", "polygon", "object", "group", "material"];
                row.extend(rest.map(|key| text(&hit[key])));
                expected.push(row);
            }
        }
        assert!(expected.len() >= 3);
        assert_eq!(rows, expected, "{query}");
    }
}

#[test]
fn any_and_count_have_an_answer_for_every_ray() {
    let files = Files::new();
    let text = |flags: &str| String::from_utf8(files.cast(flags)).unwrap();
    assert_eq!(
        text("--format csv --any"),
        "ray,occluded\n0,true\n1,true\n2,false\n3,true\n4,true\n"
    );
    let crossings: Vec<u64> =
        files.json("--count").iter().map(|line| line["crossings"].as_u64().unwrap()).collect();
    assert_eq!(crossings[..4], [1, 1, 0, 1]);
    let rows: Vec<String> =
        crossings.iter().enumerate().map(|(ray, n)| format!("{ray},{n}\n")).collect();
    assert_eq!(text("--format csv --count"), format!("ray,crossings\n{}", rows.concat()));
    assert_eq!(files.json("--any")[2], serde_json::json!({"ray": 2, "occluded": false}));
    assert!(text("--any").contains("ray 2: free\n") && text("--any").contains("ray 3: occluded\n"));
    assert!(text("--count").contains("ray 0: 1 crossing\n"));
}

#[test]
fn text_shows_names_without_their_control_characters() {
    let text = String::from_utf8(Files::new().cast("")).unwrap();
    assert!(text.contains("ray 0: hit\n  t         2.0, distance 4.0\n"), "{text}");
    assert!(text.contains("object    \"tent \\\"red\\\", old\""), "{text}");
    assert!(text.contains("material  \"canvas\\u{1b}[31m\""), "{text}");
    assert!(text.contains("ray 2: no hit\n"), "{text}");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn npz_of_the_closest_hits_has_open3ds_names_and_dtypes() {
    let files = Files::new();
    let lines = files.json("");
    let mut npz = files.npz("");
    assert_eq!(
        npz.names(),
        ["primitive_ids.npy", "primitive_normals.npy", "primitive_uvs.npy", "t_hit.npy"]
    );
    let (t, shape, dtype) = npz.array::<f32>("t_hit");
    assert_eq!((shape, dtype.as_str()), (vec![5], "<f4"));
    let (ids, shape, dtype) = npz.array::<u32>("primitive_ids");
    assert_eq!((shape, dtype.as_str()), (vec![5], "<u4"));
    let (uvs, shape, dtype) = npz.array::<f32>("primitive_uvs");
    assert_eq!((shape, dtype.as_str()), (vec![5, 2], "<f4"));
    let (normals, shape, dtype) = npz.array::<f32>("primitive_normals");
    assert_eq!((shape, dtype.as_str()), (vec![5, 3], "<f4"));
    for (i, line) in lines.iter().enumerate() {
        let number = |value: &Value| value.as_f64().unwrap() as f32;
        match line["hits"].as_array().unwrap().as_slice() {
            [] => {
                assert_eq!((t[i], ids[i]), (f32::INFINITY, u32::MAX));
                assert_eq!(uvs[2 * i..2 * i + 2], [0.0; 2]);
                assert_eq!(normals[3 * i..3 * i + 3], [0.0; 3]);
            }
            [hit] => {
                assert_eq!(t[i], number(&hit["t"]));
                assert_eq!(u64::from(ids[i]), hit["triangle"].as_u64().unwrap());
                assert_eq!(uvs[2 * i..2 * i + 2], [number(&hit["w1"]), number(&hit["w2"])]);
                let normal = [0, 1, 2].map(|axis| number(&hit["normal"][axis]));
                assert_eq!(normals[3 * i..3 * i + 3], normal);
            }
            _ => panic!("more than the closest hit"),
        }
    }
}

#[test]
fn npz_of_all_hits_splits_them_by_ray() {
    let files = Files::new();
    let lines = files.json("--all");
    let mut npz = files.npz("--all");
    let (splits, shape, dtype) = npz.array::<u64>("ray_splits");
    assert_eq!((shape, dtype.as_str()), (vec![6], "<u8"));
    let (ray_ids, _, dtype) = npz.array::<u32>("ray_ids");
    assert_eq!(dtype, "<u4");
    let (t, ..) = npz.array::<f32>("t_hit");
    let (ids, ..) = npz.array::<u32>("primitive_ids");
    let (_, uvs_shape, _) = npz.array::<f32>("primitive_uvs");
    let (_, normals_shape, _) = npz.array::<f32>("primitive_normals");
    let n = t.len() as u64;
    assert_eq!((uvs_shape, normals_shape), (vec![n, 2], vec![n, 3]));
    for (ray, line) in lines.iter().enumerate() {
        let hits = line["hits"].as_array().unwrap();
        let range = splits[ray] as usize..splits[ray + 1] as usize;
        assert_eq!(range.len(), hits.len());
        for (i, hit) in range.zip(hits) {
            assert_eq!(ray_ids[i], ray as u32);
            assert_eq!(f64::from(t[i]), hit["t"].as_f64().unwrap());
            assert_eq!(u64::from(ids[i]), hit["triangle"].as_u64().unwrap());
        }
    }
    assert_eq!(splits[5], n);
}

#[test]
fn npz_of_any_and_count_has_one_array() {
    let files = Files::new();
    let mut npz = files.npz("--any");
    assert_eq!(npz.names(), ["occluded.npy"]);
    let (occluded, _, dtype) = npz.array::<bool>("occluded");
    assert_eq!((occluded, dtype.as_str()), (vec![true, true, false, true, true], "|b1"));
    let mut npz = files.npz("--count");
    assert_eq!(npz.names(), ["crossings.npy"]);
    let (crossings, _, dtype) = npz.array::<u32>("crossings");
    assert_eq!((&crossings[..4], dtype.as_str()), (&[1, 1, 0, 1][..], "<u4"));
}

#[test]
fn brute_force_writes_the_same_bytes() {
    let folder = folder();
    let rays = path(folder.path(), "rays.csv");
    let mut text = String::from("ox,oy,oz,dx,dy,dz\n");
    // Through lattice points of the cuboid's surface: many on edges and vertices.
    for i in 0..40 {
        for j in 0..20 {
            let (x, y) = (f64::from(i) * 0.3125 - 6.0, f64::from(j) * 0.75 - 7.0);
            text.push_str(&format!("{x},{y},9,0.0625,{},-1\n", f64::from(i % 3) * 0.125));
        }
    }
    File::create(&rays).unwrap().write_all(text.as_bytes()).unwrap();
    let out = path(folder.path(), "out");
    for query in
        ["", "--all", "--all --once-per-crossing", "--any", "--count", "--faces back --all"]
    {
        for format in ["text", "ndjson", "csv", "npz"] {
            let cast = |flags: &str| {
                hitscan(&format!(
                    "cast {} --rays {rays} {query} --format {format} -o {out} {flags}",
                    cuboid()
                ))
                .expect_code(0);
                std::fs::read(&out).unwrap()
            };
            let brute = cast("--brute");
            assert!(brute.len() > 100);
            for flags in ["", "--threads 1", "--isa scalar --quality fast", "--quality high"] {
                assert!(cast(flags) == brute, "{query} {format} {flags}");
            }
        }
    }
}
